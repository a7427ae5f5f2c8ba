#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "mehler/release/release.h"
#include "mehler/synthesis/methods.h"
#include "method_options.h"
#include "table_options.h"

namespace mehler {

/// The command-line options of making a release, shared by 'release' and 'synth'.
class ReleaseFlags {
 public:
  void add_to(CLI::App& command);

  /// --threads: the number given, else what the machine has.
  std::size_t threads() const { return threads_or_all(threads_); }
  /// The same as it was given; empty if it was not.
  const std::string& given_threads() const { return threads_; }

  /// Throws mehler::Error if there is a release of that name already, unless --force was given:
  /// what was spent on it is not given back by overwriting it.
  void require_new_release(const std::filesystem::path& path) const;

  /// The files that are read: the table's and the schema.
  std::vector<std::string> inputs() const;

  /// Reads the schema. Throws mehler::Error, also if bounds or categories are neither declared nor
  /// to be bought.
  Schema read_schema() const;

  /// --method, or the default for the schema. Throws mehler::Error if there is none of the name.
  const Method& method(const Schema& schema) const {
    return ReleaseRequest{.method = method_}.method_for(schema);
  }
  /// The flags of methods; those of fitting are for the command to add.
  MethodFlags& method_flags() { return method_flags_; }
  const MethodFlags& method_flags() const { return method_flags_; }

  /// Reads the private table (once; twice if bounds or categories are bought) and makes the
  /// release, by a schema that read_schema() gave. Throws mehler::Error.
  Release run(const Schema& schema, bool quiet) const;

 private:
  DomainBudget domain_budget(const Schema& schema) const;

  TableOptions table_;
  std::string schema_;
  std::string epsilon_;
  std::string delta_;
  std::string buy_share_;
  std::string method_;
  MethodFlags method_flags_;
  std::string threads_;
  bool force_ = false;
};

}  // namespace mehler

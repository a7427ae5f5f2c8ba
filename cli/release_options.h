#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "mehler/features/feature_set.h"
#include "mehler/release/release.h"
#include "table_options.h"

namespace mehler {

/// The command-line options of making a release, shared by 'release' and 'synth'.
class ReleaseFlags {
 public:
  void add_to(CLI::App& command);

  /// --threads: the number given, else what the machine has.
  std::size_t threads() const { return threads_or_all(threads_); }

  /// The files that are read: the table's and the schema.
  std::vector<std::string> inputs() const;

  /// Reads the private table once and makes the release. Throws mehler::Error.
  Release run(bool quiet) const;

 private:
  EmbeddingOptions hermite_options() const;

  TableOptions table_;
  std::string schema_;
  std::string epsilon_;
  std::string delta_;
  std::string order_ = std::to_string(EmbeddingOptions::kDefaultOrder);
  std::vector<std::string> length_scales_;
  std::vector<std::string> weights_;
  std::string threads_;
};

}  // namespace mehler

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/release/release.h"
#include "mehler/synthesis/dp_hp/embedding_options.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "method_options.h"
#include "table_options.h"

namespace mehler {

/// Whether an option (without its dashes) describes features that a kernel does not have:
/// "product-order" and the sum kernel, "order" and the product kernel.
bool is_of_another_kernel(std::string_view option, std::string_view kernel);

/// The command-line options of making a release, shared by 'release' and 'synth'.
class ReleaseFlags {
 public:
  void add_to(CLI::App& command);

  /// --threads: the number given, else what the machine has.
  std::size_t threads() const { return threads_or_all(threads_); }
  /// The same as it was given; empty if it was not.
  const std::string& given_threads() const { return threads_; }

  /// The files that are read: the table's and the schema.
  std::vector<std::string> inputs() const;

  /// Reads the schema. Throws mehler::Error, also if it is not declared in full.
  Schema read_schema() const;

  /// The method's name, which is one of those that there are. Throws mehler::Error.
  const std::string& method() const;

  /// Reads the private table once and makes the release. Throws mehler::Error.
  Release run(bool quiet) const;

 private:
  DpHpOptions measurement(const Schema& schema) const;
  MarginalsOptions marginals() const;
  ProductOptions products(const Schema& schema) const;
  FourierOptions fourier() const;
  bool is_given(const std::string& option) const { return command_->count(option) > 0; }
  /// Throws if an option that was given describes what the kernel does not have.
  void require_options_of_the_kernel() const;

  const CLI::App* command_ = nullptr;
  TableOptions table_;
  std::string schema_;
  std::string epsilon_;
  std::string delta_;
  std::string method_{kDefaultMethod};
  std::string rounds_;
  std::string triples_;
  std::string target_weight_;
  std::string memory_;
  std::vector<std::string> orders_;
  std::vector<std::string> length_scales_;
  std::vector<std::string> weights_;
  std::string kernel_ = "combined";
  std::string product_columns_;
  std::string product_subsets_;
  std::string product_seed_;
  std::vector<std::string> product_orders_;
  std::vector<std::string> products_;
  std::vector<std::string> product_length_scales_;
  std::vector<std::string> linear_maps_;
  std::string product_weight_;
  std::string frequencies_;
  std::string fourier_length_scale_;
  std::string fourier_seed_;
  std::string sensitivity_ = "certified";
  std::string accounting_ = "exact";
  std::string product_share_;
  std::string threads_;
};

}  // namespace mehler

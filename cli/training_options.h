#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/neural/training.h"

namespace mehler {

/// The command-line options of training, shared by 'train' and 'synth'.
class TrainingFlags {
 public:
  void add_to(CLI::App& command);

  /// Throws mehler::Error for a value outside its range.
  TrainingOptions parse(std::uint64_t seed) const;

  /// Throws mehler::Error if one was given that belongs to another method.
  void require_options_of(std::string_view method) const;

  /// The options that were given, as words of another command: " --epochs 5 --batch 64".
  /// `learning_rate`: another one, unless it is empty.
  std::string words(const std::string& learning_rate) const;

 private:
  bool is_given(const std::string& option) const { return command_->count(option) > 0; }

  const CLI::App* command_ = nullptr;
  std::string epochs_;
  std::string batch_;
  std::string batch_rate_;
  std::string learning_rate_;
  std::string learning_rate_decay_;
  std::string gamma_;
  bool one_product_per_epoch_ = false;
  std::vector<std::string> class_rates_;
};

/// Where a training keeps what it has reached.
struct CheckpointPlan {
  /// Written after every epoch, removed when the training is done; empty for none.
  std::string path;
  /// Go on from the file instead of starting anew.
  bool resume = false;
};

/// Trains with a line on the terminal: epoch, losses, time left.
NetworkGenerator train_with_progress(const Release& release, const TrainingOptions& options,
                                     const CheckpointPlan& plan, std::size_t threads, bool quiet);

/// Fits a table to a release of counts, with a line on the terminal.
TableGenerator fit_with_progress(const Release& release, std::uint64_t seed, std::size_t threads,
                                 bool quiet);

/// A paragraph: how far the counts of a table from this generator are from the released ones,
/// beside their noise; and if the fit did not settle.
std::string fit_words(const TableGenerator& generator, const ReleaseAgreement& agreement);

/// " --seed 3" if a value was given, else nothing.
std::string option_words(std::string_view option, const std::string& given);

/// A seed option's number; 1 when it is not given.
std::uint64_t parse_seed(const std::string& text);

}  // namespace mehler

#include "mehler/synthesis/marginals/marginal_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/counts/contrasts.h"
#include "mehler/estimation/column_scores.h"
#include "mehler/synthesis/marginals/finer_looks.h"
#include "mehler/synthesis/marginals/joint_cells.h"
#include "mehler/synthesis/marginals/marginals_limits.h"
#include "mehler/synthesis/marginals/moment_rounds.h"
#include "mehler/synthesis/marginals/pair_choice.h"
#include "mehler/synthesis/marginals/second_round.h"
#include "mehler/synthesis/marginals/target_precision.h"
#include "mehler/synthesis/marginals/teacher_rounds.h"
#include "mehler/synthesis/marginals/triple_choice.h"
#include "mehler/synthesis/marginals/wide_rule.h"

namespace mehler {
namespace {

// The shares of the budget (docs/methods/marginals.md says where they come from); others are in
// marginals_limits.h.
constexpr double kColumnShare = 0.15;       ///< for the columns, of the rest, at least
constexpr double kMoreColumnShare = 0.20;   ///< and as much more where their error is large
constexpr double kLargeColumnError = 0.03;  ///< total variation of a column
/// Where columns are hardly known, nothing is to be found in pairs: from the one error to the other
/// they give way.
constexpr double kPairlessColumnShare = 0.40;
constexpr double kPoorColumnError = 0.1;
constexpr double kPairlessColumnError = 0.5;
constexpr double kFirstRoundShare = 0.4;  ///< of what the pairs get
constexpr std::size_t kFewestRanges = 4;  ///< in pairs, where the noise is large
constexpr double kLargestColumnError = 0.06;
constexpr double kTeacherShare = 0.3;  ///< of everything, where a wide table has one
constexpr double kScoutShare = 0.05;   ///< for the first look at triples, of everything
constexpr std::size_t kMostTripleCells = 32'768;
constexpr std::size_t kMostFinerCells = std::size_t{1} << 21;  ///< in each finer look

/// The steps of measure_marginals().
class Plan {
 public:
  Plan(const Encoder& encoder, const MarginalsOptions& options, MarginalParts parts,
       MeasurementRounds& rounds, const Context& context)
      : encoder_(encoder), options_(options), parts_(parts), rounds_(rounds), context_(context) {
    divide_columns();
    const double total = rounds_.left();
    value_budget_ = all_levels_ > 0 ? kValueShare * total : 0.0;
    rest_ = total - value_budget_;
    if (const Column* target = find_target()) {
      choice_.target = static_cast<std::size_t>(target - encoder.columns().data());
    }
  }

  void run() {
    count_records();
    const WideRule wide(encoder_);
    const WideTreatment treatment =
        wide.treatment(rounds_.measurements().rows(), rest_ + value_budget_);
    if (treatment == WideTreatment::kMoments && parts_ == MarginalParts::kCountsOrMoments) {
      measure_moments(rounds_, encoder_, wide, context_);
      return;
    }
    const bool has_teacher = treatment == WideTreatment::kTeacher;
    const double teacher_budget = has_teacher ? kTeacherShare * (rest_ + value_budget_) : 0.0;
    if (has_teacher) {
      value_budget_ *= 1.0 - kTeacherShare;
      rest_ *= 1.0 - kTeacherShare;
    }
    count_columns();
    columns_ = estimate_columns(rounds_.measurements());
    find_values();
    if (has_teacher) {
      const std::size_t target = *wide.class_target;
      learn_teacher(rounds_, plain_features(normal_scores(columns_, target)),
                    {target, counted_[target]}, teacher_budget, context_);
      taught_ = target;
    }
    choice_.columns = varying_;
    choice_.target_weight = options_.target_weight;
    choice_.rows = rounds_.measurements().rows();
    choice_.mu_squared = rounds_.left();
    if (!count_pairs(choose_pairs(choice_, counted_))) {
      spend_rest_on_columns();
    }
  }

 private:
  const Column* find_target() const {
    for (const Column& column : encoder_.columns()) {
      if (column.name == encoder_.schema().target()) {
        return &column;
      }
    }
    return nullptr;
  }

  /// The cells that columns are counted in, and what follows from them.
  void divide_columns() {
    counted_ = divided_into(kCountedRanges);
    for (std::size_t c = 0; c < counted_.size(); ++c) {
      if (counted_[c]->size() > 1) {
        varying_.push_back(c);
      }
      const bool is_number = encoder_.columns()[c].is_number();
      levels_.push_back(is_number ? ValueTree::levels(*counted_[c]) : 0);
      all_levels_ += levels_.back();
    }
  }

  std::vector<std::shared_ptr<const ColumnPartition>> divided_into(std::size_t ranges) const {
    std::vector<std::shared_ptr<const ColumnPartition>> cells;
    for (const Column& column : encoder_.columns()) {
      cells.push_back(std::make_shared<const ColumnPartition>(
          ColumnPartition::even_and_spikes(column, ranges)));
    }
    return cells;
  }

  void count_records() {
    if (rounds_.knows_records()) {
      return;
    }
    count_budget_ = kCountShare * rest_;
    rounds_.measure("the number of records", {CountBlock::records()}, {1.0}, count_budget_,
                    context_);
  }

  std::vector<CountBlock> column_blocks(
      int round, std::span<const std::shared_ptr<const ColumnPartition>> cells) const {
    std::vector<CountBlock> blocks;
    for (const std::size_t column : varying_) {
      blocks.push_back(
          CountBlock::marginal(encoder_, {{column}}, cells, fmt::format("round {}", round)));
    }
    return blocks;
  }

  /// Precision of a column's contrasts: proportional to the root of its cells, and more for the
  /// target.
  std::vector<double> column_shares(
      std::span<const std::shared_ptr<const ColumnPartition>> cells) const {
    std::vector<double> shares;
    for (const std::size_t column : varying_) {
      shares.push_back((choice_.target == column ? options_.target_weight : 1.0) *
                       std::sqrt(static_cast<double>(cells[column]->size())));
    }
    return shares;
  }

  /// The total variation to expect of a column in these cells if all of them had a quarter of the
  /// budget.
  double column_error(std::span<const std::shared_ptr<const ColumnPartition>> cells) const {
    const std::vector<CountBlock> blocks = column_blocks(1, cells);
    const std::vector<double> shares = column_shares(cells);
    double sum = 0.0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      sum += shares[i] * rounds_.cost(blocks[i]);
    }
    double error = 0.0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::vector<std::size_t> shape = blocks[i].marginal()->shape();
      const double precision = 0.25 * rest_ * shares[i] / sum;
      error += kHalfMeanAbsolute * static_cast<double>(shape[0]) *
               std::sqrt(squared_contrast_norm(shape) / precision) /
               (rounds_.measurements().rows() * static_cast<double>(blocks.size()));
    }
    return error;
  }

  void count_columns() {
    if (varying_.empty()) {
      return;
    }
    const double error = column_error(counted_);
    const double share =
        kColumnShare + kMoreColumnShare * std::min(1.0, error / kLargeColumnError) +
        kPairlessColumnShare *
            std::clamp((error - kPoorColumnError) / (kPairlessColumnError - kPoorColumnError), 0.0,
                       1.0);
    column_budget_ = share * rest_;
    rounds_.measure("counts of each column", column_blocks(1, counted_), column_shares(counted_),
                    column_budget_, context_);
  }

  /// Halves ranges of numbers, level by level, as long as they hold enough records.
  void find_values() {
    if (all_levels_ == 0) {
      return;
    }
    const double per_level = value_budget_ / static_cast<double>(all_levels_);
    for (std::size_t level = 1; level <= ValueTree::kMaxLevels; ++level) {
      std::vector<CountBlock> blocks;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (levels_[c] < level) {
          continue;
        }
        // One record more or fewer changes one difference by 1, an exchange two of them or one by
        // 2: the noise follows from the block's sensitivity, whatever its ranges are.
        const double sigma = std::sqrt(rounds_.cost({"", HalvedRanges()}) / per_level);
        RangeHalves halves = columns_[c].values->next_splits(sigma);
        if (!halves.ranges.empty()) {
          blocks.push_back(
              {fmt::format("{} (values, level {})", block_word(encoder_.columns()[c].name), level),
               HalvedRanges{c, std::make_shared<const RangeHalves>(std::move(halves))}});
        }
      }
      if (blocks.empty() || rounds_.bytes() + bytes_of(blocks) > kMostValueBytes) {
        return;
      }
      const std::vector<double> even(blocks.size(), 1.0);
      const auto count = static_cast<double>(blocks.size());
      const std::size_t before = rounds_.measurements().splits().size();
      rounds_.measure(fmt::format("values of numbers, level {}", level), std::move(blocks), even,
                      per_level * count, context_);
      split_values(std::span(rounds_.measurements().splits()).subspan(before), columns_);
    }
  }

  /// Of the ranges that a number was counted in, those that stay apart in tables of pairs, at most:
  /// all, but fewer where the noise is large.
  std::size_t most_joint_ranges() const {
    constexpr std::size_t kAll = 2 * kCountedRanges;  // spikes included
    std::size_t ranges = kCountedRanges;
    while (ranges > kFewestRanges && column_error(divided_into(ranges)) > kLargestColumnError) {
      ranges /= 2;
    }
    return ranges == kCountedRanges ? kAll : ranges;
  }

  double first_pair_budget() const {
    return options_.rounds == 1 ? rounds_.left()
                                : kFirstRoundShare * (rest_ - count_budget_ - column_budget_);
  }

  /// Gives the pairs with the target their share.
  void weigh_target(std::span<const CountBlock> blocks, std::span<const ColumnPair> pairs,
                    std::vector<double>& shares) {
    if (!choice_.target || options_.target_weight <= 1.0) {
      return;
    }
    const double factor =
        target_factor(columns_[*choice_.target], choice_, blocks, pairs, shares, rounds_);
    choice_.target_weight *= factor;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      shares[i] *= choice_.is_of_target(pairs[i]) ? factor : 1.0;
    }
  }

  /// False if there are none to count.
  bool count_pairs(std::vector<ColumnPair> pairs) {
    if (pairs.empty()) {
      return false;
    }
    const double alike = first_pair_budget() / static_cast<double>(pairs.size());
    const auto cells = choose_joint_cells(columns_, pairs,
                                          {.rows = rounds_.measurements().rows(),
                                           .sigma = 1.0 / std::sqrt(alike),
                                           .most_ranges = most_joint_ranges(),
                                           .max_bytes = joint_bytes(options_),
                                           .apart = taught_});
    // A column whose categories are all too rare shares one cell among them: no pair tells of it.
    std::erase_if(pairs, [&](const ColumnPair& pair) {
      return cells[pair.first]->size() < 2 || cells[pair.second]->size() < 2;
    });
    if (pairs.empty()) {
      return false;
    }
    std::vector<CountBlock> blocks;
    std::vector<double> shares;
    for (const ColumnPair& pair : pairs) {
      blocks.push_back(
          CountBlock::marginal(encoder_, {{pair.first, pair.second}}, cells, "round 1"));
      shares.push_back(choice_.share(pair, cells));
    }
    weigh_target(blocks, pairs, shares);
    rounds_.measure("counts of pairs, round 1", std::move(blocks), shares, first_pair_budget(),
                    context_);
    if (options_.rounds == 2) {
      measure_again(pairs, cells, shares);
    }
    return true;
  }

  /// A look at all triples in coarse cells.
  void scout(std::span<const ColumnTriple> triples,
             std::span<const std::shared_ptr<const ColumnPartition>> cells) {
    const auto coarse = scout_cells(columns_, cells);
    std::vector<CountBlock> blocks;
    for (const ColumnTriple& triple : triples) {
      blocks.push_back(CountBlock::marginal(encoder_, triple, coarse, "first look"));
    }
    const std::vector<double> even(blocks.size(), 1.0);
    rounds_.measure("counts of triples, first look", std::move(blocks), even,
                    std::min(kScoutShare * (rest_ + value_budget_), 0.5 * rounds_.left()),
                    context_);
  }

  /// The second round: where the first one leaves the largest errors that a budget can lower.
  void measure_again(std::span<const ColumnPair> pairs,
                     std::span<const std::shared_ptr<const ColumnPartition>> cells,
                     const std::vector<double>& first_shares) {
    const MarginalMeasurements& measured = rounds_.measurements();
    const std::vector<MarginalEstimate> tables = estimate_tables(measured, columns_, context_);
    FinerLooks(encoder_, columns_, cells, tables,
               std::min(kMostFinerCells, joint_bytes(options_) / kBytesPerJointCell), rounds_)
        .measure(context_);
    SecondRound round(encoder_, cells, rounds_);
    const std::vector<ColumnTriple> triples = triples_of(pairs);
    const bool with_triples = are_triples_wanted(options_.triples, rounds_.epsilon(),
                                                 triples.size(), tables, measured.rows());
    // An error of a pair is in each triple with it.
    const double of_pair = with_triples ? static_cast<double>(varying_.size()) - 2.0 : 1.0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      round.add(tables[i].columns, tables[i].expected, tables[i].tau, tables[i].cell_variance,
                of_pair * (choice_.is_of_target(pairs[i]) ? choice_.target_weight : 1.0));
    }
    if (with_triples) {
      scout(triples, cells);
      std::size_t room = joint_bytes(options_) / kBytesPerJointCell;
      for (const ScoutedTriple& triple : scout_triples(measured, columns_, tables, context_)) {
        const std::size_t size = triple.expected.size();
        if (size <= std::min(kMostTripleCells, room)) {
          room -= size;
          round.add(triple.columns, triple.expected, triple.tau, triple.cell_variance, 1.0);
        }
      }
    }
    round.measure(first_shares, context_);
  }

  /// Without pairs, the columns get what is left.
  void spend_rest_on_columns() {
    rounds_.measure("counts of each column, round 2", column_blocks(2, counted_),
                    column_shares(counted_), rounds_.left(), context_);
  }

  const Encoder& encoder_;
  const MarginalsOptions& options_;
  MarginalParts parts_;
  MeasurementRounds& rounds_;
  const Context& context_;
  std::vector<std::shared_ptr<const ColumnPartition>> counted_;
  std::vector<ColumnEstimate> columns_;  ///< once they are counted
  std::vector<std::size_t> varying_;     ///< columns of more than one cell
  std::vector<std::size_t> levels_;
  std::size_t all_levels_ = 0;
  PairChoice choice_;
  std::optional<std::size_t> taught_;  ///< the column that a teacher labels: its classes stay apart
  double value_budget_ = 0.0;
  double rest_ = 0.0;
  double count_budget_ = 0.0;
  double column_budget_ = 0.0;
};

}  // namespace

void measure_marginals(MeasurementRounds& rounds, const Encoder& encoder,
                       const MarginalsOptions& options, MarginalParts parts,
                       const Context& context) {
  Plan(encoder, options, parts, rounds, context).run();
}

}  // namespace mehler

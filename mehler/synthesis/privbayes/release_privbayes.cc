#include "mehler/synthesis/privbayes/release_privbayes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/estimation/network_growth.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/privbayes/network_budget.h"
#include "mehler/synthesis/privbayes/network_candidates.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

/// The most cells of one table.
constexpr std::size_t kMostCells = 20'000;

constexpr std::size_t kManyColumns = 20;
constexpr std::size_t kVeryManyColumns = 100;

std::vector<std::shared_ptr<const ColumnPartition>> network_cells(const Encoder& encoder,
                                                                  std::size_t ranges) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const Column& column : encoder.columns()) {
    cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, ranges)));
    if (cells.back()->size() > kMostCells) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("column '{}' has {} values, but method privbayes counts at most {} "
                              "of a column; group rare ones in the schema, or ignore the column",
                              shown(column.name), cells.back()->size(), kMostCells));
    }
  }
  return cells;
}

/// As asked for, or by the number of columns that vary: few enough that no choice can have too many
/// candidates. Throws Error(kInvalidArgument) where there is no such number.
std::size_t most_parents(std::size_t columns, const PrivBayesOptions& options) {
  const auto fits = [&](std::size_t parents) {
    return candidates_at_most(columns, parents, options.published) <=
           static_cast<double>(kMostCandidates);
  };
  const std::size_t few = options.published ? 4 : 3;
  std::size_t parents = options.parents.value_or(columns > kVeryManyColumns ? 1
                                                 : columns > kManyColumns   ? few - 1
                                                                            : few);
  while (!options.parents && parents > 1 && !fits(parents)) {
    --parents;
  }
  if (!fits(parents)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("method privbayes could have to choose among more than {} candidates: "
                    "{} columns with up to {} parents each; {}",
                    kMostCandidates, columns, parents,
                    parents > 1 ? "ask for fewer (" + option_words("parents") + ")"
                                : "ignore columns in the schema, or take method marginals"));
  }
  return parents;
}

/// The columns of more than one cell.
std::vector<std::size_t> varying_columns(
    const std::vector<std::shared_ptr<const ColumnPartition>>& cells) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c]->size() > 1) {
      columns.push_back(c);
    }
  }
  return columns;
}

/// What schema and options alone can be wrong with.
void require_network(const Encoder& encoder, const PrivBayesOptions& options) {
  require_varying_column(encoder);
  most_parents(varying_columns(network_cells(encoder, options.ranges)).size(), options);
}

std::string choice_name(std::size_t number) {
  return fmt::format("choice {} of a column and its parents", number);
}

/// What the budget alone can be wrong with: noise that cannot be drawn, a choice that cannot be
/// made.
void require_possible_noise(const Encoder& encoder, const PrivBayesOptions& options,
                            const Accountant& accountant) {
  const Schema& schema = encoder.schema();
  const std::vector<std::shared_ptr<const ColumnPartition>> cells =
      network_cells(encoder, options.ranges);
  std::vector<CountBlock> columns;
  for (const std::size_t c : varying_columns(cells)) {
    columns.push_back(CountBlock::cell_counts(encoder, {{c}}, cells, network_steps::kColumns));
  }
  // The first of several columns has several candidates for its parent; of two none is chosen.
  const auto require_choice = [&](double epsilon) {
    if (columns.size() > 2) {
      require_choosable(choice_name(1), epsilon);
    }
  };
  if (options.published) {
    const auto budget = PublishedNetworkBudget::of(accountant.budget().epsilon, columns.size());
    require_drawable_laplace(budget.scale);
    require_choice(budget.choice);
    return;
  }
  const bool count_is_public = schema.relation() == NeighbourRelation::kReplaceOne;
  const auto budget =
      NetworkBudget::of(accountant.left_mu_squared(), columns.size(), count_is_public);
  const std::vector<double> one = {1.0};
  if (!count_is_public) {
    const std::vector<CountBlock> records = {CountBlock::records()};
    require_drawable_round(records, one, budget.records, schema);
  }
  require_drawable_round(columns, std::vector<double>(columns.size(), 1.0), budget.columns, schema);
  if (columns.size() > 1) {
    require_choice(budget.choice);
    // Of tables of several columns the counts have the noise of those of one.
    require_drawable_round({&columns[0], 1}, one, budget.table, schema);
  }
}

class NetworkPlan {
 public:
  NetworkPlan(const Encoder& encoder, const PrivBayesOptions& options, MeasurementRounds& rounds,
              const Context& context)
      : encoder_(encoder),
        options_(options),
        rounds_(rounds),
        context_(context),
        cells_(network_cells(encoder, options.ranges)),
        left_(varying_columns(cells_)),
        growth_(encoder, rounds.public_rows(),
                options.published ? NetworkEstimate::kClipped : NetworkEstimate::kShrunk) {
    root_ = encoder.label() && cells_[*encoder.label()]->size() > 1 ? *encoder.label() : left_[0];
    limits_.most_cells = static_cast<double>(kMostCells);
    limits_.only_largest = options.published;
    limits_.most_parents = most_parents(left_.size(), options);
  }

  void run() {
    const bool count_is_public = rounds_.public_rows().has_value();
    const auto budget = NetworkBudget::of(rounds_.left(), left_.size(), count_is_public);
    if (!count_is_public) {
      rounds_.measure("the number of records", {CountBlock::records()}, {1.0}, budget.records,
                      context_);
      take_in();
    }
    measure_columns(left_.size() == 1 ? rounds_.left() : budget.columns);
    while (!left_.empty()) {
      const double precision = budget.table / rounds_.cost({"", CellCounts()});
      offer_distances(1.0 / std::sqrt(precision));
      const NetworkCandidate chosen = choose(budget.choice);
      // What choices left over, and rounding, goes to the last one.
      rounds_.measure("counts of the network", {block_of(chosen)}, {1.0},
                      left_.size() == 1 ? rounds_.left() : budget.table, context_);
      take_in();
      take(chosen.column);
    }
  }

  void run_published() {
    const auto budget = PublishedNetworkBudget::of(rounds_.epsilon(), left_.size());
    const auto rows = static_cast<double>(*rounds_.public_rows());
    limits_.most_cells = std::min(limits_.most_cells, rows / (budget.scale * options_.theta));
    rounds_.measure_pure(
        "counts of the root",
        {CountBlock::cell_counts(encoder_, {{root_}}, cells_, network_steps::kRoot)}, budget.scale,
        context_);
    take_in();
    take(root_);
    while (!left_.empty()) {
      offer_dependence();
      const NetworkCandidate chosen = choose(budget.choice);
      rounds_.measure_pure("counts of the network", {block_of(chosen)}, budget.scale, context_);
      take_in();
      take(chosen.column);
    }
  }

 private:
  void measure_columns(double mu_squared) {
    std::vector<CountBlock> blocks;
    take(root_);
    for (const std::size_t column : left_) {
      blocks.push_back(
          CountBlock::cell_counts(encoder_, {{column}}, cells_, network_steps::kColumns));
    }
    blocks.push_back(CountBlock::cell_counts(encoder_, {{root_}}, cells_, network_steps::kRoot));
    const std::vector<double> shares(blocks.size(), 1.0);
    rounds_.measure("counts of each column", std::move(blocks), shares, mu_squared, context_);
    take_in();
  }

  /// What was measured since.
  void take_in() {
    for (; taken_in_ < rounds_.blocks().size(); ++taken_in_) {
      growth_.add(rounds_.blocks()[taken_in_], rounds_.noisy()[taken_in_],
                  rounds_.sigma_of(taken_in_));
    }
  }

  void take(std::size_t column) {
    left_.erase(std::find(left_.begin(), left_.end(), column));
    known_.push_back(column);
  }

  /// The candidates that there are now, of which `fill` completes those that are new.
  void offer(const auto& fill) {
    candidates_.clear();
    for (const std::size_t column : left_) {
      for (NetworkCandidate& candidate : candidates_of(column, known_, cells_, limits_)) {
        candidates_.push_back(std::move(candidate));
      }
    }
    MEHLER_ASSERT(candidates_.size() <= kMostCandidates);
    std::vector<ScoredTable> tables;
    std::vector<const NetworkCandidate*> fresh;
    for (const NetworkCandidate& candidate : candidates_) {
      if (!numbers_.contains(candidate)) {
        ScoredTable table;
        for (const std::size_t parent : candidate.parents) {
          table.columns.push_back({parent, cells_[parent]});
        }
        fill(table);
        table.columns.push_back({candidate.column, cells_[candidate.column]});
        if (table.kind == ScoreKind::kDistance) {
          table.shares = shares_of(candidate.column);
          table.subtracted *= static_cast<double>(table.cells());
        }
        tables.push_back(std::move(table));
        fresh.push_back(&candidate);
      }
    }
    const std::size_t first = rounds_.score(tables, context_);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      numbers_[*fresh[i]] = first + i;
    }
  }

  /// By how far counts are from independence, less what noise would be.
  void offer_distances(double sigma) {
    std::map<std::vector<std::size_t>, std::shared_ptr<const std::vector<double>>> expected;
    offer([&](ScoredTable& table) {
      std::vector<std::size_t> parents;
      for (const CountedColumn& counted : table.columns) {
        parents.push_back(counted.column);
      }
      std::shared_ptr<const std::vector<double>>& others = expected[parents];
      if (!others) {
        others =
            std::make_shared<const std::vector<double>>(growth_.expected_counts(table.columns));
      }
      table.others = others;
      table.subtracted = std::sqrt(2.0 / std::numbers::pi) * sigma;  // of a cell
    });
  }

  void offer_dependence() {
    offer([](ScoredTable& table) { table.kind = ScoreKind::kDependence; });
  }

  std::shared_ptr<const std::vector<double>> shares_of(std::size_t column) {
    std::shared_ptr<const std::vector<double>>& shares = column_shares_[column];
    if (!shares) {
      shares = std::make_shared<const std::vector<double>>(growth_.column_shares(column));
    }
    return shares;
  }

  /// One of the candidates; without a choice where there is one only.
  NetworkCandidate choose(double epsilon) {
    if (candidates_.size() == 1) {
      return candidates_.front();
    }
    std::vector<std::size_t> numbers;
    for (const NetworkCandidate& candidate : candidates_) {
      numbers.push_back(numbers_.at(candidate));
    }
    return candidates_[rounds_.choose(choice_name(known_.size()), numbers, epsilon)];
  }

  CountBlock block_of(const NetworkCandidate& candidate) const {
    std::vector<std::size_t> columns = candidate.parents;
    columns.push_back(candidate.column);
    std::sort(columns.begin(), columns.end());
    return CountBlock::cell_counts(encoder_, columns, cells_, network_steps::kNetwork);
  }

  const Encoder& encoder_;
  const PrivBayesOptions& options_;
  MeasurementRounds& rounds_;
  const Context& context_;
  std::vector<std::shared_ptr<const ColumnPartition>> cells_;
  std::vector<std::size_t> left_;  ///< columns of more than one cell that are not in the network
  NetworkGrowth growth_;
  ParentLimits limits_;
  std::size_t root_ = 0;
  std::size_t taken_in_ = 0;
  std::vector<std::size_t> known_;  ///< and those that are
  std::vector<NetworkCandidate> candidates_;
  std::map<NetworkCandidate, std::size_t> numbers_;  ///< of those that were scored
  std::map<std::size_t, std::shared_ptr<const std::vector<double>>> column_shares_;
};

}  // namespace

void require_privbayes(const Schema& schema, const PrivBayesOptions& options) {
  schema.refuse_images("method privbayes");
  require_network(Encoder(with_assumed_domains(schema)), options);
  if (!options.published) {
    return;
  }
  if (schema.relation() != NeighbourRelation::kReplaceOne) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the published protocol of privbayes takes the number of records for "
                            "public, so it needs the relation replace-one, but the schema has {}; "
                            "say so in the schema, or leave out {}",
                            relation_name(schema.relation()), option_words("protocol")));
  }
  if (schema.is_to_be_bought()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the published protocol of privbayes leaves nothing to buy bounds or categories "
                "with; declare these, or leave out " +
                    option_words("protocol"));
  }
}

Release release_privbayes(PrivateTable&& table, const PrivBayesOptions& options,
                          Accountant& accountant, const Context& context) {
  options.validate();
  require_privbayes(table.schema(), options);
  const Encoder encoder(table.schema());
  require_possible_noise(encoder, options, accountant);
  PrivateCounter counter(std::move(table), encoder, context);
  MeasurementRounds rounds(counter, encoder, accountant);
  return once_measured([&] { return rounds.any_measured(); },
                       [&] {
                         NetworkPlan plan(encoder, options, rounds, context);
                         NoiseRules rules;
                         if (options.published) {
                           rules.accounting = AccountingRule::kPublished;
                           plan.run_published();
                         } else {
                           plan.run();
                         }
                         return read_back(rounds.finish("privbayes", rules));
                       });
}

}  // namespace mehler

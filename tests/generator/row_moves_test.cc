#include "mehler/simd/row_moves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/generator/fitted_table/table_chain.h"
#include "testing/coded_tables.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace row_moves_test {

/// Cliques of all kinds on columns that take parts of blocks, a whole one and several.
CliqueTargets mixed_targets(std::size_t rows, std::size_t largest) {
  const std::vector<std::size_t> sizes = {3, largest, 16, 1, 2, 7};
  CliqueTargets targets = targets_of(dependent_rows(rows, sizes, 5), sizes, 0.3);
  targets.cliques[8].weight = 0.0;
  for (const std::vector<std::size_t>& columns :
       {std::vector<std::size_t>{0, 1, 4}, std::vector<std::size_t>{0, 2, 5}}) {
    targets.cliques.push_back({columns, 0.2, {}});
    const std::size_t last = targets.cliques.size() - 1;
    targets.cliques[last].target.assign(targets.cells(last), 1.5);
  }
  return targets;
}

void expect_forces_follow_counts(const CliqueTargets& targets) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    LogitTables tables(targets, weights_of(targets));
    CodedRows rows = independent_rows(targets, targets.rows, 1);
    const auto forces_of_counts = [&](std::size_t k) {
      CliqueValues counts = zero_values(targets);
      add_counts(targets, rows, 0, rows.rows, 1.0, counts);
      for (std::size_t i = 0; i < counts[k].size(); ++i) {
        counts[k][i] =
            targets.cliques[k].weight * (targets.cliques[k].target[i] - counts[k][i] - 0.5);
      }
      return counts[k];
    };
    for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
      if (tables.has(k)) {
        tables.set(k, forces_of_counts(k));
      }
    }
    std::vector<std::uint64_t> changes(rows.columns);
    for (std::uint64_t sweep = 0; sweep < 3; ++sweep) {
      MoveOptions options;
      options.temperature = 2.0F;
      options.seed = sweep;
      move_rows(tables.view(), rows.codes.data(), rows.rows, options, changes);
    }
    ASSERT_TRUE(codes_fit(rows, targets.sizes)) << name;
    for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
      std::vector<double> forces(targets.cells(k));
      tables.get(k, forces);
      const std::vector<double> expected =
          tables.has(k) ? forces_of_counts(k) : std::vector<double>(forces.size(), 0.0);
      for (std::size_t i = 0; i < forces.size(); ++i) {
        ASSERT_NEAR(forces[i], expected[i], 1e-3) << name << ", clique " << k << ", cell " << i;
      }
    }
  }
}

TEST(RowMoves, ForcesFollowTheCountsOnEveryInstructionSet) {
  expect_forces_follow_counts(mixed_targets(500, 40));
  // So many codes that columns stand close, across blocks.
  expect_forces_follow_counts(mixed_targets(500, 501));
}

/// The state of two rows of three columns, as a number.
std::size_t state_of(const CodedRows& rows) {
  std::size_t state = 0;
  for (const std::uint16_t code : rows.codes) {
    state = 2 * state + code;
  }
  return state;
}

/// Tables come up as often as exp(-energy) says: all 64 tables of two rows and three binary
/// columns. 40,000 tables, 4 sweeps apart, nearly independent: a share's standard error is below
/// 0.0025, so one of 64 is off by 0.015 with probability below 1e-6. The seed is fixed.
TEST(RowMoves, TablesHaveTheirBoltzmannProbabilities) {
  CliqueTargets targets = all_pairs({2, 2, 2}, 2, 0.7);
  targets.cliques.push_back({{0, 1, 2}, 0.9, std::vector<double>(8, 0.25)});
  SeededRandom random(3);
  for (CliqueTarget& clique : targets.cliques) {
    for (double& count : clique.target) {
      count = 2.0 * random.uniform();
    }
  }
  std::vector<double> expected(64);
  double total = 0.0;
  CodedRows rows(2, 3);
  for (std::size_t state = 0; state < 64; ++state) {
    for (std::size_t i = 0; i < 6; ++i) {
      rows.codes[i] = static_cast<std::uint16_t>(state >> (5 - i) & 1);
    }
    CliqueValues counts = zero_values(targets);
    add_counts(targets, rows, 0, 2, 1.0, counts);
    double energy = 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      for (std::size_t i = 0; i < counts[k].size(); ++i) {
        const double error = counts[k][i] - targets.cliques[k].target[i];
        energy += 0.5 * targets.cliques[k].weight * error * error;
      }
    }
    expected[state] = std::exp(-energy);
    total += expected[state];
  }
  TableChain chain(targets, weights_of(targets), 1.0, rows);
  chain.set_forces();
  constexpr std::size_t kTables = 40'000;
  std::vector<double> found(64, 0.0);
  for (std::size_t i = 0; i < 4 * kTables; ++i) {
    chain.sweep(1.0, i);
    if (i % 4 == 3) {
      found[state_of(chain.rows())] += 1.0 / kTables;
    }
  }
  for (std::size_t state = 0; state < 64; ++state) {
    EXPECT_NEAR(found[state], expected[state] / total, 0.015) << state;
  }
}

/// 60,000 rows; a share's standard error is at most 0.0021, so the test fails by chance with
/// probability below 1e-8. The seed is fixed.
TEST(RowMoves, FixedForcesGiveTheirSoftmaxAtAnyTemperature) {
  const std::vector<double> forces = {0.0, 1.0, -2.0, 3.0, 0.5};
  CliqueTargets targets = all_pairs({5}, 1, 0.0);
  LogitTables tables(targets, {0.0}, {true});
  tables.set(0, forces);
  for (const double temperature : {0.5, 1.0, 10.0}) {
    CodedRows rows(60'000, 1);
    std::vector<std::uint64_t> changes(1);
    MoveOptions options;
    options.temperature = static_cast<float>(temperature);
    options.update = false;
    options.seed = 9;
    move_rows(tables.view(), rows.codes.data(), rows.rows, options, changes);
    std::vector<double> shares(5, 0.0);
    for (const std::uint16_t code : rows.codes) {
      shares[code] += 1.0 / 60'000;
    }
    double total = 0.0;
    for (const double force : forces) {
      total += std::exp(force / temperature);
    }
    for (std::size_t v = 0; v < 5; ++v) {
      EXPECT_NEAR(shares[v], std::exp(forces[v] / temperature) / total, 0.0125);
    }
  }
}

TEST(RowMoves, ForbiddenCodesAreNeverTaken) {
  const CliqueTargets targets = all_pairs({20, 3}, 1, 1.0);
  LogitTables tables(targets, {0.0, 0.0, 0.0}, {true, true, true});
  for (std::size_t code = 0; code < 20; ++code) {
    if (code != 17) {
      tables.forbid(0, code);
    }
  }
  CodedRows rows(1000, 2);
  std::vector<std::uint64_t> changes(2);
  MoveOptions options;
  options.update = false;
  move_rows(tables.view(), rows.codes.data(), rows.rows, options, changes);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    EXPECT_EQ(rows.row(r)[0], 17);
  }
}

}  // namespace row_moves_test
}  // namespace mehler

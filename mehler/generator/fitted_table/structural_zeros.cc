#include "mehler/generator/fitted_table/structural_zeros.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "mehler/encoding/number_coding.h"

namespace mehler {
namespace {

/// Cells of a table that is kept only to forbid some of them, at most.
constexpr std::size_t kMostForbiddenCells = std::size_t{1} << 20;
/// Values of a cell that are looked at one by one, at most.
constexpr std::uint32_t kMostLeaves = 4096;

/// Whether all values of a cell of numbers belong to the set.
bool holds_range(const ColumnPartition& cells, std::size_t cell, const ValueTest& test) {
  const ValueGrid& leaves = cells.leaves();
  const NumberCoding coding(cells.column());
  const auto [first, second] = cells.range(cell);
  const auto has = [&](std::uint32_t leaf, double fraction) {
    return test.has_number(coding.decode(leaves.coordinate(leaf, fraction)));
  };
  constexpr double kEnd = 1.0 - 1e-9;
  if (test.is_range()) {
    return has(first, 0.0) && has(second - 1, kEnd);
  }
  if (second - first > kMostLeaves) {
    return false;
  }
  for (std::uint32_t leaf = first; leaf < second; ++leaf) {
    if (!has(leaf, 0.0) || !has(leaf, kEnd)) {
      return false;
    }
  }
  return true;
}

bool holds_codes(const ColumnPartition& cells, std::size_t cell, const ValueTest& test) {
  const std::vector<std::uint32_t> codes = cells.codes(cell);
  const std::vector<std::string> labels = cells.column().labels();
  return std::all_of(codes.begin(), codes.end(),
                     [&](std::uint32_t code) { return test.has_label(labels[code]); });
}

/// The cells that a set holds wholly.
std::vector<std::size_t> cells_held(const ColumnPartition& cells, const ValueTest& test) {
  std::vector<std::size_t> held;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const bool holds = cell >= cells.value_cells()  ? test.has_missing()
                       : cells.column().is_number() ? holds_range(cells, cell, test)
                                                    : holds_codes(cells, cell, test);
    if (holds) {
      held.push_back(cell);
    }
  }
  return held;
}

/// A rule's columns among the modelled ones, with the cells that it holds; nothing if it cannot be
/// said in cells.
struct HeldCells {
  std::size_t column = 0;
  std::vector<std::size_t> cells;
};

std::optional<std::vector<HeldCells>> held_by(
    const Encoder& encoder, const NeverRules::Rule& rule,
    std::span<const std::shared_ptr<const ColumnPartition>> cells,
    const std::set<std::string>& shared_out) {
  std::vector<HeldCells> result;
  for (const NeverRules::Part& part : rule) {
    const auto& modelled = encoder.modelled();
    const auto place = std::find_if(modelled.begin(), modelled.end(), [&](const auto& column) {
      return column.source == part.column && column.as == ModelledAs::kItself;
    });
    if (place == modelled.end() || shared_out.contains(place->column.name)) {
      return std::nullopt;
    }
    const auto column = static_cast<std::size_t>(place - modelled.begin());
    result.push_back({column, cells_held(*cells[column], part.test)});
  }
  std::sort(result.begin(), result.end(),
            [](const HeldCells& a, const HeldCells& b) { return a.column < b.column; });
  const bool holds_some = std::none_of(result.begin(), result.end(),
                                       [](const HeldCells& held) { return held.cells.empty(); });
  return holds_some && result.size() <= 3 ? std::optional(std::move(result)) : std::nullopt;
}

/// The clique of these columns, which is added if need be; nullptr if it would be too large.
CliqueTarget* clique_of(const std::vector<HeldCells>& held, CliqueTargets& targets) {
  std::vector<std::size_t> columns;
  std::size_t size = 1;
  for (const HeldCells& part : held) {
    columns.push_back(part.column);
    size *= targets.sizes[part.column];
  }
  const auto same = std::find_if(targets.cliques.begin(), targets.cliques.end(),
                                 [&](const CliqueTarget& c) { return c.columns == columns; });
  if (same != targets.cliques.end()) {
    return &*same;
  }
  if (size > kMostForbiddenCells) {
    return nullptr;
  }
  targets.cliques.push_back({columns, 0.0, std::vector<double>(size, 0.0)});
  return &targets.cliques.back();
}

void forbid(const std::vector<HeldCells>& held, const std::vector<std::size_t>& sizes,
            CliqueTarget& clique) {
  clique.forbidden.resize(clique.target.size(), false);
  std::vector<std::size_t> cells = {0};
  for (const HeldCells& part : held) {
    std::vector<std::size_t> longer;
    for (const std::size_t cell : cells) {
      for (const std::size_t next : part.cells) {
        longer.push_back(cell * sizes[part.column] + next);
      }
    }
    cells = std::move(longer);
  }
  for (const std::size_t cell : cells) {
    clique.forbidden[cell] = true;
  }
}

/// Moves what forbidden cells hold to the others.
void empty_forbidden(CliqueTarget& clique) {
  double total = 0.0;
  double left = 0.0;
  for (std::size_t i = 0; i < clique.target.size(); ++i) {
    total += clique.target[i];
    left += clique.forbidden[i] ? 0.0 : clique.target[i];
  }
  const double factor = left > 0.0 && total > 0.0 ? total / left : 1.0;
  for (std::size_t i = 0; i < clique.target.size(); ++i) {
    clique.target[i] = clique.forbidden[i] ? 0.0 : clique.target[i] * factor;
  }
}

void empty_all_forbidden(CliqueTargets& targets) {
  for (CliqueTarget& clique : targets.cliques) {
    if (!clique.forbidden.empty()) {
      empty_forbidden(clique);
    }
  }
}

}  // namespace

void forbid_never_cells(const Encoder& encoder, const NeverRules& never,
                        std::span<const std::shared_ptr<const ColumnPartition>> cells,
                        CliqueTargets& targets) {
  std::set<std::string> shared_out;
  for (const SumRule& sum : encoder.schema().rules().sums) {
    if (!sum.total_column) {
      shared_out.insert(sum.parts.begin(), sum.parts.end());
    }
  }
  for (const NeverRules::Rule& rule : never.rules()) {
    if (const auto held = held_by(encoder, rule, cells, shared_out)) {
      if (CliqueTarget* clique = clique_of(*held, targets)) {
        forbid(*held, targets.sizes, *clique);
      }
    }
  }
  empty_all_forbidden(targets);
}

void forbid_half_missing(const Encoder& encoder, CliqueTargets& targets) {
  const std::vector<ModelledColumn>& modelled = encoder.modelled();
  for (std::size_t i = 0; i < modelled.size(); ++i) {
    const bool is_time = modelled[i].as == ModelledAs::kTimeOfDay;
    if (!modelled[i].column.missing || (!is_time && modelled[i].as != ModelledAs::kDifference)) {
      continue;
    }
    // What says whether the other value is missing: of a datetime, its time of day.
    const std::size_t source = is_time ? modelled[i].source : modelled[i].other;
    const auto other = std::find_if(modelled.begin(), modelled.end(), [&](const auto& column) {
      return column.source == source && (column.as == ModelledAs::kDay) == is_time;
    });
    if (other == modelled.end() || !other->column.missing) {
      continue;
    }
    const auto place = static_cast<std::size_t>(other - modelled.begin());
    std::vector<std::size_t> values(targets.sizes[i] - 1);
    std::iota(values.begin(), values.end(), std::size_t{0});
    std::vector<HeldCells> held = {{place, {targets.sizes[place] - 1}}, {i, std::move(values)}};
    std::sort(held.begin(), held.end(),
              [](const HeldCells& a, const HeldCells& b) { return a.column < b.column; });
    if (CliqueTarget* clique = clique_of(held, targets)) {
      forbid(held, targets.sizes, *clique);
    }
  }
  empty_all_forbidden(targets);
}

}  // namespace mehler

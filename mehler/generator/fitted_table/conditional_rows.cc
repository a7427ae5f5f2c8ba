#include "mehler/generator/fitted_table/conditional_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Rows that are drawn, at most, to pick matching ones from: for each that is wanted, or in all.
constexpr double kDrawnForEach = 4.0;
constexpr double kDrawnRows = 32'768.0;
/// Tables that are drawn at a time.
constexpr double kTablesAtOnce = 4.0;

void check(const CliqueTargets& shape, const std::vector<CodeCondition>& conditions) {
  std::set<std::size_t> seen;
  for (const CodeCondition& condition : conditions) {
    const auto require = [&](bool holds, std::string_view what) {
      if (!holds) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("the condition on column {} {}", condition.column, what));
      }
    };
    require(condition.column < shape.sizes.size(), "names a column that the model does not have");
    require(seen.insert(condition.column).second,
            "is the second one on that column; give one condition with all allowed codes");
    require(!condition.codes.empty(), "allows no code; give at least one");
    require(std::all_of(condition.codes.begin(), condition.codes.end(),
                        [&](std::uint16_t code) { return code < shape.sizes[condition.column]; }),
            "allows a code that the column does not have");
  }
}

/// Codes' shares, the largest of a condition 1: in the cells that a condition allows, any row can
/// get an allowed value.
std::vector<std::vector<double>> relative_shares(const CliqueTargets& shape,
                                                 std::vector<CodeCondition>& conditions) {
  std::vector<std::vector<double>> result;
  for (CodeCondition& condition : conditions) {
    if (!condition.shares.empty()) {
      const double largest = *std::max_element(condition.shares.begin(), condition.shares.end());
      for (double& share : condition.shares) {
        share /= largest;
      }
    }
    result.push_back(shares_of(condition, shape.sizes[condition.column]));
  }
  return result;
}

}  // namespace

ConditionalRows draw_where(const CliqueTargets& shape, const SearchableFit& searchable,
                           const ModelSource& model, const std::vector<CodeCondition>& given,
                           std::size_t count, std::uint64_t seed, const Context& context,
                           bool from_table) {
  check(shape, given);
  const TableFit& fit = searchable.fit;
  std::vector<CodeCondition> conditions = given;
  const std::vector<std::vector<double>> shares = relative_shares(shape, conditions);
  SeededRandom seeds(seed);
  CodedRows found(0, fit.chain.columns);
  if (from_table) {
    add_meeting_rows(searchable.polished, conditions, shares, seeds.next_word(), found);
  }
  const auto fit_rows = static_cast<double>(fit.polished.rows);
  ConditionalRows result;
  result.probability = static_cast<double>(found.rows) / fit_rows;
  const std::size_t own = std::min(found.rows, count);
  if (own < count) {
    const std::uint64_t start_seed = seeds.next_word();
    const ClampedStart start =
        enter_conditions(model(), searchable, conditions, count - own, start_seed, context);
    result.probability = start.probability;
    result.unlikely = start.probability * static_cast<double>(searchable.records) <
                          ConditionalRows::kFewestExpected &&
                      start.probability < ConditionalRows::kLeastShare;
    // Rows of drawn tables are better than clamped ones, if that does not take many.
    const auto missing = static_cast<double>(count - own);
    const double drawn = missing / std::max(start.probability, 1e-9);
    if (std::max(drawn, fit_rows) <= std::max(kDrawnForEach * missing, kDrawnRows)) {
      DrawOptions draw;
      draw.seed = seeds.next_word();
      const std::uint64_t pick_seed = seeds.next_word();
      const double tables = std::clamp(std::ceil(1.2 * drawn / fit_rows), 1.0, kTablesAtOnce);
      const auto step = static_cast<std::size_t>(tables) * fit.chain.rows;
      // At most twice as many as are expected to do.
      for (std::size_t first = 0; static_cast<double>(first) < 2.0 * drawn && found.rows < count;
           first += step) {
        const CodedRows more = draw_rows(model(), fit, first, step, draw, context);
        add_meeting_rows(ColumnsOfRows(more), conditions, shares, pick_seed + first, found);
      }
    }
    if (found.rows < count) {
      append_rows(clamped_rows(model(), fit, conditions, start, count - found.rows,
                               seeds.next_word(), context),
                  found);
    }
  }
  result.rows = some_rows(found, count, seeds.next_word());
  return result;
}

}  // namespace mehler

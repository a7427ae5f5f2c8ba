#include "mehler/generator/fitted_table/conditional_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Tables of the fit's size that are drawn, at most, to pick matching rows from, and how many at a
/// time.
constexpr std::size_t kMostTables = 32;
constexpr std::size_t kTablesAtOnce = 4;

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

/// The rows that meet all conditions, in their order, appended.
void add_matching(const CodedRows& rows, const CliqueTargets& shape,
                  const std::vector<CodeCondition>& conditions, CodedRows& found) {
  std::vector<std::vector<bool>> allowed;
  for (const CodeCondition& condition : conditions) {
    allowed.push_back(allowed_codes(condition, shape.sizes[condition.column]));
  }
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.row(r);
    bool meets = true;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      meets = meets && allowed[i][row[conditions[i].column]];
    }
    if (meets) {
      found.codes.insert(found.codes.end(), row.begin(), row.end());
      ++found.rows;
    }
  }
}

/// A random part of the rows, in random order.
CodedRows some_of(const CodedRows& rows, std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint32_t> order = random_order(rows.rows, seed);
  CodedRows result(count, rows.columns);
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = rows.row(order[r]);
    std::copy(row.begin(), row.end(), result.row(r).begin());
  }
  return result;
}

}  // namespace

ConditionalRows draw_where(const PairwiseModel& model, const TableFit& fit,
                           const std::vector<CodeCondition>& conditions, std::size_t count,
                           std::uint64_t seed, const Context& context) {
  const CliqueTargets& shape = model.shape();
  check(shape, conditions);
  SeededRandom seeds(seed);
  const ClampedStart start = enter_conditions(model, fit, conditions, seeds.next_word(), context);
  const auto fit_rows = static_cast<double>(fit.chain.rows);
  ConditionalRows result;
  result.probability = start.probability;
  result.unlikely = start.probability * fit_rows < ConditionalRows::kFewestExpected &&
                    start.probability < ConditionalRows::kLeastShare;

  // Rows of polished tables are better than clamped ones, if there are enough of them.
  CodedRows found(0, fit.chain.columns);
  add_matching(fit.polished, shape, conditions, found);
  const double tables = static_cast<double>(count) / std::max(start.probability * fit_rows, 1e-9);
  DrawOptions draw;
  draw.seed = seeds.next_word();
  if (found.rows < count && tables <= 0.5 * kMostTables) {
    found = CodedRows(0, fit.chain.columns);
    const std::size_t step = kTablesAtOnce * fit.chain.rows;
    for (std::size_t wave = 0; wave < kMostTables / kTablesAtOnce && found.rows < count; ++wave) {
      add_matching(draw_rows(model, fit, wave * step, step, draw, context), shape, conditions,
                   found);
    }
  }
  result.rows = found.rows >= count ? some_of(found, count, seeds.next_word())
                                    : clamped_rows(model, fit, conditions, start, count,
                                                   seeds.next_word(), context);
  return result;
}

}  // namespace mehler

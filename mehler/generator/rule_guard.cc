#include "mehler/generator/rule_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/encoding/copy_row.h"

namespace mehler {
namespace {

/// Whether everything that a condition leaves is in the set.
bool asks_for(const Column& column, const ColumnCondition& condition, const ValueTest& test) {
  if (column.is_number()) {
    const NumberCoding coding(column);
    return (!condition.missing || test.has_missing()) &&
           std::all_of(condition.ranges.begin(), condition.ranges.end(),
                       [&](const Interval& range) {
                         const double low = coding.decode(range.low);
                         const double high = coding.decode(range.high);
                         return test.has_number(low) &&
                                (low == high || (test.is_range() && test.has_number(high)));
                       });
  }
  const std::vector<std::string> labels = column.labels();
  for (std::size_t code = 0; code < condition.codes.size(); ++code) {
    const bool in_set = code < labels.size() ? test.has_label(labels[code]) : test.has_missing();
    if (condition.codes[code] && !in_set) {
      return false;
    }
  }
  return true;
}

}  // namespace

void RuleGuard::refuse_contradictions(const std::vector<ColumnCondition>& conditions) const {
  for (std::size_t i = 0; i < never_.rules().size(); ++i) {
    const NeverRules::Rule& rule = never_.rules()[i];
    const bool asked = std::all_of(rule.begin(), rule.end(), [&](const NeverRules::Part& part) {
      return std::any_of(conditions.begin(), conditions.end(), [&](const ColumnCondition& asks) {
        const ModelledColumn& modelled = encoder_.modelled()[asks.column];
        return modelled.source == part.column && modelled.as == ModelledAs::kItself &&
               asks_for(modelled.column, asks, part.test);
      });
    });
    if (asked) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the conditions ask for a combination that by the schema never "
                              "occurs, rule {} of \"never\"; change one of them",
                              i + 1));
    }
  }
}

std::vector<std::size_t> RuleGuard::lawful_rows(const EncodedBatch& batch) const {
  const std::vector<bool> broken = never_.broken(encoder_.decode(batch));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < broken.size(); ++row) {
    if (!broken[row]) {
      rows.push_back(row);
    }
  }
  return rows;
}

void RuleGuard::repair(EncodedBatch& batch, std::size_t attempts, const Redraw& redraw) const {
  const std::vector<bool> at_first = never_.broken(encoder_.decode(batch));
  std::vector<std::size_t> broken;
  std::vector<std::size_t> lawful;
  for (std::size_t row = 0; row < at_first.size(); ++row) {
    (at_first[row] ? broken : lawful).push_back(row);
  }
  for (std::size_t attempt = 0; attempt < attempts && !broken.empty(); ++attempt) {
    const EncodedBatch drawn = redraw(broken, attempt);
    const std::vector<bool> still = never_.broken(encoder_.decode(drawn));
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < broken.size(); ++i) {
      if (still[i]) {
        left.push_back(broken[i]);
      } else {
        copy_row(drawn, i, batch, broken[i]);
        lawful.push_back(broken[i]);
      }
    }
    broken = std::move(left);
  }
  if (!broken.empty() && lawful.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "no record could be drawn that has none of the combinations which by the schema "
                "never occur; ask for more rows, loosen the conditions, or loosen \"never\"");
  }
  for (std::size_t i = 0; i < broken.size(); ++i) {
    copy_row(batch, lawful[i % lawful.size()], batch, broken[i]);
  }
}

}  // namespace mehler

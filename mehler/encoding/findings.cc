#include "mehler/encoding/findings.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {

Finding refused_findings(const Column& column, Finding found) {
  auto bits = static_cast<std::uint32_t>(found);
  if (column.out_of_range == OutOfRange::kClamp) {
    bits &= ~static_cast<std::uint32_t>(Finding::kOutOfRange);
  }
  if (column.other.has_value()) {
    bits &= ~static_cast<std::uint32_t>(Finding::kUnknownCategory);
  }
  return static_cast<Finding>(bits);
}

std::string describe_refusal(const Column& column, Finding refused) {
  const auto say = [&](std::string_view what) {
    return fmt::format("column '{}' {}", shown(column.name), what);
  };
  if (contains(refused, Finding::kMissing) && column.is_image()) {
    return say("lacks an image in some records; every record has one: leave those records out");
  }
  if (contains(refused, Finding::kMissing)) {
    return say(
        "has missing values, but the schema says that it has none; write \"missing\": true for it, "
        "or fill them in");
  }
  if (contains(refused, Finding::kNaN)) {
    return say(
        "holds NaN, which counts as a missing value, but the schema says that it has none; write "
        "\"missing\": true for it, or fill them in");
  }
  if (contains(refused, Finding::kNotFinite)) {
    return say(
        "holds infinity; replace it by a missing value (null; in CSV, name the spelling with "
        "option 'null') or by a number within the bounds");
  }
  if (contains(refused, Finding::kNotWhole) && !column.is_number()) {
    return say(fmt::format(
        "is declared {}, but holds numbers that are not whole (or too large for their type to tell "
        "whole ones apart); round them, make them text, or declare it numeric",
        kind_name(column.kind)));
  }
  if (contains(refused, Finding::kNotWhole)) {
    return say("is declared integer, but holds numbers with a fraction; declare it numeric");
  }
  if (contains(refused, Finding::kNotBoolean)) {
    return say(
        "is declared boolean, but holds something that is neither true nor false; declare it "
        "categorical and list its categories");
  }
  if (contains(refused, Finding::kNotDate)) {
    return column.kind == ColumnKind::kDate
               ? say("is declared date, but holds something that is not written YYYY-MM-DD; "
                     "rewrite it, or "
                     "declare it categorical")
               : say("is declared datetime, but holds something that is not written "
                     "YYYY-MM-DDThh:mm:ss; rewrite it, or declare it categorical");
  }
  if (contains(refused, Finding::kOutOfRange)) {
    return say(
        "holds values outside its bounds, which the schema says to refuse; widen the bounds, or "
        "write \"out_of_range\": \"clamp\"");
  }
  MEHLER_ASSERT(contains(refused, Finding::kUnknownCategory));
  return say(
      "holds a value that is not among its categories; list every category, or name one for the "
      "rest, as in \"other\": \"Other\"");
}

}  // namespace mehler

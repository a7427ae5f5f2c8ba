#include "mehler/table/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/table/calendar.h"
#include "mehler/table/date_format.h"

namespace mehler {
namespace {

struct KindName {
  ColumnKind kind;
  std::string_view name;
};

constexpr std::array kKindNames = {
    KindName{ColumnKind::kNumeric, "numeric"},
    KindName{ColumnKind::kInteger, "integer"},
    KindName{ColumnKind::kCategorical, "categorical"},
    KindName{ColumnKind::kOrdinal, "ordinal"},
    KindName{ColumnKind::kBoolean, "boolean"},
    KindName{ColumnKind::kDate, "date"},
    KindName{ColumnKind::kDatetime, "datetime"},
    KindName{ColumnKind::kImage, "image"},
    KindName{ColumnKind::kIgnored, "ignored"},
    KindName{ColumnKind::kIdentifier, "identifier"},
};

}  // namespace

std::string_view kind_name(ColumnKind kind) {
  for (const KindName& entry : kKindNames) {
    if (entry.kind == kind) {
      return entry.name;
    }
  }
  MEHLER_ASSERT(false && "every kind has a name");
}

std::optional<ColumnKind> kind_from_name(std::string_view name) {
  for (const KindName& entry : kKindNames) {
    if (entry.name == name) {
      return entry.kind;
    }
  }
  return std::nullopt;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindName& entry : kKindNames) {
    names.emplace_back(entry.name);
  }
  return names;
}

std::optional<double> default_step(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kInteger:
    case ColumnKind::kDate:
      return 1.0;
    case ColumnKind::kDatetime:
      return static_cast<double>(kMicrosecondsPerSecond);
    default:
      return std::nullopt;
  }
}

std::optional<double> default_step(const Column& column) {
  std::optional<double> step = default_step(column.kind);
  if (column.kind == ColumnKind::kDatetime && !column.spelling.format.empty()) {
    if (const auto format = DateFormat::make(column.spelling.format)) {
      step = std::max(*step, static_cast<double>(format->resolution()));
    }
  }
  return step;
}

bool Column::is_number() const {
  return kind == ColumnKind::kNumeric || kind == ColumnKind::kInteger ||
         kind == ColumnKind::kDate || kind == ColumnKind::kDatetime;
}

bool Column::is_category() const {
  return kind == ColumnKind::kCategorical || kind == ColumnKind::kOrdinal ||
         kind == ColumnKind::kBoolean;
}

bool Column::is_undeclared() const {
  if (is_number()) {
    return !bounds.has_value() && !rules.at_least && !is_computed();
  }
  return (kind == ColumnKind::kCategorical || kind == ColumnKind::kOrdinal) &&
         !categories.has_value();
}

std::vector<std::string> Column::labels() const {
  if (kind == ColumnKind::kBoolean) {
    return {"false", "true"};
  }
  MEHLER_ASSERT(is_category() && categories.has_value());
  std::vector<std::string> result = *categories;
  if (other.has_value() && std::find(result.begin(), result.end(), *other) == result.end()) {
    result.push_back(*other);
  }
  return result;
}

std::size_t Column::code_count() const { return labels().size() + (missing ? 1 : 0); }

std::string Column::format_value(double value) const {
  switch (kind) {
    case ColumnKind::kDate:
      return format_date(static_cast<std::int64_t>(value));
    case ColumnKind::kDatetime:
      return format_datetime(static_cast<std::int64_t>(value));
    default:
      return fmt::format("{}", value);
  }
}

std::optional<double> Column::parse_value(std::string_view text) const {
  if (kind == ColumnKind::kDate || kind == ColumnKind::kDatetime) {
    const auto moment = kind == ColumnKind::kDate ? parse_date(text) : parse_datetime(text);
    return moment ? std::optional(static_cast<double>(*moment)) : std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole_text = error == std::errc() && end == text.data() + text.size();
  return is_whole_text && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace mehler

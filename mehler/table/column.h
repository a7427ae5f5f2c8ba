#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/image_shape.h"
#include "mehler/core/interval.h"
#include "mehler/table/column_spelling.h"
#include "mehler/table/constraints.h"
#include "mehler/table/number_transform.h"
#include "mehler/table/stored_type.h"

namespace mehler {

/// What a column holds.
enum class ColumnKind {
  kNumeric,      ///< a real number within bounds
  kInteger,      ///< a whole number within bounds
  kCategorical,  ///< one of a list of categories, in no order
  kOrdinal,      ///< one of a list of categories, in their order
  kBoolean,      ///< false or true
  kDate,         ///< a day of the calendar within bounds
  kDatetime,     ///< a moment within bounds
  kImage,        ///< a small picture: bytes of a declared shape
  kIgnored,      ///< not read and not synthesised
  kIdentifier,   ///< names a person or a record; never learnt, may be the privacy unit
};

/// "numeric", "integer" and so on: the words of the schema file.
std::string_view kind_name(ColumnKind kind);
std::optional<ColumnKind> kind_from_name(std::string_view name);
std::vector<std::string> kind_names();

/// The step of a column whose schema does not name one: 1 for integers, 1 day, 1 second (in
/// microseconds); nothing for the other kinds.
std::optional<double> default_step(ColumnKind kind);

/// What happens to a number, a date or a time outside its bounds.
enum class OutOfRange { kClamp, kRefuse };

/// The public description of one column. Nothing in it is read from private records.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;

  /// Smallest and largest value, for kinds that are numbers. Units: the value itself, days (date)
  /// or microseconds (datetime) since 1970. Empty while undeclared.
  std::optional<Interval> bounds;
  OutOfRange out_of_range = OutOfRange::kClamp;

  /// Values come back as multiples of it, counted from the lower bound; in the units of `bounds`.
  /// Empty: any real number (numeric only).
  std::optional<double> step;
  /// Numeric only, instead of a step: digits after the decimal point.
  std::optional<int> decimals;

  /// Numeric and integer only: the scale on which values are compared, and its unit (> 0).
  NumberTransform transform = NumberTransform::kNone;
  double transform_scale = 1.0;

  /// In order, distinct; for categorical and ordinal columns. Empty while undeclared.
  std::optional<std::vector<std::string>> categories;
  /// Where unknown categories go: one of `categories`, or one more. Empty: an unknown category is
  /// refused.
  std::optional<std::string> other;

  /// Bounds or categories are bought with a part of the privacy budget: they will be while they are
  /// empty, and were once they are there.
  bool bought = false;

  /// Whether a value may be missing.
  bool missing = false;

  /// How synthetic tables store the values, where the format has types.
  StoredType type = StoredType::kUsual;
  /// With StoredType::kDecimal.
  DecimalDigits decimal_digits;
  /// Datetime only: the zone in which synthetic tables show the moments, which are those of UTC
  /// ("Europe/Paris"). Empty: none, that is, local times of no particular place.
  std::string timezone;

  /// Image only, where it always is: what every image of the column is. Each side has 1 to
  /// kLongestImageSide pixels.
  std::optional<ImageShape> shape;

  /// Identifier only: the pattern by which synthetic tables make it up anew ("P{6 digits}"; see
  /// IdentifierPattern). Empty: synthetic tables do not have the column.
  std::string make;

  /// How CSV files write the values.
  ColumnSpelling spelling;

  /// What holds between this column and others.
  ColumnRules rules = {};

  /// Numbers with bounds: numeric, integer, date and datetime.
  bool is_number() const;
  /// One of a finite list: categorical, ordinal and boolean.
  bool is_category() const;
  bool is_image() const { return kind == ColumnKind::kImage; }
  /// Whether the column takes part in features and in synthetic records.
  bool is_used() const { return is_number() || is_category() || is_image(); }
  /// Whether its values follow from other columns: they are not read from tables, but computed in
  /// every synthetic record.
  bool is_computed() const { return rules.derived || rules.determined_by; }
  /// Whether bounds or categories that the kind needs are still undeclared. Numbers that follow
  /// from another column need no bounds of their own.
  bool is_undeclared() const;
  /// Whether they are undeclared because they are still to be bought.
  bool is_to_be_bought() const { return bought && is_undeclared(); }

  /// The category labels in the order of their codes: the declared ones, then `other` if it is not
  /// among them ("false", "true" for a boolean column). A missing value's code comes after these.
  std::vector<std::string> labels() const;
  /// Number of codes: labels, and one more if values may be missing.
  std::size_t code_count() const;

  /// g(value) and back, by the declared transform; the value itself where there is none. For kinds
  /// that are numbers.
  double transformed(double value) const {
    return transform_number(transform, transform_scale, value);
  }
  double untransformed(double value) const {
    return untransform_number(transform, transform_scale, value);
  }

  /// A value of `bounds` as the schema file writes it: "17", "2020-01-31", "2020-01-31T08:00:00".
  std::string format_value(double value) const;
  /// The value that such a text is, in the units of `bounds`, whether it lies within them or not;
  /// nothing if it is no finite number, date or time. For kinds that are numbers.
  std::optional<double> parse_value(std::string_view text) const;

  bool operator==(const Column&) const = default;
};

/// The same for a column: a datetime whose format shows no seconds has a step of a minute, an hour
/// or a day.
std::optional<double> default_step(const Column& column);

}  // namespace mehler

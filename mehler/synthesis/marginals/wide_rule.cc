#include "mehler/synthesis/marginals/wide_rule.h"

#include <cmath>

#include "mehler/counts/column_partition.h"

namespace mehler {
namespace {

// docs/methods/marginals.md, "Wide tables", says where these come from.
constexpr std::size_t kMostClasses = 30;
constexpr double kTeacherNoise = 0.01;
constexpr double kMomentsNoise = 0.05;
/// With more noise nothing is to be learnt beyond columns.
constexpr double kMostNoise = 5.0;
constexpr std::size_t kWideColumns = 100;
/// Of fewer, a small budget makes as much noise, but pairs tell more than a teacher.
constexpr std::size_t kTeacherColumns = 30;
/// The scatter has half as many numbers as the square of this.
constexpr std::size_t kMostColumns = 2000;
/// With more, and a budget so small that the rule applies, noise on products would leave the grid.
constexpr double kMostRows = 1e6;
/// Fewer records get a teacher only if they have so many columns, mostly numbers: there nothing but
/// the noise decides, as each number of records at which a treatment begins is a jump of the error
/// (docs/design/0018-cells-and-values.md, "Small tables").
constexpr double kFewRows = 3000.0;
constexpr std::size_t kFewRowsColumns = 50;

}  // namespace

WideRule::WideRule(const Encoder& encoder) {
  if (const auto& unit = encoder.schema().privacy_unit()) {
    rows_of_unit = static_cast<double>(unit->max_rows);
  }
  for (std::size_t c = 0; c < encoder.columns().size(); ++c) {
    const Column& column = encoder.columns()[c];
    if (column.name == encoder.schema().target() && column.is_category() &&
        column.code_count() >= 2 && column.code_count() <= kMostClasses) {
      class_target = c;
    } else if (ColumnPartition::even(column, 2).size() > 1) {
      ++columns;
      numbers += column.is_number() ? 1 : 0;
    }
  }
}

WideTreatment WideRule::treatment(double rows, double mu_squared) const {
  // The noise of one correlation, if all of the budget went to all of them.
  const double noise = static_cast<double>(columns) * rows_of_unit / (std::sqrt(mu_squared) * rows);
  if (!(noise >= kTeacherNoise && noise <= kMostNoise) || columns > kMostColumns ||
      rows > kMostRows) {
    return WideTreatment::kNone;
  }
  const bool of_numbers = 4 * numbers >= 3 * columns;
  if (of_numbers && noise >= kMomentsNoise && columns >= kWideColumns) {
    return WideTreatment::kMoments;
  }
  const bool is_taught = (of_numbers && columns >= kFewRowsColumns) ||
                         (rows >= kFewRows && columns >= kTeacherColumns);
  return class_target && is_taught ? WideTreatment::kTeacher : WideTreatment::kNone;
}

}  // namespace mehler

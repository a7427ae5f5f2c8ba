#pragma once

#include <cstddef>
#include <vector>

#include "mehler/table/schema.h"

namespace mehler {

/// How a modelled column follows from the columns of a table.
enum class ModelledAs {
  kItself,      ///< the column
  kDifference,  ///< the column minus the one that it is at least
  kDay,         ///< the day of a datetime
  kTimeOfDay,   ///< its seconds since midnight
};

/// A column that methods measure and generators draw. `column` has the bounds of what is modelled;
/// places are among schema.columns().
struct ModelledColumn {
  Column column;
  ModelledAs as = ModelledAs::kItself;
  std::size_t source = 0;
  std::size_t other = 0;  ///< kDifference only
};

/// The modelled columns of a schema, in the order of their sources: none for a computed column, two
/// for a datetime whose hour or minute is a column of its own.
///
/// Privacy: follows from the schema alone.
std::vector<ModelledColumn> modelled_columns(const Schema& schema);

/// The modelled column of one that is at least `other`: in its units, days or seconds.
Column difference_column(const Column& column, const Column& other);
/// What one unit of a difference is in units of the column: microseconds of a second, or 1.
double difference_unit(const Column& column);

/// Whether a datetime is modelled as its day and its time of day.
bool is_split(const Column& column);

}  // namespace mehler

#pragma once

#include <string>

#include "mehler/accounting/charge.h"
#include "mehler/table/column.h"

namespace mehler {

/// The values of a column as its schema declares them: "17 to 90", "north, east, ... (16 in all)".
std::string declared_values(const Column& column);

/// A charge with its name: "age: sensitivity 1, noise sigma 12.5".
std::string charge_words(const Charge& charge);

}  // namespace mehler

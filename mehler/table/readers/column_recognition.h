#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// The texts of one CSV column in the first rows, without missing values.
struct ColumnTexts {
  std::string name;
  std::vector<std::string_view> values;
};

/// How the numbers of a table are written, which columns have a form of their own, and what a
/// person should know of that.
struct RecognisedForms {
  char decimal = '.';
  std::string thousands = {};
  std::vector<RecognisedColumn> columns = {};
  std::vector<std::string> notes = {};
};

/// Recognises decimal commas (unless the delimiter is a comma), thousands separators, currency and
/// percent signs, days before months or months before days, and words for true and false. A column
/// is recognised if all its texts are written so; where two readings are possible, none is chosen,
/// and a note says so. `decimal` and `thousands` are those that were given.
///
/// Privacy: forms are learnt from the first rows of the table, as kinds are; nothing else is, and
/// notes quote no text.
RecognisedForms recognise_forms(const std::vector<ColumnTexts>& columns, char delimiter,
                                std::optional<char> decimal, std::optional<std::string> thousands);

}  // namespace mehler

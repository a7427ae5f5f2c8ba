#include "mehler/table/readers/csv_errors.h"

#include <arrow/status.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "mehler/table/readers/arrow_errors.h"

namespace mehler {
namespace {

/// Takes known words off the front of a text; nothing of what follows an unknown word is used.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : rest_(text) {}

  bool take(std::string_view words) {
    if (!rest_.starts_with(words)) {
      return false;
    }
    rest_.remove_prefix(words.size());
    return true;
  }

  std::optional<std::size_t> take_number() {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) {
      return std::nullopt;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  /// "Row #7: ", which the reader writes when it works on one thread. Rows are records: the header
  /// line and blank lines do not count, and a row with line breaks in quotes counts once.
  std::optional<std::size_t> take_row() {
    std::optional<std::size_t> row;
    if (take("Row #")) {
      row = take_number();
      take(": ");
    }
    return row;
  }

 private:
  std::string_view rest_;
};

std::string at_row(std::optional<std::size_t> row) {
  return row ? fmt::format(" in record {} (not counting the header and blank lines)", *row) : "";
}

std::string conversion_complaint(const Column& column, const PartContext& part) {
  const char* spelling = part.is_folder_table
                             ? "its spelling of missing values in the schema's dialect"
                             : "its spelling of missing values with option 'null'";
  const TimeStorage* times = time_storage(column.type);
  if (times != nullptr && times->meaning == TimeStorage::Meaning::kTimeOfDay) {
    return fmt::format(
        "holds something that is not a time of day, written hh:mm:ss; declare it categorical or "
        "ignored, or name {}",
        spelling);
  }
  switch (column.kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kInteger:
      return fmt::format(
          "holds something that is not a number; declare it categorical or ignored, name {}, or "
          "write how its numbers look into the schema",
          spelling);
    case ColumnKind::kBoolean:
      return fmt::format(
          "holds something other than true, false, 1 and 0; declare it categorical with the words "
          "it uses, name them as its \"true\" and \"false\", or name {}",
          spelling);
    default:
      return fmt::format("holds something that cannot be read as text; {}", name_encoding(part));
  }
}

void throw_ragged_row(WordReader message, const PartContext& part) {
  const std::optional<std::size_t> row = message.take_row();
  if (!message.take("Expected ")) {
    return;
  }
  const std::optional<std::size_t> expected = message.take_number();
  message.take(" columns, got ");
  const std::optional<std::size_t> found = message.take_number();
  if (expected && found) {
    refuse_part(
        part, fmt::format("has {} columns, but a row with {} fields{}; check the delimiter and the "
                          "quotes there",
                          *expected, *found, at_row(row)));
  }
}

void throw_conversion_error(WordReader message, const PartContext& part,
                            const std::vector<std::string>& file_names, bool is_text) {
  const std::optional<std::size_t> place = message.take_number();
  message.take(": ");
  const std::optional<std::size_t> row = message.take_row();
  if (!place || *place >= file_names.size()) {
    return;
  }
  const std::string name = describe_column(file_names, *place);
  const Column* column = part.schema == nullptr ? nullptr : part.schema->find(file_names[*place]);
  if (is_text) {
    refuse_part(part, fmt::format("has {}, which holds bytes that are not UTF-8{}; {}", name,
                                  at_row(row), name_encoding(part)));
  }
  if (column == nullptr) {
    refuse_part(
        part,
        fmt::format("has {}, which holds values of one type at the top of the file and of another "
                    "further down{}; write a schema that declares its kind",
                    name, at_row(row)));
  }
  if (part.options.misfit_column != nullptr) {
    *part.options.misfit_column = column->name;
  }
  refuse_part(part,
              fmt::format("has {}, which is declared {} but{} {}", name, kind_name(column->kind),
                          at_row(row), conversion_complaint(*column, part)));
}

}  // namespace

void throw_csv_error(const arrow::Status& status, const PartContext& part,
                     const std::vector<std::string>& file_names) {
  throw_carried_error(status);
  const std::string& text = status.message();
  WordReader message(text);
  if (status.IsInvalid() && message.take("straddling object ")) {
    throw_row_too_long(part.what);
  }
  if (status.IsInvalid() && message.take("CSV parse error: ")) {
    throw_ragged_row(message, part);
  }
  if (status.IsInvalid() && message.take("In CSV column #")) {
    // Arrow refuses a text only for its encoding.
    const bool is_text = text.find("CSV conversion error to string:") != std::string::npos;
    throw_conversion_error(message, part, file_names, is_text);
  }
  require_ok(status, damaged_message(part.what, "CSV"));
  refuse_part(part, "could not be read");
}

void throw_row_too_long(const std::string& what) {
  throw Error(
      ErrorCode::kInvalidTable,
      fmt::format("{} has a row of more than {} bytes, the most that is accepted; look for a "
                  "quote that is not closed, or check the delimiter and the line breaks",
                  what, kLongestRowBytes));
}

}  // namespace mehler

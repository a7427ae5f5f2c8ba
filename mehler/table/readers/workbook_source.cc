#include "mehler/table/readers/workbook_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/workbook_parts.h"

namespace mehler {
namespace {

constexpr std::size_t kMostColumns = 16'384;  // Excel's

/// The place of "BC12" among the columns, counted from 0; kMostColumns if it is no address.
std::size_t column_of_address(std::string_view address) {
  std::size_t column = 0;
  for (const char c : address) {
    if (c < 'A' || c > 'Z' || column > kMostColumns) {
      break;
    }
    column = column * 26 + static_cast<std::size_t>(c - 'A') + 1;
  }
  return column == 0 || column > kMostColumns ? kMostColumns : column - 1;
}

/// Makes rows of CSV text of a worksheet's cells.
class SheetHandler : public XmlHandler {
 public:
  SheetHandler(const WorkbookParts& parts, std::size_t skipped_rows, const std::string& what)
      : parts_(parts), skipped_rows_(skipped_rows), what_(what) {}

  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "row") {
      row_.clear();
      next_column_ = 0;
      ++row_number_;
      if (const auto number = attributes.find("r"); number != attributes.end()) {
        std::from_chars(number->second.data(), number->second.data() + number->second.size(),
                        row_number_);
      }
    } else if (name == "c") {
      begin_cell(attributes);
    } else if (name == "f" && row_number_ > skipped_rows_) {
      refuse_cell(
          "holds a formula, whose value may be out of date; copy the sheet and paste it as "
          "values, or save it as CSV UTF-8");
    } else if (name == "v" || name == "t") {
      in_value_ = !in_reading_;
    } else if (name == "rPh") {
      in_reading_ = true;
    } else if (name == "mergeCell") {
      refuse_merged(attributes);
    }
  }

  void end(std::string_view name) override {
    if (name == "v" || name == "t") {
      in_value_ = false;
    } else if (name == "rPh") {
      in_reading_ = false;
    } else if (name == "c") {
      end_cell();
    } else if (name == "row") {
      end_row();
    }
  }

  void text(std::string_view text) override {
    if (in_value_) {
      value_ += text;
    }
  }

  std::string csv;

 private:
  void begin_cell(const XmlAttributes& attributes) {
    const auto get = [&](std::string_view key) {
      const auto place = attributes.find(key);
      return place == attributes.end() ? std::string() : place->second;
    };
    type_ = get("t");
    const std::string address = get("r");
    column_ = address.empty() ? next_column_ : column_of_address(address);
    if (column_ >= kMostColumns) {
      throw Error(ErrorCode::kInvalidTable,
                  what_ +
                      " is a damaged workbook: a cell has no address; open it in Excel and "
                      "save it again");
    }
    next_column_ = column_ + 1;
    const std::string style = get("s");
    style_ = 0;
    std::from_chars(style.data(), style.data() + style.size(), style_);
    value_.clear();
  }

  /// `ref` is as "A1:B2".
  void refuse_merged(const XmlAttributes& attributes) const {
    const auto range = attributes.find("ref");
    const std::string text = range == attributes.end() ? "" : range->second;
    const std::size_t last_row = text.find_first_of("0123456789", text.find(':'));
    std::size_t row = skipped_rows_ + 1;
    if (last_row != std::string::npos) {
      std::from_chars(text.data() + last_row, text.data() + text.size(), row);
    }
    if (row > skipped_rows_) {
      throw Error(
          ErrorCode::kInvalidTable,
          fmt::format("{} has merged cells at {}, of which it is not certain what stands in "
                      "each row; unmerge them and fill every cell",
                      what_, shown(text)));
    }
  }

  void end_cell() {
    if (value_.empty() || row_number_ <= skipped_rows_) {
      return;
    }
    if (row_.size() <= column_) {
      row_.resize(column_ + 1);
    }
    row_[column_] = field();
  }

  /// The cell's value as CSV text has it, without quotes.
  std::string field() {
    if (type_ == "s") {
      std::size_t place = parts_.texts.size();
      std::from_chars(value_.data(), value_.data() + value_.size(), place);
      if (place >= parts_.texts.size()) {
        refuse_cell(
            "refers to a text that the workbook does not have; open it in Excel and save "
            "it again");
      }
      return parts_.texts[place];
    }
    if (type_ == "e") {
      refuse_cell(
          "holds an error value such as #N/A; mend it, or empty the cell if its value is "
          "missing");
    }
    if (type_ == "b") {
      return value_ == "1" ? "true" : "false";
    }
    if (type_ == "inlineStr" || type_ == "str" || type_ == "d") {
      return value_;
    }
    const NumberShows shows =
        style_ < parts_.cell_styles.size() ? parts_.cell_styles[style_] : NumberShows::kNumber;
    double number = 0.0;
    const auto [end, error] = std::from_chars(value_.data(), value_.data() + value_.size(), number);
    if (error != std::errc() || end != value_.data() + value_.size()) {
      refuse_cell("holds a number that cannot be read; open it in Excel and save it again");
    }
    if (shows == NumberShows::kNumber) {
      return fmt::format("{}", number);
    }
    const auto moment = moment_of_days(number, shows, parts_.counts_from_1904);
    if (!moment) {
      refuse_cell(
          "is shown as a date, but holds a number that is none; change its format or its "
          "value");
    }
    return *moment;
  }

  void end_row() {
    if (row_.empty()) {
      return;
    }
    columns_ = columns_ == 0 ? row_.size() : columns_;
    row_.resize(std::max(row_.size(), columns_));
    for (std::size_t i = 0; i < row_.size(); ++i) {
      csv += i > 0 ? "," : "";
      append(row_[i]);
    }
    if (columns_ == 1 && row_.front().empty()) {
      csv += "\"\"";
    }
    csv += '\n';
  }

  void append(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      csv += text;
      return;
    }
    csv += '"';
    for (const char c : text) {
      csv += c == '"' ? "\"\"" : std::string_view(&c, 1);
    }
    csv += '"';
  }

  [[noreturn]] void refuse_cell(std::string_view complaint) const {
    std::string letters;
    for (std::size_t rest = column_ + 1; rest > 0; rest = (rest - 1) / 26) {
      letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
    }
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("{}, in the cell {}{}, {}", what_, letters, row_number_, complaint));
  }

  const WorkbookParts& parts_;
  std::size_t skipped_rows_;
  const std::string& what_;
  std::vector<std::string> row_;
  std::size_t columns_ = 0;  ///< of the first row
  std::size_t column_ = 0;
  std::size_t next_column_ = 0;
  std::size_t row_number_ = 0;
  std::size_t style_ = 0;
  std::string type_;
  std::string value_;
  bool in_value_ = false;
  bool in_reading_ = false;
};

class WorkbookSource : public ByteSource {
 public:
  WorkbookSource(const std::string& path, const std::optional<std::string>& sheet,
                 std::size_t skipped_rows, std::string what)
      : what_(std::move(what)),
        archive_(path, what_),
        parts_(read_workbook_parts(archive_, sheet, what_)),
        handler_(parts_, skipped_rows, what_),
        document_(archive_, parts_.sheet_document, handler_) {}

  std::size_t read(std::span<char> out) override {
    while (place_ == handler_.csv.size()) {
      handler_.csv.clear();
      place_ = 0;
      if (is_at_end_) {
        return 0;
      }
      is_at_end_ = !document_.advance();
    }
    const std::size_t count = std::min(out.size(), handler_.csv.size() - place_);
    std::memcpy(out.data(), handler_.csv.data() + place_, count);
    place_ += count;
    return count;
  }

 private:
  std::string what_;
  WorkbookArchive archive_;
  WorkbookParts parts_;
  SheetHandler handler_;
  WorkbookArchive::Document document_;
  std::size_t place_ = 0;  ///< csv[place_ ..) has not been read
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_workbook(const std::string& path,
                                          const std::optional<std::string>& sheet,
                                          std::size_t skipped_rows, const std::string& what) {
  return std::make_unique<WorkbookSource>(path, sheet, skipped_rows, what);
}

}  // namespace mehler

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "mehler/core/atomic_file.h"
#include "mehler/table/calendar.h"
#include "mehler/table/readers/table_sink.h"

namespace mehler {
namespace {

class CsvSink : public TableSink {
 public:
  CsvSink(const std::filesystem::path& path, char delimiter)
      : file_(path), delimiter_(delimiter), special_{delimiter, '"', '\r', '\n'} {}

  void write(const Table& rows) override {
    if (!has_header_) {
      for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        append_delimiter(i);
        append_text(rows.columns[i].name);
      }
      text_.push_back('\n');
      has_header_ = true;
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        append_delimiter(i);
        append_value(rows.columns[i], row);
      }
      if (text_.empty() || text_.back() == '\n') {
        text_ += "\"\"";  // one column, and its value is missing: a blank line would be no record
      }
      text_.push_back('\n');
      if (text_.size() >= kFlushBytes) {
        flush();
      }
    }
  }

  void finish() override {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 20;

  void append_delimiter(std::size_t place) {
    if (place > 0) {
      text_.push_back(delimiter_);
    }
  }

  void append_text(std::string_view text) {
    if (!text.empty() && text.find_first_of(special_) == std::string_view::npos) {
      text_ += text;
      return;
    }
    text_.push_back('"');
    for (const char c : text) {
      if (c == '"') {
        text_.push_back('"');
      }
      text_.push_back(c);
    }
    text_.push_back('"');
  }

  /// hh:mm:ss, with the digits of the type.
  void append_time_of_day(const TableColumn& column, std::size_t row, const TimeStorage& times) {
    const auto* numbers = std::get_if<std::vector<double>>(&column.values);
    const double seconds =
        numbers != nullptr
            ? (*numbers)[row]
            : static_cast<double>(std::get<std::vector<std::int64_t>>(column.values)[row]);
    const auto units =
        static_cast<std::int64_t>(std::llround(seconds * static_cast<double>(times.per_second)));
    const std::int64_t whole = units / times.per_second;
    fmt::format_to(std::back_inserter(text_), "{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60,
                   whole % 60);
    if (times.decimals > 0) {
      fmt::format_to(std::back_inserter(text_), ".{:0{}}", units % times.per_second,
                     times.decimals);
    }
  }

  void append_value(const TableColumn& column, std::size_t row) {
    if (!column.is_missing.empty() && column.is_missing[row]) {
      return;
    }
    const TimeStorage* times = time_storage(column.type);
    if (times != nullptr && times->meaning == TimeStorage::Meaning::kTimeOfDay) {
      append_time_of_day(column, row, *times);
      return;
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      append_text((*texts)[row]);
      return;
    }
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      if (column.type == StoredType::kFloat32) {
        fmt::format_to(std::back_inserter(text_), "{}", static_cast<float>((*numbers)[row]));
      } else {
        fmt::format_to(std::back_inserter(text_), "{}", (*numbers)[row]);
      }
      return;
    }
    const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
    switch (column.kind) {
      case ColumnKind::kBoolean:
        if (integer_range(column.type)) {
          text_ += value != 0 ? "1" : "0";
        } else {
          text_ += value != 0 ? "true" : "false";
        }
        return;
      case ColumnKind::kDate:
        text_ += format_date(value);
        return;
      case ColumnKind::kDatetime:
        text_ += format_datetime(value);
        text_ += column.timezone.empty() ? "" : "Z";  // in UTC
        return;
      default:
        fmt::format_to(std::back_inserter(text_), "{}", value);
    }
  }

  void flush() {
    file_.write(text_);
    text_.clear();
  }

  AtomicFile file_;
  char delimiter_;
  std::string special_;  ///< characters that put a field in quotes
  std::string text_;
  bool has_header_ = false;
};

}  // namespace

std::unique_ptr<TableSink> make_csv_sink(const std::filesystem::path& path, char delimiter) {
  return std::make_unique<CsvSink>(path, delimiter);
}

}  // namespace mehler

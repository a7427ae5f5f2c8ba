#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"
#include "mehler/table/date_format.h"
#include "mehler/table/number_text.h"
#include "mehler/table/readers/table_sink.h"
#include "mehler/table/readers/transcoded_source.h"

namespace mehler {
namespace {

Dialect dialect_to_write(char default_delimiter, const Schema* schema) {
  Dialect dialect = schema == nullptr ? Dialect{} : schema->dialect();
  if (default_delimiter == '\t' || !dialect.delimiter) {
    dialect.delimiter = default_delimiter;
  }
  return dialect;
}

/// The form in which one column is written.
struct ColumnForm {
  NumberText number;
  std::optional<DateFormat> date;
  std::string true_word = "true";
  std::string false_word = "false";
};

ColumnForm form_of(const TableColumn& column, const Dialect& dialect, const Schema* schema) {
  const Column* declared = schema == nullptr ? nullptr : schema->find(column.name);
  const ColumnSpelling spelling = declared == nullptr ? ColumnSpelling{} : declared->spelling;
  ColumnForm form;
  form.number = {dialect.decimal, dialect.thousands, spelling.prefix, spelling.suffix};
  form.date = DateFormat::make(spelling.format);
  if (integer_range(column.type)) {
    form.true_word = "1";
    form.false_word = "0";
  }
  for (const auto& [true_words, false_words] :
       {std::pair{&spelling.true_words, &spelling.false_words},
        std::pair{&dialect.true_words, &dialect.false_words}}) {
    if (!true_words->empty()) {
      form.true_word = true_words->front();
      form.false_word = false_words->front();
      break;
    }
  }
  return form;
}

[[noreturn]] void refuse_images(const std::filesystem::path& path, const std::string& column) {
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("the output '{}' would be CSV, which holds no images, but the column '{}' "
                  "is one; end its name with .parquet, .arrow, .npz, -ubyte for IDX, or / for a "
                  "folder of PNG files",
                  path.string(), shown(column)));
}

class CsvSink : public TableSink {
 public:
  CsvSink(const std::filesystem::path& path, char default_delimiter, const Schema* schema)
      : path_(path),
        file_(path),
        schema_(schema == nullptr ? std::nullopt : std::optional(*schema)),
        dialect_(dialect_to_write(default_delimiter, schema)),
        special_{*dialect_.delimiter, '"', '\r', '\n'},
        missing_(dialect_.missing.empty() ? "" : dialect_.missing.front()) {
    if (const Column* image = schema == nullptr ? nullptr : schema->image()) {
      refuse_images(path, image->name);
    }
    if (needs_transcoding(dialect_.encoding)) {
      transcoder_ = transcoder_from_utf8(dialect_.encoding);
    }
  }

  void write(const Table& rows) override {
    if (forms_.empty()) {
      begin(rows);
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        append_delimiter(i);
        append_value(rows.columns[i], forms_[i], row);
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

  /// What stands above the first record: a byte order mark, blank lines for those that readers
  /// skip, and the names.
  void begin(const Table& rows) {
    if (dialect_.encoding == TextEncoding::kUtf8Bom || dialect_.encoding == TextEncoding::kUtf16) {
      text_ += "\xef\xbb\xbf";
    }
    text_.append(dialect_.skip_lines, '\n');
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      if (rows.columns[i].kind == ColumnKind::kImage) {
        refuse_images(path_, rows.columns[i].name);
      }
      if (dialect_.header) {
        append_delimiter(i);
        append_text(rows.columns[i].name);
      }
      forms_.push_back(form_of(rows.columns[i], dialect_, schema_ ? &*schema_ : nullptr));
    }
    text_ += dialect_.header ? "\n" : "";
  }

  void append_delimiter(std::size_t place) {
    if (place > 0) {
      text_.push_back(*dialect_.delimiter);
    }
  }

  /// Whether a field would be read as something else without quotes.
  bool needs_quotes(std::string_view text) const {
    const std::vector<std::string>& missing = dialect_.missing;
    return text.empty() || text.find_first_of(special_) != std::string_view::npos ||
           std::find(missing.begin(), missing.end(), text) != missing.end() ||
           (dialect_.trim_spaces && (std::string_view(" \t").find(text.front()) != text.npos ||
                                     std::string_view(" \t").find(text.back()) != text.npos));
  }

  void append_text(std::string_view text) {
    if (!needs_quotes(text)) {
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

  /// A number that fmt has written.
  void append_number(std::string_view plain, const NumberText& form) {
    if (form.is_plain()) {
      append_text(plain);
      return;
    }
    field_.clear();
    form.write(plain, field_);
    append_text(field_);
  }

  void append_moment(std::int64_t microseconds, const DateFormat& format) {
    field_.clear();
    format.write(microseconds, field_);
    append_text(field_);
  }

  void append_value(const TableColumn& column, const ColumnForm& form, std::size_t row) {
    if (!column.is_missing.empty() && column.is_missing[row]) {
      text_ += missing_;
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
      number_.clear();
      if (column.type == StoredType::kFloat32) {
        fmt::format_to(std::back_inserter(number_), "{}", static_cast<float>((*numbers)[row]));
      } else {
        fmt::format_to(std::back_inserter(number_), "{}", (*numbers)[row]);
      }
      append_number(number_, form.number);
      return;
    }
    const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
    switch (column.kind) {
      case ColumnKind::kBoolean:
        append_text(value != 0 ? form.true_word : form.false_word);
        return;
      case ColumnKind::kDate:
        if (form.date) {
          append_moment(value * kMicrosecondsPerDay, *form.date);
        } else {
          append_text(format_date(value));
        }
        return;
      case ColumnKind::kDatetime:
        if (form.date) {
          append_moment(value, *form.date);
        } else {
          append_text(format_datetime(value) + (column.timezone.empty() ? "" : "Z"));  // in UTC
        }
        return;
      default:
        number_.clear();
        fmt::format_to(std::back_inserter(number_), "{}", value);
        append_number(number_, form.number);
    }
  }

  void flush() {
    if (transcoder_ == nullptr) {
      file_.write(text_);
    } else {
      std::string bytes;
      const bool is_written = transcoder_->convert(text_, bytes);
      MEHLER_ASSERT(is_written && "the schema has only names and words that the encoding has");
      file_.write(bytes);
    }
    text_.clear();
  }

  std::filesystem::path path_;
  AtomicFile file_;
  std::optional<Schema> schema_;
  Dialect dialect_;
  std::unique_ptr<Transcoder> transcoder_;  ///< nullptr: UTF-8
  std::string special_;                     ///< characters that put a field in quotes
  std::string missing_;
  std::vector<ColumnForm> forms_;
  std::string text_;
  std::string field_;
  std::string number_;
};

}  // namespace

std::unique_ptr<TableSink> make_csv_sink(const std::filesystem::path& path, char default_delimiter,
                                         const Schema* schema) {
  return std::make_unique<CsvSink>(path, default_delimiter, schema);
}

}  // namespace mehler

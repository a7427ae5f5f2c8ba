#include "mehler/table/readers/csv_conversion.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"
#include "mehler/table/date_format.h"
#include "mehler/table/number_text.h"
#include "mehler/table/readers/arrow_errors.h"

namespace mehler {
namespace {

constexpr const char* kNoMemory = "there is not enough memory to read the table";

/// `parse` gives the value of a text, or nothing.
template <typename Builder, typename Parse>
std::shared_ptr<arrow::Array> convert_each(const arrow::Array& array, Builder builder,
                                           const Parse& parse, std::int64_t& bad_row) {
  const auto& texts = static_cast<const arrow::StringArray&>(array);
  require_ok(builder.Reserve(texts.length()), kNoMemory);
  for (std::int64_t row = 0; row < texts.length(); ++row) {
    const std::string_view text = texts.IsNull(row) ? std::string_view() : texts.GetView(row);
    if (text.empty()) {
      builder.UnsafeAppendNull();
      continue;
    }
    const auto value = parse(text);
    if (!value) {
      bad_row = row;
      return nullptr;
    }
    builder.UnsafeAppend(*value);
  }
  std::shared_ptr<arrow::Array> values;
  require_ok(builder.Finish(&values), kNoMemory);
  return values;
}

class NumberConversion : public TextConversion {
 public:
  NumberConversion(NumberText text, bool as_integers)
      : text_(std::move(text)), as_integers_(as_integers) {}

  std::shared_ptr<arrow::DataType> type() const override {
    return as_integers_ ? arrow::int64() : arrow::float64();
  }

  std::shared_ptr<arrow::Array> convert(const arrow::Array& texts,
                                        std::int64_t& bad_row) const override {
    if (!as_integers_) {
      return convert_each(
          texts, arrow::DoubleBuilder(), [&](std::string_view text) { return text_.parse(text); },
          bad_row);
    }
    return convert_each(
        texts, arrow::Int64Builder(),
        [&](std::string_view text) -> std::optional<std::int64_t> {
          constexpr double kLargestExact = 0x1p53;
          const std::optional<double> value = text_.parse(text);
          const bool is_whole = value && *value >= -kLargestExact && *value <= kLargestExact &&
                                static_cast<double>(static_cast<std::int64_t>(*value)) == *value;
          return is_whole ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
        },
        bad_row);
  }

  std::string words() const override {
    std::string words =
        fmt::format("a number with a decimal {}", text_.decimal == ',' ? "comma" : "point");
    if (!text_.thousands.empty()) {
      words += fmt::format(", thousands apart by '{}' or not at all", text_.thousands);
    }
    for (const auto& [where, sign] :
         {std::pair{"before", &text_.prefix}, std::pair{"after", &text_.suffix}}) {
      if (!sign->empty()) {
        words += fmt::format(", '{}' {} it", shown(*sign), where);
      }
    }
    return words;
  }

 private:
  NumberText text_;
  bool as_integers_;
};

class DateConversion : public TextConversion {
 public:
  DateConversion(DateFormat format, std::string pattern, ColumnKind kind, bool also_iso)
      : format_(std::move(format)),
        pattern_(std::move(pattern)),
        is_date_(kind == ColumnKind::kDate),
        also_iso_(also_iso) {}

  std::shared_ptr<arrow::DataType> type() const override {
    return is_date_ ? arrow::date32() : arrow::timestamp(arrow::TimeUnit::MICRO);
  }

  std::shared_ptr<arrow::Array> convert(const arrow::Array& texts,
                                        std::int64_t& bad_row) const override {
    const auto moment = [&](std::string_view text) {
      std::optional<std::int64_t> parsed = format_.parse(text);
      return parsed || !also_iso_ ? parsed : parse_datetime(text);
    };
    if (!is_date_) {
      return convert_each(texts, arrow::TimestampBuilder(type(), arrow::default_memory_pool()),
                          moment, bad_row);
    }
    return convert_each(
        texts, arrow::Date32Builder(),
        [&](std::string_view text) -> std::optional<std::int32_t> {
          const std::optional<std::int64_t> parsed = moment(text);
          return parsed && *parsed % kMicrosecondsPerDay == 0
                     ? std::optional(static_cast<std::int32_t>(*parsed / kMicrosecondsPerDay))
                     : std::nullopt;
        },
        bad_row);
  }

  std::string words() const override {
    return fmt::format("a {} of the format '{}'", is_date_ ? "date" : "time", shown(pattern_));
  }

 private:
  DateFormat format_;
  std::string pattern_;
  bool is_date_;
  bool also_iso_;
};

class BooleanConversion : public TextConversion {
 public:
  BooleanConversion(std::vector<std::string> true_words, std::vector<std::string> false_words)
      : true_words_(std::move(true_words)), false_words_(std::move(false_words)) {}

  std::shared_ptr<arrow::DataType> type() const override { return arrow::boolean(); }

  std::shared_ptr<arrow::Array> convert(const arrow::Array& texts,
                                        std::int64_t& bad_row) const override {
    const auto is_one_of = [](std::string_view text, const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), text) != words.end();
    };
    return convert_each(
        texts, arrow::BooleanBuilder(),
        [&](std::string_view text) {
          return is_one_of(text, true_words_)    ? std::optional(true)
                 : is_one_of(text, false_words_) ? std::optional(false)
                                                 : std::nullopt;
        },
        bad_row);
  }

  std::string words() const override { return "one of the words for true and false"; }

 private:
  std::vector<std::string> true_words_;
  std::vector<std::string> false_words_;
};

class ConvertedBatches : public BatchSource {
 public:
  ConvertedBatches(std::unique_ptr<BatchSource> batches, TextConversions conversions,
                   PartContext part)
      : batches_(std::move(batches)),
        conversions_(std::move(conversions)),
        part_(std::move(part)),
        schema_(converted(*batches_->schema())) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    const std::shared_ptr<arrow::RecordBatch> batch = batches_->next();
    if (batch == nullptr) {
      return nullptr;
    }
    arrow::ArrayVector columns = batch->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (conversions_[i] != nullptr) {
        std::int64_t bad_row = 0;
        columns[i] = conversions_[i]->convert(*columns[i], bad_row);
        if (columns[i] == nullptr) {
          refuse(static_cast<int>(i), rows_before_ + bad_row + 1);
        }
      }
    }
    rows_before_ += batch->num_rows();
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  std::shared_ptr<arrow::Schema> converted(const arrow::Schema& schema) const {
    arrow::FieldVector fields = schema.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (conversions_[i] != nullptr) {
        fields[i] = fields[i]->WithType(conversions_[i]->type());
      }
    }
    return arrow::schema(std::move(fields));
  }

  [[noreturn]] void refuse(int column, std::int64_t record) const {
    const std::string& name = schema_->field(column)->name();
    const Column* declared = part_.schema == nullptr ? nullptr : part_.schema->find(name);
    refuse_part(
        part_,
        fmt::format("has the column '{}', which {} but in record {} (not counting the header and "
                    "blank lines) holds something that is not {}; change how the schema says that "
                    "the column is written, declare it categorical or ignored, or name its "
                    "spelling of missing values with option 'null'",
                    shown(name),
                    declared == nullptr ? "begins so that a form was recognised"
                                        : fmt::format("is declared {}", kind_name(declared->kind)),
                    record, conversions_[static_cast<std::size_t>(column)]->words()));
  }

  std::unique_ptr<BatchSource> batches_;
  TextConversions conversions_;
  PartContext part_;
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t rows_before_ = 0;
};

std::shared_ptr<const TextConversion> make_conversion(ColumnKind kind,
                                                      const ColumnSpelling& spelling,
                                                      const PartContext& part) {
  const Dialect& dialect = part.dialect;
  const bool may_be_plain = may_be_ours(part.options.given_for) || part.is_workbook;
  switch (kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kInteger: {
      NumberText text{dialect.decimal, dialect.thousands, spelling.prefix, spelling.suffix};
      const bool arrow_reads_it =
          text.thousands.empty() && text.prefix.empty() && text.suffix.empty();
      return arrow_reads_it
                 ? nullptr
                 : std::make_shared<const NumberConversion>(
                       std::move(text), part.schema == nullptr && kind == ColumnKind::kInteger);
    }
    case ColumnKind::kDate:
    case ColumnKind::kDatetime:
      if (auto format = DateFormat::make(spelling.format)) {
        return std::make_shared<const DateConversion>(*std::move(format), spelling.format, kind,
                                                      may_be_plain);
      }
      return nullptr;
    case ColumnKind::kBoolean: {
      const bool has_own = !spelling.true_words.empty();
      std::vector<std::string> true_words = has_own ? spelling.true_words : dialect.true_words;
      std::vector<std::string> false_words = has_own ? spelling.false_words : dialect.false_words;
      if (true_words.empty()) {
        return nullptr;
      }
      if (may_be_plain &&
          std::find(false_words.begin(), false_words.end(), "true") == false_words.end()) {
        true_words.emplace_back("true");
        false_words.emplace_back("false");
      }
      return std::make_shared<const BooleanConversion>(std::move(true_words),
                                                       std::move(false_words));
    }
    default:
      return nullptr;
  }
}

}  // namespace

std::shared_ptr<const TextConversion> conversion_of(const std::string& column,
                                                    const PartContext& part) {
  if (part.has_plain_values) {
    return nullptr;
  }
  if (part.schema != nullptr) {
    const Column& declared = *part.schema->find(column);
    const TimeStorage* times = time_storage(declared.type);
    if (times != nullptr && times->meaning == TimeStorage::Meaning::kTimeOfDay) {
      return nullptr;  // 08:30:00 in every dialect
    }
    return make_conversion(declared.kind, declared.spelling, part);
  }
  const auto& recognised = part.options.recognised;
  const auto place = std::find_if(recognised.begin(), recognised.end(),
                                  [&](const auto& entry) { return entry.name == column; });
  return place == recognised.end() ? nullptr : make_conversion(place->kind, place->spelling, part);
}

std::unique_ptr<BatchSource> convert_batches(std::unique_ptr<BatchSource> batches,
                                             TextConversions conversions, PartContext part) {
  if (std::all_of(conversions.begin(), conversions.end(),
                  [](const auto& conversion) { return conversion == nullptr; })) {
    return batches;
  }
  return std::make_unique<ConvertedBatches>(std::move(batches), std::move(conversions),
                                            std::move(part));
}

}  // namespace mehler

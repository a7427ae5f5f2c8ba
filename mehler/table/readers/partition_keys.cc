#include "mehler/table/readers/partition_keys.h"

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/arrow_errors.h"

namespace mehler {
namespace {

/// "%20" and the like, as writers of partitioned tables escape what folders cannot be named.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const std::string_view digits = text.substr(i).substr(0, 3);
    if (digits.size() == 3 && digits[0] == '%' &&
        std::from_chars(digits.data() + 1, digits.data() + 3, code, 16).ptr == digits.data() + 3) {
      result.push_back(static_cast<char>(code));
      i += 2;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

/// The value of a key as a scalar of the type that it is read as; nothing if it is no such value.
std::shared_ptr<arrow::Scalar> scalar_of(const PartitionKey& key, const PartContext& part) {
  const Column* column = part.schema == nullptr ? nullptr : part.schema->find(key.name);
  const bool is_number = column != nullptr && (column->kind == ColumnKind::kNumeric ||
                                               column->kind == ColumnKind::kInteger);
  const bool is_integer = column == nullptr && key.is_integer;
  const std::shared_ptr<arrow::DataType> type = is_number    ? arrow::float64()
                                                : is_integer ? arrow::int64()
                                                             : arrow::utf8();
  if (!key.value) {
    return arrow::MakeNullScalar(type);
  }
  auto scalar = arrow::Scalar::Parse(type, *key.value);
  if (!scalar.ok()) {
    refuse_part(part, fmt::format("lies in a folder whose key '{}' is declared {}, but is not a "
                                  "number; declare it categorical or ignored",
                                  shown(key.name), kind_name(column->kind)));
  }
  return std::move(scalar).ValueUnsafe();
}

/// Batches with a constant column for each key.
class KeyedBatches : public BatchSource {
 public:
  KeyedBatches(std::unique_ptr<BatchSource> source, const PartContext& part)
      : source_(std::move(source)), message_(part.what + " could not be read") {
    schema_ = source_->schema();
    arrow::util::InitializeUTF8();
    for (const PartitionKey& key : part.keys) {
      if (!arrow::util::ValidateUTF8(key.name + key.value.value_or(""))) {
        refuse_part(part, "lies in a folder whose name is not UTF-8; rename it");
      }
      const Column* column = part.schema == nullptr ? nullptr : part.schema->find(key.name);
      if (column != nullptr && !is_read(*column, *part.schema)) {
        continue;
      }
      if (column == nullptr && part.schema != nullptr) {
        if (part.schema->ignores_others()) {
          continue;
        }
        refuse_part(part, fmt::format("lies in a folder with the key '{}', which the schema does "
                                      "not have{}; add it to the schema, with the kind \"ignored\" "
                                      "if it is not to be used",
                                      shown(key.name),
                                      suggest_names(key.name, part.schema->column_names())));
      }
      values_.push_back(scalar_of(key, part));
      auto schema =
          schema_->AddField(schema_->num_fields(), arrow::field(key.name, values_.back()->type));
      require_ok(schema.status(), message_);
      schema_ = std::move(schema).ValueUnsafe();
    }
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    const std::shared_ptr<arrow::RecordBatch> batch = source_->next();
    if (batch == nullptr) {
      return nullptr;
    }
    arrow::ArrayVector columns = batch->columns();
    for (const std::shared_ptr<arrow::Scalar>& value : values_) {
      auto column = arrow::MakeArrayFromScalar(*value, batch->num_rows());
      require_ok(column.status(), message_);
      columns.push_back(std::move(column).ValueUnsafe());
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  std::unique_ptr<BatchSource> source_;
  std::string message_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::shared_ptr<arrow::Scalar>> values_;
};

}  // namespace

std::optional<PartitionKey> partition_key_of(std::string_view folder_name) {
  const std::size_t equals = folder_name.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return std::nullopt;
  }
  PartitionKey key{.name = unescaped(folder_name.substr(0, equals)),
                   .value = unescaped(folder_name.substr(equals + 1)),
                   .is_integer = false};
  if (key.value->empty() || key.value == "__HIVE_DEFAULT_PARTITION__") {
    key.value.reset();
  }
  return key;
}

void settle_partition_keys(std::vector<TablePart>& parts) {
  const auto same_names = [](const TablePart& a, const TablePart& b) {
    return std::equal(
        a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end(),
        [](const PartitionKey& x, const PartitionKey& y) { return x.name == y.name; });
  };
  for (const TablePart& part : parts) {
    if (!same_names(part, parts.front())) {
      throw Error(ErrorCode::kInvalidTable,
                  fmt::format("the parts '{}' and '{}' lie in folders with different keys; a "
                              "partitioned table has the same keys, in the same order, for every "
                              "part",
                              parts.front().path, part.path));
    }
  }
  for (std::size_t i = 0; i < parts.front().keys.size(); ++i) {
    const bool are_integers = std::all_of(parts.begin(), parts.end(), [&](const TablePart& part) {
      return !part.keys[i].value || plain_integer(*part.keys[i].value);
    });
    for (TablePart& part : parts) {
      part.keys[i].is_integer = are_integers;
    }
  }
}

RecordStream export_part(std::unique_ptr<BatchSource> source, const PartContext& part) {
  if (!part.keys.empty()) {
    source = std::make_unique<KeyedBatches>(std::move(source), part);
  }
  return export_stream(std::move(source));
}

}  // namespace mehler

// From a file to a synthetic file, for random schemas: kinds, types, dialects and rules. What comes
// back is stored and written as what went in, and obeys the schema.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/for_each_batch.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/readers/table_reader.h"
#include "mehler/table/readers/table_writer.h"
#include "tests/support/even_batch.h"

namespace mehler {
namespace any_schema_test {

namespace fs = std::filesystem;

constexpr int kSchemas = 300;
constexpr std::size_t kRows = 40;

std::size_t below(SeededRandom& random, std::size_t bound) { return random.next_word() % bound; }

template <std::size_t Count>
const char* one_of(SeededRandom& random, const char* const (&texts)[Count]) {
  return texts[below(random, Count)];
}

/// Everything of a column but its name, and whether values may be missing.
constexpr const char* kColumns[] = {
    R"("kind": "numeric", "bounds": [-3.5, 120])",
    R"("kind": "numeric", "bounds": [0, 2000000], "decimals": 2)",
    R"("kind": "numeric", "bounds": [-5, 5], "step": 0.25, "type": "float32")",
    R"j("kind": "numeric", "bounds": [0, 9999.99], "decimals": 2, "type": "decimal(8,2)")j",
    R"("kind": "numeric", "bounds": [0, 86399.999], "decimals": 3, "type": "time[ms]")",
    R"("kind": "numeric", "bounds": [1, 1000000], "decimals": 1, "transform": "log")",
    R"("kind": "integer", "bounds": [-100, 100], "type": "int8")",
    R"("kind": "integer", "bounds": [0, 60000], "type": "uint16")",
    R"("kind": "integer", "bounds": [0, 4000000], "step": 100, "type": "uint32")",
    R"("kind": "integer", "bounds": [-20000, 30000], "type": "int16")",
    R"("kind": "integer", "bounds": [0, 1000], "type": "float64")",
    R"("kind": "integer", "bounds": [-1000000, 1000000])",
    R"("kind": "integer", "bounds": [0, 86399], "type": "time[s]")",
    R"("kind": "integer", "bounds": [0, 100000], "type": "duration[s]")",
    R"("kind": "categorical", "categories": ["red", "green, blue", "say \"so\""])",
    R"("kind": "categorical", "categories": ["a", "b", "c"], "type": "dictionary")",
    R"("kind": "categorical", "categories": [1, 2, 30], "other": "97")",
    R"("kind": "categorical", "categories": [0, 1], "type": "int8")",
    R"("kind": "categorical", "categories": [true, false])",
    R"("kind": "ordinal", "categories": ["low", "middle", "high"], "type": "dictionary")",
    R"("kind": "ordinal", "categories": ["00501", "007"])",
    R"("kind": "boolean")",
    R"("kind": "boolean", "type": "uint8")",
    R"("kind": "date", "bounds": ["1969-01-01", "2068-12-31"])",
    R"("kind": "date", "bounds": ["2020-01-01", "2020-12-31"], "format": "%d.%m.%Y")",
    R"("kind": "datetime", "bounds": ["2020-01-01", "2020-12-31T23:59:59"])",
    R"("kind": "datetime", "bounds": ["2020-01-01", "2020-06-30"], "format": "%m/%d/%Y %H:%M")",
    R"("kind": "datetime", "bounds": ["2020-01-01", "2020-06-30"], "timezone": "Europe/Paris")",
    R"("kind": "datetime", "bounds": ["2020-01-01", "2020-06-30"], "type": "timestamp[ms]")",
};

constexpr const char* kDialects[] = {
    R"({})",
    R"({"delimiter": ";", "decimal": ",", "thousands": ".", "encoding": "utf-8-bom"})",
    R"({"delimiter": ";", "decimal": ",", "missing": ["NA", "?"]})",
    R"({"delimiter": "|", "thousands": ",", "true": "yes", "false": "no"})",
    R"({"header": false, "missing": "-"})",
    R"({"encoding": "windows-1252", "skip_lines": 2})",
    R"({"encoding": "utf-16", "thousands": " "})",
    R"({"thousands": "'", "trim_spaces": true})",
};

struct RandomSchema {
  Schema schema;
  bool has_order = false;  ///< whether "late" is at least "early"
};

RandomSchema random_schema(SeededRandom& random) {
  std::vector<std::string> columns;
  const std::size_t count = 1 + below(random, 6);
  for (std::size_t i = 0; i < count; ++i) {
    columns.push_back(fmt::format(R"({{"name": "column {}", {}, "missing": {}}})", i,
                                  one_of(random, kColumns), random.flip(0.4)));
  }
  const bool has_order = random.flip(0.5);
  if (has_order) {
    columns.insert(columns.begin(),
                   R"({"name": "late", "kind": "integer", "type": "int32",
                       "at_least": {"column": "early", "bounds": [0, 30]}})");
    columns.push_back(R"({"name": "early", "kind": "integer", "bounds": [0, 50]})");
    columns.push_back(R"({"name": "between", "kind": "integer", "derived": "late - early"})");
  }
  return {
      Schema::from_json(fmt::format(
          R"({{"mehler_schema": 1, "relation": "replace-one", "dialect": {}, "columns": [{}]}})",
          one_of(random, kDialects), fmt::join(columns, ", "))),
      has_order};
}

/// Records of the schema: every value that it allows, evenly.
Table random_table(const Schema& schema, SeededRandom& random) {
  const Encoder encoder(schema);
  EncodedBatch batch = even_batch(encoder, kRows, random, 0.2);
  return encoder.decode_and_settle(batch);
}

void write(const fs::path& path, const Schema& schema, const Table& table) {
  TableWriter writer(path, schema);
  writer.write(table);
  writer.finish();
}

/// The names and Arrow types of a file's columns.
std::vector<std::string> types_of(const fs::path& path) {
  const RecordStream stream = TableReader({path.string()}, {}).parts().front()();
  std::vector<std::string> types;
  for (std::int64_t i = 0; i < stream.schema().n_children; ++i) {
    const ArrowSchema& child = *stream.schema().children[i];
    types.push_back(fmt::format("{}: {} {} {}", child.name, child.format,
                                child.dictionary == nullptr ? "" : child.dictionary->format,
                                child.flags));
  }
  return types;
}

/// The first bytes of a text file, in which its header stands.
std::string start_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Every record fits the schema, in the form in which the schema says it is written.
void expect_fits(const fs::path& path, const Schema& schema, std::size_t rows) {
  const Encoder encoder(schema);
  std::size_t found = 0;
  for_each_batch(
      TableReader({path.string()}, {}, &schema).parts(), encoder, Context{},
      [&](const EncoderBinding& binding, const ArrowSchema& types, const ArrowArray& records) {
        EncodedBatch encoded;
        encoder.encode(binding, types, records, encoded);
        found += encoded.rows;
      });
  EXPECT_EQ(found, rows);
}

void expect_order(const Table& table) {
  const auto column = [&](const std::string& name) {
    const auto place = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const TableColumn& any) { return any.name == name; });
    return std::get<std::vector<std::int64_t>>(place->values);
  };
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t between = column("late")[row] - column("early")[row];
    ASSERT_GE(between, 0);
    ASSERT_LE(between, 30);
    ASSERT_EQ(column("between")[row], between);
  }
}

TEST(AnySchema, LeadsToASyntheticFileOfTheSameTypesAndForm) {
  const fs::path folder = fs::path(::testing::TempDir()) / "mehler_any_schema";
  fs::create_directories(folder);
  SeededRandom random(2026);
  for (int i = 0; i < kSchemas; ++i) {
    const auto [schema, has_order] = random_schema(random);
    SCOPED_TRACE(fmt::format("schema {}: {}", i, schema.to_json()));
    const std::string ending = one_of(random, {".csv", ".parquet", ".arrow"});
    const fs::path input = folder / ("input" + ending);
    const fs::path output = folder / ("output" + ending);
    write(input, schema, random_table(schema, random));

    Accountant accountant({.epsilon = 10.0, .delta = 1e-6});
    const Release made =
        release(PrivateTable(TableReader({input.string()}, {}, &schema).parts(), schema),
                accountant, {.method = "independent"});
    const std::size_t rows = 1 + below(random, 2 * kRows);
    const Table synthetic = fit(made)->sample(rows, 1 + below(random, 3));
    write(output, made.schema(), synthetic);

    expect_fits(output, schema, rows);
    if (ending == ".csv") {
      if (schema.dialect().header) {
        EXPECT_EQ(start_of(output), start_of(input));
      }
    } else {
      EXPECT_EQ(types_of(output), types_of(input));
    }
    if (has_order) {
      expect_order(synthetic);
    }
    if (::testing::Test::HasFailure()) {
      break;
    }
  }
  fs::remove_all(folder);
}

}  // namespace any_schema_test
}  // namespace mehler

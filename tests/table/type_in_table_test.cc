#include "mehler/table/type_in_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/schema_of.h"

namespace mehler {
namespace type_in_table_test {

/// Names and formats; "=u" is a dictionary of texts.
using Columns = std::vector<std::pair<const char*, const char*>>;

/// The type of a table with such columns.
class Formats {
 public:
  explicit Formats(const Columns& columns) {
    children_.resize(columns.size());
    values_.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      children_[i].name = columns[i].first;
      children_[i].format = columns[i].second;
      if (columns[i].second[0] == '=') {
        values_[i].format = columns[i].second + 1;
        children_[i].format = "i";
        children_[i].dictionary = &values_[i];
      }
      pointers_.push_back(&children_[i]);
    }
    table_.format = "+s";
    table_.n_children = static_cast<std::int64_t>(children_.size());
    table_.children = pointers_.data();
  }
  const ArrowSchema& table() const { return table_; }

 private:
  std::vector<ArrowSchema> children_;
  std::vector<ArrowSchema> values_;
  std::vector<ArrowSchema*> pointers_;
  ArrowSchema table_{};
};

StoredType stored(const char* column, const char* format) {
  const Formats formats(Columns{{"c", format}});
  return stored_like(schema_of(column), formats.table()).find("c")->type;
}

constexpr const char* kAge = R"({"name": "c", "kind": "integer", "bounds": [0, 100]})";
constexpr const char* kJob = R"({"name": "c", "kind": "categorical", "categories": ["a", "b"]})";

TEST(StoredLike, ColumnsHaveTheTypesOfTheTable) {
  EXPECT_EQ(stored(kAge, "c"), StoredType::kInt8);
  EXPECT_EQ(stored(kAge, "g"), StoredType::kFloat64);
  EXPECT_EQ(stored(kAge, "d:10,2"), StoredType::kDecimal);
  EXPECT_EQ(stored(kJob, "U"), StoredType::kText);
  EXPECT_EQ(stored(kJob, "=vu"), StoredType::kDictionary);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "categorical", "categories": [1, 2]})", "=s"),
            StoredType::kInt16);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "boolean"})", "b"), StoredType::kBoolean);
}

TEST(StoredLike, ATypeThatDoesNotHoldEveryValueIsNotTaken) {
  EXPECT_EQ(stored(R"({"name": "c", "kind": "integer", "bounds": [0, 1000]})", "c"),
            StoredType::kUsual);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 1], "decimals": 3})", "d:9,2"),
            StoredType::kUsual);
  EXPECT_EQ(stored(kJob, "l"), StoredType::kUsual);
  EXPECT_EQ(stored(kAge, "+l"), StoredType::kUsual);
}

TEST(StoredLike, DurationsAndTimesOfDayWithoutDigitsHaveThoseOfTheUnit) {
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 8640000]})", "tDu"),
            StoredType::kDurationMicroseconds);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0.0625, 1.3]})", "tDs"),
            StoredType::kDurationSeconds);
  for (const char* unit : {"tts", "ttm", "ttu", "ttn"}) {
    EXPECT_NE(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 86400]})", unit),
              StoredType::kUsual)
        << unit;
    EXPECT_NE(stored(R"({"name": "c", "kind": "integer", "bounds": [0, 86400]})", unit),
              StoredType::kUsual)
        << unit;
  }
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 86401]})", "ttu"),
            StoredType::kUsual);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [-1, 8], "decimals": 0})", "ttu"),
            StoredType::kUsual);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 9], "decimals": 3})", "tDs"),
            StoredType::kUsual);
  EXPECT_EQ(stored(R"({"name": "c", "kind": "numeric", "bounds": [0, 1e12]})", "tDn"),
            StoredType::kUsual);
}

TEST(StoredLike, MomentsKeepTheirUnitAndZone) {
  const Schema schema = schema_of(
      R"({"name": "c", "kind": "datetime", "bounds": ["2020-01-01T00:00:00", "2021-01-01T00:00:00"]},
         {"name": "d", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"]})");
  const Formats formats(Columns{{"c", "tsn:Europe/Paris"}, {"d", "tsn:Europe/Paris"}});
  const Schema typed = stored_like(schema, formats.table());
  EXPECT_EQ(typed.find("c")->type, StoredType::kTimestampNanoseconds);
  EXPECT_EQ(typed.find("c")->timezone, "Europe/Paris");
  EXPECT_EQ(typed.find("d")->type, StoredType::kUsual);
  EXPECT_EQ(typed.find("d")->timezone, "");
}

TEST(StoredLike, ColumnsOfTheTableThatTheSchemaDoesNotUseDoNotMatter) {
  const Schema schema = schema_of(std::string(kAge) + R"(, {"name": "id", "kind": "identifier"})");
  const Formats formats(Columns{{"id", "l"}, {"more", "u"}});
  EXPECT_EQ(stored_like(schema, formats.table()), schema);
}

TEST(TypeInTable, OfADictionaryOfTimestampsIsReadFromItsValues) {
  const Formats formats(Columns{{"c", "=tsu:UTC"}});
  EXPECT_EQ(type_in_table(*formats.table().children[0]).timezone, "UTC");
}

}  // namespace type_in_table_test
}  // namespace mehler

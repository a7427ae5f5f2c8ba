#include <cstdlib>

#include "fuzz/harness.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/table/schema.h"
#include "mehler/table/schema_sheet.h"

namespace {

/// A sheet of a schema that was accepted describes the same schema.
void check_sheet(const mehler::Json& json, const mehler::Schema& schema) {
  const mehler::Json back = mehler::schema_of_sheet(mehler::sheet_of_schema(json), "the sheet");
  if (!(mehler::Schema::from_json(back.dump()) == schema)) {
    std::abort();
  }
}

void read_sheet(std::string_view text) {
  try {
    const mehler::Json json = mehler::schema_of_sheet(text, "the sheet");
    check_sheet(json, mehler::Schema::from_json(json.dump()));
  } catch (const mehler::Error& error) {
    if (error.code() == mehler::ErrorCode::kInternal) {
      std::abort();
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_sheet(text);
  try {
    const auto schema = mehler::Schema::from_json(text);
    // What is accepted comes back the same.
    if (!(mehler::Schema::from_json(schema.to_json()) == schema)) {
      std::abort();
    }
    check_sheet(mehler::parse_strict_json(text, mehler::ErrorCode::kInvalidSchema, "the schema"),
                schema);
  } catch (const mehler::Error& error) {
    if (error.code() == mehler::ErrorCode::kInternal) {
      std::abort();
    }
  }
  return 0;
}

std::vector<std::string> seeds() {
  return {
      mehler::people_schema().to_json(),
      R"({"mehler_schema": 1, "relation": "replace-one", "target": "c", "columns": [
              {"name": "t", "kind": "datetime", "bounds": ["2020-01-01T00:00:00.5", "2021-01-01"], "step": 0.5},
              {"name": "n", "kind": "numeric", "bounds": [-1e-3, 2.5], "step": 0.125, "out_of_range": "refuse"},
              {"name": "c", "kind": "ordinal", "categories": [1, "two"], "other": "more", "missing": true}]})",
      R"({"mehler_schema": 1, "privacy_unit": {"column": "i", "max_rows": 3}, "columns": [
              {"name": "i", "kind": "identifier"}, {"name": "b", "kind": "boolean"}]})",
      R"j({"mehler_schema": 1, "others": "ignored", "lists": {"l": ["a", "b|c"]}, "columns": [
              {"name": "i", "kind": "identifier", "make": "P{6 digits}-{uuid}"},
              {"name": "d", "kind": "numeric", "bounds": [0, 9.99], "decimals": 2, "type": "decimal(4,2)"},
              {"name": "l", "kind": "categorical", "categories": {"list": "l"}}]})j",
      "#target;c\r\n#list:l;a|b\r\nname;kind;low;high;categories;missing;more\r\n"
      "n;numeric;0,5;10;;yes;{\"decimals\": 1}\r\nc;ordinal;;;list:l;no;\r\n",
      R"({"mehler_schema": 1, "never": [{"t": {"from": "2020-02-01", "below": "2020-03-01"}, "c": ["x", null]}],
              "sums": [{"parts": ["a", "b"], "total": 10}, {"parts": ["a", "b"], "total": "s"}], "columns": [
              {"name": "t", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"], "parts": ["hour"]},
              {"name": "u", "kind": "datetime", "after": {"column": "t", "bounds": [0, 60]}},
              {"name": "a", "kind": "integer", "bounds": [0, 9]}, {"name": "b", "kind": "integer", "bounds": [0, 9]},
              {"name": "s", "kind": "integer"}, {"name": "c", "kind": "categorical", "categories": ["x"], "missing": true},
              {"name": "m", "kind": "numeric", "missing": true, "derived": "round(minutes(u - t) / `a`, 2) + max(a, b) - 1"},
              {"name": "d", "kind": "boolean", "missing": true, "determined_by": {"column": "c", "map": {"x": true}}}]})"};
}

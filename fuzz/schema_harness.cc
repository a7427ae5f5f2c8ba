#include <cstdlib>

#include "fuzz/harness.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/table/schema.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto schema = mehler::Schema::from_json({reinterpret_cast<const char*>(data), size});
    // What is accepted comes back the same.
    if (!(mehler::Schema::from_json(schema.to_json()) == schema)) {
      std::abort();
    }
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
      R"({"mehler_schema": 1, "never": [{"t": {"from": "2020-02-01", "below": "2020-03-01"}, "c": ["x", null]}],
              "sums": [{"parts": ["a", "b"], "total": 10}, {"parts": ["a", "b"], "total": "s"}], "columns": [
              {"name": "t", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"], "parts": ["hour"]},
              {"name": "u", "kind": "datetime", "after": {"column": "t", "bounds": [0, 60]}},
              {"name": "a", "kind": "integer", "bounds": [0, 9]}, {"name": "b", "kind": "integer", "bounds": [0, 9]},
              {"name": "s", "kind": "integer"}, {"name": "c", "kind": "categorical", "categories": ["x"], "missing": true},
              {"name": "m", "kind": "numeric", "missing": true, "derived": "round(minutes(u - t) / `a`, 2) + max(a, b) - 1"},
              {"name": "d", "kind": "boolean", "missing": true, "determined_by": {"column": "c", "map": {"x": true}}}]})"};
}

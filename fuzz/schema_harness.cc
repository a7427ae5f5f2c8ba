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
  return {mehler::people_schema().to_json(),
          R"({"mehler_schema": 1, "relation": "replace-one", "target": "c", "columns": [
              {"name": "t", "kind": "datetime", "bounds": ["2020-01-01T00:00:00.5", "2021-01-01"], "step": 0.5},
              {"name": "n", "kind": "numeric", "bounds": [-1e-3, 2.5], "step": 0.125, "out_of_range": "refuse"},
              {"name": "c", "kind": "ordinal", "categories": [1, "two"], "other": "more", "missing": true}]})",
          R"({"mehler_schema": 1, "privacy_unit": {"column": "i", "max_rows": 3}, "columns": [
              {"name": "i", "kind": "identifier"}, {"name": "b", "kind": "boolean"}]})"};
}

#pragma once

#include <string>

#include "mehler/table/schema.h"

namespace mehler {

/// A schema of columns, given as the text of their objects.
inline Schema schema_of(const std::string& columns) {
  return Schema::from_json(R"({"mehler_schema": 1, "columns": [)" + columns + "]}");
}

}  // namespace mehler

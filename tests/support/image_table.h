#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Small images with a label of three classes; `further`: the text of further columns, each with a
/// comma before it.
inline Schema image_schema(const ImageShape& shape, const std::string& further = "",
                           const std::string& head = "") {
  const std::string text = std::to_string(shape.rows) + ", " + std::to_string(shape.columns) +
                           ", " + std::to_string(shape.channels);
  return Schema::from_json(R"({"mehler_schema": 1, "target": "label", )" + head +
                           R"("columns": [
      {"name": "image", "kind": "image", "shape": [)" +
                           text + R"(]},
      {"name": "label", "kind": "categorical", "categories": ["dark", "mixed", "light"]})" +
                           further + "]}");
}

/// Images of three classes: dark ones, light ones, and some that are light in their first half
/// only.
inline Table image_table(std::size_t rows, const ImageShape& shape, std::uint64_t seed) {
  const std::vector<std::string> classes = {"dark", "mixed", "light"};
  SeededRandom random(seed);
  ImageValues images{shape, {}};
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t label = random.next_word() % classes.size();
    labels.push_back(classes[label]);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool light = label == 2 || (label == 1 && 2 * i < shape.size());
      images.pixels.push_back(
          static_cast<std::uint8_t>((light ? 200 : 5) + 50.0 * random.uniform()));
    }
  }
  Table table;
  table.columns.push_back({"image", ColumnKind::kImage, std::move(images), {}});
  table.columns.push_back({"label", ColumnKind::kCategorical, std::move(labels), {}});
  return table;
}

}  // namespace mehler

#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// 8 x 8 grey images of two classes: a bar that lies, and one that stands.
inline Schema shapes_schema(const std::string& head = "") {
  return Schema::from_json(R"({"mehler_schema": 1, "target": "shape", )" + head + R"("columns": [
      {"name": "shape", "kind": "categorical", "categories": ["lying", "standing"]},
      {"name": "image", "kind": "image", "shape": [8, 8, 1]}]})");
}

/// One image: a soft bar at a random place, of random length and brightness.
inline std::vector<std::uint8_t> draw_shape(bool stands, SeededRandom& random) {
  const double along = 3.5 + random.normal();
  const double across = 3.5 + random.normal();
  const double half = 2.0 + random.uniform();
  const double brightness = 150.0 + 100.0 * random.uniform();
  std::vector<std::uint8_t> pixels;
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) {
      const double from_end = half - std::fabs((stands ? r : c) - along);
      const double from_side = 1.2 - std::fabs((stands ? c : r) - across);
      const double inside = std::clamp(std::min(from_end, from_side) + 0.5, 0.0, 1.0);
      pixels.push_back(static_cast<std::uint8_t>(std::lround(brightness * inside)));
    }
  }
  return pixels;
}

inline Table draw_shapes(std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::string> labels;
  ImageValues images{{8, 8, 1}, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    const bool stands = random.flip(0.5);
    labels.emplace_back(stands ? "standing" : "lying");
    const std::vector<std::uint8_t> pixels = draw_shape(stands, random);
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
  }
  Table table;
  table.columns.push_back({"shape", ColumnKind::kCategorical, std::move(labels), {}});
  table.columns.push_back({"image", ColumnKind::kImage, std::move(images), {}});
  return table;
}

}  // namespace mehler

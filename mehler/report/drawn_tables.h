#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/evaluation/release/compared_counts.h"

namespace mehler {

/// A table of one column or of two, as a page draws it: what the synthetic records are compared
/// with, and they.
struct DrawnTable {
  std::vector<CellAxis> axes;
  std::vector<double> reference;
  std::vector<double> synthetic;
  double sigma = 0.0;     ///< of the reference's noise; 0 for none
  double distance = 0.0;  ///< how far apart both are, in the page's unit
};

/// How much a page shows.
struct DrawnLimits {
  std::size_t columns = 60;
  std::size_t paired_columns = 40;
  /// Cells of the tables of pairs, all together: some 10 bytes each.
  std::size_t cells_of_pairs = 100'000;
  /// Of a card: ranges of numbers, of which neighbours are put together, and categories, of which
  /// those with the fewest records are left out.
  std::size_t ranges = 64;
  std::size_t categories = 12;
};

/// The cards of columns, those first that are furthest apart, and how many are left out.
struct DrawnColumns {
  Json cards = Json::array();
  std::size_t left_out = 0;

  /// Adds to each card what it says of its distance; from `worth_a_look` on it says so in colour.
  void add_words(const std::function<std::string(double)>& words, double worth_a_look);
};
DrawnColumns drawn_columns(std::vector<DrawnTable> columns, const DrawnLimits& limits = {});

/// The matrix of pairs: "names" of columns, "values" as [first, second, distance, place of its
/// table], furthest apart first, and "tables". Of more columns than the limit, those of the pairs
/// that are furthest apart.
struct DrawnPairs {
  Json names = Json::array();
  Json values = Json::array();
  Json tables = Json::array();
  std::size_t columns_left_out = 0;
};
DrawnPairs drawn_pairs(std::vector<DrawnTable> pairs, const DrawnLimits& limits = {});

/// " 60 of 85 columns are shown: those that differ most." Empty if none is left out.
std::string cut_words(std::size_t shown, std::size_t left_out);

}  // namespace mehler

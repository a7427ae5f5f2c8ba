#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/encoding/findings.h"
#include "mehler/table/column.h"
#include "mehler/table/column_view.h"

namespace mehler {

/// Finds a label's code. Open addressing over the labels; a look-up reads the text once.
class CategoryIndex {
 public:
  static constexpr std::int32_t kUnknown = -1;

  explicit CategoryIndex(std::vector<std::string> labels);

  /// The code of a label, or kUnknown.
  std::int32_t find(std::string_view text) const;

  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::vector<std::string> labels_;
  std::vector<std::int32_t> slots_;
  std::size_t mask_ = 0;
};

/// The code of a boolean's spelling (true, True, TRUE, 1 and the same of false), or
/// CategoryIndex::kUnknown.
std::int32_t boolean_code(std::string_view text);

/// One column of categories to codes and back.
class CategoryCoding {
 public:
  /// The column is a category with declared labels.
  explicit CategoryCoding(const Column& column);

  /// Encodes a column of the right type into out[0 .. rows). Floating-point numbers and decimals
  /// stand for the whole numbers that they are; where one is none, its code is kUnknown, also in a
  /// column with an "other".
  Finding encode_column(const ColumnView& view, std::int32_t* out) const;

  const std::vector<std::string>& labels() const { return index_.labels(); }
  /// Whether a code stands for a missing value.
  bool is_missing(std::int32_t code) const { return code == missing_code_; }

 private:
  std::int32_t code_of(const ColumnView& view, std::size_t row) const;

  Column column_;
  CategoryIndex index_;
  std::int32_t missing_code_;
  std::int32_t other_code_;
};

}  // namespace mehler

#include "mehler/encoding/category_coding.h"

#include <bit>
#include <cstring>
#include <optional>

#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

/// What else a value can be than a label or unknown.
constexpr std::int32_t kNaN = CategoryIndex::kUnknown - 1;
constexpr std::int32_t kNotWhole = CategoryIndex::kUnknown - 2;

/// Multiply-and-fold over eight bytes at a time. Not for secrets: the labels are public.
std::uint64_t hash_text(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
  std::uint64_t state = text.size() * kMultiplier;
  const auto fold = [&](std::uint64_t word) {
    const auto product = static_cast<uint128>(state ^ word) * kMultiplier;
    state = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    fold(word);
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  fold(word);
  return state;
}

}  // namespace

std::int32_t boolean_code(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE" || text == "1") {
    return 1;
  }
  if (text == "false" || text == "False" || text == "FALSE" || text == "0") {
    return 0;
  }
  return CategoryIndex::kUnknown;
}

CategoryIndex::CategoryIndex(std::vector<std::string> labels) : labels_(std::move(labels)) {
  const std::size_t slots = std::bit_ceil(2 * labels_.size() + 2);
  slots_.assign(slots, kUnknown);
  mask_ = slots - 1;
  for (std::size_t code = 0; code < labels_.size(); ++code) {
    std::size_t slot = hash_text(labels_[code]) & mask_;
    while (slots_[slot] != kUnknown) {
      slot = (slot + 1) & mask_;
    }
    slots_[slot] = static_cast<std::int32_t>(code);
  }
}

std::int32_t CategoryIndex::find(std::string_view text) const {
  std::size_t slot = hash_text(text) & mask_;
  while (slots_[slot] != kUnknown) {
    if (labels_[static_cast<std::size_t>(slots_[slot])] == text) {
      return slots_[slot];
    }
    slot = (slot + 1) & mask_;
  }
  return kUnknown;
}

CategoryCoding::CategoryCoding(const Column& column)
    : column_(column),
      index_(column.labels()),
      missing_code_(column.missing ? static_cast<std::int32_t>(index_.labels().size())
                                   : CategoryIndex::kUnknown),
      other_code_(column.other ? index_.find(*column.other) : CategoryIndex::kUnknown) {}

std::int32_t CategoryCoding::code_of(const ColumnView& view, std::size_t row) const {
  const auto find = [&](std::string_view text) {
    return column_.kind == ColumnKind::kBoolean ? boolean_code(text) : index_.find(text);
  };
  if (view.type() == ColumnType::kText) {
    return find(view.text(row));
  }
  if (view.is_nan(row)) {
    return kNaN;
  }
  const std::optional<std::string> text = view.whole_text(row);
  return text ? find(*text) : kNotWhole;
}

Finding CategoryCoding::encode_column(const ColumnView& view, std::int32_t* out) const {
  const bool may_miss = view.may_miss();
  std::vector<std::int32_t> meanings;
  if (const ColumnView* dictionary = view.dictionary()) {
    meanings.resize(dictionary->rows());
    for (std::size_t i = 0; i < meanings.size(); ++i) {
      meanings[i] = dictionary->is_missing(i) ? missing_code_ : code_of(*dictionary, i);
    }
  }
  bool missing = false;
  bool nan = false;
  bool not_whole = false;
  bool unknown = false;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (may_miss && view.is_missing(row)) {
      missing = true;
      out[row] = missing_code_;
      continue;
    }
    std::int32_t code =
        meanings.empty() ? code_of(view, row) : meanings[view.dictionary_index(row)];
    if (code == CategoryIndex::kUnknown) {
      unknown = true;
      code = other_code_;
    } else if (code == kNaN) {
      nan = true;
      code = missing_code_;
    } else if (code == kNotWhole) {
      not_whole = true;
      code = CategoryIndex::kUnknown;
    }
    out[row] = code;
  }
  Finding found = missing && !column_.missing ? Finding::kMissing : Finding::kNone;
  found |= nan && !column_.missing ? Finding::kNaN : Finding::kNone;
  found |= not_whole ? Finding::kNotWhole : Finding::kNone;
  if (unknown) {
    found |=
        column_.kind == ColumnKind::kBoolean ? Finding::kNotBoolean : Finding::kUnknownCategory;
  }
  return found;
}

}  // namespace mehler

#include "mehler/evaluation/cell_counts.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::uint32_t kUnnumbered = UINT32_MAX;
constexpr std::uint64_t kFreeSlot = UINT64_MAX;

/// The number of cells up to which an array of all of them beats a hash table of those that occur:
/// it is cleared and summed in about the time that the records take.
std::uint64_t dense_limit(std::size_t rows) { return 65'536 + 4 * std::uint64_t{rows}; }

}  // namespace

JoinedTables::JoinedTables(const CodedTable& a, const CodedTable& b)
    : first_rows_(a.rows), rows_(a.rows + b.rows) {
  MEHLER_ASSERT(a.columns.size() == b.columns.size() && a.rows > 0 && b.rows > 0);
  MEHLER_ASSERT(rows_ < kUnnumbered);
  constexpr std::size_t kCodes = std::size_t{1} << 16;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    std::vector<std::uint32_t> numbers(kCodes, kUnnumbered);
    std::vector<std::uint16_t> joined;
    joined.reserve(rows_);
    std::uint32_t count = 0;
    for (const CodedTable* table : {&a, &b}) {
      for (const std::uint16_t code : table->columns[i].codes) {
        if (numbers[code] == kUnnumbered) {
          numbers[code] = count++;
        }
        joined.push_back(static_cast<std::uint16_t>(numbers[code]));
      }
    }
    MEHLER_ASSERT(joined.size() == rows_);
    codes_.push_back(std::move(joined));
    code_counts_.push_back(count);
  }
}

CellCounter::CellCounter(const JoinedTables& tables) : tables_(tables) {
  const auto first = static_cast<std::int64_t>(tables.first_rows());
  const auto second = static_cast<std::int64_t>(tables.rows() - tables.first_rows());
  const std::int64_t divisor = std::gcd(first, second);
  first_weight_ = second / divisor;
  second_weight_ = -(first / divisor);
}

void CellCounter::set_prefix(std::span<const std::size_t> columns) {
  prefix_.assign(tables_.rows(), 0);
  prefix_cells_ = 1;
  for (const std::size_t column : columns) {
    extend_prefix(column);
  }
}

void CellCounter::extend_prefix(std::size_t column) {
  const std::span<const std::uint16_t> codes = tables_.codes(column);
  const std::uint64_t count = tables_.code_count(column);
  std::uint32_t next = 0;
  if (prefix_cells_ * count <= dense_limit(tables_.rows())) {
    numbers_.assign(prefix_cells_ * count, kUnnumbered);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      std::uint32_t& number = numbers_[prefix_[row] * count + codes[row]];
      if (number == kUnnumbered) {
        number = next++;
      }
      prefix_[row] = number;
    }
  } else {
    clear_slots();
    for (std::size_t row = 0; row < codes.size(); ++row) {
      const std::uint64_t key = prefix_[row] * count + codes[row];
      const std::size_t slot = slot_of(key);
      if (slot_keys_[slot] == kFreeSlot) {
        slot_keys_[slot] = key;
        slot_values_[slot] = next++;
      }
      prefix_[row] = static_cast<std::uint32_t>(slot_values_[slot]);
    }
  }
  prefix_cells_ = next;
}

double CellCounter::total_variation_with(std::size_t column) {
  const std::uint64_t cells = prefix_cells_ * tables_.code_count(column);
  const std::uint64_t difference =
      cells <= dense_limit(tables_.rows()) ? count_dense(column) : count_hashed(column);
  const double both =
      2.0 * static_cast<double>(first_weight_) * static_cast<double>(tables_.first_rows());
  return static_cast<double>(difference) / both;
}

std::uint64_t CellCounter::count_dense(std::size_t column) {
  const std::span<const std::uint16_t> codes = tables_.codes(column);
  const std::size_t count = tables_.code_count(column);
  cells_.assign(prefix_cells_ * count, 0);
  const std::size_t first_rows = tables_.first_rows();
  for (std::size_t row = 0; row < first_rows; ++row) {
    cells_[prefix_[row] * count + codes[row]] += first_weight_;
  }
  for (std::size_t row = first_rows; row < codes.size(); ++row) {
    cells_[prefix_[row] * count + codes[row]] += second_weight_;
  }
  std::uint64_t sum = 0;
  for (const std::int64_t cell : cells_) {
    sum += static_cast<std::uint64_t>(std::llabs(cell));
  }
  return sum;
}

std::uint64_t CellCounter::count_hashed(std::size_t column) {
  const std::span<const std::uint16_t> codes = tables_.codes(column);
  const std::uint64_t count = tables_.code_count(column);
  clear_slots();
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const std::uint64_t key = prefix_[row] * count + codes[row];
    const std::size_t slot = slot_of(key);
    if (slot_keys_[slot] == kFreeSlot) {
      slot_keys_[slot] = key;
      slot_values_[slot] = 0;
    }
    slot_values_[slot] += row < tables_.first_rows() ? first_weight_ : second_weight_;
  }
  std::uint64_t sum = 0;
  for (std::size_t slot = 0; slot < slot_keys_.size(); ++slot) {
    if (slot_keys_[slot] != kFreeSlot) {
      sum += static_cast<std::uint64_t>(std::llabs(slot_values_[slot]));
    }
  }
  return sum;
}

std::size_t CellCounter::slot_of(std::uint64_t key) const {
  // The high bits of the product depend on every bit of the key.
  const std::size_t mask = slot_keys_.size() - 1;
  std::size_t slot = ((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask;
  while (slot_keys_[slot] != kFreeSlot && slot_keys_[slot] != key) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void CellCounter::clear_slots() {
  const std::size_t slots = std::bit_ceil(2 * tables_.rows());
  slot_keys_.assign(slots, kFreeSlot);
  slot_values_.resize(slots);
}

}  // namespace mehler

#include "mehler/evaluation/tables/cell_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::uint32_t kUnnumbered = UINT32_MAX;
constexpr std::uint64_t kFreeSlot = UINT64_MAX;
/// Up to this many cells, leaving out those that do not occur costs more than it saves.
constexpr std::uint64_t kUnnumberedCells = 2'048;
/// Columns counted in one pass over the records.
constexpr std::size_t kTogether = 4;
/// Cells of a bundle, at most.
constexpr std::uint64_t kBundleCells = 64;

/// The number of cells up to which an array of all of them beats a hash table of those that occur:
/// it is cleared and summed in about the time that the records take.
std::uint64_t dense_limit(std::size_t rows) { return 65'536 + 4 * std::uint64_t{rows}; }

std::uint64_t sum_of_sizes(std::span<const std::int64_t> values) {
  std::uint64_t sum = 0;
  for (const std::int64_t value : values) {
    sum += static_cast<std::uint64_t>(std::llabs(value));
  }
  return sum;
}

}  // namespace

JoinedTables::JoinedTables(const CodedTable& a, const CodedTable& b)
    : first_rows_(a.rows), rows_(a.rows + b.rows) {
  MEHLER_ASSERT(a.columns.size() == b.columns.size() && a.rows > 0 && b.rows > 0);
  MEHLER_ASSERT(rows_ < kUnnumbered);
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const std::vector<std::uint16_t>& first = a.columns[i].codes;
    const std::vector<std::uint16_t>& second = b.columns[i].codes;
    MEHLER_ASSERT(first.size() == a.rows && second.size() == b.rows);
    const std::size_t largest = std::max(*std::max_element(first.begin(), first.end()),
                                         *std::max_element(second.begin(), second.end()));
    std::vector<char> occurs(largest + 1, 0);
    std::vector<std::uint16_t> joined(rows_);
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), joined.begin()));
    for (const std::uint16_t code : joined) {
      occurs[code] = 1;
    }
    std::vector<std::uint16_t> numbers(largest + 1);
    std::uint32_t count = 0;
    for (std::size_t code = 0; code <= largest; ++code) {
      numbers[code] = static_cast<std::uint16_t>(count);
      count += occurs[code] ? 1 : 0;
    }
    if (count <= largest) {
      for (std::uint16_t& code : joined) {
        code = numbers[code];
      }
    }
    codes_.push_back(std::move(joined));
    code_counts_.push_back(count);
  }
  make_bundles();
}

void JoinedTables::make_bundles() {
  bundle_of_.assign(columns(), kNoBundle);
  std::size_t first = 0;
  while (first < columns()) {
    std::size_t last = first;
    std::uint64_t cells = 1;
    while (last < columns() && cells * code_counts_[last] <= kBundleCells) {
      cells *= code_counts_[last++];
    }
    if (last - first >= 2) {
      add_bundle(first, last);
    }
    first = std::max(last, first + 1);
  }
}

void JoinedTables::add_bundle(std::size_t first, std::size_t last) {
  ColumnBundle bundle;
  bundle.codes.assign(rows_, 0);
  for (std::size_t column = first; column < last; ++column) {
    const auto count = static_cast<std::uint16_t>(code_counts_[column]);
    for (std::size_t row = 0; row < rows_; ++row) {
      bundle.codes[row] =
          static_cast<std::uint16_t>(bundle.codes[row] * count + codes_[column][row]);
    }
    bundle.columns.push_back(column);
    bundle.code_count *= count;
    bundle_of_[column] = bundles_.size();
  }
  std::uint32_t below = bundle.code_count;  // the first column's code runs slowest
  for (const std::size_t column : bundle.columns) {
    below /= code_counts_[column];
    std::vector<std::uint16_t> own(bundle.code_count);
    for (std::uint32_t code = 0; code < bundle.code_count; ++code) {
      own[code] = static_cast<std::uint16_t>(code / below % code_counts_[column]);
    }
    bundle.own_codes.push_back(std::move(own));
  }
  bundles_.push_back(std::move(bundle));
}

CellCounter::CellCounter(const JoinedTables& tables) : tables_(tables) {
  const auto first = static_cast<std::int64_t>(tables.first_rows());
  const auto second = static_cast<std::int64_t>(tables.rows() - tables.first_rows());
  const std::int64_t divisor = std::gcd(first, second);
  first_weight_ = second / divisor;
  second_weight_ = -(first / divisor);
  levels_.resize(1);
  levels_[0].cells.assign(tables.rows(), 0);
}

void CellCounter::set_prefix(std::span<const std::size_t> columns) {
  std::size_t kept = 0;
  while (kept < std::min(depth_, columns.size()) && levels_[kept + 1].column == columns[kept]) {
    ++kept;
  }
  levels_.resize(std::max(levels_.size(), columns.size() + 1));
  for (std::size_t i = kept; i < columns.size(); ++i) {
    levels_[i + 1].column = columns[i];
    extend(levels_[i], levels_[i + 1]);
  }
  depth_ = columns.size();
}

void CellCounter::extend(const Level& from, Level& to) {
  const std::span<const std::uint16_t> codes = tables_.codes(to.column);
  const std::uint32_t count = tables_.code_count(to.column);
  to.cells.resize(tables_.rows());
  to.cell_count = from.cell_count * count;
  if (to.cell_count > dense_limit(tables_.rows())) {
    number_hashed(from, to);
  } else if (to.cell_count > kUnnumberedCells) {
    number_dense(from, to);
  } else {
    for (std::size_t row = 0; row < codes.size(); ++row) {
      to.cells[row] = from.cells[row] * count + codes[row];
    }
  }
}

/// Numbers the cells that occur, in order of appearance: those of the next column are then fewer.
void CellCounter::number_dense(const Level& from, Level& to) {
  const std::span<const std::uint16_t> codes = tables_.codes(to.column);
  const std::size_t count = tables_.code_count(to.column);
  numbers_.assign(to.cell_count, kUnnumbered);
  std::uint32_t next = 0;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    std::uint32_t& number = numbers_[from.cells[row] * count + codes[row]];
    if (number == kUnnumbered) {
      number = next++;
    }
    to.cells[row] = number;
  }
  to.cell_count = next;
}

void CellCounter::number_hashed(const Level& from, Level& to) {
  const std::span<const std::uint16_t> codes = tables_.codes(to.column);
  const std::uint64_t count = tables_.code_count(to.column);
  clear_slots();
  std::uint32_t next = 0;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const std::uint64_t key = from.cells[row] * count + codes[row];
    const std::size_t slot = slot_of(key);
    if (slot_keys_[slot] == kFreeSlot) {
      slot_keys_[slot] = key;
      slot_values_[slot] = next++;
    }
    to.cells[row] = static_cast<std::uint32_t>(slot_values_[slot]);
  }
  to.cell_count = next;
}

double CellCounter::total_variation_with(std::size_t column) {
  double distance = 0.0;
  total_variations_with({&column, 1}, {&distance, 1});
  return distance;
}

void CellCounter::total_variations_with(std::span<const std::size_t> columns,
                                        std::span<double> out) {
  MEHLER_ASSERT(columns.size() == out.size());
  std::size_t i = 0;
  while (i < columns.size()) {
    if (const std::size_t count = bundled(columns.subspan(i)); count >= 2) {
      count_bundle(columns.subspan(i, count), out.subspan(i, count));
      i += count;
      continue;
    }
    std::size_t dense = 0;
    while (dense < kTogether && i + dense < columns.size() && is_dense(columns[i + dense]) &&
           bundled(columns.subspan(i + dense)) < 2) {
      ++dense;
    }
    std::array<std::uint64_t, kTogether> sums{};
    switch (dense) {
      case 4:
        count_dense<4>(&columns[i], sums.data());
        break;
      case 3:
        count_dense<3>(&columns[i], sums.data());
        break;
      case 2:
        count_dense<2>(&columns[i], sums.data());
        break;
      case 1:
        count_dense<1>(&columns[i], sums.data());
        break;
      default:
        dense = 1;
        sums[0] = count_hashed(columns[i]);
    }
    for (std::size_t k = 0; k < dense; ++k) {
      out[i + k] = distance_of(sums[k]);
    }
    i += dense;
  }
}

bool CellCounter::is_dense(std::size_t column) const {
  return levels_[depth_].cell_count * tables_.code_count(column) <= dense_limit(tables_.rows());
}

std::size_t CellCounter::bundled(std::span<const std::size_t> columns) const {
  const ColumnBundle* bundle = tables_.bundle_of(columns[0]);
  // Summing a bundle's cells up for each column must stay cheap beside counting the records.
  if (bundle == nullptr || levels_[depth_].cell_count * bundle->code_count > tables_.rows() / 8) {
    return 0;
  }
  std::size_t count = 0;
  while (count < columns.size() && tables_.bundle_of(columns[count]) == bundle) {
    ++count;
  }
  return count;
}

void CellCounter::count_bundle(std::span<const std::size_t> columns, std::span<double> out) {
  const ColumnBundle& bundle = *tables_.bundle_of(columns[0]);
  const std::size_t prefixes = levels_[depth_].cell_count;
  const std::size_t width = bundle.code_count;
  const std::uint32_t* const cells = levels_[depth_].cells.data();
  cells_.assign(prefixes * width, 0);
  for (std::size_t row = 0; row < tables_.first_rows(); ++row) {
    cells_[cells[row] * width + bundle.codes[row]] += first_weight_;
  }
  for (std::size_t row = tables_.first_rows(); row < tables_.rows(); ++row) {
    cells_[cells[row] * width + bundle.codes[row]] += second_weight_;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto place = static_cast<std::size_t>(
        std::find(bundle.columns.begin(), bundle.columns.end(), columns[i]) -
        bundle.columns.begin());
    const std::vector<std::uint16_t>& own = bundle.own_codes[place];
    const std::size_t count = tables_.code_count(columns[i]);
    own_cells_.assign(prefixes * count, 0);
    for (std::size_t prefix = 0; prefix < prefixes; ++prefix) {
      for (std::size_t code = 0; code < width; ++code) {
        own_cells_[prefix * count + own[code]] += cells_[prefix * width + code];
      }
    }
    out[i] = distance_of(sum_of_sizes(own_cells_));
  }
}

double CellCounter::distance_of(std::uint64_t sum) const {
  return static_cast<double>(sum) /
         (2.0 * static_cast<double>(first_weight_) * static_cast<double>(tables_.first_rows()));
}

template <std::size_t kColumns>
void CellCounter::count_dense(const std::size_t* columns, std::uint64_t* sums) {
  std::array<const std::uint16_t*, kColumns> codes{};
  std::array<std::uint32_t, kColumns> counts{};
  std::array<std::size_t, kColumns + 1> begins{};
  for (std::size_t k = 0; k < kColumns; ++k) {
    codes[k] = tables_.codes(columns[k]).data();
    counts[k] = tables_.code_count(columns[k]);
    begins[k + 1] = begins[k] + levels_[depth_].cell_count * counts[k];
  }
  cells_.assign(begins[kColumns], 0);
  std::array<std::int64_t*, kColumns> cells{};
  for (std::size_t k = 0; k < kColumns; ++k) {
    cells[k] = cells_.data() + begins[k];
  }
  const std::uint32_t* const prefixes = levels_[depth_].cells.data();
  const auto add = [&](std::size_t begin, std::size_t end, std::int64_t weight) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t prefix = prefixes[row];
      // An addition waits for the one before it where both hit one cell, as they often do when
      // there are few; those of different columns do not wait for each other.
      for (std::size_t k = 0; k < kColumns; ++k) {
        cells[k][prefix * counts[k] + codes[k][row]] += weight;
      }
    }
  };
  add(0, tables_.first_rows(), first_weight_);
  add(tables_.first_rows(), tables_.rows(), second_weight_);
  for (std::size_t k = 0; k < kColumns; ++k) {
    sums[k] = sum_of_sizes({cells[k], begins[k + 1] - begins[k]});
  }
}

std::uint64_t CellCounter::count_hashed(std::size_t column) {
  const std::span<const std::uint16_t> codes = tables_.codes(column);
  const std::uint64_t count = tables_.code_count(column);
  clear_slots();
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const std::uint64_t key = levels_[depth_].cells[row] * count + codes[row];
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

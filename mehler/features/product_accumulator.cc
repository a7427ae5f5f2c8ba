#include "mehler/features/product_accumulator.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/simd/product_sums.h"

namespace mehler {
namespace {

constexpr std::int64_t kOneOfProducts = std::int64_t{1} << (2 * kProductFactorExponent);

/// Records that are multiplied at once: few enough that the shorter factor stays in a core's cache
/// and a tile's rows in its innermost, many enough that adding up vectors at the end of a row costs
/// little. Not a power of two: rows 4096 bytes apart would meet in the same places of the cache.
constexpr std::size_t kCachedEntries = std::size_t{1} << 16;
constexpr std::size_t kFewestRecords = 128;
constexpr std::size_t kMostRecords = 336;

/// Looking for equal records costs less than half of what this many features of each do.
constexpr std::size_t kFeaturesOfASearch = 4096;

}  // namespace

ProductAccumulator::ProductAccumulator(const FeatureBlock& block) {
  MEHLER_ASSERT(block.combination == Combination::kProduct);
  const std::size_t first_maps = block.halves().first_maps;
  Factor factors[2];
  factors[0].places = factors[1].places = {0};
  std::size_t stride = block.dimension();
  for (std::size_t i = 0; i < block.maps.size(); ++i) {
    const FeatureMap& map = block.maps[i].map;
    stride /= map.dimension();
    if (map.kind() != FeatureMap::Kind::kHermite) {
      coded_maps_.push_back(&map);
      coded_strides_.push_back(stride);
      continue;
    }
    Factor& factor = factors[i < first_maps ? 0 : 1];
    factor.maps.push_back(&map);
    factor.shorter_count = factor.places.size();
    std::vector<std::size_t> places;
    for (const std::size_t place : factor.places) {
      for (std::size_t k = 0; k < map.dimension(); ++k) {
        places.push_back(place + k * stride);
      }
    }
    factor.places = std::move(places);
  }
  const bool first_is_shorter = factors[0].places.size() <= factors[1].places.size();
  shorter_ = std::move(factors[first_is_shorter ? 0 : 1]);
  longer_ = std::move(factors[first_is_shorter ? 1 : 0]);
  search_pays_ = shorter_.places.size() * longer_.places.size() >= kFeaturesOfASearch;
  chunk_rows_ =
      round_up(std::clamp(kCachedEntries / shorter_.places.size(), kFewestRecords, kMostRecords),
               kRecordPadding);
}

void ProductAccumulator::add(const EncodedBatch& batch, std::span<const std::uint32_t> rows,
                             std::int64_t* sums) {
  const auto cell_of = [&](std::uint32_t row) {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < coded_maps_.size(); ++i) {
      if (coded_maps_[i]->kind() == FeatureMap::Kind::kOneHot) {
        const auto code =
            static_cast<std::size_t>(batch.columns[coded_maps_[i]->column()].codes[row]);
        cell += code * coded_strides_[i];
      }
    }
    return cell;
  };
  if (shorter_.maps.empty() && longer_.maps.empty()) {
    for (const std::uint32_t row : rows) {
      sums[cell_of(row)] += kOneOfProducts;
    }
    return;
  }
  if (coded_maps_.empty()) {
    add_cell(batch, rows, sums);
    return;
  }
  cells_.clear();
  for (const std::uint32_t row : rows) {
    cells_.emplace_back(cell_of(row), row);
  }
  std::sort(cells_.begin(), cells_.end());
  for (std::size_t begin = 0; begin < cells_.size();) {
    const std::size_t cell = cells_[begin].first;
    cell_rows_.clear();
    for (; begin < cells_.size() && cells_[begin].first == cell; ++begin) {
      cell_rows_.push_back(cells_[begin].second);
    }
    add_cell(batch, cell_rows_, sums + cell);
  }
}

void ProductAccumulator::add_cell(const EncodedBatch& batch, std::span<const std::uint32_t> rows,
                                  std::int64_t* sums) {
  // Sums stay exact: a slice has 2^14 records, so counts times 2^34 stay below 2^53.
  if (search_pays_) {
    find_different_records(batch, rows);
    rows = different_rows_;
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += chunk_rows_) {
    const auto chunk = rows.subspan(begin, std::min(chunk_rows_, rows.size() - begin));
    const std::size_t stride = round_up(chunk.size(), kRecordPadding);
    fill(shorter_, batch, chunk, stride);
    fill(longer_, batch, chunk, stride);
    finish_rows(shorter_, stride, 0, round_up(shorter_.places.size(), kFirstRowPadding),
                kept_rows_);
    for (std::size_t i = 0; search_pays_ && i < shorter_.places.size(); ++i) {
      for (std::size_t r = 0; r < chunk.size(); ++r) {
        kept_rows_[i * stride + r] *= repeats_[begin + r];
      }
    }
    for (std::size_t first = 0; first < longer_.places.size(); first += kSecondRowPadding) {
      finish_rows(longer_, stride, first, kSecondRowPadding, passing_rows_);
      const std::size_t count = std::min(kSecondRowPadding, longer_.places.size() - first);
      add_row_products(kept_rows_.data(), shorter_.places, passing_rows_.data(),
                       std::span(longer_.places).subspan(first, count), stride, sums);
    }
  }
}

void ProductAccumulator::find_different_records(const EncodedBatch& batch,
                                                std::span<const std::uint32_t> rows) {
  const std::size_t maps = shorter_.maps.size() + longer_.maps.size();
  numbers_.clear();
  for (const std::uint32_t row : rows) {
    for (const Factor* factor : {&shorter_, &longer_}) {
      for (const FeatureMap* map : factor->maps) {
        const double number = map->number_of(batch, row);
        // All NaN alike, and both zeros; other numbers lie in [-1, 1].
        numbers_.push_back(std::bit_cast<std::uint64_t>(std::isnan(number) ? 2.0 : number + 0.0));
      }
    }
  }
  const std::size_t size = std::bit_ceil(2 * rows.size());
  places_.assign(size, 0);
  different_rows_.clear();
  first_places_.clear();
  repeats_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t* numbers = &numbers_[i * maps];
    std::uint64_t hash = 0;
    for (std::size_t m = 0; m < maps; ++m) {
      hash = (hash ^ numbers[m]) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    for (std::size_t place = hash % size;; place = (place + 1) % size) {
      if (places_[place] == 0) {
        different_rows_.push_back(rows[i]);
        first_places_.push_back(static_cast<std::uint32_t>(i));
        repeats_.push_back(1.0);
        places_[place] = static_cast<std::uint32_t>(different_rows_.size());
        break;
      }
      const std::size_t candidate = places_[place] - 1;
      if (std::equal(numbers, numbers + maps, &numbers_[first_places_[candidate] * maps])) {
        repeats_[candidate] += 1.0;
        break;
      }
    }
  }
}

void ProductAccumulator::fill_map(const FeatureMap& map, const EncodedBatch& batch,
                                  std::span<const std::uint32_t> rows, std::size_t stride,
                                  WipedVector<double>& out) {
  values_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values_[i] = map.number_of(batch, rows[i]);
  }
  out.resize(map.dimension() * stride);
  fill_hermite_rows(map.hermite().recursion(), values_, out.data(), stride);
  if (map.may_miss()) {
    double* missing = &out[map.hermite().dimension() * stride];
    std::fill_n(missing, stride, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      missing[i] = std::isnan(values_[i]) ? 1.0 : 0.0;
    }
  }
}

void ProductAccumulator::fill(Factor& factor, const EncodedBatch& batch,
                              std::span<const std::uint32_t> rows, std::size_t stride) {
  factor.shorter.assign(stride, 0.0);
  std::fill_n(factor.shorter.begin(), rows.size(), 1.0);
  if (factor.maps.empty()) {
    factor.last = factor.shorter;
    return;
  }
  std::size_t count = 1;
  for (std::size_t m = 0; m + 1 < factor.maps.size(); ++m) {
    const FeatureMap& map = *factor.maps[m];
    fill_map(map, batch, rows, stride, factor.last);
    std::swap(factor.scratch, factor.shorter);
    factor.shorter.resize(count * map.dimension() * stride);
    multiply_rows(factor.scratch.data(), count, factor.last.data(), map.dimension(), stride,
                  factor.shorter.data());
    count *= map.dimension();
  }
  fill_map(*factor.maps.back(), batch, rows, stride, factor.last);
}

void ProductAccumulator::finish_rows(const Factor& factor, std::size_t stride, std::size_t first,
                                     std::size_t count, WipedVector<double>& out) {
  out.resize(count * stride);
  multiply_and_round_rows(factor.shorter.data(), factor.shorter_count, factor.last.data(),
                          factor.places.size() / factor.shorter_count, stride,
                          kProductFactorExponent, first, count, out.data());
}

}  // namespace mehler

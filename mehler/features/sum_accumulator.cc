#include "mehler/features/sum_accumulator.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/simd/fourier_sums.h"
#include "mehler/simd/hermite_sums.h"

namespace mehler {
namespace {

constexpr std::int64_t kOneOfSums = std::int64_t{1} << kGridExponent;

}  // namespace

SumAccumulator::SumAccumulator(const Encoder& encoder, const FeatureSet& features)
    : encoder_(encoder), features_(features) {
  for (const FeatureBlock& block : features.blocks()) {
    sums_.emplace_back(features.block_rows(block) * block.dimension(), 0);
    if (block.combination == Combination::kProduct) {
      products_.emplace_back(block);
    }
    for (const WeightedMap& member : block.maps) {
      if (member.map.kind() == FeatureMap::Kind::kPixels) {
        pixels_.emplace(&member.map, PixelSums(member.map));
      }
    }
  }
}

SumAccumulator::PixelSums::PixelSums(const FeatureMap& map) : counts(map.elements()) {
  const HermiteFeatures& hermite = map.hermite();
  for (std::size_t byte = 0; byte < kPixelValues; ++byte) {
    const double number = number_of_pixel(static_cast<std::uint8_t>(byte));
    // The same rounded features that numbers have; each is at most 2^kGridExponent.
    std::vector<std::int64_t> rounded(hermite.dimension(), 0);
    add_hermite_sums(hermite.recursion(), {&number, 1}, kGridExponent, rounded);
    features.insert(features.end(), rounded.begin(), rounded.end());
  }
}

void SumAccumulator::add_pixels(const FeatureMap& map, const EncodedBatch& batch, std::size_t first,
                                std::size_t last, std::int64_t* sums) {
  PixelSums& pixels = pixels_.at(&map);
  const std::uint8_t* images = batch.columns[map.column()].pixels.data();
  for (std::size_t i = first; i < last; ++i) {
    pixels.counts.add(images + sorted_rows_[i] * map.elements());
  }
  const std::size_t dimension = map.hermite().dimension();
  pixels.counts.take([&](std::size_t place, std::size_t byte, std::uint32_t count) {
    const std::int32_t* features = &pixels.features[byte * dimension];
    std::int64_t* of_place = sums + place * dimension;
    for (std::size_t k = 0; k < dimension; ++k) {
      of_place[k] += static_cast<std::int64_t>(count) * features[k];
    }
  });
}

void SumAccumulator::add_fourier_of_pixels(const FeatureMap& map, const EncodedBatch& batch,
                                           std::size_t first, std::size_t last,
                                           std::int64_t* sums) {
  const std::size_t bytes = map.random_fourier().inputs();
  const std::size_t count = last - first;
  const std::uint8_t* images = batch.columns[map.column()].pixels.data();
  values_.resize(bytes * count);
  std::vector<const double*> columns;
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    double* values = &values_[byte * count];
    for (std::size_t i = first; i < last; ++i) {
      values[i - first] = number_of_pixel(images[sorted_rows_[i] * bytes + byte]);
    }
    columns.push_back(values);
  }
  add_fourier_sums(map.random_fourier().weights(), columns, count, kGridExponent,
                   {sums, map.dimension()});
}

void SumAccumulator::sort_rows_by_class(const EncodedBatch& batch,
                                        std::span<const std::uint8_t> kept) {
  const std::int32_t* codes =
      encoder_.label() ? batch.columns[*encoder_.label()].codes.data() : nullptr;
  const auto class_of = [&](std::size_t row) {
    return codes == nullptr ? std::size_t{0} : static_cast<std::size_t>(codes[row]);
  };
  class_begin_.assign(features_.classes() + 1, 0);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (kept.empty() || kept[row] != 0) {
      ++class_begin_[class_of(row) + 1];
    }
  }
  for (std::size_t c = 1; c < class_begin_.size(); ++c) {
    class_begin_[c] += class_begin_[c - 1];
  }
  sorted_rows_.resize(class_begin_.back());
  WipedVector<std::size_t> place(class_begin_.begin(), class_begin_.end() - 1);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (kept.empty() || kept[row] != 0) {
      sorted_rows_[place[class_of(row)]++] = static_cast<std::uint32_t>(row);
    }
  }
}

void SumAccumulator::for_classes(const FeatureBlock& block, const auto& work) const {
  if (!block.labelled) {
    work(std::size_t{0}, sorted_rows_.size(), std::size_t{0});
    return;
  }
  for (std::size_t c = 0; c < features_.classes(); ++c) {
    work(class_begin_[c], class_begin_[c + 1], c);
  }
}

void SumAccumulator::add(const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
  sort_rows_by_class(batch, kept);
  rows_ += sorted_rows_.size();
  std::size_t product = 0;
  for (std::size_t b = 0; b < features_.blocks().size(); ++b) {
    const FeatureBlock& block = features_.blocks()[b];
    const std::size_t dimension = block.dimension();
    if (block.combination == Combination::kProduct) {
      ProductAccumulator& accumulator = products_[product++];
      for_classes(block, [&](std::size_t first, std::size_t last, std::size_t row) {
        accumulator.add(batch, std::span(sorted_rows_).subspan(first, last - first),
                        &sums_[b][row * dimension]);
      });
      continue;
    }
    std::size_t offset = 0;
    for (const WeightedMap& member : block.maps) {
      for_classes(block, [&](std::size_t first, std::size_t last, std::size_t row) {
        add_map(member.map, batch, first, last, &sums_[b][row * dimension + offset]);
      });
      offset += member.map.dimension();
    }
  }
}

void SumAccumulator::add_map(const FeatureMap& map, const EncodedBatch& batch, std::size_t first,
                             std::size_t last, std::int64_t* sums) {
  if (first == last) {
    return;
  }
  switch (map.kind()) {
    case FeatureMap::Kind::kConstant:
      sums[0] += static_cast<std::int64_t>(last - first) * kOneOfSums;
      return;
    case FeatureMap::Kind::kOneHot: {
      const std::int32_t* codes = batch.columns[map.column()].codes.data();
      for (std::size_t i = first; i < last; ++i) {
        sums[codes[sorted_rows_[i]]] += kOneOfSums;
      }
      return;
    }
    case FeatureMap::Kind::kHermite: {
      const double* numbers = batch.columns[map.column()].numbers.data();
      values_.resize(last - first);
      std::int64_t missing = 0;
      for (std::size_t i = first; i < last; ++i) {
        values_[i - first] = numbers[sorted_rows_[i]];
        missing += std::isnan(values_[i - first]) ? 1 : 0;
      }
      const HermiteFeatures& hermite = map.hermite();
      add_hermite_sums(hermite.recursion(), values_, kGridExponent, {sums, hermite.dimension()});
      if (map.may_miss()) {
        sums[hermite.dimension()] += missing * kOneOfSums;
      }
      return;
    }
    case FeatureMap::Kind::kPixels:
      add_pixels(map, batch, first, last, sums);
      return;
    case FeatureMap::Kind::kFourier: {
      const std::size_t count = last - first;
      values_.resize(map.inputs().size() * count);
      std::vector<const double*> columns;
      for (const MapInput& input : map.inputs()) {
        double* values = &values_[columns.size() * count];
        const double* numbers = batch.columns[input.column].numbers.data();
        for (std::size_t i = first; i < last; ++i) {
          const double number = numbers[sorted_rows_[i]];
          values[i - first] = std::isnan(number) ? 0.0 : number;
        }
        columns.push_back(values);
      }
      add_fourier_sums(map.random_fourier().weights(), columns, count, kGridExponent,
                       {sums, map.dimension()});
      return;
    }
    case FeatureMap::Kind::kFourierOfPixels:
      add_fourier_of_pixels(map, batch, first, last, sums);
      return;
    case FeatureMap::Kind::kMissing: {
      const double* numbers = batch.columns[map.column()].numbers.data();
      for (std::size_t i = first; i < last; ++i) {
        sums[0] += std::isnan(numbers[sorted_rows_[i]]) ? kOneOfSums : 0;
      }
      return;
    }
  }
}

}  // namespace mehler

#include "mehler/features/feature_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/integer_math.h"

namespace mehler {

bool FeatureBlock::has_fourier() const {
  return std::any_of(maps.begin(), maps.end(),
                     [](const WeightedMap& member) { return member.map.is_fourier(); });
}

std::size_t FeatureBlock::elements() const {
  std::size_t sum = 0;
  for (const WeightedMap& member : maps) {
    sum += member.map.elements();
  }
  return sum;
}

std::size_t FeatureBlock::dimension() const {
  if (combination == Combination::kProduct) {
    std::size_t product = 1;
    for (const WeightedMap& member : maps) {
      product = multiply_saturating(product, member.map.dimension());
    }
    return product;
  }
  std::size_t sum = 0;
  for (const WeightedMap& member : maps) {
    sum += member.map.dimension();
  }
  return sum;
}

std::vector<FeatureSegment> FeatureBlock::segments() const {
  if (combination == Combination::kProduct) {
    return {{0, dimension(), 1.0}};
  }
  std::vector<FeatureSegment> result;
  std::size_t first = 0;
  for (const WeightedMap& member : maps) {
    result.push_back({first, member.map.dimension(), member.weight});
    first += member.map.dimension();
  }
  return result;
}

int FeatureBlock::grid_exponent() const {
  return combination == Combination::kProduct ? 2 * kProductFactorExponent : kGridExponent;
}

ProductHalves FeatureBlock::halves() const {
  ProductHalves best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t split = 1; split <= maps.size(); ++split) {
    ProductHalves halves{split, 1, 1};
    for (std::size_t i = 0; i < maps.size(); ++i) {
      std::size_t& part = i < split ? halves.first_dimension : halves.second_dimension;
      part = multiply_saturating(part, maps[i].map.dimension());
    }
    const double length =
        static_cast<double>(halves.first_dimension) + static_cast<double>(halves.second_dimension);
    if (length < least) {
      least = length;
      best = halves;
    }
  }
  return best;
}

namespace {

/// The largest change by one record that fills one row of sums, and by an exchange within a row.
struct SquaredChanges {
  double norm = 0.0;
  double difference = 0.0;
};

SquaredChanges changes_of_sum(const FeatureBlock& block, bool want_difference) {
  SquaredChanges result;
  for (const WeightedMap& member : block.maps) {
    const double squared_weight = member.weight * member.weight;
    result.norm += squared_weight * member.map.squared_norm_bound();
    if (want_difference) {
      result.difference += squared_weight * member.map.squared_difference_bound();
    }
  }
  return result;
}

/// Proof in docs/design/0006-product-blocks.md.
SquaredChanges changes_of_product(const FeatureBlock& block, bool want_difference) {
  // Each factor is rounded entry by entry; entries that are 0 stay 0.
  const std::size_t first_maps = block.halves().first_maps;
  double squared_norm[2] = {1.0, 1.0};
  double dense[2] = {1.0, 1.0};
  bool exact[2] = {true, true};
  for (std::size_t i = 0; i < block.maps.size(); ++i) {
    const FeatureMap& map = block.maps[i].map;
    const std::size_t half = i < first_maps ? 0 : 1;
    squared_norm[half] *= map.squared_norm_bound();
    dense[half] *= static_cast<double>(map.dense_dimension());
    exact[half] = exact[half] && map.kind() != FeatureMap::Kind::kHermite;
  }
  const double per_entry = 0.5 * std::ldexp(1.0, -kProductFactorExponent) + 1e-12;
  double moved[2];
  for (int half = 0; half < 2; ++half) {
    moved[half] = exact[half] ? 0.0 : per_entry * std::sqrt(dense[half]);
  }
  const double norm = std::sqrt(squared_norm[0] * squared_norm[1]);
  const double rounded_norm =
      (std::sqrt(squared_norm[0]) + moved[0]) * (std::sqrt(squared_norm[1]) + moved[1]);
  SquaredChanges result{rounded_norm * rounded_norm, 0.0};
  if (want_difference) {
    double largest = 2.0 * norm * norm;
    double triangle = 0.0;
    for (const WeightedMap& member : block.maps) {
      const double others = norm * norm / member.map.squared_norm_bound();
      const double difference = member.map.squared_difference_bound() * others;
      largest = std::max(largest, difference);
      triangle += std::sqrt(difference);
    }
    const double rounding = 2.0 * (rounded_norm - norm);
    const double change = std::min(std::sqrt(largest), triangle) + rounding;
    result.difference = change * change;
  }
  return result;
}

}  // namespace

double FeatureBlock::sensitivity(NeighbourRelation relation) const {
  const bool replace = relation == NeighbourRelation::kReplaceOne;
  const SquaredChanges changes = combination == Combination::kProduct
                                     ? changes_of_product(*this, replace)
                                     : changes_of_sum(*this, replace);
  if (!replace) {
    return std::sqrt(changes.norm);
  }
  // Two records of one class differ within its row of sums; two of different classes fill two rows.
  return std::sqrt(labelled ? std::max(2.0 * changes.norm, changes.difference)
                            : changes.difference);
}

double FeatureBlock::published_sensitivity(NeighbourRelation relation) const {
  double squared_weights = 0.0;
  for (const WeightedMap& member : maps) {
    squared_weights += member.weight * member.weight * static_cast<double>(member.map.elements());
  }
  const double norm = combination == Combination::kProduct ? 1.0 : std::sqrt(squared_weights);
  const double published = relation == NeighbourRelation::kReplaceOne ? 2.0 * norm : norm;
  return std::max(published, sensitivity(relation));  // rounding may add a little to a norm of 1
}

void FeatureBlock::evaluate(const EncodedBatch& batch, std::size_t row, double* out) const {
  std::vector<double> features;
  if (combination == Combination::kSum) {
    std::size_t offset = 0;
    for (const WeightedMap& member : maps) {
      features.resize(member.map.dimension());
      member.map.evaluate(batch, row, features.data());
      for (const double feature : features) {
        out[offset++] = member.weight * feature;
      }
    }
    return;
  }
  std::vector<double> product = {1.0};
  for (const WeightedMap& member : maps) {
    features.resize(member.map.dimension());
    member.map.evaluate(batch, row, features.data());
    std::vector<double> longer;
    longer.reserve(product.size() * features.size());
    for (const double outer : product) {
      for (const double inner : features) {
        longer.push_back(outer * inner);
      }
    }
    product = std::move(longer);
  }
  std::copy(product.begin(), product.end(), out);
}

}  // namespace mehler

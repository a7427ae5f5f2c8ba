#include "mehler/features/feature_map.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/features/hermite_bounds.h"

namespace mehler {
namespace {

/// The square of a length grown by what rounding can add to it. Each of the entries moves by at
/// most half a grid step when it is rounded, and by 1e-13 when it is computed.
double inflate(double squared_length, std::size_t dimension, double roundings) {
  const double per_entry = 0.5 * std::ldexp(1.0, -kGridExponent) + 1e-13;
  const double length =
      std::sqrt(squared_length) + roundings * per_entry * std::sqrt(static_cast<double>(dimension));
  return length * length;
}

}  // namespace

FeatureMap FeatureMap::constant() { return {}; }

FeatureMap FeatureMap::one_hot(std::size_t column, std::size_t codes) {
  MEHLER_ASSERT(codes >= 1);
  FeatureMap map;
  map.kind_ = Kind::kOneHot;
  map.column_ = column;
  map.dimension_ = codes;
  return map;
}

FeatureMap FeatureMap::hermite(std::size_t column, HermiteFeatures features, bool may_miss) {
  FeatureMap map;
  map.kind_ = Kind::kHermite;
  map.column_ = column;
  map.dimension_ = features.dimension() + (may_miss ? 1 : 0);
  map.may_miss_ = may_miss;
  const double bound = inflate(certify_squared_norm(features).value, features.dimension(), 1.0);
  map.squared_norm_bound_ = may_miss ? std::max(1.0, bound) : bound;
  map.hermite_ = std::move(features);
  return map;
}

double FeatureMap::squared_difference_bound() const {
  switch (kind_) {
    case Kind::kConstant:
      return 0.0;
    case Kind::kOneHot:
      return dimension_ > 1 ? 2.0 : 0.0;
    case Kind::kHermite:
      break;
  }
  const double both =
      inflate(certify_squared_difference(*hermite_).value, hermite_->dimension(), 2.0);
  if (!may_miss_) {
    return both;
  }
  const double one_missing =
      1.0 + inflate(certify_squared_norm(*hermite_).value, hermite_->dimension(), 1.0);
  return std::max(both, one_missing);
}

void FeatureMap::evaluate(const EncodedBatch& batch, std::size_t row, double* out) const {
  if (kind_ == Kind::kConstant) {
    out[0] = 1.0;
    return;
  }
  const EncodedColumn& column = batch.columns.at(column_);
  std::fill_n(out, dimension_, 0.0);
  if (kind_ == Kind::kOneHot) {
    out[column.codes.at(row)] = 1.0;
  } else if (std::isnan(column.numbers.at(row))) {
    MEHLER_ASSERT(may_miss_);
    out[dimension_ - 1] = 1.0;
  } else {
    hermite_->evaluate(column.numbers.at(row), out);
  }
}

}  // namespace mehler

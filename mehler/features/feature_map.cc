#include "mehler/features/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/encoding/pixel_numbers.h"
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
  map.inputs_ = {{column}};
  map.dimension_ = codes;
  return map;
}

FeatureMap FeatureMap::hermite(std::size_t column, HermiteFeatures features, bool may_miss) {
  return hermite(std::vector<MapInput>{{column}}, std::move(features), may_miss);
}

FeatureMap FeatureMap::hermite(std::vector<MapInput> inputs, HermiteFeatures features,
                               bool may_miss) {
  double length = 0.0;
  for (const MapInput& input : inputs) {
    length += std::fabs(input.coefficient);
  }
  // Written so that NaN fails too. number_of() keeps what rounding may add within [-1, 1].
  if (!(length > 0.0 && length <= 1.0 + 1e-12)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the absolute values of a direction's coefficients must add up to at "
                            "most 1, but add up to {}",
                            length));
  }
  FeatureMap map;
  map.kind_ = Kind::kHermite;
  map.inputs_ = std::move(inputs);
  map.dimension_ = features.dimension() + (may_miss ? 1 : 0);
  map.may_miss_ = may_miss;
  map.norm_certificate_ = certify_squared_norm(features);
  const double bound = inflate(map.norm_certificate_.value, features.dimension(), 1.0);
  map.squared_norm_bound_ = may_miss ? std::max(1.0, bound) : bound;
  map.hermite_ = std::move(features);
  return map;
}

FeatureMap FeatureMap::pixel(std::size_t column, std::size_t element, HermiteFeatures features) {
  return hermite(std::vector<MapInput>{{column, 1.0, element}}, std::move(features), false);
}

FeatureMap FeatureMap::pixels(std::size_t column, std::size_t elements, HermiteFeatures features) {
  MEHLER_ASSERT(elements >= 1);
  // The bytes of an image are numbers of their own: any of them can change together, so squared
  // norms and differences add up.
  FeatureMap map = hermite(column, std::move(features), false);
  map.kind_ = Kind::kPixels;
  map.elements_ = elements;
  map.dimension_ *= elements;
  map.squared_norm_bound_ *= static_cast<double>(elements);
  return map;
}

FeatureMap FeatureMap::fourier(const std::vector<std::size_t>& columns,
                               RandomFourierFeatures features) {
  MEHLER_ASSERT(columns.size() == features.inputs());
  FeatureMap map;
  map.kind_ = Kind::kFourier;
  for (const std::size_t column : columns) {
    map.inputs_.push_back({column});
  }
  map.dimension_ = features.dimension();
  map.squared_norm_bound_ = inflate(1.0, features.dimension(), 1.0);
  map.fourier_ = std::move(features);
  return map;
}

FeatureMap FeatureMap::fourier_of_pixels(std::size_t column, RandomFourierFeatures features) {
  FeatureMap map = fourier(std::vector<std::size_t>(features.inputs(), column), features);
  map.kind_ = Kind::kFourierOfPixels;
  map.inputs_ = {{column}};
  return map;
}

FeatureMap FeatureMap::missing(std::size_t column) {
  FeatureMap map;
  map.kind_ = Kind::kMissing;
  map.inputs_ = {{column}};
  map.may_miss_ = true;
  return map;
}

double FeatureMap::number_of(const EncodedBatch& batch, std::size_t row) const {
  if (is_of_one_column()) {
    const EncodedColumn& column = batch.columns[inputs_[0].column];
    if (inputs_[0].element) {
      return number_of_pixel(
          column.pixels[row * (column.pixels.size() / batch.rows) + *inputs_[0].element]);
    }
    return column.numbers[row];
  }
  double sum = 0.0;
  for (const MapInput& input : inputs_) {
    sum += input.coefficient * batch.columns[input.column].numbers[row];
  }
  return std::isnan(sum) ? sum : std::clamp(sum, -1.0, 1.0);
}

double FeatureMap::squared_difference_bound() const {
  switch (kind_) {
    case Kind::kConstant:
      return 0.0;
    case Kind::kOneHot:
      return dimension_ > 1 ? 2.0 : 0.0;
    case Kind::kMissing:
      return 1.0;
    case Kind::kFourier:
    case Kind::kFourierOfPixels:
      // Two unit vectors; how near to opposite the frequencies let them come is not examined.
      return 4.0 * squared_norm_bound_;
    case Kind::kHermite:
    case Kind::kPixels:
      break;
  }
  const double both =
      inflate(certify_squared_difference(*hermite_).value, hermite_->dimension(), 2.0);
  if (!may_miss_) {
    return both * static_cast<double>(elements_);
  }
  const double one_missing = 1.0 + inflate(norm_certificate_.value, hermite_->dimension(), 1.0);
  return std::max(both, one_missing);
}

void FeatureMap::evaluate(const EncodedBatch& batch, std::size_t row, double* out) const {
  if (kind_ == Kind::kConstant) {
    out[0] = 1.0;
    return;
  }
  std::fill_n(out, dimension_, 0.0);
  if (kind_ == Kind::kOneHot) {
    out[batch.columns.at(column()).codes.at(row)] = 1.0;
    return;
  }
  if (kind_ == Kind::kFourier) {
    std::vector<double> numbers;
    for (const MapInput& input : inputs_) {
      const double number = batch.columns.at(input.column).numbers.at(row);
      numbers.push_back(std::isnan(number) ? 0.0 : number);
    }
    fourier_->evaluate(numbers.data(), out);
    return;
  }
  if (kind_ == Kind::kFourierOfPixels) {
    const std::uint8_t* bytes = batch.columns.at(column()).pixels.data() + row * fourier_->inputs();
    std::vector<double> numbers(fourier_->inputs());
    std::transform(bytes, bytes + numbers.size(), numbers.begin(), number_of_pixel);
    fourier_->evaluate(numbers.data(), out);
    return;
  }
  if (kind_ == Kind::kMissing) {
    out[0] = std::isnan(batch.columns.at(column()).numbers.at(row)) ? 1.0 : 0.0;
    return;
  }
  if (kind_ == Kind::kPixels) {
    const WipedVector<std::uint8_t>& pixels = batch.columns.at(column()).pixels;
    for (std::size_t i = 0; i < elements_; ++i) {
      hermite_->evaluate(number_of_pixel(pixels.at(row * elements_ + i)),
                         out + i * hermite_->dimension());
    }
    return;
  }
  const double number = number_of(batch, row);
  if (std::isnan(number)) {
    MEHLER_ASSERT(may_miss_);
    out[dimension_ - 1] = 1.0;
  } else {
    hermite_->evaluate(number, out);
  }
}

}  // namespace mehler

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/normalization.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/normalization.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void column_moments_of_target(const float* tile, size_t rows, std::span<float> sum,
                              std::span<float> squares) {
  const size_t columns = sum.size();
  for_columns(columns, [&](auto d, size_t column) HWY_ATTR {
    const float* place = tile + column;
    auto total = hn::Zero(d);
    for (size_t i = 0; i < rows; ++i) {
      total = hn::Add(total, hn::LoadU(d, place + i * columns));
    }
    const auto mean = hn::Mul(total, hn::Set(d, 1.0F / static_cast<float>(rows)));
    auto spread = hn::Zero(d);
    for (size_t i = 0; i < rows; ++i) {
      const auto centred = hn::Sub(hn::LoadU(d, place + i * columns), mean);
      spread = hn::MulAdd(centred, centred, spread);
    }
    hn::StoreU(total, d, &sum[column]);
    hn::StoreU(spread, d, &squares[column]);
  });
}

void normalize_and_rectify_of_target(float* tile, size_t rows, std::span<const float> mean,
                                     std::span<const float> inverse_deviation,
                                     std::span<const float> scale, std::span<const float> shift,
                                     float floor, float* output) {
  const size_t columns = mean.size();
  for (size_t i = 0; i < rows; ++i) {
    float* values = tile + i * columns;
    float* out = output + i * columns;
    for_columns(columns, [&](auto d, size_t j) HWY_ATTR {
      const auto normalized = hn::Mul(hn::Sub(hn::LoadU(d, values + j), hn::LoadU(d, &mean[j])),
                                      hn::LoadU(d, &inverse_deviation[j]));
      hn::StoreU(normalized, d, values + j);
      const auto scaled = hn::MulAdd(hn::LoadU(d, &scale[j]), normalized, hn::LoadU(d, &shift[j]));
      hn::StoreU(hn::Max(scaled, hn::Set(d, floor)), d, out + j);
    });
  }
}

void scale_and_rectify_of_target(float* tile, size_t rows, std::span<const float> factor,
                                 std::span<const float> offset, float floor) {
  const size_t columns = factor.size();
  for (size_t i = 0; i < rows; ++i) {
    float* values = tile + i * columns;
    for_columns(columns, [&](auto d, size_t j) HWY_ATTR {
      const auto scaled =
          hn::MulAdd(hn::LoadU(d, &factor[j]), hn::LoadU(d, values + j), hn::LoadU(d, &offset[j]));
      hn::StoreU(hn::Max(scaled, hn::Set(d, floor)), d, values + j);
    });
  }
}

void rectified_gradient_sums_of_target(float* gradient, size_t rows, const float* normalized,
                                       std::span<const float> scale, std::span<const float> shift,
                                       float floor, std::span<float> sum,
                                       std::span<float> product_sum) {
  const size_t columns = sum.size();
  for_columns(columns, [&](auto d, size_t column) HWY_ATTR {
    const auto slope = hn::LoadU(d, &scale[column]);
    const auto offset = hn::LoadU(d, &shift[column]);
    auto total = hn::Zero(d);
    auto product_total = hn::Zero(d);
    for (size_t i = 0; i < rows; ++i) {
      const size_t place = i * columns + column;
      const auto x = hn::LoadU(d, normalized + place);
      const auto passes = hn::Gt(hn::MulAdd(slope, x, offset), hn::Set(d, floor));
      const auto passed = hn::IfThenElseZero(passes, hn::LoadU(d, gradient + place));
      hn::StoreU(passed, d, gradient + place);
      total = hn::Add(total, passed);
      product_total = hn::MulAdd(passed, x, product_total);
    }
    hn::StoreU(total, d, &sum[column]);
    hn::StoreU(product_total, d, &product_sum[column]);
  });
}

void normalization_gradient_of_target(float* gradient, size_t rows, const float* normalized,
                                      std::span<const float> factor, std::span<const float> mean,
                                      std::span<const float> product_mean) {
  const size_t columns = factor.size();
  for (size_t i = 0; i < rows; ++i) {
    float* slopes = gradient + i * columns;
    const float* x = normalized + i * columns;
    for_columns(columns, [&](auto d, size_t j) HWY_ATTR {
      const auto centred = hn::Sub(hn::LoadU(d, slopes + j), hn::LoadU(d, &mean[j]));
      const auto result =
          hn::NegMulAdd(hn::LoadU(d, x + j), hn::LoadU(d, &product_mean[j]), centred);
      hn::StoreU(hn::Mul(hn::LoadU(d, &factor[j]), result), d, slopes + j);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(column_moments_of_target);
HWY_EXPORT(normalize_and_rectify_of_target);
HWY_EXPORT(scale_and_rectify_of_target);
HWY_EXPORT(rectified_gradient_sums_of_target);
HWY_EXPORT(normalization_gradient_of_target);

}  // namespace

void column_moments(const float* tile, std::size_t rows, std::span<float> sum,
                    std::span<float> squares) {
  HWY_DYNAMIC_DISPATCH(column_moments_of_target)(tile, rows, sum, squares);
}

void normalize_and_rectify(float* tile, std::size_t rows, std::span<const float> mean,
                           std::span<const float> inverse_deviation, std::span<const float> scale,
                           std::span<const float> shift, float floor, float* output) {
  HWY_DYNAMIC_DISPATCH(normalize_and_rectify_of_target)
  (tile, rows, mean, inverse_deviation, scale, shift, floor, output);
}

void scale_and_rectify(float* tile, std::size_t rows, std::span<const float> factor,
                       std::span<const float> offset, float floor) {
  HWY_DYNAMIC_DISPATCH(scale_and_rectify_of_target)(tile, rows, factor, offset, floor);
}

void rectified_gradient_sums(float* gradient, std::size_t rows, const float* normalized,
                             std::span<const float> scale, std::span<const float> shift,
                             float floor, std::span<float> sum, std::span<float> product_sum) {
  HWY_DYNAMIC_DISPATCH(rectified_gradient_sums_of_target)
  (gradient, rows, normalized, scale, shift, floor, sum, product_sum);
}

void normalization_gradient(float* gradient, std::size_t rows, const float* normalized,
                            std::span<const float> factor, std::span<const float> mean,
                            std::span<const float> product_mean) {
  HWY_DYNAMIC_DISPATCH(normalization_gradient_of_target)
  (gradient, rows, normalized, factor, mean, product_mean);
}

}  // namespace mehler
#endif  // HWY_ONCE

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/product_batch.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/product_batch.h"

#include <algorithm>
#include <vector>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Features of one vector of records, in double precision: in single precision phi_0 would vanish
// for |z| > 13 and take all others with it.
template <class D>
HWY_INLINE void fill_vector(D d, const HermiteRecursion& recursion, const float* values,
                            const float* presence, float* rows, size_t stride) {
  const hn::Rebind<float, D> df;
  const auto z = hn::Mul(hn::PromoteTo(d, hn::LoadU(df, values)), hn::Set(d, recursion.scale));
  const auto exponent = hn::Mul(hn::Mul(z, z), hn::Set(d, -recursion.decay));
  auto current = hn::Mul(hn::Exp(d, exponent), hn::Set(d, recursion.front));
  if (presence != nullptr) {
    current = hn::Mul(current, hn::PromoteTo(d, hn::LoadU(df, presence)));
  }
  auto previous = hn::Zero(d);
  const size_t order = recursion.up.size();
  for (size_t k = 0;; ++k) {
    hn::StoreU(hn::DemoteTo(df, current), df, rows + k * stride);
    if (k == order) {
      break;
    }
    const auto up = hn::Mul(hn::Set(d, recursion.up[k]), z);
    const auto down = hn::Mul(hn::Set(d, recursion.down[k]), previous);
    previous = current;
    current = hn::MulSub(up, current, down);
  }
}

void fill_rows_of_target(const HermiteRecursion& recursion, std::span<const float> values,
                         std::span<const float> presence, float* rows, size_t stride) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const auto presence_at = [&](size_t r) {
    return presence.empty() ? nullptr : presence.data() + r;
  };
  size_t r = 0;
  for (; r + lanes <= values.size(); r += lanes) {
    fill_vector(d, recursion, &values[r], presence_at(r), rows + r, stride);
  }
  const hn::CappedTag<double, 1> one;
  for (; r < values.size(); ++r) {
    fill_vector(one, recursion, &values[r], presence_at(r), rows + r, stride);
  }
}

void contract_slopes_of_target(const HermiteRecursion& recursion, std::span<const float> values,
                               std::span<const float> raised, const float* rows,
                               const float* gradient, size_t stride, std::span<float> slopes) {
  const size_t order = recursion.up.size();
  for_columns(values.size(), [&](auto d, size_t r) HWY_ATTR {
    auto same = hn::Zero(d);   // sum_k gradient[k] phi_k
    auto lower = hn::Zero(d);  // sum_k gradient[k + 1] sqrt(2 (k + 1) rho) phi_k
    for (size_t k = 0; k <= order; ++k) {
      const auto feature = hn::LoadU(d, rows + k * stride + r);
      same = hn::MulAdd(hn::LoadU(d, gradient + k * stride + r), feature, same);
      if (k < order) {
        const auto weight =
            hn::Mul(hn::Set(d, raised[k]), hn::LoadU(d, gradient + (k + 1) * stride + r));
        lower = hn::MulAdd(weight, feature, lower);
      }
    }
    const auto z =
        hn::Mul(hn::LoadU(d, &values[r]), hn::Set(d, static_cast<float>(recursion.scale)));
    const auto slope = hn::Mul(z, hn::Set(d, static_cast<float>(2.0 * recursion.decay)));
    hn::StoreU(
        hn::Mul(hn::NegMulAdd(slope, same, lower), hn::Set(d, static_cast<float>(recursion.scale))),
        d, &slopes[r]);
  });
}

void multiply_soft_rows_of_target(const float* outer, size_t outer_count, const float* inner,
                                  size_t inner_count, size_t stride, float* product) {
  for (size_t i = 0; i < outer_count; ++i) {
    for (size_t j = 0; j < inner_count; ++j) {
      float* out = product + (i * inner_count + j) * stride;
      for_columns(stride, [&](auto d, size_t r) HWY_ATTR {
        hn::StoreU(
            hn::Mul(hn::LoadU(d, outer + i * stride + r), hn::LoadU(d, inner + j * stride + r)), d,
            out + r);
      });
    }
  }
}

void split_gradient_of_target(const float* product_gradient, const float* outer, size_t outer_count,
                              const float* inner, size_t inner_count, size_t stride,
                              float* outer_gradient, float* inner_gradient) {
  std::fill_n(inner_gradient, inner_count * stride, 0.0F);
  for (size_t i = 0; i < outer_count; ++i) {
    const float* above = product_gradient + i * inner_count * stride;
    for_columns(stride, [&](auto d, size_t r) HWY_ATTR {
      const auto factor = hn::LoadU(d, outer + i * stride + r);
      auto total = hn::Zero(d);
      for (size_t j = 0; j < inner_count; ++j) {
        const auto slope = hn::LoadU(d, above + j * stride + r);
        total = hn::MulAdd(slope, hn::LoadU(d, inner + j * stride + r), total);
        float* place = inner_gradient + j * stride + r;
        hn::StoreU(hn::MulAdd(slope, factor, hn::LoadU(d, place)), d, place);
      }
      hn::StoreU(total, d, outer_gradient + i * stride + r);
    });
  }
}

double weigh_residuals_of_target(const float* target, float factor, float weight,
                                 float* const sums[2], size_t groups, size_t stride, size_t count) {
  const auto add = [&](auto d, size_t k) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> floats;
    const auto residual = [&](float* half) HWY_ATTR {
      auto sum = hn::LoadU(floats, half + k);
      for (size_t group = 1; group < groups; ++group) {
        sum = hn::Add(sum, hn::LoadU(floats, half + group * stride + k));
      }
      const auto rest = hn::NegMulAdd(hn::Set(floats, factor), sum, hn::LoadU(floats, target + k));
      hn::StoreU(hn::Mul(rest, hn::Set(floats, weight)), floats, half + k);
      return hn::PromoteTo(d, rest);
    };
    return hn::Mul(residual(sums[0]), residual(sums[1]));
  };
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    total = hn::Add(total, add(d, k));
  }
  double loss = hn::GetLane(hn::SumOfLanes(d, total));
  const hn::CappedTag<double, 1> one;
  for (; k < count; ++k) {
    loss += hn::GetLane(add(one, k));
  }
  return loss;
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(fill_rows_of_target);
HWY_EXPORT(contract_slopes_of_target);
HWY_EXPORT(multiply_soft_rows_of_target);
HWY_EXPORT(split_gradient_of_target);
HWY_EXPORT(weigh_residuals_of_target);

}  // namespace

void fill_soft_hermite_rows(const HermiteRecursion& recursion, std::span<const float> values,
                            std::span<const float> presence, float* rows, std::size_t stride) {
  MEHLER_ASSERT(values.size() <= stride);
  MEHLER_ASSERT(presence.empty() || presence.size() == values.size());
  HWY_DYNAMIC_DISPATCH(fill_rows_of_target)(recursion, values, presence, rows, stride);
}

void contract_hermite_slopes(const HermiteRecursion& recursion, std::span<const float> values,
                             const float* rows, const float* gradient, std::size_t stride,
                             std::span<float> slopes) {
  MEHLER_ASSERT(slopes.size() == values.size() && values.size() <= stride);
  std::vector<float> raised(recursion.up.size());
  for (std::size_t k = 0; k < raised.size(); ++k) {
    // sqrt(2 (k + 1) rho) = (k + 1) sqrt(2 rho / (k + 1))
    raised[k] = static_cast<float>(static_cast<double>(k + 1) * recursion.up[k]);
  }
  HWY_DYNAMIC_DISPATCH(contract_slopes_of_target)
  (recursion, values, raised, rows, gradient, stride, slopes);
}

void multiply_soft_rows(const float* outer, std::size_t outer_count, const float* inner,
                        std::size_t inner_count, std::size_t stride, float* product) {
  HWY_DYNAMIC_DISPATCH(multiply_soft_rows_of_target)
  (outer, outer_count, inner, inner_count, stride, product);
}

void split_product_gradient(const float* product_gradient, const float* outer,
                            std::size_t outer_count, const float* inner, std::size_t inner_count,
                            std::size_t stride, float* outer_gradient, float* inner_gradient) {
  HWY_DYNAMIC_DISPATCH(split_gradient_of_target)
  (product_gradient, outer, outer_count, inner, inner_count, stride, outer_gradient,
   inner_gradient);
}

double weigh_residuals(const float* target, float factor, float weight, float* const sums[2],
                       std::size_t groups, std::size_t stride, std::size_t count) {
  MEHLER_ASSERT(groups >= 1);
  return HWY_DYNAMIC_DISPATCH(weigh_residuals_of_target)(target, factor, weight, sums, groups,
                                                         stride, count);
}

}  // namespace mehler
#endif  // HWY_ONCE

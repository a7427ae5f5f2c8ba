// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/recursion_route.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/vector_groups-inl.h"
// clang-format on

#include "mehler/simd/recursion_route.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using V = FloatVector;
constexpr float kRoom = RecursionRoute::kRoom;

/// phi_0 as mantissa 2^exponent, for each lane.
struct FirstFeature {
  V mantissa;
  V exponent;  ///< an integer, at most 0
};

HWY_INLINE FirstFeature first_feature(const RecursionRoute& route, V x) {
  const FloatTag d;
  const V high = hn::Set(d, route.exponent_high);
  const V square = hn::Mul(x, x);
  const V square_rest = hn::MulSub(x, x, square);
  const V exponent = hn::Round(hn::Neg(hn::Mul(high, square)));
  // What the rounded exponent leaves, to more than single precision of the exponent itself.
  V r = hn::NegMulSub(high, square, exponent);
  r = hn::NegMulAdd(high, square_rest, r);
  r = hn::NegMulAdd(hn::Set(d, route.exponent_low), square, r);
  V mantissa = hn::Set(d, route.power_of_two[6]);
  for (size_t i = 6; i-- > 0;) {
    mantissa = hn::MulAdd(mantissa, r, hn::Set(d, route.power_of_two[i]));
  }
  return {mantissa, exponent};
}

/// mantissa 2^exponent, where neither it nor the mantissa is subnormal.
HWY_INLINE V with_exponent(V mantissa, V exponent) {
  const hn::RebindToSigned<FloatTag> integers;
  const auto bits = hn::BitCast(integers, mantissa);
  return hn::BitCast(FloatTag(),
                     hn::Add(bits, hn::ShiftLeft<23>(hn::ConvertTo(integers, exponent))));
}

/// Whether Clenshaw's recursion and phi_0 are safe for all of N vectors; not for a NaN.
template <size_t N>
HWY_INLINE bool all_near(const RecursionRoute& route, const float* HWY_RESTRICT x) {
  const FloatTag d;
  auto near = hn::FirstN(d, kMaxLanes);
  for (size_t i = 0; i < N; ++i) {
    const V value = hn::LoadU(d, x + i * hn::Lanes(d));
    near = hn::And(near, hn::Le(hn::Mul(value, value), hn::Set(d, route.near_square)));
  }
  return hn::AllTrue(d, near);
}

/// One vector of values whose phi_0 may underflow, on its way through the recursion.
///
/// The features are current 2^(-64 blocks). They begin small, and grow until they count; before
/// that they are below 2^-38, and are taken as 0.
class FarVector {
 public:
  FarVector() = default;

  HWY_INLINE FarVector(const RecursionRoute& route, V x) {
    const FloatTag d;
    const auto beyond = hn::Gt(hn::Abs(x), hn::Set(d, route.far));
    // 0 for what is finite, NaN for an infinity.
    product_ = hn::IfThenElse(beyond, hn::Mul(x, hn::Zero(d)), x);
    const FirstFeature first = first_feature(route, product_);
    blocks_ = hn::Floor(hn::Mul(first.exponent, hn::Set(d, -1.0F / 64.0F)));
    const V exponent = hn::MulAdd(blocks_, hn::Set(d, 64.0F), first.exponent);
    // x - x keeps a NaN, which the integers of the exponent would not.
    current_ = hn::Add(with_exponent(first.mantissa, exponent), hn::Sub(product_, product_));
    current_ = hn::IfThenElse(beyond, product_, current_);
    previous_ = hn::Zero(d);
  }

  HWY_INLINE void weigh(V weights) { current_ = hn::Mul(current_, weights); }

  /// The feature itself, or 0 while it is too small to count.
  HWY_INLINE V feature() const {
    return hn::IfThenZeroElse(hn::Gt(blocks_, hn::Zero(FloatTag())), current_);
  }

  HWY_INLINE void change_factor(V change) { product_ = hn::Mul(product_, change); }

  HWY_INLINE void advance(V down) {
    const V next = hn::MulSub(product_, current_, hn::Mul(down, previous_));
    previous_ = current_;
    current_ = next;
  }

  /// To be called every four steps: moves features that have grown into the next block.
  HWY_INLINE void keep_in_range() {
    const FloatTag d;
    const auto grown =
        hn::And(hn::Gt(blocks_, hn::Zero(d)), hn::Gt(hn::Abs(current_), hn::Set(d, 1048576.0F)));
    const V shift = hn::IfThenElse(grown, hn::Set(d, 5.42101086242752217e-20F),  // 2^-64
                                   hn::Set(d, 1.0F));
    current_ = hn::Mul(current_, shift);
    previous_ = hn::Mul(previous_, shift);
    blocks_ = hn::Sub(blocks_, hn::IfThenElseZero(grown, hn::Set(d, 1.0F)));
  }

 private:
  V product_;  ///< of x and the segment's factor
  V blocks_;
  V current_;
  V previous_;
};

/// Takes N far vectors through the recursion: visit(k, vectors) for k = 0 .. last.
template <size_t N, class Visit>
HWY_INLINE void visit_far(const RecursionRoute& route, FarVector* HWY_RESTRICT vectors, size_t last,
                          const Visit& visit) {
  const FloatTag d;
  size_t k = 0;
  for (const RecursionRoute::Segment& segment : route.segments) {
    unroll<N>([&](size_t i) HWY_ATTR { vectors[i].change_factor(hn::Set(d, segment.change)); });
    for (; k < std::min(segment.end, last); ++k) {
      visit(k, vectors);
      unroll<N>([&](size_t i) HWY_ATTR { vectors[i].advance(hn::Set(d, route.down[k])); });
      if (k % 4 == 3) {
        unroll<N>([&](size_t i) HWY_ATTR { vectors[i].keep_in_range(); });
      }
    }
  }
  visit(last, vectors);
}

/// Adds features of groups of values to totals[k * lanes ..].
class SumsOfGroups {
 public:
  SumsOfGroups(const RecursionRoute& route, std::span<const float> presence, float* totals)
      : route_(route), presence_(presence), totals_(totals) {}

  template <size_t N>
  HWY_INLINE void run(const float* HWY_RESTRICT x, size_t first, size_t count) const {
    const size_t lanes = hn::Lanes(FloatTag());
    if (presence_.empty() && count == N * lanes) {
      add<N>(x, nullptr);
      return;
    }
    HWY_ALIGN float weights[N * kMaxLanes] = {};
    if (presence_.empty()) {
      std::fill_n(weights, count, 1.0F);
    } else {
      std::copy_n(presence_.data() + first, count, weights);
    }
    add<N>(x, weights);
  }

 private:
  template <size_t N>
  HWY_INLINE void add(const float* x, const float* weights) const {
    if (all_near<N>(route_, x)) {
      add_near<N>(x, weights);
    } else if constexpr (N > 2) {
      const size_t half = N / 2 * hn::Lanes(FloatTag());
      add<N / 2>(x, weights);
      add<N / 2>(x + half, weights == nullptr ? nullptr : weights + half);
    } else {
      add_far<N>(x, weights);
    }
  }

  template <size_t N>
  HWY_INLINE void add_to_total(size_t k, const V* vectors) const {
    const FloatTag d;
    float* total = totals_ + k * hn::Lanes(d);
    hn::Store(hn::Add(hn::Load(d, total), sum_of<N>(vectors)), d, total);
  }

  template <size_t N>
  HWY_INLINE void add_near(const float* HWY_RESTRICT x, const float* HWY_RESTRICT weights) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    V current[N];
    V previous[N];
    V product[N];  // of x and the segment's factor
    unroll<N>([&](size_t i) HWY_ATTR {
      product[i] = hn::LoadU(d, x + i * lanes);
      const FirstFeature first = first_feature(route_, product[i]);
      current[i] = with_exponent(first.mantissa, first.exponent);
      previous[i] = hn::Zero(d);
      if (weights != nullptr) {
        current[i] = hn::Mul(current[i], hn::Load(d, weights + i * lanes));
      }
    });
    // Puts the feature after `newest` in the place of the one before it. Two such steps at a time:
    // moving the features from one array to the other would cost as much as the arithmetic.
    const auto step = [&](size_t k, const V* newest, V* older) HWY_ATTR {
      const V down = hn::Set(d, route_.down[k]);
      for (size_t i = 0; i < N; ++i) {
        older[i] = hn::MulSub(product[i], newest[i], hn::Mul(down, older[i]));
      }
    };
    const size_t order = route_.order;
    size_t k = 0;
    for (const RecursionRoute::Segment& segment : route_.segments) {
      for (size_t i = 0; i < N; ++i) {
        product[i] = hn::Mul(product[i], hn::Set(d, segment.change));
      }
      for (const size_t end = std::min(segment.end, order); k + 1 < end; k += 2) {
        add_to_total<N>(k, current);
        step(k, current, previous);
        add_to_total<N>(k + 1, previous);
        step(k + 1, previous, current);
      }
    }
    add_to_total<N>(k, current);
    if (k < order) {
      step(k, current, previous);
      add_to_total<N>(order, previous);
    }
  }

  template <size_t N>
  HWY_NOINLINE void add_far(const float* HWY_RESTRICT x, const float* HWY_RESTRICT weights) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    FarVector vectors[N];
    unroll<N>([&](size_t i) HWY_ATTR {
      vectors[i] = FarVector(route_, hn::LoadU(d, x + i * lanes));
      if (weights != nullptr) {
        vectors[i].weigh(hn::Load(d, weights + i * lanes));
      }
    });
    visit_far<N>(route_, vectors, route_.order, [&](size_t k, const FarVector* at_k) HWY_ATTR {
      V features[N];
      unroll<N>([&](size_t i) HWY_ATTR { features[i] = at_k[i].feature(); });
      add_to_total<N>(k, features);
    });
  }

  const RecursionRoute& route_;
  std::span<const float> presence_;
  float* totals_;
};

/// Adds the sums of q_k, not yet scaled, to sums[k], for up to kValuesPerChunk values.
void chunk_sums_by_recursion(const RecursionRoute& route, std::span<const float> values,
                             std::span<const float> presence, std::span<double> sums) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t rows = hwy::RoundUpTo(route.order + 1, 4);
  const auto totals = hwy::AllocateAligned<float>(rows * lanes + rows);
  std::fill_n(totals.get(), rows * lanes, 0.0F);
  for_each_group(values, SumsOfGroups(route, presence, totals.get()));
  float* const chunk_sums = totals.get() + rows * lanes;
  add_up_lanes(totals.get(), rows, chunk_sums);
  for (size_t k = 0; k < sums.size(); ++k) {
    sums[k] += static_cast<double>(chunk_sums[k]);
  }
}

void sums_by_recursion(const RecursionRoute& route, std::span<const float> values,
                       std::span<const float> presence, std::span<double> sums) {
  for (size_t first = 0; first < values.size(); first += kValuesPerChunk) {
    const size_t count = std::min(kValuesPerChunk, values.size() - first);
    chunk_sums_by_recursion(route, values.subspan(first, count),
                            presence.empty() ? presence : presence.subspan(first, count), sums);
  }
}

/// results[i] = kRoom factor sum_k weights[k] q_k, for weights up to 1 / kRoom.
class SeriesOfGroups {
 public:
  SeriesOfGroups(const RecursionRoute& route, std::span<const float> weights, float factor,
                 float* results)
      : route_(route), weights_(weights), factor_(factor), results_(results) {}

  template <size_t N>
  HWY_INLINE void run(const float* HWY_RESTRICT x, size_t first, size_t count) const {
    if (count == N * hn::Lanes(FloatTag())) {
      evaluate<N>(x, results_ + first);
      return;
    }
    HWY_ALIGN float results[N * kMaxLanes];
    evaluate<N>(x, results);
    std::copy_n(results, count, results_ + first);
  }

 private:
  template <size_t N>
  HWY_INLINE void evaluate(const float* x, float* results) const {
    if (all_near<N>(route_, x)) {
      evaluate_near<N>(x, results);
    } else if constexpr (N > 2) {
      const size_t half = N / 2 * hn::Lanes(FloatTag());
      evaluate<N / 2>(x, results);
      evaluate<N / 2>(x + half, results + half);
    } else {
      evaluate_far<N>(x, results);
    }
  }

  /// Clenshaw: b_k = weights[k] + factor_k b_{k+1} - down[k+1] b_{k+2}; the series is phi_0 b_0.
  template <size_t N>
  HWY_INLINE void evaluate_near(const float* HWY_RESTRICT x, float* HWY_RESTRICT results) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    V above[N];
    V two_above[N];
    V product[N];  // of x and the segment's factor
    // Puts the sum below `above` in the place of the one above it, as in the forward recursion.
    const auto step = [&](size_t k, const V* lower, V* upper) HWY_ATTR {
      const V down = hn::Set(d, route_.down[k]);
      const V weight = hn::Set(d, weights_[k - 1]);
      for (size_t i = 0; i < N; ++i) {
        upper[i] = hn::MulAdd(product[i], lower[i], hn::NegMulAdd(down, upper[i], weight));
      }
    };
    size_t k = weights_.size() - 1;
    const bool odd = k % 2 == 1;
    for (size_t i = 0; i < N; ++i) {
      product[i] = hn::Mul(hn::LoadU(d, x + i * lanes), hn::Set(d, route_.last_factor));
      const V highest = hn::Set(d, weights_[k]);
      above[i] = odd ? hn::MulAdd(product[i], highest, hn::Set(d, weights_[k - 1])) : highest;
      two_above[i] = odd ? highest : hn::Zero(d);
    }
    k -= odd ? 1 : 0;
    for (size_t s = route_.segments.size(); s-- > 0;) {
      const size_t begin = s == 0 ? 0 : route_.segments[s - 1].end;
      for (; k > begin; k -= 2) {
        step(k, above, two_above);
        step(k - 1, two_above, above);
      }
      const V undo = hn::Set(d, 1.0F / route_.segments[s].change);
      for (size_t i = 0; i < N; ++i) {
        product[i] = hn::Mul(product[i], undo);
      }
    }
    unroll<N>([&](size_t i) HWY_ATTR {
      const FirstFeature first = first_feature(route_, product[i]);  // x itself again
      const V q = with_exponent(first.mantissa, first.exponent);
      const V sum = hn::Mul(hn::Mul(q, hn::Set(d, kRoom)), above[i]);
      hn::StoreU(hn::Mul(sum, hn::Set(d, factor_)), d, results + i * lanes);
    });
  }

  template <size_t N>
  HWY_NOINLINE void evaluate_far(const float* HWY_RESTRICT x, float* HWY_RESTRICT results) const {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    FarVector vectors[N];
    V sums[N];
    unroll<N>([&](size_t i) HWY_ATTR {
      vectors[i] = FarVector(route_, hn::LoadU(d, x + i * lanes));
      sums[i] = hn::Zero(d);
    });
    visit_far<N>(route_, vectors, weights_.size() - 1,
                 [&](size_t k, const FarVector* at_k) HWY_ATTR {
                   const V weight = hn::Set(d, weights_[k]);
                   for (size_t i = 0; i < N; ++i) {
                     sums[i] = hn::MulAdd(weight, at_k[i].feature(), sums[i]);
                   }
                 });
    for (size_t i = 0; i < N; ++i) {
      hn::StoreU(hn::Mul(hn::Mul(sums[i], hn::Set(d, kRoom)), hn::Set(d, factor_)), d,
                 results + i * lanes);
    }
  }

  const RecursionRoute& route_;
  std::span<const float> weights_;
  float factor_;
  float* results_;
};

void series_by_recursion(const RecursionRoute& route, std::span<const float> weights, float factor,
                         std::span<const float> values, std::span<float> results) {
  for_each_group(values, SeriesOfGroups(route, weights, factor, results.data()));
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(sums_by_recursion);
HWY_EXPORT(series_by_recursion);

}  // namespace

void add_sums_by_recursion(const RecursionRoute& route, std::span<const float> values,
                           std::span<const float> presence, std::span<float> sums) {
  std::vector<double> added(route.order + 1, 0.0);
  HWY_DYNAMIC_DISPATCH(sums_by_recursion)(route, values, presence, added);
  for (std::size_t k = 0; k < added.size(); ++k) {
    sums[k] += static_cast<float>(added[k] * route.scales[k]);
  }
}

void evaluate_by_recursion(const RecursionRoute& route, std::span<const double> weights,
                           std::span<const float> values, std::span<float> results) {
  // Small weights, so that Clenshaw's sums, which are the series over phi_0, have room.
  double largest = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    largest = std::max(largest, std::fabs(weights[k] * route.scales[k]));
  }
  const double factor = largest > 0.0 && std::isfinite(largest) ? largest : 1.0;
  const double shrink = 1.0 / (factor * static_cast<double>(RecursionRoute::kRoom));
  std::vector<float> scaled(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    scaled[k] = static_cast<float>(weights[k] * route.scales[k] * shrink);
  }
  HWY_DYNAMIC_DISPATCH(series_by_recursion)
  (route, scaled, static_cast<float>(factor), values, results);
}

}  // namespace mehler
#endif  // HWY_ONCE

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/hermite_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/hermite_recursion-inl.h"
// clang-format on

#include "mehler/simd/hermite_sums.h"

#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Values that are worked on at once, in vectors: enough to hide the latency of three dependent
// operations. Written out because an array of vectors would live in memory.
constexpr size_t kLanes = 5;

// The features of kLanes vectors of values, rounded and added to totals[k * lanes .. ].
template <class D>
HWY_INLINE void add_group(D d, const HermiteRecursion& recursion, double grid_scale,
                          const double* HWY_RESTRICT values, uint64_t* HWY_RESTRICT totals) {
  using V = hn::Vec<D>;
  const hn::RebindToUnsigned<D> du;
  const size_t lanes = hn::Lanes(d);
  const V shift = hn::Set(d, kRoundingShift);
  const auto rounded = [&](const Lane<V>& lane)
                           HWY_ATTR { return hn::BitCast(du, hn::Add(lane.current, shift)); };
  Lane<V> a = begin_lane(d, recursion, grid_scale, values);
  Lane<V> b = begin_lane(d, recursion, grid_scale, values + lanes);
  Lane<V> c = begin_lane(d, recursion, grid_scale, values + 2 * lanes);
  Lane<V> e = begin_lane(d, recursion, grid_scale, values + 3 * lanes);
  Lane<V> f = begin_lane(d, recursion, grid_scale, values + 4 * lanes);
  const size_t order = recursion.up.size();
  for (size_t k = 0;; ++k) {
    auto total = hn::Load(du, totals + k * lanes);
    total = hn::Add(total, hn::Add(rounded(a), rounded(b)));
    total = hn::Add(total, hn::Add(rounded(c), rounded(e)));
    total = hn::Add(total, rounded(f));
    hn::Store(total, du, totals + k * lanes);
    if (k == order) {
      return;
    }
    const V up = hn::Set(d, recursion.up[k]);
    const V down = hn::Set(d, recursion.down[k]);
    advance(a, up, down);
    advance(b, up, down);
    advance(c, up, down);
    advance(e, up, down);
    advance(f, up, down);
  }
}

void add_sums_of_target(const HermiteRecursion& recursion, std::span<const double> values,
                        double grid_scale, std::span<int64_t> sums) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const size_t group = kLanes * lanes;
  const size_t features = recursion.up.size() + 1;
  const auto totals = hwy::AllocateAligned<uint64_t>(features * lanes);
  std::fill_n(totals.get(), features * lanes, uint64_t{0});
  size_t done = 0;
  for (; done + group <= values.size(); done += group) {
    add_group(d, recursion, grid_scale, values.data() + done, totals.get());
  }
  if (done < values.size()) {
    // The rest is filled up with missing values, which contribute nothing.
    const auto rest = hwy::AllocateAligned<double>(group);
    std::fill_n(rest.get(), group, std::numeric_limits<double>::quiet_NaN());
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(done), values.end(), rest.get());
    add_group(d, recursion, grid_scale, rest.get(), totals.get());
    done += group;
  }
  // Every addend carried the bits of the rounding shift along; they come off modulo 2^64.
  uint64_t shift_bits = 0;
  std::memcpy(&shift_bits, &kRoundingShift, sizeof(shift_bits));
  const uint64_t shifts = static_cast<uint64_t>(done) * shift_bits;
  for (size_t k = 0; k < features; ++k) {
    uint64_t total = static_cast<uint64_t>(sums[k]) - shifts;
    for (size_t lane = 0; lane < lanes; ++lane) {
      total += totals[k * lanes + lane];
    }
    sums[k] = static_cast<int64_t>(total);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {

HWY_EXPORT(add_sums_of_target);

void add_hermite_sums(const HermiteRecursion& recursion, std::span<const double> values,
                      int grid_exponent, std::span<std::int64_t> sums) {
  MEHLER_ASSERT(recursion.up.size() == recursion.down.size());
  MEHLER_ASSERT(sums.size() == recursion.up.size() + 1);
  HWY_DYNAMIC_DISPATCH(add_sums_of_target)
  (recursion, values, std::ldexp(1.0, grid_exponent), sums);
}

std::vector<std::string> available_instruction_sets() {
  std::vector<std::string> names;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string active_instruction_set() {
  // The lowest bit of the supported targets is the best one; the dispatch takes it.
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);
}

bool force_instruction_set(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  if (name.empty()) {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return true;
    }
  }
  return false;
}

}  // namespace mehler
#endif  // HWY_ONCE

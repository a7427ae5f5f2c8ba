// What this machine can do at most, at this moment.
//
//   machine_peaks
//
// Prints a JSON object: the instruction set; multiply-adds a second on one thread, of floats and of
// doubles that stay in registers, and of the matrix product of floats; and how many times as
// many multiply-adds of floats two threads get through as one, which is 2 on an idle machine.

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/micro/machine_peaks.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/context.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/matrix_product.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Multiply-adds in 12 independent chains; gives their number.
template <class Number>
double multiply_add_in_registers(size_t rounds, Number& result) {
  const hn::ScalableTag<Number> d;
  using V = hn::Vec<decltype(d)>;
  const V factor = hn::Set(d, static_cast<Number>(0.999));
  const V addend = hn::Set(d, static_cast<Number>(1e-3));
  const auto chain = [&](int start) HWY_ATTR { return hn::Iota(d, static_cast<Number>(start)); };
  // Different beginnings: equal chains would be computed once.
  V a = chain(1), b = chain(2), c = chain(3), e = chain(4), f = chain(5), g = chain(6);
  V h = chain(7), i = chain(8), j = chain(9), k = chain(10), l = chain(11), m = chain(12);
  for (size_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, addend);
    b = hn::MulAdd(b, factor, addend);
    c = hn::MulAdd(c, factor, addend);
    e = hn::MulAdd(e, factor, addend);
    f = hn::MulAdd(f, factor, addend);
    g = hn::MulAdd(g, factor, addend);
    h = hn::MulAdd(h, factor, addend);
    i = hn::MulAdd(i, factor, addend);
    j = hn::MulAdd(j, factor, addend);
    k = hn::MulAdd(k, factor, addend);
    l = hn::MulAdd(l, factor, addend);
    m = hn::MulAdd(m, factor, addend);
  }
  const V sum = hn::Add(
      hn::Add(hn::Add(a, b), hn::Add(c, e)),
      hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
  result = hn::GetLane(hn::SumOfLanes(d, sum));
  return 12.0 * static_cast<double>(rounds * hn::Lanes(d));
}

double multiply_add_floats(size_t rounds, float& result) {
  return multiply_add_in_registers(rounds, result);
}

double multiply_add_doubles(size_t rounds, double& result) {
  return multiply_add_in_registers(rounds, result);
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(multiply_add_floats);
HWY_EXPORT(multiply_add_doubles);

/// Short runs, as short as the kernels', so that both find the same undisturbed moments.
constexpr std::size_t kRepeats = 200;
constexpr std::size_t kRounds = 50'000;

/// `work(rounds, result)` gives the number of its multiply-adds.
template <class Number>
double in_registers_per_second(const auto& work) {
  Number result = 0;
  double number = 0.0;
  const double seconds = shortest_seconds(kRepeats, [&] { number = work(kRounds, result); });
  if (!(std::fabs(result) < Number{1e6})) {
    throw Error(ErrorCode::kInternal, "the multiply-adds went wrong");
  }
  return number / seconds;
}

double of_matrices_per_second() {
  double best = 0.0;
  for (const std::size_t size : {384, 768, 1536}) {
    const std::vector<float> a(size * size, 0.5F);
    const std::vector<float> b(size * size, 2.0F);
    std::vector<float> product(size * size);
    const double seconds = shortest_seconds(kRepeats * 384 / size / (size / 384), [&] {
      multiply(Transpose::kNo, Transpose::kNo, size, size, size, a.data(), b.data(), product.data(),
               false);
    });
    if (product.front() != static_cast<float>(size)) {
      throw Error(ErrorCode::kInternal, "the matrix product went wrong");
    }
    best = std::max(best, static_cast<double>(size * size * size) / seconds);
  }
  return best;
}

/// Threads that run for some 20 ms, as often as kernels are repeated.
double two_thread_gain() {
  const auto seconds_of_threads = [](std::size_t threads) {
    return shortest_seconds(20, [&] {
      run_workers(threads, [](std::size_t) {
        float result = 0.0F;
        HWY_DYNAMIC_DISPATCH(multiply_add_floats)(50 * kRounds, result);
      });
    });
  };
  return 2.0 * seconds_of_threads(1) / seconds_of_threads(2);
}

void run() {
  const auto floats = [](std::size_t rounds, float& result) {
    return HWY_DYNAMIC_DISPATCH(multiply_add_floats)(rounds, result);
  };
  const auto doubles = [](std::size_t rounds, double& result) {
    return HWY_DYNAMIC_DISPATCH(multiply_add_doubles)(rounds, result);
  };
  fmt::print(
      "{{\"instruction_set\": \"{}\", \"floats\": {:.4g}, \"doubles\": {:.4g}, "
      "\"matrices\": {:.4g}, \"two_thread_gain\": {:.4g}}}\n",
      active_instruction_set(), in_registers_per_second<float>(floats),
      in_registers_per_second<double>(doubles), of_matrices_per_second(), two_thread_gain());
}

}  // namespace
}  // namespace mehler

int main() {
  mehler::run();
  return 0;
}
#endif  // HWY_ONCE

// Feature sums of generated records and gradients, beside what the machine can multiply.
//
//   sum_loss_benchmark ROWS COLUMNS ORDER REPEATS
//
// One thread. ROWS x COLUMNS values, in halves, as the loss takes them. Every route's answers are
// compared with double first. Prints a JSON object: multiply-adds a second that stay in registers
// on the same instruction set; for length scales 0.02 and 0.15 and each route the shortest
// milliseconds of REPEATS for the sums (forward), the gradients (gradient) and both in turn
// (together); and for the recursion the share of the time that two multiply-adds an order and
// value, for the sums and for the gradient each, would take at that rate.

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/micro/sum_loss_benchmark.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"
#include "mehler/kernels/hermite_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Multiply-adds of floats in 12 independent chains; gives their number.
double multiply_add_in_registers(size_t rounds, float& result) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V factor = hn::Set(d, 0.999F);
  const V addend = hn::Set(d, 1e-3F);
  // Different beginnings: equal chains would be computed once.
  V a = hn::Iota(d, 1.0F), b = hn::Iota(d, 2.0F), c = hn::Iota(d, 3.0F), e = hn::Iota(d, 4.0F);
  V f = hn::Iota(d, 5.0F), g = hn::Iota(d, 6.0F), h = hn::Iota(d, 7.0F), i = hn::Iota(d, 8.0F);
  V j = hn::Iota(d, 9.0F), k = hn::Iota(d, 10.0F), l = hn::Iota(d, 11.0F), m = hn::Iota(d, 12.0F);
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

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(multiply_add_in_registers);

constexpr double kMilliseconds = 1e3;

struct Sizes {
  std::size_t rows;
  std::size_t columns;
  std::size_t order;
  std::size_t repeats;
};

/// Seconds that work() takes.
double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Multiply-adds a second, the most of several short runs: as short as the kernels', so that both
/// find the same undisturbed moments.
double multiply_adds_per_second() {
  double best = 0.0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    float result = 0.0F;
    double number = 0.0;
    const double seconds = seconds_of(
        [&] { number = HWY_DYNAMIC_DISPATCH(multiply_add_in_registers)(50'000, result); });
    if (!(std::fabs(result) < 1e6F)) {
      throw Error(ErrorCode::kInternal, "the multiply-adds went wrong");
    }
    best = std::max(best, number / seconds);
  }
  return best;
}

/// The columns of a batch, their sums and gradients, half by half.
class Batch {
 public:
  Batch(const HermiteFeatures& features, const Sizes& sizes)
      : kernel_(features.recursion()),
        sizes_(sizes),
        values_(sizes.rows * sizes.columns),
        gradient_(values_.size()),
        sums_(2 * sizes.columns, std::vector<float>(features.dimension(), 0.0F)),
        weights_(features.dimension()) {
    SeededRandom random(1);
    for (float& value : values_) {
      value = static_cast<float>(std::clamp(0.4 * random.normal(), -1.0, 1.0));
    }
    for (float& weight : weights_) {
      weight = static_cast<float>(random.normal());
    }
  }

  const HermiteBatchKernel& kernel() const { return kernel_; }

  void forward(std::size_t column, HermiteRoute route) {
    for (std::size_t half = 0; half < 2; ++half) {
      std::vector<float>& sums = sums_[2 * column + half];
      std::fill(sums.begin(), sums.end(), 0.0F);
      require(kernel_.add_feature_sums(half_of<const float>(values_, column, half), {}, sums),
              route);
    }
  }

  void gradient(std::size_t column, HermiteRoute route) {
    for (std::size_t half = 0; half < 2; ++half) {
      require(kernel_.evaluate_series(half_of<const float>(values_, column, half), weights_, {},
                                      half_of<float>(gradient_, column, half)),
              route);
    }
  }

  /// The largest difference to double of a sum, by the number of its values, and of a gradient, by
  /// the largest one.
  double largest_error(const HermiteFeatures& features) const {
    double error = 0.0;
    std::vector<double> phi(features.dimension());
    const std::size_t rows = sizes_.rows / 2;
    std::vector<double> gradients;
    for (std::size_t part = 0; part < sums_.size(); ++part) {
      std::vector<double> sums(features.dimension(), 0.0);
      for (const float value : half_of<const float>(values_, part / 2, part % 2)) {
        features.evaluate(static_cast<double>(value), phi.data());
        double slope = 0.0;
        for (std::size_t k = 0; k < phi.size(); ++k) {
          sums[k] += phi[k];
          const double below =
              k == 0 ? 0.0 : std::sqrt(2.0 * features.rho() * static_cast<double>(k)) * phi[k - 1];
          const double same = 2.0 * features.rho() / (1.0 + features.rho()) * features.scale() *
                              static_cast<double>(value) * phi[k];
          slope += static_cast<double>(weights_[k]) * features.scale() * (below - same);
        }
        gradients.push_back(slope);
      }
      for (std::size_t k = 0; k < sums.size(); ++k) {
        error = std::max(error, std::fabs(static_cast<double>(sums_[part][k]) - sums[k]) /
                                    static_cast<double>(rows));
      }
    }
    double largest = 0.0;
    double difference = 0.0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      largest = std::max(largest, std::fabs(gradients[i]));
      difference =
          std::max(difference, std::fabs(gradients[i] - static_cast<double>(gradient_[i])));
    }
    return std::max(error, difference / largest);
  }

 private:
  template <class Float>
  std::span<Float> half_of(auto& values, std::size_t column, std::size_t half) const {
    const std::size_t rows = sizes_.rows / 2;
    return std::span<Float>(values).subspan(column * sizes_.rows + half * rows, rows);
  }

  static void require(HermiteRoute ran, HermiteRoute wanted) {
    if (ran != wanted) {
      throw Error(ErrorCode::kInternal, "another route ran than the one that is measured");
    }
  }

  HermiteBatchKernel kernel_;
  Sizes sizes_;
  std::vector<float> values_;
  std::vector<float> gradient_;
  std::vector<std::vector<float>> sums_;
  std::vector<float> weights_;
};

/// One route's figures, as JSON. `limit` is the milliseconds of two multiply-adds an order and
/// value.
std::string figures_of(const HermiteFeatures& features, HermiteRoute route, const Sizes& sizes,
                       double limit) {
  Batch batch(features, sizes);
  force_hermite_route(route);
  const auto shortest = [&](const auto& column_work) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t repeat = 0; repeat < sizes.repeats; ++repeat) {
      least = std::min(least, seconds_of([&] {
                         for (std::size_t column = 0; column < sizes.columns; ++column) {
                           column_work(column);
                         }
                       }));
    }
    return kMilliseconds * least;
  };
  const double forward = shortest([&](std::size_t column) { batch.forward(column, route); });
  const double gradient = shortest([&](std::size_t column) { batch.gradient(column, route); });
  const double error = batch.largest_error(features);
  if (!(error < 1e-5)) {
    throw Error(ErrorCode::kInternal, fmt::format("an answer is wrong by {}", error));
  }
  const double together = shortest([&](std::size_t column) {
    batch.forward(column, route);
    batch.gradient(column, route);
  });
  std::string text = fmt::format(
      "{{\"forward\": {:.4g}, \"gradient\": {:.4g}, \"together\": {:.4g}, \"error\": {:.2g}",
      forward, gradient, together, error);
  if (route == HermiteRoute::kChebyshev) {
    text += fmt::format(", \"degree\": {}", *batch.kernel().chebyshev_degree());
  } else {
    text += fmt::format(
        ", \"forward_of_limit\": {:.3g}, \"gradient_of_limit\": {:.3g}, "
        "\"together_of_limit\": {:.3g}",
        limit / forward, limit / gradient, 2.0 * limit / together);
  }
  return text + "}";
}

void run(char** arguments) {
  const Sizes sizes = {
      std::strtoull(arguments[1], nullptr, 10) / 2 * 2, std::strtoull(arguments[2], nullptr, 10),
      std::strtoull(arguments[3], nullptr, 10), std::strtoull(arguments[4], nullptr, 10)};
  const double rate = multiply_adds_per_second();
  const double limit = kMilliseconds * 2.0 * static_cast<double>(sizes.order) *
                       static_cast<double>(sizes.rows * sizes.columns) / rate;
  fmt::print("{{\"instruction_set\": \"{}\", \"multiply_adds_per_second\": {:.4g}, ",
             active_instruction_set(), rate);
  fmt::print("\"two_multiply_adds_ms\": {:.4g}", limit);
  for (const double length_scale : {0.02, 0.15}) {
    const auto features = HermiteFeatures::with_best_rho(sizes.order, length_scale);
    fmt::print(", \"recursion_{}_ms\": {}", length_scale,
               figures_of(features, HermiteRoute::kRecursion, sizes, limit));
    if (HermiteBatchKernel(features.recursion()).chebyshev_degree()) {
      fmt::print(", \"chebyshev_{}_ms\": {}", length_scale,
                 figures_of(features, HermiteRoute::kChebyshev, sizes, limit));
    }
  }
  fmt::print("}}\n");
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "four arguments are needed; see the head of the source\n");
    return 2;
  }
  mehler::run(argv);
  return 0;
}
#endif  // HWY_ONCE

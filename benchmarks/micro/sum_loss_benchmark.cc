// Feature sums of generated records and gradients.
//
//   sum_loss_benchmark ROWS COLUMNS ORDER REPEATS
//
// One thread. ROWS x COLUMNS values, in halves, as the loss takes them. Every route's answers are
// compared with double first. Prints a JSON object: for length scales 0.02 and 0.15 and each route
// the shortest milliseconds of REPEATS for the sums (forward), the gradients (gradient) and both in
// turn (together), and the degree of the Chebyshev route.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"
#include "mehler/simd/hermite_batch.h"

namespace mehler {
namespace {

constexpr double kMilliseconds = 1e3;

struct Sizes {
  std::size_t rows;
  std::size_t columns;
  std::size_t order;
  std::size_t repeats;
};

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

/// One route's figures, as JSON.
std::string figures_of(const HermiteFeatures& features, HermiteRoute route, const Sizes& sizes) {
  Batch batch(features, sizes);
  force_hermite_route(route);
  const auto shortest = [&](const auto& column_work) {
    return kMilliseconds * shortest_seconds(sizes.repeats, [&] {
             for (std::size_t column = 0; column < sizes.columns; ++column) {
               column_work(column);
             }
           });
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
  }
  return text + "}";
}

void run(char** arguments) {
  const Sizes sizes = {
      std::strtoull(arguments[1], nullptr, 10) / 2 * 2, std::strtoull(arguments[2], nullptr, 10),
      std::strtoull(arguments[3], nullptr, 10), std::strtoull(arguments[4], nullptr, 10)};
  std::string text;
  for (const double length_scale : {0.02, 0.15}) {
    const auto features = HermiteFeatures::with_best_rho(sizes.order, length_scale);
    text += fmt::format("{}\"recursion_{}_ms\": {}", text.empty() ? "" : ", ", length_scale,
                        figures_of(features, HermiteRoute::kRecursion, sizes));
    if (HermiteBatchKernel(features.recursion()).chebyshev_degree()) {
      text += fmt::format(", \"chebyshev_{}_ms\": {}", length_scale,
                          figures_of(features, HermiteRoute::kChebyshev, sizes));
    }
  }
  fmt::print("{{{}}}\n", text);
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 4, mehler::run); }

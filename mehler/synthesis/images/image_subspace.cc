#include "mehler/synthesis/images/image_subspace.h"

#include <algorithm>
#include <cmath>

namespace mehler {
namespace {

constexpr std::size_t kFewestSeen = 2;
constexpr double kUnseenVariance = 0.6;  ///< of the last one that is seen
constexpr double kLeastVariance = 1e-6;

}  // namespace

ImageSubspace find_image_subspace(const Dense& scatter, double edge, const ImagesOptions& options) {
  const std::size_t size = scatter.rows;
  ImageSubspace found;
  found.pairs = leading_eigen(scatter.values, size, std::min(options.most_directions, size));
  const std::vector<double>& values = found.pairs.values;
  while (found.seen < size && values[found.seen] > options.edge_margin * edge) {
    ++found.seen;
  }
  found.seen = std::min(std::max(found.seen, kFewestSeen), size);
  const auto wanted =
      static_cast<std::size_t>(options.directions_factor * static_cast<double>(found.seen)) + 2;
  const std::size_t count = std::min({options.most_directions, wanted, size});
  for (std::size_t i = 0; i < count; ++i) {
    double variance = 0.0;
    if (i < found.seen) {
      // What noise adds to an eigenvalue above its edge is known.
      const double value = values[i];
      variance = value > edge ? 0.5 * (value + std::sqrt(value * value - edge * edge)) : 0.0;
    } else {
      variance = kUnseenVariance * found.variances[found.seen - 1];
    }
    found.variances.push_back(std::max(variance, kLeastVariance));
  }
  return found;
}

}  // namespace mehler

#include "mehler/features/length_scale.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "mehler/core/error.h"

namespace mehler {
namespace {

void require_positive(double value, std::string_view name, std::string_view remedy) {
  if (!(value > 0.0 && std::isfinite(value))) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the {} must be a finite number greater than 0, but is {}; {}", name,
                            value, remedy));
  }
}

}  // namespace

void require_rho(double rho) {
  if (!(rho > 0.0 && rho < 1.0)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("rho must lie in (0, 1), but is {}; give a length scale instead to get "
                            "the rho that belongs to it",
                            rho));
  }
}

double rho_of_length_scale(double length_scale, double scale) {
  require_positive(length_scale, "length scale",
                   "give the distance at which two values still count as near");
  require_positive(scale, "scale of the inputs", "1 leaves them as they are");
  const double s = length_scale * length_scale * scale * scale;
  const double rho = 1.0 / (s + std::sqrt(s * s + 1.0));
  if (!(rho > 0.0 && rho < 1.0)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the length scale {} is too {}: rho would round to {}; stay between "
                            "1e-7 and 1e7",
                            length_scale, s < 1.0 ? "short" : "long", rho));
  }
  return rho;
}

double length_scale_of_rho(double rho, double scale) {
  require_rho(rho);
  require_positive(scale, "scale of the inputs", "1 leaves them as they are");
  return std::sqrt((1.0 - rho) * (1.0 + rho) / (2.0 * rho)) / scale;
}

}  // namespace mehler

#pragma once

#include <algorithm>
#include <optional>

namespace mehler {

/// What a gradient is multiplied by, in units of the clip norm, so that its 2-norm is at most 1;
/// nothing for one that is no number, which must add nothing.
///
/// Privacy: 2^-20 less than 1 is more than what computing a norm, and scaling by it, is wrong by.
inline std::optional<double> clip_scale(double norm, double clip_norm) {
  constexpr double kBelowOne = 1.0 - 0x1p-20;
  if (!(norm < 1e300)) {  // not-a-number is not
    return std::nullopt;
  }
  return std::min(1.0 / clip_norm, kBelowOne / norm);
}

}  // namespace mehler

#pragma once

#include <cstddef>
#include <vector>

#include "mehler/release/measured_sums.h"

namespace mehler {

/// What the scatter of the scores shows.
struct ScoreSubspace {
  std::vector<double> directions;  ///< [count][scores]
  std::vector<double> strengths;   ///< variance along each, without noise
  double rest = 0.0;               ///< mean variance along the others
  double edge = 0.0;               ///< the largest eigenvalue that noise alone would have

  std::size_t count() const { return strengths.size(); }
};

/// The directions in which a noisy scatter of so many scores stands out of its noise, and two
/// fifths more; at most 40.
ScoreSubspace find_subspace(const MeasuredSum& scatter, std::size_t size, double rows);

}  // namespace mehler

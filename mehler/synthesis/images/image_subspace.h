#pragma once

#include <cstddef>
#include <vector>

#include "mehler/estimation/dense.h"
#include "mehler/synthesis/images/images_options.h"

namespace mehler {

/// The directions of codes that a class is told apart in.
struct ImageSubspace {
  EigenPairs pairs;               ///< all of the scatter's
  std::vector<double> variances;  ///< along the first ones, which are the subspace
  std::size_t seen = 0;           ///< that stand out of the noise

  std::size_t count() const { return variances.size(); }
};

/// Of a shrunk scatter matrix whose noise alone would have eigenvalues up to `edge`.
ImageSubspace find_image_subspace(const Dense& scatter, double edge, const ImagesOptions& options);

}  // namespace mehler

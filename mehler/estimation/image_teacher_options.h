#pragma once

#include <cstddef>

namespace mehler {

/// How a teacher of images is made ready.
struct ImageTeacherOptions {
  double constant = 0.3;         ///< among its features, whose length is at most 1
  double floor = 1e-3;           ///< of the features' largest variance, added to all
  double quantile = 0.8;         ///< of the candidates' lengths, which becomes 1
  std::size_t directions = 512;  ///< that are whitened one by one; others alike
  std::size_t batches = 900;     ///< of candidates, which the first weights are fitted to
  std::size_t batch_rows = 1000;
};

}  // namespace mehler

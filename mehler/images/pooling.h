#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// Which pixels of a side a cell averages, and with what weights.
struct PoolingWindow {
  std::size_t first = 0;
  std::vector<float> weights;  ///< of sum 1
};

/// The windows of `cells` equal parts of a side of `pixels` pixels, each widened by `margin` of
/// itself at both ends; what lies outside of the side is left out. A pixel that lies in a window
/// only in part counts in part.
std::vector<PoolingWindow> pooling_windows(std::size_t pixels, std::size_t cells, double margin);

/// Averages of [rows][columns][depth] floats in the cells of both sides: [cells][cells][depth].
/// Thread-safe; memory of its own is wiped.
class Pooling {
 public:
  Pooling(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t cells_down,
          std::size_t cells_across, double margin);

  void apply(std::span<const float> field, std::span<float> pooled) const;

 private:
  std::size_t columns_;
  std::size_t depth_;
  std::vector<PoolingWindow> down_;
  std::vector<PoolingWindow> across_;
};

}  // namespace mehler

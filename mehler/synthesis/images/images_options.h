#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/estimation/image_teacher_options.h"

namespace mehler {

/// How method images spends its budget (docs/methods/images.md). The defaults are those that were
/// chosen with the method; none was chosen on test images.
struct ImagesOptions {
  // Shares of the budget, relative to the sum of all.
  double length_share = 0.005;  ///< both histograms of lengths
  double mean_share = 0.015;
  double scatter_share = 0.28;
  double class_mean_share = 0.09;
  double cell_share = 0.05;  ///< taken from that of class means where there are cells
  double class_scatter_share = 0.28;
  double teacher_share = 0.33;
  /// Of everything: for columns besides the image and the label. Nothing is spent where there are
  /// none.
  double columns_share = 0.2;

  double radius_quantile = 0.9;    ///< of the lengths, to which codes are shortened
  double directions_factor = 0.9;  ///< of the directions that stand out of the noise; and 2
  std::size_t most_directions = 100;
  double edge_margin = 1.05;        ///< by which an eigenvalue stands out of the noise
  std::size_t edge_matrices = 5;    ///< simulated
  double radius_factor = 1.15;      ///< of the expected length within a class
  double records_per_cell = 500.0;  ///< times 1/mu
  std::size_t fewest_cells = 8;     ///< of a class; else there are none
  std::size_t cell_rounds = 3;
  double gradient_radius = 0.5;     ///< to which the teacher's gradients are shortened
  std::size_t candidates = 90'000;  ///< that the teacher is made ready with
  ImageTeacherOptions teacher;      ///< how it is made ready
  std::size_t max_bytes = 2'000'000'000;

  /// Throws Error(kInvalidArgument) for what cannot be worked with.
  void validate() const;

  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument), naming the option.
  static ImagesOptions parse(const OptionValues& values);
};

}  // namespace mehler

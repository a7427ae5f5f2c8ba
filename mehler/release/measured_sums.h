#pragma once

#include <string_view>
#include <vector>

#include "mehler/counts/vector_sum.h"
#include "mehler/release/payload.h"

namespace mehler {

/// The steps of wide tables (docs/methods/marginals.md, "Wide tables"): what blocks of sums of
/// vectors are for.
namespace wide_steps {
inline constexpr std::string_view kLengths = "lengths";
inline constexpr std::string_view kMean = "mean";
inline constexpr std::string_view kScatter = "scatter";
inline constexpr std::string_view kTeacherRadius = "teacher's radius";
inline constexpr std::string_view kTeacher = "teacher";
inline constexpr std::string_view kSubspaceRadius = "radius in the subspace";
inline constexpr std::string_view kClassMeans = "class means";
inline constexpr std::string_view kClassScatters = "class scatters";
inline constexpr std::string_view kLoadings = "loadings";
}  // namespace wide_steps

/// The steps of method images (docs/methods/images.md).
namespace image_steps {
inline constexpr std::string_view kLengths = "lengths of codes";
inline constexpr std::string_view kMean = "mean code";
inline constexpr std::string_view kCentredLengths = "lengths of centred codes";
inline constexpr std::string_view kScatter = "scatter of codes";
inline constexpr std::string_view kClassMeans = "class means of codes";
inline constexpr std::string_view kCells = "cells of classes";
inline constexpr std::string_view kClassScatters = "class scatters of codes";
inline constexpr std::string_view kTeacher = "teacher of images";
}  // namespace image_steps

/// A sum of vectors as it was measured.
struct MeasuredSum {
  VectorSum sum;
  std::vector<double> values;
  double sigma = 0.0;  ///< of the noise; that of an entry is multiplied by its scale
};

MeasuredSum read_sum(const VectorSum& sum, const NoisyBlock& noisy, double sigma);

/// All sums of vectors that a release has of a step, in the order of measuring. The release holds
/// counts.
std::vector<MeasuredSum> sums_of_step(const Release& release, std::string_view step);

/// The only one. Throws Error(kInvalidRelease) unless there is one, of this kind.
MeasuredSum sum_of_step(const Release& release, std::string_view step, SumKind kind);

}  // namespace mehler

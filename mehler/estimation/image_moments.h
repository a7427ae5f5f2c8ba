#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mehler/estimation/dense.h"
#include "mehler/images/image_codec.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// Standard deviations of noise that a count must have to be told from it.
inline constexpr double kHiddenByNoise = 3.0;

/// The upper edge of the first cell up to which a share of the noisy counts lies. Negative counts
/// stay: setting them to 0 would lengthen it. Nothing if the counts' sum is within three standard
/// deviations of its noise: then the noise alone says where it is.
std::optional<double> length_quantile(const MeasuredSum& lengths, double share);

/// A noisy scatter matrix of codes whose entries were shrunk in groups.
struct ShrunkScatter {
  Dense matrix;
  Dense factors;  ///< what its entries were multiplied by
};

/// Shrinks the entries beside the diagonal: those whose coordinates have the same blocks, about the
/// same frequency and the same differences of waves share the factor max(0, 1 - noise / mean
/// square). `noise`: standard deviation of a diagonal entry; others have 1/sqrt 2 of it. Groups of
/// fewer than 8 entries are left as they are.
ShrunkScatter shrink_by_groups(Dense scatter, double noise,
                               std::span<const CodecCoordinate> coordinates);

/// The largest absolute eigenvalue that noise alone would have after the same shrinkage: the mean
/// over some simulated matrices. Public randomness.
double noise_edge(const Dense& factors, double noise, std::size_t matrices, std::uint64_t seed);

/// Class means outside of the subspace of the first `inside` eigenvectors, [class][coordinate]:
/// each coordinate along an eigenvector is shrunk by what the noise makes of its neighbours' mean
/// square. `means`: [class][coordinate]; `noise`: standard deviation of an entry.
Dense means_outside(const Dense& means, const EigenPairs& pairs, std::size_t inside, double noise);

/// Class scatters shrunk towards their mean, entry by entry, in coordinates where that is the
/// identity; all of them positive definite. `noise`: standard deviation of a diagonal entry of one.
std::vector<Dense> shrink_to_mean(const std::vector<Dense>& scatters, double noise);

/// Mean over the coordinates of one block and one frequency of their variances, less what lies
/// along the directions, [direction][coordinate], of these variances; not below 0.
std::vector<double> variances_outside(const Dense& scatter, std::span<const double> directions,
                                      std::span<const double> variances,
                                      std::span<const CodecCoordinate> coordinates);

}  // namespace mehler

#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// The outline that distances are measured to, and how far.
struct DistanceFieldOptions {
  double level = 0.05;  ///< pixels above it are inside
  double reach = 4.0;   ///< distances are clamped to [-reach, reach], in pixels; above 0
};

/// The signed distance, in pixels, from each pixel's centre to the nearest crossing of the level:
/// negative inside. A crossing lies between two neighbours in a row or a column of which one is
/// inside and the other is not, where the line between their values meets the level. Without a
/// crossing within reach: `reach` outside and -`reach` inside.
///
/// `values` and `distances` are [rows][columns]; values are finite. Exact to the definition but for
/// rounding (1e-14). An image's distances depend on it alone, bit by bit.
///
/// Crossings between rows lie on columns of pixels and those between columns on rows. Of one kind
/// the nearest crossing on each column is found by a walk down and a walk up, and what its
/// neighbours' crossings mean for a pixel by Pythagoras: 2 ceil(reach) - 1 columns are looked at,
/// since one further away has no crossing within reach. So the time is linear in the pixels.
void signed_distances(std::span<const double> values, std::size_t rows, std::size_t columns,
                      const DistanceFieldOptions& options, std::span<double> distances);

}  // namespace mehler

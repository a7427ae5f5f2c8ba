#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mehler/estimation/image_model.h"
#include "mehler/images/diversify.h"

namespace mehler {

/// How candidates are drawn from a model.
struct CandidateStyle {
  /// Deviations within a class are multiplied by a factor, which is uniform between these.
  double least_spread = 1.0;
  double most_spread = 2.0;
  /// Warped and changed in contrast and brightness.
  bool is_diversified = true;

  /// Wide: asks a teacher about more than the law would.
  static CandidateStyle broad() { return {}; }
  /// The law itself.
  static CandidateStyle plain() { return {1.0, 1.0, false}; }
};

/// Draws images of given classes from a model. A candidate depends on the seed, its number and its
/// class alone. Immutable and thread-safe.
class ImageCandidates {
 public:
  /// The model must outlive it.
  ImageCandidates(const ImageModel& model, const CandidateStyle& style);

  /// Images of these classes, numbered from `first`, into pixels[rows][bytes of an image].
  void draw(std::uint64_t seed, std::uint64_t first, std::span<const std::uint32_t> classes,
            std::span<std::uint8_t> pixels) const;

 private:
  const ImageModel& model_;
  CandidateStyle style_;
  std::optional<Diversifier> diversifier_;
};

}  // namespace mehler

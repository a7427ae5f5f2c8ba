#pragma once

#include <string>

#include "mehler/core/atomic_file.h"
#include "mehler/generator/generator.h"

namespace mehler {

/// Throws mehler::Error if a schema has no column of images.
void require_images_for_grid(const Schema& schema);

/// Draws images to look at, ten of each class of the label, or a hundred where there is no label or
/// a condition is on it, into an open PNG file and finishes it. Returns what it holds, in words.
/// The release has a column of images.
std::string sample_grid(const RecordSampler& sampler, const SampleOptions& options,
                        AtomicFile& file, std::size_t threads);

}  // namespace mehler

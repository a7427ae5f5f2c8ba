#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "mehler/generator/generator.h"

namespace mehler::python {

/// A stream of sampled records that keeps its model alive. Ctrl-C ends it while a consumer pulls on
/// Python's main thread. Waits for the first records, as run_watched() does: throws what drawing
/// them throws.
ArrowArrayStream sampled_stream(const std::shared_ptr<const Generator>& generator,
                                const SampleOptions& options, std::optional<Schema> types,
                                std::size_t threads);

}  // namespace mehler::python

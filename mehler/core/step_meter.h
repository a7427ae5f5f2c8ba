#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "mehler/core/context.h"

namespace mehler {

/// Says how far a training is, some times a second and at its end.
class StepMeter {
 public:
  /// `context` must outlive it.
  StepMeter(const Context& context, std::uint64_t steps) : context_(context), steps_(steps) {}

  void next() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    if (context_.progress && (done_ == steps_ || now - last_ >= std::chrono::milliseconds(200))) {
      last_ = now;
      context_.progress({0, static_cast<double>(done_) / static_cast<double>(steps_),
                         fmt::format("training, step {} of {}", done_, steps_)});
    }
  }

 private:
  const Context& context_;
  std::uint64_t steps_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace mehler

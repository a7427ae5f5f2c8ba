#pragma once

#include <cstdint>
#include <memory>

#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// Counts a file's bytes as done in proportion to how much of its records has been read.
class PartProgress {
 public:
  PartProgress(std::shared_ptr<ReadProgress> progress, std::uint64_t bytes)
      : progress_(std::move(progress)), bytes_(bytes) {}

  /// `fraction` of the records, in [0, 1], have been read.
  void reach(double fraction) {
    const auto done = static_cast<std::uint64_t>(fraction * static_cast<double>(bytes_));
    if (done > done_) {
      progress_->add_done(done - done_);
      done_ = done;
    }
  }

 private:
  std::shared_ptr<ReadProgress> progress_;
  std::uint64_t bytes_;
  std::uint64_t done_ = 0;
};

}  // namespace mehler

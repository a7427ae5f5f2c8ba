#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/public_records.h"

namespace mehler {

/// The classes that records really have; one class, 0, where the schema has no target.
class PublicClasses {
 public:
  /// `records` must outlive it.
  PublicClasses(const Encoder& encoder, const PublicRecords& records);

  std::size_t count() const { return count_; }
  std::size_t of(std::size_t row) const {
    return labels_ == nullptr ? 0 : static_cast<std::size_t>(labels_[row]);
  }
  /// Records of each class among all.
  std::vector<double> record_counts() const;
  /// Puts rows in the order of their classes.
  void sort(std::vector<std::size_t>& rows) const;

 private:
  std::size_t rows_;
  const std::int32_t* labels_;
  std::size_t count_;
};

}  // namespace mehler

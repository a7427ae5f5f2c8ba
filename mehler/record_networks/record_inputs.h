#pragma once

#include <cstddef>

#include "mehler/encoding/encoder.h"
#include "mehler/record_networks/record_layout.h"

namespace mehler {

/// A record as the numbers that a critic takes: those of RecordLayout and behind them, if the
/// critic is told it, the one-hot class.
class RecordInputs {
 public:
  enum class Label { kLeftOut, kTold };

  /// Without a label there is nothing to tell.
  RecordInputs(const Encoder& encoder, Label label);

  const RecordLayout& layout() const { return layout_; }
  /// Numbers of a record.
  std::size_t size() const { return layout_.size + told_classes_; }
  /// Numbers that tell the class; 0 if it is left out.
  std::size_t told_classes() const { return told_classes_; }

  /// The numbers of one row: numbers in [-1, 1] and 0 where they are missing, 1 for those that may
  /// be missing and are there, categories one-hot, pixels in [-1, 1]. They depend on that row
  /// alone.
  void put(const EncodedBatch& records, std::size_t row, float* inputs) const;

 private:
  RecordLayout layout_;
  std::size_t label_ = 0;
  std::size_t told_classes_ = 0;
};

}  // namespace mehler

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
  /// What a black and a white byte of an image are. Most pixels of drawings are black: as -1 they
  /// are a large part of what all records have in common, beside which a class is hardly heard.
  enum class Pixels { kFromMinusOne, kFromZero };

  struct Style {
    Label label = Label::kLeftOut;
    Pixels pixels = Pixels::kFromMinusOne;
  };

  /// Without a label there is nothing to tell.
  RecordInputs(const Encoder& encoder, const Style& style);

  const RecordLayout& layout() const { return layout_; }
  /// Numbers of a record.
  std::size_t size() const { return layout_.size + told_classes_; }
  /// Numbers that tell the class; 0 if it is left out.
  std::size_t told_classes() const { return told_classes_; }
  /// A pixel, given as the number in [-1, 1] that an encoder has for it.
  float pixel(float number) const { return from_zero_ ? 0.5F + 0.5F * number : number; }
  /// How fast pixel() grows with that number.
  float pixel_slope() const { return from_zero_ ? 0.5F : 1.0F; }

  /// The numbers of one row: numbers in [-1, 1] and 0 where they are missing, 1 for those that may
  /// be missing and are there, categories one-hot, pixels by pixel(). They depend on that row
  /// alone.
  void put(const EncodedBatch& records, std::size_t row, float* inputs) const;

 private:
  RecordLayout layout_;
  std::size_t label_ = 0;
  std::size_t told_classes_ = 0;
  bool from_zero_ = false;
};

}  // namespace mehler

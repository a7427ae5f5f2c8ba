#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_set.h"

namespace mehler {

/// Length scales of the kernel between records. Never read from private data.
struct KernelOptions {
  /// In units where the declared bounds are -1 and 1.
  double length_scale = HermiteFeatures::kDefaultLengthScale;
  /// Length scales of single columns, by name.
  std::map<std::string, double> column_length_scales;
};

/// One number for the sum kernel and one for the product kernel.
struct KernelValues {
  double sum = 0.0;
  double product = 0.0;
};

/// The exact kernels between two encoded records, each in [0, 1].
///
/// Every column has a kernel of its own: exp(-(x - y)^2 / (2 length_scale^2)) for numbers, dates
/// and times, in units where the bounds are -1 and 1; 1 or 0, as they are equal or not, for
/// categories. A missing value is equal to another missing one (1) and unlike anything else (0).
/// Over the D columns that are not the label,
///
///   sum kernel     = (label = label') (1/D) sum_d k_d     distributions of single columns
///   product kernel = (label = label') prod_d k_d          the joint distribution
///
/// without the first factor where the schema has no label.
class RecordKernel {
 public:
  struct ColumnKernel {
    std::size_t column = 0;              ///< index into Encoder::columns()
    std::optional<double> length_scale;  ///< nothing for categories
    bool may_miss = false;
    std::size_t codes = 0;  ///< of a category
  };

  /// Throws Error(kInvalidArgument) for a length scale outside its limits, or of a column that is
  /// unknown or holds no numbers, and if there is no column besides the label.
  RecordKernel(const Encoder& encoder, const KernelOptions& options);

  /// The columns that are not the label.
  const std::vector<ColumnKernel>& columns() const { return columns_; }
  /// The label's index into Encoder::columns().
  std::optional<std::size_t> label() const { return label_; }
  /// Classes of the label; 1 without a label.
  std::size_t classes() const { return classes_; }

  /// The kernels of row i of a and row j of b: the reference that fast sums are tested with.
  KernelValues evaluate(const EncodedBatch& a, std::size_t i, const EncodedBatch& b,
                        std::size_t j) const;

 private:
  std::vector<ColumnKernel> columns_;
  std::optional<std::size_t> label_;
  std::size_t classes_ = 1;
};

}  // namespace mehler

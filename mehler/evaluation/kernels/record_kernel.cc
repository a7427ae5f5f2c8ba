#include "mehler/evaluation/kernels/record_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

void require_known_columns(const Encoder& encoder, const KernelOptions& options) {
  std::vector<std::string> numbers;
  for (const Column& column : encoder.columns()) {
    if (column.is_number()) {
      numbers.push_back(column.name);
    }
  }
  for (const auto& [name, length_scale] : options.column_length_scales) {
    if (std::find(numbers.begin(), numbers.end(), name) == numbers.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a length scale is given for '{}', which is not a column of numbers, "
                              "dates or times{}",
                              name, suggest_names(name, numbers)));
    }
    require_length_scale(length_scale, fmt::format(" of '{}'", name));
  }
}

}  // namespace

RecordKernel::RecordKernel(const Encoder& encoder, const KernelOptions& options)
    : label_(encoder.label()) {
  require_length_scale(options.length_scale, "");
  require_known_columns(encoder, options);
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const Column& column = encoder.columns()[i];
    if (label_ == i) {
      classes_ = column.code_count();
    } else if (column.is_number()) {
      const auto own = options.column_length_scales.find(column.name);
      columns_.push_back(
          {i, own == options.column_length_scales.end() ? options.length_scale : own->second,
           column.missing, 0});
    } else {
      columns_.push_back({i, std::nullopt, column.missing, column.code_count()});
    }
  }
  if (columns_.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the kernel needs at least one column besides the label; add one to the schema");
  }
}

KernelValues RecordKernel::evaluate(const EncodedBatch& a, std::size_t i, const EncodedBatch& b,
                                    std::size_t j) const {
  if (label_ && a.columns.at(*label_).codes.at(i) != b.columns.at(*label_).codes.at(j)) {
    return {};
  }
  KernelValues values{0.0, 1.0};
  for (const ColumnKernel& kernel : columns_) {
    const EncodedColumn& left = a.columns.at(kernel.column);
    const EncodedColumn& right = b.columns.at(kernel.column);
    double value = 0.0;
    if (!kernel.length_scale) {
      value = left.codes.at(i) == right.codes.at(j) ? 1.0 : 0.0;
    } else if (std::isnan(left.numbers.at(i)) || std::isnan(right.numbers.at(j))) {
      value = std::isnan(left.numbers.at(i)) && std::isnan(right.numbers.at(j)) ? 1.0 : 0.0;
    } else {
      const double distance = (left.numbers.at(i) - right.numbers.at(j)) / *kernel.length_scale;
      value = std::exp(-0.5 * distance * distance);
    }
    values.sum += value / static_cast<double>(columns_.size());
    values.product *= value;
  }
  return values;
}

}  // namespace mehler

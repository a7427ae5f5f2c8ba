#include "mehler/reference/public_classes.h"

#include <algorithm>

namespace mehler {

PublicClasses::PublicClasses(const Encoder& encoder, const PublicRecords& records)
    : rows_(records.records().rows),
      labels_(encoder.label() ? records.records().columns[*encoder.label()].codes.data() : nullptr),
      count_(encoder.label() ? encoder.columns()[*encoder.label()].code_count() : 1) {}

std::vector<double> PublicClasses::record_counts() const {
  std::vector<double> counts(count_, 0.0);
  for (std::size_t row = 0; row < rows_; ++row) {
    counts[of(row)] += 1.0;
  }
  return counts;
}

void PublicClasses::sort(std::vector<std::size_t>& rows) const {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return of(a) < of(b); });
}

}  // namespace mehler

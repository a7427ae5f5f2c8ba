#include "mehler/encoding/shares_of_total.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/table/table_rule_checks.h"

namespace mehler {

SharesOfTotal::SharesOfTotal(const std::vector<Column>& columns, double total) {
  MEHLER_ASSERT(!columns.empty());
  spacing_ = *value_spacing(columns.front());
  decimals_ = columns.front().decimals.value_or(-1);
  double left = total;
  for (const Column& column : columns) {
    lows_.push_back(column.bounds->low);
    most_.push_back(std::floor(column.bounds->width() / spacing_ + 1e-9));
    left -= column.bounds->low;
  }
  steps_ = std::round(left / spacing_);
}

void SharesOfTotal::apply(std::span<double> values) const {
  const std::size_t count = values.size();
  std::vector<double> wanted(count);  // steps above the lower bound
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double lows = std::accumulate(lows_.begin(), lows_.end(), 0.0);
  const double total = lows + steps_ * spacing_;
  for (std::size_t i = 0; i < count; ++i) {
    // Without anything to scale all get the same share.
    const double share = sum > 0.0 ? values[i] * (total / sum) : total / static_cast<double>(count);
    wanted[i] = std::clamp((share - lows_[i]) / spacing_, 0.0, most_[i]);
  }
  std::vector<double> steps(count);
  std::transform(wanted.begin(), wanted.end(), steps.begin(),
                 [](double w) { return std::floor(w + 1e-9); });
  double left = steps_ - std::accumulate(steps.begin(), steps.end(), 0.0);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return wanted[a] - steps[a] > wanted[b] - steps[b];
  });
  // One step to each in turn; then whatever the bounds of one after the other leave room for.
  for (const std::size_t i : order) {
    if (left >= 1.0 && steps[i] < most_[i]) {
      steps[i] += 1.0;
      left -= 1.0;
    }
  }
  for (const std::size_t i : order) {
    const double more =
        left > 0.0 ? std::min(left, most_[i] - steps[i]) : -std::min(-left, steps[i]);
    steps[i] += more;
    left -= more;
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = lows_[i] + steps[i] * spacing_;
    if (decimals_ >= 0) {
      const double power = std::pow(10.0, decimals_);
      values[i] = std::round(values[i] * power) / power;
    }
  }
}

}  // namespace mehler

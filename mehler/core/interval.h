#pragma once

namespace mehler {

/// A closed interval of the real line.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  double width() const { return high - low; }
  bool operator==(const Interval&) const = default;
};

}  // namespace mehler

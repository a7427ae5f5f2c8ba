#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mehler/record_networks/adversarial_design.h"
#include "mehler/record_networks/record_kind.h"

namespace mehler {

/// How DP-CGAN's authors train, for each kind of records.
struct PublishedDpCgan {
  std::size_t batch = 0;
  /// Of which a batch is; nothing where they have tables of any size.
  std::optional<std::uint64_t> records;
  std::uint64_t steps = 0;
  /// What each of the four tensors of a record's gradient is shortened to.
  double tensor_norm = 0.0;
  /// Noise of each number of a summed gradient, over that norm.
  double sigma = 0.0;
  AdversarialDesign design;

  /// Of all four tensors together, and what the noise is over that.
  double norm() const { return 2.0 * tensor_norm; }
  double noise_multiplier() const { return sigma / 2.0; }

  static PublishedDpCgan of(RecordKind kind);
};

}  // namespace mehler

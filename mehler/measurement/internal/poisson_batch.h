#pragma once

#include <cstdint>
#include <span>

#include "mehler/accounting/training_plan.h"
#include "mehler/core/wiping.h"
#include "mehler/privacy/rounded_gaussian.h"

namespace mehler {

/// Takes each of the records into a batch with probability numerator / 2^32, exactly and
/// independently of the others: by half a random word each.
template <RandomWords Words>
void draw_poisson_batch(Words& words, std::span<const std::uint32_t> records,
                        std::uint64_t numerator, WipedVector<std::uint32_t>& batch) {
  static_assert(TrainingPlan::kRateExponent == 32);
  batch.clear();
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    word = i % 2 == 0 ? words.next_word() : word >> 32;
    if ((word & 0xFFFFFFFF) < numerator) {
      batch.push_back(records[i]);
    }
  }
}

}  // namespace mehler

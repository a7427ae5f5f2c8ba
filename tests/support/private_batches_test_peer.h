#pragma once

#include <cstdint>
#include <vector>

#include "mehler/measurement/internal/clipped_gradients.h"
#include "mehler/measurement/private_batches.h"

namespace mehler {

/// Reads what nothing else can: sums of gradients without noise. For tests alone.
struct PrivateBatchesTestPeer {
  /// Of all records, or of a class, in units of the clip norm.
  static std::vector<double> exact_sums(PrivateBatches& batches, const Network& critic,
                                        CriticLoss loss, double clip_norm, int of_class = -1) {
    WorkerPool pool(1);
    std::vector<std::int64_t> sums(critic.parameters().size(), 0);
    batches.gradients_->add(
        critic, loss, clip_norm, batches.records_,
        of_class < 0 ? batches.all_ : batches.of_classes_[static_cast<std::size_t>(of_class)], pool,
        sums);
    std::vector<double> result;
    for (const std::int64_t sum : sums) {
      result.push_back(std::ldexp(static_cast<double>(sum), -kGradientGridExponent));
    }
    return result;
  }
  static std::size_t rows(const PrivateBatches& batches) { return batches.records_.rows; }
};

}  // namespace mehler

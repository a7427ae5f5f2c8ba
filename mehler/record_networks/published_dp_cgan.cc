#include "mehler/record_networks/published_dp_cgan.h"

namespace mehler {

PublishedDpCgan PublishedDpCgan::of(RecordKind kind) {
  AdversarialDesign design = AdversarialDesign::of_dp_cgan();
  switch (kind) {
    case RecordKind::kImage:
      return {600, 55'000, 30'304, 1.1, 1.12, design};
    case RecordKind::kPoint:
      design.generator.noise_inputs = 20;
      design.generator.hidden = {1024};
      design.critic_hidden = {1024};
      return {300, 90'000, 40'609, 1.0, 5.0, design};
    case RecordKind::kTable:
      break;
  }
  return {400, {}, 38, 1.1, 1.1, design};
}

}  // namespace mehler

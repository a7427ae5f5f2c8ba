#include "mehler/reference/reference_kinds.h"

#include "mehler/core/error.h"
#include "mehler/reference/kinds.h"

namespace mehler {

const std::vector<ReferenceKind>& reference_kinds() {
  static const std::vector<ReferenceKind> kKinds = {full_mmd_reference(), dp_hp_reference(),
                                                    dp_merf_reference(), dp_cgan_reference()};
  return kKinds;
}

void require_columns_to_learn(const Encoder& encoder) {
  if (encoder.columns().size() == (encoder.label() ? 1U : 0U)) {
    throw Error(ErrorCode::kInvalidSchema,
                "the schema has no column besides the target, so there is nothing to learn; add "
                "one to the schema");
  }
}

}  // namespace mehler

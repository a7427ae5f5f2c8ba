#include "mehler/reference/reference_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/reference/kinds.h"

namespace mehler {

const std::vector<ReferenceKind>& reference_kinds() {
  static const std::vector<ReferenceKind> kKinds = {full_mmd_reference(), dp_hp_reference(),
                                                    dp_merf_reference(), dp_cgan_reference()};
  return kKinds;
}

std::size_t rows_of_step(std::size_t wanted, bool is_given, std::size_t records) {
  if (records < 2) {
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("the table has {}, and a batch needs at least 2; give a larger table",
                            records == 0 ? "no records" : "1 record"));
  }
  if (is_given && wanted > records) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} asks for {} records a step, but the table has {}; give at most as "
                            "many",
                            option_words("batch"), wanted, records));
  }
  return std::min(wanted, records);
}

}  // namespace mehler

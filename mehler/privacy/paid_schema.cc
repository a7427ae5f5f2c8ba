#include "mehler/privacy/paid_schema.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {

void require_paid_schema(const Schema& paid, const Schema& records, std::string_view what) {
  if (!(paid == records)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} was paid for under another schema than the records have; pay for "
                            "it with the schema of the records",
                            what));
  }
}

}  // namespace mehler

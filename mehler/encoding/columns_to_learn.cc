#include "mehler/encoding/columns_to_learn.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/options.h"

namespace mehler {
namespace {

std::string remedy_of(SchemaOrigin origin, std::string_view written) {
  return origin == SchemaOrigin::kWritten
             ? std::string(written)
             : fmt::format(
                   "what was to be bought could not be had: declare its bounds or "
                   "categories, or give them more of the budget ({})",
                   option_words("buy-share"));
}

}  // namespace

void require_columns_to_learn(const Encoder& encoder, SchemaOrigin origin) {
  if (encoder.columns().size() == (encoder.label() ? 1U : 0U)) {
    throw Error(ErrorCode::kInvalidSchema,
                fmt::format("the schema has no column besides the target, so there is nothing to "
                            "learn; {}",
                            remedy_of(origin, "add one to the schema")));
  }
}

void require_classes(const Encoder& encoder, std::string_view who, std::string_view remedy,
                     SchemaOrigin origin) {
  if (encoder.label()) {
    return;
  }
  const std::optional<std::string>& target = encoder.schema().target();
  const std::string what =
      target ? fmt::format("the target '{}' is a column of numbers", shown(*target))
             : "the schema has no target";
  throw Error(ErrorCode::kInvalidSchema,
              fmt::format("{} tells its networks the class of a record, but {}; {}{}", who, what,
                          remedy_of(origin, "name a column of categories as \"target\""), remedy));
}

}  // namespace mehler

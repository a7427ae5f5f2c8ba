#include "mehler/measurement/measured_release.h"

#include <fmt/format.h>

namespace mehler {

Release read_back(const Release& release) {
  try {
    return Release::from_bytes(release.to_bytes(), "the release that was made");
  } catch (const Error& error) {
    throw Error(ErrorCode::kInternal,
                fmt::format("this is a bug in mehler: what was measured cannot be read back ({}); "
                            "please report it",
                            error.what()));
  }
}

void say_measured(const Context& context) {
  if (context.measured) {
    context.measured();
  }
}

Error after_measurement(const Error& error) {
  const std::string_view said = error.what();
  return said.ends_with(kBudgetIsSpent)
             ? error
             : Error(error.code(), fmt::format("{}. {}", said, kBudgetIsSpent));
}

}  // namespace mehler

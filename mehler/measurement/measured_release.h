#pragma once

#include <new>
#include <string_view>

#include "mehler/core/context.h"
#include "mehler/core/error.h"
#include "mehler/release/release.h"

namespace mehler {

/// The release as everybody will have it: from the bytes that it is written as. Throws
/// Error(kInternal) if they cannot be read, which nobody should find out later.
Release read_back(const Release& release);

inline constexpr std::string_view kBudgetIsSpent =
    "Records had been measured by then: although there is no release, the privacy budget counts as "
    "spent";

/// Tells the caller that records have been measured (Context::measured).
void say_measured(const Context& context);

/// The same error, which also says that the privacy budget counts as spent: for what went wrong
/// after records were measured.
Error after_measurement(const Error& error);

/// Does work that measures records. If it fails after has_measured() has become true, the error
/// says that the budget counts as spent: whoever runs it again spends another budget.
template <typename HasMeasured, typename Work>
Release once_measured(const HasMeasured& has_measured, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!has_measured()) {
      throw;
    }
    throw after_measurement(error);
  } catch (const std::bad_alloc&) {
    if (!has_measured()) {
      throw;
    }
    throw after_measurement(Error(ErrorCode::kFile, "there is not enough memory for this"));
  }
}

}  // namespace mehler

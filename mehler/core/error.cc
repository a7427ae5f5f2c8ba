#include "mehler/core/error.h"

#include <fmt/format.h>

#include <cstring>

namespace mehler {

void report_broken_claim(const char* claim, const char* file, int line) {
  const char* last_slash = std::strrchr(file, '/');
  throw Error(ErrorCode::kInternal,
              fmt::format("this is a bug in mehler: '{}' does not hold at {}:{}; please report it",
                          claim, last_slash != nullptr ? last_slash + 1 : file, line));
}

}  // namespace mehler

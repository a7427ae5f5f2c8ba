#pragma once

#include <stdexcept>
#include <string>

namespace mehler {

/// What kind of thing went wrong. Everything but kInternal is something the caller can mend.
enum class ErrorCode {
  kInvalidArgument,  ///< an option or a function argument outside its allowed range
  kInvalidSchema,    ///< a schema that contradicts itself or is incomplete
  kInvalidTable,     ///< records that do not fit their schema, or a damaged table file
  kInvalidRelease,   ///< a release file that is damaged, altered or of another version
  kFile,             ///< a file that cannot be opened, read or written
  kBudgetExceeded,   ///< a privacy spend that the budget does not hold
  kCancelled,        ///< the caller asked to stop
  kInternal,         ///< a bug in this library
};

/// The one exception type of the library.
///
/// A message names the thing, says what is wrong, what is allowed and what to do about it.
/// Privacy: a message names files, columns, and the lines and records (by their numbers) where
/// something is wrong, never a value that was read from private records. It is for the screen of
/// the data's owner: where something is wrong is a fact about the records.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Throws Error(kInternal) with the place and the broken claim. The library never aborts.
[[noreturn]] void report_broken_claim(const char* claim, const char* file, int line);

}  // namespace mehler

/// States something that only a bug in this library can break.
#define MEHLER_ASSERT(claim)                                     \
  do {                                                           \
    if (!(claim)) {                                              \
      ::mehler::report_broken_claim(#claim, __FILE__, __LINE__); \
    }                                                            \
  } while (false)

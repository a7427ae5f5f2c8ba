#pragma once

#include <string>

#include "mehler/core/error.h"

namespace arrow {
class Status;
}

namespace mehler {

/// An Arrow status that carries an Error of ours through Arrow's code.
arrow::Status status_of(const Error& error);

/// Throws the Error that a status carries, if it carries one.
void throw_carried_error(const arrow::Status& status);

/// Throws unless the status is good: the Error it carries, else Error(kInvalidTable, message).
///
/// Privacy: Arrow's own messages quote records ("invalid value '...'"), so none of them is passed
/// on.
void require_ok(const arrow::Status& status, const std::string& message);

/// "<what> could not be read as <format>: the file is damaged or incomplete; ...".
std::string damaged_message(const std::string& what, const std::string& format);

}  // namespace mehler

#pragma once

#include <nanobind/nanobind.h>

namespace mehler::python {

/// Adds mehler's exceptions, one a code of the engine's errors, and has them raised. Messages are
/// the engine's, with options named as Python names them.
void bind_errors(nanobind::module_& module);

/// Whether a Python exception is one of ours, whose message may be shown.
bool is_own(const nanobind::python_error& error);

}  // namespace mehler::python

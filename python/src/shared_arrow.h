#pragma once

#include <memory>

#include "mehler/table/arrow_c_interface.h"

namespace mehler::python {

/// Other structs for the same memory, which the owner keeps alive: each has children of its own,
/// which a consumer may move away and release by themselves, as the Arrow interface allows.
void share(const ArrowSchema& from, const std::shared_ptr<const void>& owner, ArrowSchema* out);
void share(const ArrowArray& from, const std::shared_ptr<const void>& owner, ArrowArray* out);

}  // namespace mehler::python

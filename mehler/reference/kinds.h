#pragma once

#include "mehler/reference/reference_kinds.h"

namespace mehler {

/// The entries of the table of kinds, each from a file of its name.
ReferenceKind full_mmd_reference();
ReferenceKind dp_hp_reference();
ReferenceKind dp_merf_reference();
ReferenceKind dp_cgan_reference();

}  // namespace mehler

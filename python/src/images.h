#pragma once

#include <nanobind/nanobind.h>

namespace mehler::python {

/// Arrays of numpy as tables of images, without a copy.
void bind_images(nanobind::module_& module);

}  // namespace mehler::python

// mehler._engine: the engine as the Python package sees it. Nothing here is for users: the package
// has the names, the defaults and the words.

#include <nanobind/nanobind.h>

#include "arrow.h"
#include "errors.h"
#include "images.h"
#include "mehler/core/version.h"
#include "stages.h"

NB_MODULE(_engine, module) {
  using namespace mehler::python;  // NOLINT: this file is nothing but a list of them
  module.doc() = "The engine. Use the package mehler instead.";
  module.attr("__version__") = mehler::kVersion;
  module.def(
      "raise_of_signals",
      [] {
        if (PyErr_CheckSignals() != 0) {
          throw nanobind::python_error();
        }
      },
      "Raises what a signal that has arrived raises.");
  bind_errors(module);
  bind_arrow(module);
  bind_schema(module);
  bind_release(module);
  bind_generator(module);
  bind_evaluation(module);
  bind_images(module);
}

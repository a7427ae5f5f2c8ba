#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/generator/generator.h"

namespace mehler::python {

/// Options as Python gives them: names and texts.
using OptionPairs = std::vector<std::pair<std::string, std::string>>;
OptionValues option_values(const OptionPairs& options);

/// A fitted model, which streams of its records keep alive.
struct Model {
  std::shared_ptr<const Generator> generator;
};

nanobind::bytes bytes_of(const std::string& text);
std::string_view view_of(const nanobind::bytes& bytes);

// One file a stage.
void bind_schema(nanobind::module_& module);
void bind_release(nanobind::module_& module);
void bind_generator(nanobind::module_& module);
void bind_evaluation(nanobind::module_& module);

}  // namespace mehler::python

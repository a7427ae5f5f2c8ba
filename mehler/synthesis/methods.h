#pragma once

#include <span>
#include <string_view>

namespace mehler {

/// A way to make synthetic tables. The command line, the tests and the documentation iterate this
/// table.
struct Method {
  std::string_view name;
  std::string_view summary;
  std::string_view page;  ///< of the documentation
};

std::span<const Method> methods();

/// The method of that name. Throws Error(kInvalidArgument) with near names.
const Method& find_method(std::string_view name);

}  // namespace mehler

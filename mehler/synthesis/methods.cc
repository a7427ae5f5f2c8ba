#include "mehler/synthesis/methods.h"

#include <fmt/format.h>

#include <array>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

constexpr std::array kMethods = {
    Method{"mehler",
           "a table fitted to noisy counts of columns and of pairs of columns; keeps distributions "
           "and how columns go together. The default",
           "docs/methods/mehler.md"},
    Method{"dp-hp",
           "a network trained so that its Hermite mean embedding meets the released one; keeps "
           "each column's distribution within each class",
           "docs/methods/dp-hp.md"},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

const Method& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const Method& method : kMethods) {
    if (method.name == name) {
      return method;
    }
    names.emplace_back(method.name);
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no method '{}'{}", shown(name), suggest_names(name, names)));
}

}  // namespace mehler

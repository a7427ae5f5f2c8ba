#include "method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mehler/core/error.h"

namespace mehler {
namespace {

struct MethodOptions {
  std::string_view method;
  std::vector<std::string_view> options;
};

/// Options that only one method has; all others are for every method.
const std::array kOwnOptions = {
    MethodOptions{"mehler", {"rounds", "triples", "target-weight", "memory"}},
    MethodOptions{"dp-hp", {"kernel",          "order",
                            "length-scale",    "weight",
                            "product",         "product-columns",
                            "product-subsets", "product-seed",
                            "product-order",   "product-length-scale",
                            "product-weight",  "product-share",
                            "linear-map",      "frequencies",
                            "fourier-seed",    "fourier-length-scale",
                            "sensitivity",     "accounting",
                            "epochs",          "batch",
                            "batch-rate",      "learning-rate",
                            "gamma",           "learning-rate-decay",
                            "class-rate",      "one-product-per-epoch"}},
};

/// The method that an option belongs to; empty if to all.
std::string_view method_of(std::string_view option) {
  for (const MethodOptions& own : kOwnOptions) {
    if (std::find(own.options.begin(), own.options.end(), option) != own.options.end()) {
      return own.method;
    }
  }
  return {};
}

}  // namespace

bool is_of_another_method(std::string_view option, std::string_view method) {
  const std::string_view own = method_of(option);
  return !own.empty() && own != method;
}

void require_options_of_the_method(const CLI::App& command, std::string_view method) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string& name = option->get_single_name();
    if (option->count() > 0 && is_of_another_method(name, method)) {
      const bool can_choose = command.get_option_no_throw("--method") != nullptr;
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("--{} belongs to method {}, and {} {}; {}leave the option out", name,
                      method_of(name),
                      can_choose ? "the method here is" : "the release is of method", method,
                      can_choose ? fmt::format("add --method {}, or ", method_of(name)) : ""));
    }
  }
}

}  // namespace mehler

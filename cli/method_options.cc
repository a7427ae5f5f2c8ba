#include "method_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "terminal.h"

namespace mehler {
namespace {

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto place = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return place == options.end() ? nullptr : &*place;
}

const Option* option_of(const Method& method, std::string_view name) {
  const Option* option = find_option(method.release_options, name);
  return option != nullptr ? option : find_option(method.fit_options, name);
}

/// The first method that has an option.
const Method* owner_of(std::string_view option) {
  for (const Method& method : methods()) {
    if (option_of(method, option) != nullptr) {
      return &method;
    }
  }
  return nullptr;
}

}  // namespace

bool is_of_another_method(std::string_view option, std::string_view method) {
  if (owner_of(option) == nullptr) {
    return false;
  }
  return std::none_of(methods().begin(), methods().end(), [&](const Method& candidate) {
    return candidate.name == method && option_of(candidate, option) != nullptr;
  });
}

const Option* find_method_option(std::string_view name) {
  const Method* owner = owner_of(name);
  return owner == nullptr ? nullptr : option_of(*owner, name);
}

std::string flag_words(std::string_view option, const std::string& given) {
  return given.empty() ? "" : fmt::format(" {} {}", option, given);
}

void MethodFlags::add(CLI::App& command, const std::vector<Option>& options) {
  constexpr const char* kHidden = "";
  command_ = &command;
  flags_.add(command, options, kHidden);  // several methods may have one option
}

void MethodFlags::add_release_options(CLI::App& command) {
  for (const Method& method : methods()) {
    add(command, method.release_options);
  }
}

void MethodFlags::add_fit_options(CLI::App& command) {
  for (const Method& method : methods()) {
    add(command, method.fit_options);
  }
}

OptionValues MethodFlags::values(const Method& method, const std::vector<Option>& options) const {
  OptionValues result;
  for (const CLI::Option* given : command_->get_options()) {
    const std::string& name = given->get_single_name();
    if (given->count() == 0) {
      continue;
    }
    if (is_of_another_method(name, method.name)) {
      const std::string& owner = owner_of(name)->name;
      const bool can_choose = command_->get_option_no_throw("--method") != nullptr;
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("--{} belongs to method {}, and {} {}; {}leave the option out", name, owner,
                      can_choose ? "the method here is" : "the release is of method", method.name,
                      can_choose ? fmt::format("add --method {}, or ", owner) : ""));
    }
    if (const Option* option = find_option(options, name)) {
      flags_.take(*option, *given, result);
    }
  }
  return result;
}

OptionValues MethodFlags::release_values(const Method& method) const {
  return values(method, method.release_options);
}

OptionValues MethodFlags::fit_values(const Method& method) const {
  return values(method, method.fit_options);
}

std::string MethodFlags::words(const std::vector<Option>& options, const OptionValues& values) {
  std::string words;
  for (const Option& option : options) {
    for (const std::string& text : values.all(option.name)) {
      const bool needs_equals = text.starts_with('-') || text.find('=') != std::string::npos;
      words += option.is_switch() ? fmt::format(" --{}", option.name)
                                  : fmt::format(" --{}{}{}", option.name, needs_equals ? "=" : " ",
                                                shell_word(text));
    }
  }
  return words;
}

}  // namespace mehler

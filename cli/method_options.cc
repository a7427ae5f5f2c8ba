#include "method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
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

/// The methods that have an option.
std::vector<std::string> owners_of(std::string_view option) {
  std::vector<std::string> owners;
  for (const Method& method : methods()) {
    if (option_of(method, option) != nullptr) {
      owners.push_back(method.name);
    }
  }
  return owners;
}

/// Which options of methods a command takes.
struct Stages {
  bool release = false;
  bool fit = false;
};

std::map<const CLI::App*, Stages>& stages() {
  static std::map<const CLI::App*, Stages> of_commands;
  return of_commands;
}

}  // namespace

bool is_of_another_method(std::string_view option, std::string_view method) {
  if (owners_of(option).empty()) {
    return false;
  }
  return std::none_of(methods().begin(), methods().end(), [&](const Method& candidate) {
    return candidate.name == method && option_of(candidate, option) != nullptr;
  });
}

bool is_of_another_stage(std::string_view option, std::string_view method,
                         const CLI::App& command) {
  const auto place = std::find_if(methods().begin(), methods().end(), [&](const Method& candidate) {
    return candidate.name == method;
  });
  if (place == methods().end() || option_of(*place, option) == nullptr) {
    return false;
  }
  const Stages& taken = stages()[&command];
  return !(taken.release && find_option(place->release_options, option) != nullptr) &&
         !(taken.fit && find_option(place->fit_options, option) != nullptr);
}

const Option* find_method_option(std::string_view name) {
  for (const Method& method : methods()) {
    if (const Option* option = option_of(method, name)) {
      return option;
    }
  }
  return nullptr;
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
  stages()[&command].release = true;
  for (const Method& method : methods()) {
    add(command, method.release_options);
  }
}

void MethodFlags::add_fit_options(CLI::App& command) {
  stages()[&command].fit = true;
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
    const bool can_choose = command_->get_option_no_throw("--method") != nullptr;
    const std::string here = fmt::format(
        "{} {}", can_choose ? "the method here is" : "the release is of method", method.name);
    if (is_of_another_method(name, method.name)) {
      const std::vector<std::string> owners = owners_of(name);
      const std::string others =
          owners.size() == 1
              ? ""
              : fmt::format(" (and to {})", list_names(std::span(owners).subspan(1)));
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("--{} belongs to method {}{}, and {}; {}leave the option out", name,
                      owners.front(), others, here,
                      can_choose ? fmt::format("add --method {}, or ", owners.front()) : ""));
    }
    if (is_of_another_stage(name, method.name, *command_)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--{} of method {} is an option of 'mehler {}' and not of 'mehler "
                              "{}'; leave it out here",
                              name, method.name, stages()[command_].release ? "train" : "release",
                              command_->get_name()));
    }
    if (name == kSettingsOf && given->results().front() != method.name) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the preset belongs to method {}, and {}; leave it out",
                              given->results().front(), here));
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

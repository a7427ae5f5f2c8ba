#include "options_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/near_names.h"
#include "mehler/core/strict_json.h"
#include "presets.h"

namespace mehler {
namespace {

constexpr const char* kOptionsFlag = "--options";
constexpr const char* kPresetFlag = "--preset";

/// The command that the arguments name, as far as they do.
const CLI::App* command_of(const CLI::App& program, const std::vector<std::string>& arguments) {
  const CLI::App* command = &program;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-")) {
      break;
    }
    const auto subcommands = command->get_subcommands(
        [&](const CLI::App* candidate) { return candidate->get_name() == argument; });
    const CLI::App* next = subcommands.empty() ? nullptr : subcommands.front();
    if (next == nullptr) {
      break;
    }
    command = next;
  }
  return command;
}

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw("--" + name) != nullptr;
}

void collect_names(const CLI::App& command, std::vector<std::string>& names) {
  for (const CLI::Option* option : command.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect_names(*subcommand, names);
  }
}

/// The value of "--flag VALUE" or "--flag=VALUE", taken out of the arguments.
std::optional<std::string> take_value(std::vector<std::string>& arguments,
                                      const std::string& flag) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == flag && i + 1 < arguments.size()) {
      const std::string value = arguments[i + 1];
      const auto place = arguments.begin() + static_cast<std::ptrdiff_t>(i);
      arguments.erase(place, place + 2);
      return value;
    }
    if (arguments[i].starts_with(flag + "=")) {
      const std::string value = arguments[i].substr(flag.size() + 1);
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
      return value;
    }
  }
  return std::nullopt;
}

bool is_given(const std::vector<std::string>& arguments, const std::string& name) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == "--" + name || argument.starts_with("--" + name + "=");
  });
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void append_option(const std::string& name, const Json& value, const std::string& source,
                   std::vector<std::string>& arguments) {
  if (value.is_boolean()) {
    if (value.get<bool>()) {
      arguments.push_back("--" + name);
    }
    return;
  }
  if (value.is_array()) {
    for (const Json& entry : value) {
      append_option(name, entry, source, arguments);
    }
    return;
  }
  if (!value.is_string() && !value.is_number()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} gives '{}' neither a number, a text, true, false nor a list of "
                            "them",
                            source, name));
  }
  arguments.push_back(fmt::format("--{}={}", name, text_of(value)));
}

void expand(const CLI::App& program, const CLI::App& command, std::string_view text,
            const std::string& source, std::vector<std::string>& arguments) {
  const Json json = parse_strict_json(text, ErrorCode::kInvalidArgument, source);
  if (!json.is_object()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must be a JSON object such as {{\"order\": 30}}", source));
  }
  std::vector<std::string> known;
  collect_names(program, known);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::vector<std::string> given = arguments;
  for (const auto& [name, value] : json.items()) {
    if (name == "about") {
      continue;
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} names '{}', which is no option of any command{}", source, name,
                              suggest_names(name, known)));
    }
    if (has_option(command, name) && !is_given(given, name)) {
      append_option(name, value, source, arguments);
    }
  }
}

}  // namespace

void add_options_file(CLI::App& command) {
  // Expanded before parsing; these are here for --help.
  const std::string group = "Options from elsewhere";
  const auto unused = [](const std::vector<std::string>&) { return true; };
  command
      .add_option(kOptionsFlag, unused,
                  "A JSON file of options: {\"order\": 30, ...}; those given here win")
      ->type_name("FILE")
      ->group(group);
  std::string names;
  for (const Preset& preset : kPresets) {
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  command
      .add_option(kPresetFlag, unused,
                  fmt::format("The paper's settings for one of its tables: {}", names))
      ->type_name("NAME")
      ->group(group);
}

std::vector<std::string> expand_options_files(const CLI::App& program,
                                              std::vector<std::string> arguments) {
  const CLI::App& command = *command_of(program, arguments);
  if (!has_option(command, "options")) {
    return arguments;
  }
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  while (const auto path = take_value(arguments, kOptionsFlag)) {
    expand(program, command, read_whole_file(*path, "the options file", kMaxBytes),
           fmt::format("the options file '{}'", *path), arguments);
  }
  while (const auto name = take_value(arguments, kPresetFlag)) {
    const auto place = std::find_if(std::begin(kPresets), std::end(kPresets),
                                    [&](const Preset& preset) { return preset.name == *name; });
    if (place == std::end(kPresets)) {
      std::vector<std::string> names;
      for (const Preset& preset : kPresets) {
        names.emplace_back(preset.name);
      }
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("there is no preset '{}'{}", *name, suggest_names(*name, names)));
    }
    expand(program, command, place->json, fmt::format("the preset '{}'", *name), arguments);
  }
  return arguments;
}

}  // namespace mehler

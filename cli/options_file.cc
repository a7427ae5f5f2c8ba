#include "options_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/reference/reference_kinds.h"
#include "method_options.h"
#include "presets.h"

namespace mehler {
namespace {

constexpr const char* kOptionsFlag = "--options";
constexpr const char* kPresetFlag = "--preset";

/// A command and the number of arguments that name it.
struct ChosenCommand {
  const CLI::App* app;
  std::size_t words = 0;
};

/// The command that the arguments name, as far as they do.
ChosenCommand command_of(const CLI::App& program, const std::vector<std::string>& arguments) {
  ChosenCommand command{&program};
  for (const std::string& argument : arguments) {
    const auto subcommands = command.app->get_subcommands(
        [&](const CLI::App* candidate) { return candidate->get_name() == argument; });
    if (subcommands.empty()) {
      break;
    }
    command = {subcommands.front(), command.words + 1};
  }
  return command;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw("--" + name);
}

/// Names that a file may hold: the options of every command but those that are no settings.
void collect_names(const CLI::App& command, std::set<std::string>& names) {
  for (const CLI::Option* option : command.get_options()) {
    names.insert(option->get_lnames().begin(), option->get_lnames().end());
  }
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect_names(*subcommand, names);
  }
  // Nor is it one that records need no protection: who says so says it on the command line.
  for (const char* name : {"help", "version", "options", "declared-public", "public"}) {
    names.erase(name);
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

/// The value that an option was given, if it was.
std::optional<std::string> given_value(std::vector<std::string> arguments,
                                       const std::string& name) {
  return take_value(arguments, "--" + name);
}

bool is_given(const std::vector<std::string>& arguments, const CLI::Option& option) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    const auto is_long = [&](const std::string& name) {
      return argument == "--" + name || argument.starts_with("--" + name + "=");
    };
    const auto is_short = [&](const std::string& name) {
      return !argument.starts_with("--") && argument.starts_with("-" + name);
    };
    return std::any_of(option.get_lnames().begin(), option.get_lnames().end(), is_long) ||
           std::any_of(option.get_snames().begin(), option.get_snames().end(), is_short);
  });
}

/// Whether what was given takes an option's place or its meaning: the other way to say the same, or
/// features that are not asked for.
bool is_displaced(const std::string& name, const std::vector<std::string>& given) {
  const std::optional<std::string> method = given_value(given, "method");
  if (method && is_of_another_method(name, *method)) {
    return true;
  }
  const Option* option = find_method_option(name);
  return option != nullptr &&
         std::any_of(option->displaced_by.begin(), option->displaced_by.end(),
                     [&](const Option::Displacement& other) {
                       const std::optional<std::string> value = given_value(given, other.option);
                       return value && (other.value.empty() || *value == other.value);
                     });
}

/// A number or a text as an argument.
std::string text_of(const Json& value) {
  return value.is_string()         ? value.get<std::string>()
         : value.is_number_float() ? json_number(value.get<double>()).dump()
                                   : value.dump();
}

bool is_single(const Json& value) { return value.is_string() || value.is_number(); }

/// The arguments that say what a file says of an option.
std::vector<std::string> arguments_of(const std::string& name, const CLI::Option& option,
                                      const Json& value, const std::string& source) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} gives '{}' {}", source, shown(name), what));
  };
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag != value.is_boolean()) {
    fail(is_flag ? "something else than true or false, which it takes"
                 : "true or false, but it takes a number or a text");
  }
  if (is_flag) {
    return value.get<bool>() ? std::vector{"--" + name} : std::vector<std::string>{};
  }
  const bool is_repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                             option.get_items_expected_max() > 1;
  if (value.is_array() && !is_repeatable) {
    fail("a list, but it takes one value");
  }
  std::vector<std::string> arguments;
  for (const Json& entry : value.is_array() ? value : Json::array({value})) {
    arguments.push_back(fmt::format("--{}={}", name, text_of(entry)));
  }
  return arguments;
}

bool is_method(std::string_view name) {
  return std::any_of(methods().begin(), methods().end(),
                     [&](const Method& method) { return method.name == name; });
}

bool is_reference(std::string_view name) {
  return std::any_of(reference_kinds().begin(), reference_kinds().end(),
                     [&](const ReferenceKind& kind) { return kind.name == name; });
}

bool is_of_reference(const CLI::App& command) {
  return command.get_parent() != nullptr && command.get_parent()->get_name() == "reference";
}

/// The names of the presets that a command takes.
std::vector<std::string> presets_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) {
    if (is_of_reference(command) ? preset.system == command.get_name() : is_method(preset.system)) {
      names.emplace_back(preset.name);
    }
  }
  return names;
}

/// Of settings hardly anything would be left with another system than their own, and what is left
/// would mean something else.
void require_system(std::string_view system, const std::string& source, const CLI::App& command,
                    const std::vector<std::string>& arguments) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} {}", source, reason));
  };
  const std::vector<std::string> presets = presets_of(command);
  const std::string others =
      presets.empty() ? ""
                      : fmt::format(", or take a preset of its own: {}", fmt::join(presets, ", "));
  if (is_of_reference(command)) {
    if (system != command.get_name()) {
      refuse(fmt::format("belongs to {}, and this is 'mehler reference {}'; leave it out{}",
                         shown(std::string(system)), command.get_name(), others));
    }
    return;
  }
  if (!is_method(system)) {
    refuse(
        fmt::format("belongs to 'mehler reference {}', which trains without privacy; leave it "
                    "out",
                    system));
  }
  const std::optional<std::string> given = given_value(arguments, "method");
  if (given && system != *given && is_method(*given)) {
    refuse(
        fmt::format("belongs to method {}, and the method here is {}; add --method {}, or leave "
                    "it out",
                    system, *given, system));
  }
}

/// Adds the options of a file to the arguments, those that are not given there.
void expand(const CLI::App& program, const ChosenCommand& command, std::string_view text,
            const std::string& source, std::vector<std::string>& arguments) {
  const Json json = parse_strict_json(text, ErrorCode::kInvalidArgument, source);
  if (!json.is_object()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} must be a JSON object such as {{\"order\": 30}}", source));
  }
  const auto method = json.find("method");
  std::string file_method;
  std::string chosen_method = given_value(arguments, "method").value_or("");
  if (method != json.end() && method->is_string()) {
    // A file of another method is for whoever names the method beside it; one of a system without
    // privacy is not.
    file_method = method->get<std::string>();
    if (is_of_reference(*command.app) || (is_reference(file_method) && !is_method(file_method))) {
      require_system(file_method, source, *command.app, arguments);
    }
    chosen_method = chosen_method.empty() ? file_method : chosen_method;
  }
  std::set<std::string> names;
  collect_names(program, names);
  const std::vector<std::string> known(names.begin(), names.end());
  std::vector<std::string> added;
  for (const auto& [name, value] : json.items()) {
    if (name == "about") {
      continue;
    }
    if (!names.contains(name)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} names '{}', which is no option of any command that a file can "
                              "hold{}",
                              source, shown(name), suggest_names(name, known)));
    }
    const bool is_value = is_single(value) || value.is_boolean() ||
                          (value.is_array() && std::all_of(value.begin(), value.end(), is_single));
    if (!is_value) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} gives '{}' neither a number, a text, true, false nor a list of "
                              "numbers and texts; write one, or leave it out",
                              source, shown(name)));
    }
    const CLI::Option* option = find_option(*command.app, name);
    // Options of two methods may share a name and mean different things.
    const bool is_left_out = (file_method != chosen_method && find_method_option(name) != nullptr &&
                              !is_of_another_method(name, file_method)) ||
                             is_of_another_stage(name, chosen_method, *command.app);
    if (option != nullptr && !is_left_out && !is_given(arguments, *option) &&
        !is_displaced(name, arguments)) {
      const std::vector<std::string> more = arguments_of(name, *option, value, source);
      added.insert(added.end(), more.begin(), more.end());
    }
  }
  // Right after the command: what stands last may follow a "--", which ends the options.
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(command.words), added.begin(),
                   added.end());
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
  const std::vector<std::string> names = presets_of(command);
  command
      .add_option(kPresetFlag, unused,
                  fmt::format("A system's settings for one of the paper's tables or image sets: {}",
                              fmt::join(names, ", ")))
      ->type_name("NAME")
      ->group(names.empty() ? "" : group);  // hidden where there is none
  if (find_option(command, "method") == nullptr && !is_of_reference(command)) {
    command.add_option(fmt::format("--{}", kSettingsOf), unused)->group("");
  }
}

std::vector<std::string> expand_options_files(const CLI::App& program,
                                              std::vector<std::string> arguments) {
  const ChosenCommand command = command_of(program, arguments);
  if (find_option(*command.app, "options") == nullptr) {
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
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("there is no preset '{}'{}", shown(*name),
                              suggest_names(*name, presets_of(*command.app))));
    }
    const std::string source = fmt::format("the preset '{}'", *name);
    require_system(place->system, source, *command.app, arguments);
    expand(program, command, place->json, source, arguments);
    if (find_option(*command.app, kSettingsOf) != nullptr) {
      arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(command.words),
                       fmt::format("--{}={}", kSettingsOf, place->system));
    }
  }
  return arguments;
}

}  // namespace mehler

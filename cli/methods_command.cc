#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "mehler/core/strict_json.h"
#include "mehler/synthesis/methods.h"
#include "terminal.h"

namespace mehler {
namespace {

struct MethodsOptions {
  std::string name;
  bool json = false;
};

Json options_json(const std::vector<Option>& options) {
  Json list = Json::array();
  for (const Option& option : options) {
    list.push_back({{"name", option.name},
                    {"value", option.value},
                    {"help", option.help},
                    {"repeatable", option.repeatable}});
  }
  return list;
}

Json json_of(const Method& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"page", method.page},
          {"release_options", options_json(method.release_options)},
          {"fit_options", options_json(method.fit_options)}};
}

std::string summary_of(const Method& method) {
  return fmt::format("{}\n{}  see {}\n", method.name, wrap(method.summary, 2), method.page);
}

/// Options under the headings of their groups.
std::string help_of(const std::vector<Option>& options, std::string_view commands) {
  constexpr std::size_t kHelpIndent = 6;
  std::string text;
  std::string heading;
  for (const Option& option : options) {
    const std::string wanted =
        fmt::format("Options of {}{}{}", commands, option.group.empty() ? "" : ": ", option.group);
    if (wanted != heading) {
      text += fmt::format("\n{}\n", wanted);
      heading = wanted;
    }
    text += fmt::format("  --{}{}{}\n{}", option.name, option.is_switch() ? "" : " ", option.value,
                        wrap(option.help, kHelpIndent));
  }
  return text;
}

}  // namespace

void add_methods_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "methods", "List the ways to make synthetic tables, or show the options of one");
  auto options = std::make_shared<MethodsOptions>();
  command->add_option("NAME", options->name, "Show this method's options")->type_name("");
  command->add_flag("--json", options->json, "As JSON, for programs");
  command->callback([options] {
    std::vector<const Method*> shown;
    for (const Method& method : methods()) {
      shown.push_back(&method);
    }
    if (!options->name.empty()) {
      shown = {&find_method(options->name)};
    }
    if (options->json) {
      Json list = Json::array();
      for (const Method* method : shown) {
        list.push_back(json_of(*method));
      }
      fmt::print("{}\n", list.dump(2));
      return;
    }
    for (const Method* method : shown) {
      fmt::print("{}", summary_of(*method));
    }
    if (options->name.empty()) {
      fmt::print("\nThe options of one: mehler methods NAME\n");
    } else {
      fmt::print("{}{}", help_of(shown.front()->release_options, "release and synth"),
                 help_of(shown.front()->fit_options, "train and synth"));
    }
  });
}

}  // namespace mehler

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "mehler/core/strict_json.h"
#include "mehler/synthesis/methods.h"
#include "terminal.h"

namespace mehler {

void add_methods_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("methods", "List the ways to make synthetic tables");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "As JSON, for programs");
  command->callback([as_json] {
    if (*as_json) {
      auto list = Json::array();
      for (const Method& method : methods()) {
        list.push_back({{"name", method.name}, {"summary", method.summary}, {"page", method.page}});
      }
      fmt::print("{}\n", list.dump(2));
      return;
    }
    for (const Method& method : methods()) {
      fmt::print("{}\n{}  see {}\n", method.name, wrap(method.summary, 2), method.page);
    }
  });
}

}  // namespace mehler

// Options files: JSON text that becomes arguments of the commands as they are.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/options_file.h"
#include "fuzz/harness.h"
#include "fuzz/temporary_file.h"
#include "mehler/core/error.h"

namespace {

const CLI::App& program() {
  static const std::unique_ptr<const CLI::App> made = [] {
    auto app = std::make_unique<CLI::App>();
    mehler::add_commands(*app);
    return app;
  }();
  return *made;
}

/// What a file adds stands between the command and what was given, and is an option.
void expand(const std::string& path, const std::vector<std::string>& command,
            const std::vector<std::string>& given) {
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), given.begin(), given.end());
  const std::vector<std::string> without_file = arguments;
  arguments.insert(arguments.end(), {"--options", path});
  try {
    const std::vector<std::string> expanded =
        mehler::expand_options_files(program(), std::move(arguments));
    if (expanded.size() < without_file.size() ||
        !std::equal(command.begin(), command.end(), expanded.begin()) ||
        !std::equal(given.rbegin(), given.rend(), expanded.rbegin())) {
      std::abort();
    }
    const auto added_end = expanded.end() - static_cast<std::ptrdiff_t>(given.size());
    for (auto place = expanded.begin() + static_cast<std::ptrdiff_t>(command.size());
         place != added_end; ++place) {
      if (!place->starts_with("--") || place->starts_with("--options")) {
        std::abort();
      }
    }
  } catch (const mehler::Error& error) {
    if (error.code() != mehler::ErrorCode::kInvalidArgument) {
      std::abort();
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mehler::TemporaryFile file(".json");
  file.write({reinterpret_cast<const char*>(data), size});
  expand(file.path(), {"release"}, {"table.csv", "--kernel", "sum"});
  expand(file.path(), {"synth"}, {"--method=dp-hp", "--order=7", "table.csv"});
  expand(file.path(), {"train"}, {"a.release"});
  return 0;
}

std::vector<std::string> seeds() {
  return {R"({"about": "settings", "method": "dp-hp", "order": 30, "length-scale": ["age=0.1", 0.3],
              "kernel": "combined", "one-product-per-epoch": true, "learning-rate": 1e-3})",
          R"({"rounds": 1, "target-weight": 2.5, "triples": "off", "memory": 500, "quiet": true})"};
}

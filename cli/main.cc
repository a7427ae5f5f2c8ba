#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "commands.h"
#include "mehler/core/error.h"
#include "mehler/core/near_names.h"
#include "mehler/core/version.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr int kOurMistake = 1;
constexpr int kUsersMistake = 2;
constexpr int kInterrupted = 130;

void report(const std::string& message) { fmt::print(stderr, "mehler: error: {}\n", message); }

/// The innermost subcommand that the arguments chose.
const CLI::App& chosen_command(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  return chosen.empty() ? program : chosen_command(*chosen.front());
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// A complaint about the command line itself, in the tone of our other messages.
std::string describe_parse_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(program);
  const std::string help = fmt::format(
      "; see '{} --help'", command.get_name().empty() ? "mehler" : [&] {
        std::string path = command.get_name();
        for (const CLI::App* up = command.get_parent(); up != nullptr; up = up->get_parent()) {
          path = up->get_name() + " " + path;
        }
        return path;
      }());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extra = program.remaining(true);
    const std::string first = extra.empty() ? "" : extra.front();
    if (first.starts_with("-")) {
      return fmt::format("unknown option '{}'{}{}", first,
                         suggest_names(first, option_names(command)), help);
    }
    return fmt::format("unexpected argument '{}'{}", first, help);
  }
  std::string text = error.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) {
    text.pop_back();
  }
  return text + help;
}

int run(int argc, char** argv) {
  CLI::App program{
      "Turns a sensitive table into a differentially private release.\n"
      "Private records are read once; what is written is safe to publish."};
  program.name("mehler");
  program.set_version_flag("--version", fmt::format("mehler {}", kVersion));
  program.require_subcommand(1);
  program.footer(
      "A first release of your own table:\n"
      "  mehler schema init people.csv -o schema.json     then declare bounds and categories in "
      "it\n"
      "  mehler schema check schema.json people.csv\n"
      "  mehler release people.csv --schema schema.json --epsilon 1 --delta 1e-6 -o "
      "people.release\n"
      "  mehler inspect people.release");
  add_schema_command(program);
  add_release_command(program);
  add_inspect_command(program);
  add_demo_command(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    report(describe_parse_error(program, error));
    return kUsersMistake;
  }
  return 0;
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  mehler::watch_for_interrupt();
  try {
    return mehler::run(argc, argv);
  } catch (const mehler::Error& error) {
    mehler::report(error.what());
    switch (error.code()) {
      case mehler::ErrorCode::kInternal:
        return mehler::kOurMistake;
      case mehler::ErrorCode::kCancelled:
        return mehler::kInterrupted;
      default:
        return mehler::kUsersMistake;
    }
  } catch (const std::bad_alloc&) {
    mehler::report("there is not enough memory for this; nothing was written");
    return mehler::kOurMistake;
  } catch (const std::exception&) {
    // The text of a foreign exception could quote a record.
    mehler::report("something unforeseen happened, and nothing was written; please report it");
    return mehler::kOurMistake;
  }
}

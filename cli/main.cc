#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "commands.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/version.h"
#include "options_file.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr int kOurMistake = 1;
constexpr int kUsersMistake = 2;
constexpr int kInterrupted = 130;
/// Of a program that a closed pipe ended, as shells have it: 128 and the number of SIGPIPE.
constexpr int kReaderIsGone = 141;

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

/// "mehler schema init": a command with what leads to it.
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : full_name(*command.get_parent()) + " " + command.get_name();
}

/// The option that a complaint without a name is about: CLI11 has none for those that the help of a
/// command leaves to 'mehler methods'.
std::string unnamed_option(const CLI::App& command, const std::vector<std::string>& arguments) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty() || option->get_lnames().empty()) {
      continue;
    }
    const std::string name = "--" + option->get_lnames().front();
    const auto is_it = [&](const std::string& argument) {
      return argument == name || argument.starts_with(name + "=");
    };
    const auto times = std::count_if(arguments.begin(), arguments.end(), is_it);
    const bool ends = !arguments.empty() && arguments.back() == name;
    const bool wants_one = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    const auto place = std::find(arguments.begin(), arguments.end(), name);
    const bool has_none = place != arguments.end() && option->get_items_expected_min() > 0 &&
                          (ends || (place + 1)->starts_with("--"));
    if ((times > 1 && wants_one) || has_none) {
      return name;
    }
  }
  return "an option";
}

/// A complaint about the command line itself, in the tone of our other messages.
std::string describe_parse_error(const CLI::App& program, const CLI::ParseError& error,
                                 const std::vector<std::string>& arguments) {
  const CLI::App& command = chosen_command(program);
  const std::string help = fmt::format(" (see '{} --help')", full_name(command));
  const std::vector<std::string> extra = program.remaining(true);
  const std::vector<const CLI::App*> subcommands =
      command.get_subcommands([](const CLI::App*) { return true; });
  if (!subcommands.empty() && !extra.empty() && !extra.front().starts_with("-")) {
    std::vector<std::string> names;
    for (const CLI::App* subcommand : subcommands) {
      names.push_back(subcommand->get_name());
    }
    return fmt::format("'{}' is no command of '{}'{}{}", shown(extra.front()), full_name(command),
                       suggest_names(extra.front(), names), help);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty()) {
    const std::vector<std::string> known = option_names(command);
    if (std::find(known.begin(), known.end(), extra.front()) != known.end()) {
      return fmt::format("'{}' belongs behind '{}'{}", shown(extra.front()), full_name(command),
                         help);
    }
    return extra.front().starts_with("-")
               ? fmt::format("unknown option '{}'{}{}", shown(extra.front()),
                             suggest_names(extra.front(), known), help)
               : fmt::format("unexpected argument '{}'{}", shown(extra.front()), help);
  }
  std::string text = error.what();
  if (text.starts_with(":")) {
    text = unnamed_option(command, arguments) + text;
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
      text.find("At Most 1") != std::string::npos) {
    return fmt::format("{} is given more than once; give it once{}", text.substr(0, text.find(':')),
                       help);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) {
    text.pop_back();
  }
  return text + help;
}

/// Throws if what was printed did not arrive: a full disk behind standard output is an error like
/// any other. That a reader wants no more (head) is none: then there is an exit code. `earlier`:
/// the number of an error that printing has met already.
int finish_output(int earlier = 0) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const int cause = earlier != 0 ? earlier : errno;
    if (cause == EPIPE) {
      return kReaderIsGone;
    }
    throw Error(ErrorCode::kFile,
                fmt::format("standard output could not be written: {}; free some space",
                            std::strerror(cause)));
  }
  return 0;
}

int run(int argc, char** argv) {
  CLI::App program{
      "Turns a sensitive table into a synthetic one with a differential-privacy guarantee.\n"
      "Private records are read for the release alone; the release that is written is safe to "
      "publish."};
  program.name("mehler");
  program.set_version_flag("--version", fmt::format("mehler {}", kVersion));
  program.require_subcommand(1);
  add_commands(program);
  program.footer(
      "A synthetic copy of your own table:\n"
      "  mehler schema init people.csv -o schema.json     then declare bounds and categories in "
      "it\n"
      "  mehler schema check schema.json people.csv\n"
      "  mehler synth people.csv --schema schema.json --epsilon 1 --delta 1e-6 -o synthetic.csv\n"
      "In steps, so that only the release leaves the private machine: release, inspect, train, "
      "sample.");
  try {
    std::vector<std::string> arguments =
        expand_options_files(program, std::vector<std::string>(argv + 1, argv + argc));
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    program.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help and --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    report_error(
        describe_parse_error(program, error, std::vector<std::string>(argv + 1, argv + argc)));
    return kUsersMistake;
  } catch (const std::system_error& error) {
    if (const int code = finish_output(error.code().value()); code != 0) {
      return code;
    }
    throw;  // it was not the output that failed
  }
  return finish_output();
}

#ifdef __linux__
/// Called before the libraries' own initialisers, which take most of the time until main(): a
/// signal that comes meanwhile waits, instead of ending the program without a word.
void before_initialisers(int, char**, char**) { hold_interrupts(); }
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kBeforeInitialisers)(int, char**, char**) = before_initialisers;
#endif

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  mehler::watch_for_interrupt(mehler::kInterrupted);
  try {
    return mehler::run(argc, argv);
  } catch (const mehler::Error& error) {
    if (error.code() == mehler::ErrorCode::kCancelled) {
      mehler::report_error(mehler::with_kept_or_nothing(error.what()));
      return mehler::kInterrupted;
    }
    mehler::report_error(mehler::with_kept(error.what()));
    return error.code() == mehler::ErrorCode::kInternal ? mehler::kOurMistake
                                                        : mehler::kUsersMistake;
  } catch (const std::bad_alloc&) {
    mehler::report_error(mehler::with_kept_or_nothing("there is not enough memory for this"));
    return mehler::kOurMistake;
  } catch (const std::exception&) {
    // The text of a foreign exception could quote a record.
    mehler::report_error(
        mehler::with_kept_or_nothing("something unforeseen happened, please report it"));
    return mehler::kOurMistake;
  }
}

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mehler {

/// Adds --options FILE and --preset NAME to a command. They are expanded before the command line is
/// parsed, so a command only needs to say that it has them.
void add_options_file(CLI::App& command);

/// Replaces --options FILE and --preset NAME by the options that the file or the preset holds.
///
/// A file is a JSON object: {"order": 30, "length-scale": ["age=0.1"], "one-product-per-epoch":
/// true}. What the command line gives itself wins, then the first file that gives an option, then
/// the preset; what is left without a meaning by that (products beside --kernel sum) is left out,
/// and so are options of other commands, so that one file can serve 'release' and 'train'. Throws
/// mehler::Error for a name that no command knows and for a value that is of the wrong kind.
std::vector<std::string> expand_options_files(const CLI::App& program,
                                              std::vector<std::string> arguments);

}  // namespace mehler

#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// Declared options (core/options.h) as flags of a command, and what was given of them.
class OptionFlags {
 public:
  /// Adds the flags that the command does not have yet, under a heading of its help; empty: the
  /// help does not show them.
  void add(CLI::App& command, const std::vector<Option>& options, const std::string& heading);

  /// Adds the value of an option to the others, if the option was given.
  void take(const Option& option, const CLI::Option& given, OptionValues& values) const;

  /// What was given of some options.
  OptionValues values(const CLI::App& command, const std::vector<Option>& options) const;

 private:
  std::map<std::string, bool> switches_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<std::string>> lists_;
};

}  // namespace mehler

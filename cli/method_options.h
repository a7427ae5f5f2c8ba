#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/synthesis/methods.h"
#include "option_flags.h"

namespace mehler {

/// The options of all methods as flags of a command. 'mehler methods NAME' explains them; the
/// command's own help does not.
class MethodFlags {
 public:
  void add_release_options(CLI::App& command);
  void add_fit_options(CLI::App& command);

  /// What was given of them. Throws mehler::Error if an option of another method was given.
  OptionValues release_values(const Method& method) const;
  OptionValues fit_values(const Method& method) const;

  /// Values of options as words of another command: " --epochs 5 --batch 64".
  static std::string words(const std::vector<Option>& options, const OptionValues& values);

 private:
  void add(CLI::App& command, const std::vector<Option>& options);
  OptionValues values(const Method& method, const std::vector<Option>& options) const;

  const CLI::App* command_ = nullptr;
  OptionFlags flags_;
};

/// The flag that says to which system settings belong that were expanded into arguments, for a
/// command that finds out its method later. Hidden.
inline constexpr const char* kSettingsOf = "settings-of";

/// Whether an option (without its dashes) is of methods, and not of this one: "order" and
/// marginals.
bool is_of_another_method(std::string_view option, std::string_view method);

/// Whether an option of this method is one of release() alone and the command does not release, or
/// one of fit() alone and the command does not fit.
bool is_of_another_stage(std::string_view option, std::string_view method, const CLI::App& command);

/// An option of a method, as any method declares it; null if none has it.
const Option* find_method_option(std::string_view name);

/// " --seed 3" if a value was given, else nothing.
std::string flag_words(std::string_view option, const std::string& given);

}  // namespace mehler

#include "option_flags.h"

namespace mehler {

void OptionFlags::add(CLI::App& command, const std::vector<Option>& options,
                      const std::string& heading) {
  for (const Option& option : options) {
    const std::string flag = "--" + option.name;
    if (command.get_option_no_throw(flag) != nullptr) {
      continue;
    }
    if (option.is_switch()) {
      command.add_flag(flag, switches_[option.name], option.help)->group(heading);
    } else if (option.repeatable) {
      command.add_option(flag, lists_[option.name], option.help)
          ->type_name(option.value)
          ->expected(1)
          ->take_all()
          ->allow_extra_args(false)
          ->group(heading);
    } else {
      command.add_option(flag, texts_[option.name], option.help)
          ->type_name(option.value)
          ->expected(option.alone.empty() ? 1 : 0, 1)
          ->group(heading);
    }
  }
}

void OptionFlags::take(const Option& option, const CLI::Option& given, OptionValues& values) const {
  if (given.count() == 0) {
    return;
  }
  if (option.is_switch()) {
    if (switches_.at(option.name)) {
      values.add(option.name, "");
    }
  } else if (option.repeatable) {
    for (const std::string& value : lists_.at(option.name)) {
      values.add(option.name, value);
    }
  } else {
    const std::string& value = texts_.at(option.name);
    values.add(option.name, value.empty() ? option.alone : value);
  }
}

OptionValues OptionFlags::values(const CLI::App& command,
                                 const std::vector<Option>& options) const {
  OptionValues result;
  for (const Option& option : options) {
    if (const CLI::Option* given = command.get_option_no_throw("--" + option.name)) {
      take(option, *given, result);
    }
  }
  return result;
}

}  // namespace mehler

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mehler {

/// A setting of a method, declared once: command-line flags, options files, help texts and bindings
/// are made from it.
struct Option {
  std::string name;        ///< "product-order"
  std::string value;       ///< stands for the value in help texts: "N"; empty for a switch
  std::string help;        ///< a sentence, with its default
  std::string group = {};  ///< heading under which help texts show it; may be empty
  bool repeatable = false;
  /// What it means when it is given without a value; empty if it needs one.
  std::string alone = {};

  /// Another option that replaces this one or makes it meaningless, and which of its values does
  /// so; empty: any value.
  struct Displacement {
    std::string option;
    std::string value = {};
  };
  std::vector<Displacement> displaced_by = {};

  bool is_switch() const { return value.empty(); }
};

/// An option as messages of the library name it: "option 'order'". A front end that has a word of
/// its own for it ("--order") writes that instead.
std::string option_words(std::string_view name);

/// Options that somebody gave, by name, as texts: from a command line, a file or a binding.
class OptionValues {
 public:
  void add(const std::string& name, std::string value) {
    values_[name].push_back(std::move(value));
  }
  void replace(const std::string& name, std::string value) { values_[name] = {std::move(value)}; }

  bool has(const std::string& name) const { return values_.contains(name); }
  /// All values of a repeatable option; none if it was not given.
  const std::vector<std::string>& all(const std::string& name) const;

  /// The value of an option that may be given once; `otherwise` if it was not given. Throw
  /// Error(kInvalidArgument), naming the option, for a text that the option does not take.
  std::uint64_t count(const std::string& name, std::uint64_t otherwise, std::uint64_t smallest,
                      std::uint64_t largest) const;
  double number(const std::string& name, double otherwise) const;
  /// The place of the value among the words that the option takes.
  std::size_t choice(const std::string& name, std::size_t otherwise,
                     const std::vector<std::string>& words) const;
  /// NAME=NUMBER values, each name once. `for_all`, where there is one, takes a bare number.
  std::map<std::string, double> numbers_by_name(const std::string& name, const auto& parse,
                                                auto* for_all) const {
    std::map<std::string, double> result;
    bool given_for_all = false;
    for (const std::string& text : all(name)) {
      const auto [key, number] = split_name(name, text, for_all != nullptr);
      if (key.empty() ? given_for_all : result.contains(key)) {
        refuse_second(name, key);
      }
      if (key.empty()) {
        *for_all = parse(number, option_words(name));
        given_for_all = true;
      } else {
        result[key] = static_cast<double>(parse(number, words_of(name, key)));
      }
    }
    return result;
  }
  std::map<std::string, double> numbers_by_name(const std::string& name) const;

  /// The values of these options alone.
  OptionValues only(const std::vector<Option>& options) const;

  /// Throws Error(kInvalidArgument) if an option was given that is not among `known`.
  void require_known(const std::vector<Option>& known, std::string_view of_what) const;

 private:
  static std::pair<std::string, std::string> split_name(const std::string& option,
                                                        const std::string& text, bool bare_too);
  static std::string words_of(const std::string& option, const std::string& key);
  [[noreturn]] static void refuse_second(const std::string& option, const std::string& key);

  std::map<std::string, std::vector<std::string>> values_;
};

/// The number that an option's text stands for. Throws Error(kInvalidArgument) naming the option
/// unless the whole text is one number ("nan" and "inf" count as numbers here; whoever uses the
/// number checks its range).
double parse_number(const std::string& text, const std::string& option);

/// The whole number, at least `smallest`, that an option's text stands for.
std::uint64_t parse_count(const std::string& text, const std::string& option,
                          std::uint64_t smallest, std::uint64_t largest);

/// The whole numbers that a list such as "1,2,5-8" names, rising, each once. Each within `smallest`
/// and `largest`.
std::vector<std::size_t> parse_count_list(const std::string& text, const std::string& option,
                                          std::uint64_t smallest, std::uint64_t largest);

/// Splits "column=number", whatever the number is; the column is empty for a bare number.
std::pair<std::string, std::string> split_column(const std::string& text,
                                                 const std::string& option);

/// The same, with the number read.
std::pair<std::string, double> parse_column_number(const std::string& text,
                                                   const std::string& option);

}  // namespace mehler

#include "mehler/table/readers/column_recognition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/number_text.h"
#include "mehler/table/readers/date_recognition.h"

namespace mehler {
namespace {

/// Longer ones before those that they end with.
constexpr std::array<std::string_view, 13> kSigns = {"EUR", "USD", "GBP", "CHF", "Fr.", "US$", "$",
                                                     "€",   "£",   "¥",   "₹",   "%",   "‰"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTruthWords = {
    std::pair{"yes", "no"},      std::pair{"y", "n"},       std::pair{"ja", "nein"},
    std::pair{"oui", "non"},     std::pair{"si", "no"},     std::pair{"sí", "no"},
    std::pair{"wahr", "falsch"}, std::pair{"vrai", "faux"},
};

/// The sign that a text begins with, and the spaces after it; empty if there is none.
std::string_view sign_before(std::string_view text) {
  for (const std::string_view sign : kSigns) {
    if (text.starts_with(sign)) {
      const std::string_view rest = text.substr(sign.size());
      const std::size_t digits = rest.find_first_of("+-0123456789.,");
      const bool only_spaces =
          digits != std::string_view::npos && without_spaces(rest.substr(0, digits)).empty();
      return only_spaces ? text.substr(0, sign.size() + digits) : std::string_view();
    }
  }
  return {};
}

std::string_view sign_after(std::string_view text) {
  for (const std::string_view sign : kSigns) {
    if (text.ends_with(sign)) {
      const std::string_view rest = text.substr(0, text.size() - sign.size());
      const std::size_t digit = rest.find_last_of("0123456789.,");
      const bool only_spaces =
          digit != std::string_view::npos && without_spaces(rest.substr(digit + 1)).empty();
      return only_spaces ? text.substr(digit + 1) : std::string_view();
    }
  }
  return {};
}

bool has_signs(const ColumnSpelling& spelling) {
  return !spelling.prefix.empty() || !spelling.suffix.empty();
}

/// The signs of the first text that has one.
ColumnSpelling signs_of(const std::vector<std::string_view>& values) {
  ColumnSpelling spelling;
  for (std::string_view value : values) {
    value.remove_prefix(value.starts_with('-') || value.starts_with('+') ? 1 : 0);
    spelling.prefix = sign_before(value);
    spelling.suffix = sign_after(value);
    if (has_signs(spelling)) {
      break;
    }
  }
  return spelling;
}

bool all_fit(const std::vector<std::string_view>& values, const NumberText& form) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::string_view value) { return form.parse(value).has_value(); });
}

std::vector<NumberText> possible_forms(char delimiter, std::optional<char> decimal,
                                       const std::optional<std::string>& thousands) {
  std::vector<std::string> separators = thousands_separators();
  separators.insert(separators.begin(), "");
  std::vector<NumberText> forms;
  for (const char sign : {'.', ','}) {
    if (sign == delimiter || (decimal && sign != *decimal)) {
      continue;
    }
    for (const std::string& separator : separators) {
      if (separator != std::string(1, sign) && (!thousands || separator == *thousands)) {
        forms.push_back({sign, separator, "", ""});
      }
    }
  }
  return forms;
}

NumberText with_signs(NumberText form, const ColumnSpelling& spelling) {
  form.prefix = spelling.prefix;
  form.suffix = spelling.suffix;
  return form;
}

std::optional<std::pair<std::string, std::string>> truth_words(
    const std::vector<std::string_view>& values) {
  std::set<std::string_view> different;
  for (const std::string_view value : values) {
    if (different.insert(value).second && different.size() > 2) {
      return std::nullopt;
    }
  }
  const auto is = [](std::string_view text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  };
  for (const auto& [yes, no] : kTruthWords) {
    for (const std::string_view a : different) {
      for (const std::string_view b : different) {
        if (is(a, yes) && is(b, no)) {
          return std::pair{std::string(a), std::string(b)};
        }
      }
    }
  }
  return std::nullopt;
}

/// Goes through the columns: first dates and words, then numbers, whose form is the whole table's.
class Recognition {
 public:
  /// `given`: what holds unless the columns tell more.
  Recognition(const std::vector<ColumnTexts>& columns, std::vector<NumberText> forms,
              const NumberText& given)
      : forms_(std::move(forms)) {
    result_.decimal = given.decimal;
    result_.thousands = given.thousands;
    for (const ColumnTexts& column : columns) {
      if (!column.values.empty() && !all_fit(column.values, NumberText{}) &&
          !recognise_date(column) && !recognise_words(column)) {
        numbers_.emplace_back(&column, signs_of(column.values));
      } else if (!column.values.empty()) {
        plain_.push_back(&column);
      }
    }
  }

  RecognisedForms finish() {
    choose_form();
    for (const auto& [column, spelling] : numbers_) {
      add_number(*column, spelling);
    }
    if (result_.decimal == ',') {
      note_decimal_points();
    }
    return std::move(result_);
  }

 private:
  void note(const ColumnTexts& column, std::string_view what) {
    result_.notes.push_back(fmt::format("column '{}' {}", shown(column.name), what));
  }

  bool recognise_date(const ColumnTexts& column) {
    const RecognisedDate date = recognise_date_format(column.values);
    if (date.is_ambiguous) {
      note(column,
           "holds dates whose first rows can be read with the day first and with the month first; "
           "it is drafted categorical: if you know which, write the kind \"date\" or \"datetime\" "
           "and a format such as \"%d/%m/%Y\" or \"%m/%d/%Y\"");
      return true;
    }
    if (date.pattern.empty()) {
      return false;
    }
    result_.columns.push_back({column.name, date.kind, {.format = date.pattern}});
    note(column,
         fmt::format("is taken for a {} of the format {}{}", kind_name(date.kind), date.pattern,
                     date.pattern.find("%y") != std::string::npos
                         ? ", whose years of two digits are 1969 to 2068"
                         : ""));
    return true;
  }

  bool recognise_words(const ColumnTexts& column) {
    const auto words = truth_words(column.values);
    if (words) {
      result_.columns.push_back({column.name,
                                 ColumnKind::kBoolean,
                                 {.true_words = {words->first}, .false_words = {words->second}}});
      note(column, "is taken for boolean, with its own words for true and false");
    }
    return words.has_value();
  }

  /// The form that most columns have which are no numbers without it. If a decimal comma and a
  /// thousands comma explain as many, neither is chosen.
  void choose_form() {
    std::vector<std::size_t> counts(forms_.size(), 0);
    std::vector<const ColumnTexts*> undecided;
    for (const auto& [column, spelling] : numbers_) {
      if (all_fit(column->values, with_signs(NumberText{}, spelling))) {
        continue;  // whatever the form
      }
      bool any = false;
      for (std::size_t i = 0; i < forms_.size(); ++i) {
        const bool fits = all_fit(column->values, with_signs(forms_[i], spelling));
        counts[i] += fits ? 1 : 0;
        any |= fits;
      }
      if (any) {
        undecided.push_back(column);
      }
    }
    if (undecided.empty()) {
      return;
    }
    const std::size_t best =
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      if (counts[i] == counts[best] && forms_[i].decimal != forms_[best].decimal) {
        for (const ColumnTexts* column : undecided) {
          note(*column,
               "holds numbers whose commas can be decimal commas or stand between thousands; it is "
               "drafted categorical: say which with option 'decimal' or option 'thousands'");
        }
        return;
      }
    }
    result_.decimal = forms_[best].decimal;
    result_.thousands = forms_[best].thousands;
  }

  void add_number(const ColumnTexts& column, const ColumnSpelling& spelling) {
    const NumberText form = with_signs({result_.decimal, result_.thousands, "", ""}, spelling);
    if (!all_fit(column.values, form)) {
      return;
    }
    const bool needs_conversion =
        !all_fit(column.values, {result_.decimal, "", "", ""}) || has_signs(spelling);
    const bool is_whole =
        std::all_of(column.values.begin(), column.values.end(), [&](std::string_view value) {
          return value.find(result_.decimal) == std::string_view::npos &&
                 value.find_first_of("eE") == std::string_view::npos;
        });
    const ColumnKind kind = is_whole ? ColumnKind::kInteger : ColumnKind::kNumeric;
    if (needs_conversion) {
      result_.columns.push_back({column.name, kind, spelling});
    }
    std::string what = fmt::format("is taken for {}", kind_name(kind));
    what += result_.decimal == ',' && !is_whole ? ", with decimal commas" : "";
    what += has_signs(spelling) ? ", with a currency or percent sign" : "";
    what += needs_conversion && !has_signs(spelling) ? ", with separators between thousands" : "";
    note(column, what);
  }

  void note_decimal_points() {
    for (const ColumnTexts* column : plain_) {
      if (all_fit(column->values, NumberText{}) &&
          !all_fit(column->values, {',', result_.thousands, "", ""})) {
        note(*column,
             "has decimal points where others have decimal commas, so that it is no number in "
             "this table; write it like the others");
      }
    }
  }

  std::vector<NumberText> forms_;
  std::vector<const ColumnTexts*> plain_;
  std::vector<std::pair<const ColumnTexts*, ColumnSpelling>> numbers_;
  RecognisedForms result_;
};

}  // namespace

RecognisedForms recognise_forms(const std::vector<ColumnTexts>& columns, char delimiter,
                                std::optional<char> decimal, std::optional<std::string> thousands) {
  const NumberText given{decimal.value_or('.'), thousands.value_or(""), "", ""};
  return Recognition(columns, possible_forms(delimiter, decimal, thousands), given).finish();
}

}  // namespace mehler

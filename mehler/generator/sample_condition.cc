#include "mehler/generator/sample_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

constexpr std::string_view kSpaces = " \t";

/// What stands between a column and its values.
struct Sign {
  std::string_view text;
  ConditionRelation relation;
};

/// Longer ones before those that they begin with.
constexpr std::array kSigns = {
    Sign{"!=", ConditionRelation::kNotIn},  Sign{">=", ConditionRelation::kAtLeast},
    Sign{"<=", ConditionRelation::kAtMost}, Sign{"=", ConditionRelation::kIn},
    Sign{">", ConditionRelation::kGreater}, Sign{"<", ConditionRelation::kLess},
};
constexpr std::array kWords = {
    Sign{"is not missing", ConditionRelation::kNotMissing},
    Sign{"is missing", ConditionRelation::kMissing},
    Sign{"not in", ConditionRelation::kNotIn},
    Sign{"in", ConditionRelation::kIn},
};

[[noreturn]] void fail(std::string_view text, const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format("the condition '{}' {}", shown(text), what));
}

[[noreturn]] void fail_form(std::string_view text) {
  fail(text,
       "cannot be read; write COLUMN=VALUE, COLUMN!=VALUE, COLUMN>=VALUE (or >, <=, <), "
       "COLUMN in A,B, COLUMN not in A,B, COLUMN is missing or COLUMN is not missing; a name or a "
       "value with such signs in it goes in double quotes");
}

std::string_view without_leading_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text;
}

std::string_view trimmed(std::string_view text) {
  text = without_leading_spaces(text);
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// How many characters of `text` are the words, in any case and with any spaces between them; they
/// must end there.
std::optional<std::size_t> length_of_words(std::string_view text, std::string_view words) {
  std::size_t place = 0;
  for (const char c : words) {
    if (c == ' ') {
      const std::size_t next = std::min(text.find_first_not_of(kSpaces, place), text.size());
      if (next == place) {
        return std::nullopt;
      }
      place = next;
    } else if (place < text.size() && lower(text[place]) == c) {
      ++place;
    } else {
      return std::nullopt;
    }
  }
  const bool ends = place == text.size() || kSpaces.find(text[place]) != std::string_view::npos ||
                    text[place] == '"';
  return ends ? std::optional(place) : std::nullopt;
}

/// A sign or words, and what comes after.
struct Relation {
  ConditionRelation relation = ConditionRelation::kIn;
  bool is_list = false;
  std::string_view rest;
};

/// The relation that `text`, which follows a name, begins with. Words need a space before them,
/// unless the name was quoted.
std::optional<Relation> relation_at(std::string_view text, bool quoted_name) {
  const std::string_view after = without_leading_spaces(text);
  for (const Sign& sign : kSigns) {
    if (after.starts_with(sign.text)) {
      return Relation{sign.relation, false, after.substr(sign.text.size())};
    }
  }
  if (after.size() == text.size() && !quoted_name) {
    return std::nullopt;
  }
  for (const Sign& words : kWords) {
    if (const auto length = length_of_words(after, words.text)) {
      return Relation{words.relation, true, after.substr(*length)};
    }
  }
  return std::nullopt;
}

/// Reads a quoted text from the front of `left`, whose first character is a quote.
std::string take_quoted(std::string_view whole, std::string_view& left) {
  std::string result;
  for (std::size_t i = 1; i < left.size(); ++i) {
    if (left[i] != '"') {
      result += left[i];
    } else if (i + 1 < left.size() && left[i + 1] == '"') {
      result += '"';
      ++i;
    } else {
      left.remove_prefix(i + 1);
      return result;
    }
  }
  fail(whole, "has a double quote that is not closed; close it, and write \"\" for one inside");
}

struct NamedRelation {
  std::string column;
  Relation relation;
};

NamedRelation read_name(std::string_view whole, std::span<const std::string> columns) {
  const std::string_view text = without_leading_spaces(whole);
  std::optional<NamedRelation> longest;
  for (const std::string& name : columns) {
    for (const std::string_view begin : {whole, text}) {  // a name may begin with a space
      if (begin.starts_with(name) && (!longest || name.size() > longest->column.size())) {
        if (const auto relation = relation_at(begin.substr(name.size()), false)) {
          longest = NamedRelation{name, *relation};
        }
      }
    }
  }
  if (longest) {
    return *longest;
  }
  if (text.starts_with('"')) {
    std::string_view left = text;
    const std::string name = take_quoted(whole, left);
    if (const auto relation = relation_at(left, true)) {
      return {name, *relation};
    }
    fail_form(whole);
  }
  for (std::size_t place = 1; place < text.size(); ++place) {
    if (const auto relation = relation_at(text.substr(place), false)) {
      return {std::string(trimmed(text.substr(0, place))), *relation};
    }
  }
  fail_form(whole);
}

/// A value from the front of `left`, up to a comma if it is one of a list.
std::string take_value(std::string_view whole, bool is_list, std::string_view& left) {
  left = without_leading_spaces(left);
  if (!left.starts_with('"')) {
    const std::size_t end = is_list ? std::min(left.find(','), left.size()) : left.size();
    const std::string_view value = trimmed(left.substr(0, end));
    left.remove_prefix(end);
    return std::string(value);
  }
  std::string value = take_quoted(whole, left);
  left = without_leading_spaces(left);
  if (!left.empty() && !(is_list && left.starts_with(','))) {
    fail(whole, "goes on after a value in double quotes; write \"\" for a quote within a value");
  }
  return value.empty() ? "\"\"" : value;  // not the empty value, which stands for a missing one
}

}  // namespace

SampleCondition parse_condition(std::string_view text, std::span<const std::string> columns) {
  auto [column, relation] = read_name(text, columns);
  SampleCondition result(std::move(column), relation.relation);
  std::string_view left = relation.rest;
  if (relation.relation == ConditionRelation::kMissing ||
      relation.relation == ConditionRelation::kNotMissing) {
    if (!trimmed(left).empty()) {
      fail_form(text);
    }
    return result;
  }
  const bool may_be_empty = !relation.is_list && (relation.relation == ConditionRelation::kIn ||
                                                  relation.relation == ConditionRelation::kNotIn);
  if (!may_be_empty && trimmed(left).empty()) {
    fail(text, fmt::format("has no value; give {}, or ask with 'is missing' or 'is not missing'",
                           relation.is_list ? "some, with commas between them" : "one to compare"));
  }
  result.values.push_back(take_value(text, relation.is_list, left));
  while (!left.empty()) {
    left.remove_prefix(1);  // the comma
    result.values.push_back(take_value(text, relation.is_list, left));
  }
  return result;
}

}  // namespace mehler

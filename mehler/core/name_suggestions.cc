#include "mehler/core/name_suggestions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "mehler/core/lower_case.h"

namespace mehler {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] =
          std::min({above + 1, row[j] + 1, diagonal + static_cast<std::size_t>(a[i] != b[j])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::string> all_shown(std::span<const std::string> names) {
  std::vector<std::string> result;
  std::transform(names.begin(), names.end(), std::back_inserter(result), shown);
  return result;
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr std::size_t kMostCharacters = 80;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(name[i]) & 0xC0) != 0x80;  // of UTF-8
    characters += begins ? 1 : 0;
    // What is not UTF-8 may have no beginnings at all; four bytes are the most that one has.
    if (characters > kMostCharacters || i == 4 * kMostCharacters) {
      return std::string(name.substr(0, i)) + "...";
    }
  }
  return std::string(name);
}

std::vector<std::string> near_names(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 1000;  // the work grows with the product of both lengths
  if (name.size() > kLongest) {
    return {};
  }
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& candidate : known) {
    if (candidate.size() > 2 * kLongest) {
      continue;
    }
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (3 * distance <= std::max(name.size(), candidate.size())) {
      scored.emplace_back(distance, candidate);
    }
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, scored.size()); ++i) {
    result.push_back(scored[i].second);
  }
  return result;
}

std::string list_names(std::span<const std::string> names) {
  constexpr std::size_t kShown = 12;
  std::string list =
      fmt::format("{}", fmt::join(all_shown(names.first(std::min(kShown, names.size()))), ", "));
  if (names.size() > kShown) {
    list += fmt::format(" and {} more", names.size() - kShown);
  }
  return list;
}

std::string quoted_columns(std::span<const std::string> names) {
  constexpr std::size_t kShown = 100;
  const auto first = all_shown(names.first(std::min(kShown, names.size())));
  return fmt::format(
      "the column{} '{}'{}", names.size() == 1 ? "" : "s", fmt::join(first, "', '"),
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : std::string());
}

std::string suggest_names(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string> near = near_names(name, known);
  if (!near.empty()) {
    return fmt::format("; did you mean '{}'?", fmt::join(all_shown(near), "' or '"));
  }
  return known.empty() ? "" : "; known names: " + list_names(known);
}

}  // namespace mehler

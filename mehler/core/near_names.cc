#include "mehler/core/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace mehler {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

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

}  // namespace

std::vector<std::string> near_names(std::string_view name, std::span<const std::string> known) {
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& candidate : known) {
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
  std::string shown =
      fmt::format("{}", fmt::join(names.first(std::min(kShown, names.size())), ", "));
  if (names.size() > kShown) {
    shown += fmt::format(" and {} more", names.size() - kShown);
  }
  return shown;
}

std::string suggest_names(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string> near = near_names(name, known);
  if (!near.empty()) {
    return fmt::format("; did you mean '{}'?", fmt::join(near, "' or '"));
  }
  return known.empty() ? "" : "; known names: " + list_names(known);
}

}  // namespace mehler

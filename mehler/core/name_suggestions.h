#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mehler {

/// A name that came from outside, as messages quote it: at most 80 characters, then "...".
std::string shown(std::string_view name);

/// Up to three of `known` that `name` may have been meant to be, best first: at most a third of the
/// longer name's letters differ (insertions, deletions, replacements; case does not count).
std::vector<std::string> near_names(std::string_view name, std::span<const std::string> known);

/// "a, b, c": at most twelve, as shown() shows them, then how many more.
std::string list_names(std::span<const std::string> names);

/// "the column 'a'", "the columns 'a', 'b'": at most a hundred, then how many more.
std::string quoted_columns(std::span<const std::string> names);

/// The end of an error message about an unknown name: "; did you mean 'a' or 'b'?" when something
/// is near, else "; known names: a, b, c", as list_names() shows them.
std::string suggest_names(std::string_view name, std::span<const std::string> known);

}  // namespace mehler

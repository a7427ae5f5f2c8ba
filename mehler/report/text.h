#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/release/release.h"

namespace mehler {

/// "48,842" where the number is public, "about 48,830" where it is noisy; of a negative one that it
/// cannot be told from noise.
std::string record_count_words(const Release& release);

/// The same as "48,842 records".
std::string records_words(const Release& release);

/// A share in two digits: "0.013%", "2.4%", "37%".
std::string percent_words(double share);

/// "1,234,567".
std::string group_digits(std::uint64_t value);

/// Breaks a paragraph into lines of at most `width` characters, each after `indent` spaces.
std::string wrap(std::string_view paragraph, std::size_t indent, std::size_t width = 100);

/// Rows of cells as aligned columns, each after `indent` spaces; the first row is the heading.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

}  // namespace mehler

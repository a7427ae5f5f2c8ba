#include "mehler/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mehler {
namespace {

/// The number of characters a UTF-8 text takes on a terminal, near enough for column names.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string record_count_words(const Release& release) {
  const double count = std::round(release.record_count());
  if (count < 0.0) {
    return "too few to be told from noise";
  }
  return fmt::format("{}{}", release.statement().public_rows ? "" : "about ",
                     group_digits(static_cast<std::uint64_t>(count)));
}

std::string records_words(const Release& release) {
  return std::round(release.record_count()) < 0.0 ? "too few records to be told from noise"
                                                  : record_count_words(release) + " records";
}

std::string percent_words(double share) {
  const double percent = 100.0 * share;
  return percent < 1.0 ? fmt::format("{:.2g}%", percent)
                       : fmt::format("{:.{}f}%", percent, percent < 10.0 ? 1 : 0);
}

std::string group_digits(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string wrap(std::string_view paragraph, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line(indent, ' ');
  bool empty = true;
  while (!paragraph.empty()) {
    const std::size_t end = std::min(paragraph.find(' '), paragraph.size());
    const std::string_view word = paragraph.substr(0, end);
    paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
    if (!empty && shown_width(line) + 1 + shown_width(word) > width) {
      result += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + std::string(word);
    empty = false;
  }
  return result + line + "\n";
}

std::string align_columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], shown_width(row[i]));
    }
  }
  std::string result;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) {
        line.append(widths[i] - shown_width(row[i]) + 2, ' ');
      }
    }
    result += line + "\n";
  }
  return result;
}

}  // namespace mehler

#include "html_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mehler/core/error.h"
#include "mehler/report/image_grid.h"
#include "mehler/table/readers/png_image.h"
#include "table_options.h"

namespace mehler {
namespace {

/// A word as a shell reads it back.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string result = "'";
  for (const char c : word) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

}  // namespace

void HtmlOutput::add_to(CLI::App& command) {
  command
      .add_option("--html", path_,
                  "Write the figures as a page to look at, instead of onto the screen: one file "
                  "that loads nothing from anywhere. It says who may see it")
      ->type_name("FILE");
}

void HtmlOutput::open(const std::vector<std::string>& others) {
  if (!given()) {
    return;
  }
  if (path_ == "-") {
    throw Error(ErrorCode::kInvalidArgument,
                "--html writes a file, and '-' is none; name one, such as report.html");
  }
  require_other_file(path_, others);
  file_ = std::make_unique<AtomicFile>(path_);
}

void HtmlOutput::write(const std::string& page, const std::string& who) {
  file_->write(page);
  file_->commit();
  if (!who.empty()) {
    fmt::print("Wrote {}. {}\n", path_, who);
  }
}

std::string command_words(const CLI::App& command) {
  std::vector<std::string> words = {command.get_name()};
  for (const CLI::App* parent = command.get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    words.insert(words.begin(), parent->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) {
      continue;
    }
    const bool is_flag = option->get_expected_max() == 0;
    const std::vector<std::string> values =
        is_flag ? std::vector<std::string>() : option->results();
    if (is_flag) {
      words.push_back(option->get_name());
    }
    for (const std::string& value : values) {
      words.push_back(option->get_name());
      words.push_back(quoted(value));
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

void add_picture(const std::vector<ImageSamples>& samples, PageOrigin& origin) {
  if (samples.empty()) {
    return;
  }
  std::vector<ImageGridRow> rows;
  std::vector<std::string> labels;
  for (const ImageSamples& row : samples) {
    rows.push_back({row.label, {row.shape, row.pixels}});
    labels.push_back(row.label);
  }
  const ImageValues grid = image_grid(rows);
  origin.picture = encode_png(grid.shape, grid.pixels);
  origin.picture_words =
      labels.front().empty()
          ? "The first images of the synthetic set."
          : fmt::format(
                "The first {} images of each class of the synthetic set, a class a row, "
                "from the top: {}.",
                kSamplesOfClass, fmt::join(labels, ", "));
}

}  // namespace mehler

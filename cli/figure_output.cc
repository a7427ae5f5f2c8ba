#include "figure_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "table_options.h"

namespace mehler {

void FigureOutput::add_to(CLI::App& command, bool has_json, bool has_csv) {
  CLI::Option* json = nullptr;
  if (has_json) {
    json = command.add_flag("--json", json_, "As JSON, for programs");
  }
  if (has_csv) {
    command.add_flag("--csv", csv_, "As CSV, for programs")->excludes(json);
  }
  command.add_option("-o,--output", path_, "Where to write the figures; by default the screen")
      ->type_name("FILE");
}

void FigureOutput::open(const std::vector<std::string>& inputs) {
  if (!path_.empty() && path_ != "-") {
    require_other_file(path_, inputs);
    file_ = std::make_unique<AtomicFile>(path_);
  }
}

void FigureOutput::write(std::string_view text) {
  if (file_ == nullptr) {
    fmt::print("{}", text);
    return;
  }
  file_->write(text);
  file_->commit();
  fmt::print("Wrote {}.\n", path_);
}

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

}  // namespace mehler

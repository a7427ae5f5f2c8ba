#include "table_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mehler/core/context.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/options.h"

namespace mehler {

void TableOptions::add_to(CLI::App& command, bool required) {
  CLI::Option* table = command
                           .add_option("TABLE", paths_,
                                       "CSV, Parquet, Arrow or an Excel workbook (.xlsx): one or "
                                       "more files, a folder of parts (also in folders "
                                       "key=value), or - for standard input. "
                                       "Gzip and zstd are read as they are. Images: IDX or .npy "
                                       "(labels lie beside them, named labels instead of images, "
                                       "or are given right behind them), .npz, or a folder of "
                                       "PNG files (in folders named after labels, or with a "
                                       "labels.csv: file,label)")
                           ->type_name("");
  if (required) {
    table->required();
  }
  add_reading_to(command);
}

void TableOptions::add_reading_to(CLI::App& command) {
  const std::string group = "How the table is written";
  command
      .add_option("--format", format_,
                  "csv, parquet, arrow, idx, numpy or png (a folder of them); by default the "
                  "file's ending says it")
      ->type_name("FORMAT")
      ->group(group);
  command
      .add_option("--delimiter", delimiter_,
                  "Character between CSV fields, 'tab' for a tab; by default what the schema says, "
                  "else a comma ('schema init' finds it out)")
      ->type_name("C")
      ->group(group);
  command
      .add_flag("--no-header", no_header_,
                "The CSV has no line of column names; a schema can say so too")
      ->group(group);
  command
      .add_option("--column-names", column_names_,
                  "Names for a CSV without a header, separated by commas; by default the schema's, "
                  "in order")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,...")
      ->group(group);
  command
      .add_option(
          "--null", null_spellings_,
          "A spelling of missing values in CSV, such as '?' or NA, instead of the schema's; "
          "may be repeated. Empty fields are always missing")
      ->type_name("TEXT")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--trim-spaces", trim_spaces_, "Drop spaces around CSV fields")->group(group);
  command.add_option("--skip-lines", skip_lines_, "Lines to leave out at the top of each CSV file")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--decimal", decimal_,
                  "Decimal sign of CSV numbers, '.' or ','; by default what the schema says")
      ->type_name("C")
      ->group(group);
  command
      .add_option("--thousands", thousands_,
                  "Separator of thousands in CSV numbers: one of . , ' or 'space' or 'none'; by "
                  "default what the schema says")
      ->type_name("C")
      ->group(group);
  command
      .add_option("--encoding", encoding_,
                  fmt::format("Encoding of CSV text: {}; by default what the schema says, else "
                              "utf-8",
                              fmt::join(encoding_names(), ", ")))
      ->type_name("NAME")
      ->group(group);
  command.add_option("--sheet", sheet_, "Sheet of an Excel workbook (.xlsx); by default the first")
      ->type_name("NAME")
      ->group(group);
}

TableReader TableOptions::open_noting_misfit(std::size_t threads, const Schema& schema,
                                             std::shared_ptr<std::string> misfit) const {
  TableReadOptions options = parse(threads);
  options.misfit_column = std::move(misfit);
  return TableReader(paths_, options, &schema);
}

TableReader TableOptions::open(const std::vector<std::string>& paths, std::size_t threads,
                               const Schema* schema) const {
  return TableReader(paths, parse(threads), schema);
}

std::vector<TableReader> TableOptions::open_several(
    const std::vector<std::pair<std::string, OptionsFor>>& tables, std::size_t threads,
    const Schema* schema) const {
  TableReadOptions options = parse(threads);
  std::vector<TableReader> readers;
  bool any_csv = false;
  for (const auto& [path, given_for] : tables) {
    options.given_for = given_for;
    readers.emplace_back(std::vector{path}, options, schema);
    any_csv |= readers.back().may_be_csv();
  }
  if (!any_csv) {
    open({tables.front().first}, threads, schema);  // refuses an option of CSV
  }
  return readers;
}

TableReadOptions TableOptions::parse(std::size_t threads) const {
  TableReadOptions options;
  if (!format_.empty()) {
    options.format = table_format_from_name(format_);
  }
  if (delimiter_ == "tab" || delimiter_ == "\\t") {
    options.delimiter = '\t';
  } else if (delimiter_.size() == 1) {
    options.delimiter = delimiter_[0];
  } else if (!delimiter_.empty()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("--delimiter must be one character, or 'tab', but is '{}'", shown(delimiter_)));
  }
  if (!column_names_.empty() && !no_header_) {
    throw Error(
        ErrorCode::kInvalidArgument,
        "--column-names is for a CSV without a header; add --no-header, or leave the names out");
  }
  if (no_header_) {
    options.header = false;
  }
  options.column_names = column_names_;
  options.null_spellings = null_spellings_;
  options.trim_spaces = trim_spaces_;
  if (!skip_lines_.empty()) {
    options.skip_lines = parse_count(skip_lines_, "--skip-lines", 0, 1'000'000'000);
  }
  if (!decimal_.empty()) {
    if (decimal_ != "." && decimal_ != ",") {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--decimal must be '.' or ',', but is '{}'", shown(decimal_)));
    }
    options.decimal = decimal_[0];
  }
  if (!thousands_.empty()) {
    options.thousands = thousands_ == "none" ? "" : thousands_ == "space" ? " " : thousands_;
  }
  if (!sheet_.empty()) {
    options.sheet = sheet_;
  }
  if (!encoding_.empty()) {
    options.encoding = encoding_from_name(encoding_);
    if (!options.encoding) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--encoding '{}' is not known; known are {}", shown(encoding_),
                              fmt::join(encoding_names(), ", ")));
    }
  }
  options.threads = threads;
  return options;
}

void require_other_file(const std::filesystem::path& output,
                        const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (std::filesystem::equivalent(output, input, ignored)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the output '{}' is a file that is read, and would be overwritten; choose another "
              "name",
              output.string()));
    }
  }
}

std::size_t threads_or_all(const std::string& given) {
  return given.empty() ? Context::available_threads() : parse_count(given, "--threads", 1, 1024);
}

}  // namespace mehler

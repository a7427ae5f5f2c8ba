#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "figure_output.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/core/strict_json.h"
#include "mehler/evaluation/kernels/median_heuristic.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "mehler/features/feature_set.h"
#include "mehler/features/length_scale.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct RhoOptions {
  std::string length_scale;
  std::string rho;
  std::string scale = "1";
  bool json = false;
};

void run_rho(const RhoOptions& options) {
  if (options.length_scale.empty() == options.rho.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "give either --length-scale, to get its rho, or --rho, to get its length scale");
  }
  const double scale = parse_number(options.scale, "--scale");
  double rho = 0.0;
  double length_scale = 0.0;
  if (options.rho.empty()) {
    length_scale = parse_number(options.length_scale, "--length-scale");
    rho = rho_of_length_scale(length_scale, scale);
  } else {
    rho = parse_number(options.rho, "--rho");
    length_scale = length_scale_of_rho(rho, scale);
  }
  if (options.json) {
    fmt::print("{}\n",
               Json{{"length_scale", length_scale}, {"scale", scale}, {"rho", rho}}.dump(2));
  } else {
    fmt::print("length scale {}   rho {}   (inputs stretched by {})\n", length_scale, rho, scale);
  }
}

struct LengthScaleOptions {
  TableOptions table;
  std::string schema;
  bool is_public = false;
  FigureOutput output;
};

/// A median distance in the column's own units: days for dates, seconds for times. On a transformed
/// scale a distance has no such units.
std::optional<double> own_units(const Column& column, std::optional<double> median) {
  if (!median || column.transform != NumberTransform::kNone) {
    return std::nullopt;
  }
  const double distance = 0.5 * column.bounds->width() * *median;
  return column.kind == ColumnKind::kDatetime ? distance / 1e6 : distance;
}

std::string_view unit_words(const Column& column) {
  return column.kind == ColumnKind::kDate       ? " days"
         : column.kind == ColumnKind::kDatetime ? " s"
                                                : "";
}

/// Why a column has no length scale; empty if it has one.
std::string_view why_not(const ColumnLengthScale& found) {
  if (!found.median) {
    return "fewer than two values are present";
  }
  if (*found.median == 0.0) {
    return "more than half of the pairs are equal; choose one yourself";
  }
  return *found.median < HermiteFeatures::kMinLengthScale
             ? "below 0.001, the smallest length scale; declare narrower bounds"
             : "";
}

std::string text_of(const Schema& schema, const std::vector<ColumnLengthScale>& found) {
  std::vector<std::vector<std::string>> rows = {{"column", "length scale", "median distance", ""}};
  std::string option;
  for (const ColumnLengthScale& column : found) {
    const Column& declared = *schema.find(column.column);
    const std::string_view problem = why_not(column);
    const std::optional<double> distance = own_units(declared, column.median);
    rows.push_back({column.column, problem.empty() ? fmt::format("{:.4g}", *column.median) : "-",
                    distance ? fmt::format("{:.4g}{}", *distance, unit_words(declared)) : "-",
                    std::string(problem)});
    if (problem.empty()) {
      option += fmt::format(" --length-scale '{}={:.4g}'", column.column, *column.median);
    }
  }
  return fmt::format("{}\n{}{}", align_columns(rows, 2),
                     wrap("Length scales are measured where the declared bounds are -1 and 1, on "
                          "the scale of a declared transform. They were read from "
                          "the records, because --public says that the table needs no protection.",
                          0),
                     option.empty() ? "" : fmt::format("As options:{}\n", option));
}

Json json_of(const Schema& schema, const std::vector<ColumnLengthScale>& found) {
  Json json = Json::array();
  for (const ColumnLengthScale& column : found) {
    const bool has_one = why_not(column).empty();
    const std::optional<double> distance = own_units(*schema.find(column.column), column.median);
    json.push_back(Json{{"column", column.column},
                        {"length_scale", has_one ? Json(*column.median) : Json()},
                        {"median_distance", distance ? Json(*distance) : Json()},
                        {"problem", has_one ? Json() : Json(why_not(column))}});
  }
  return json;
}

void run_length_scale(LengthScaleOptions& options) {
  if (!options.is_public) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "the median heuristic reads every record, and what it gives is a statistic of them "
            "without noise, which would tell of private records; add --public if the table is "
            "published or simulated and needs no protection, else keep the default length scale, "
            "{}, or take one from public knowledge",
            HermiteFeatures::kDefaultLengthScale));
  }
  std::vector<std::string> inputs = options.table.paths();
  inputs.push_back(options.schema);
  options.output.open(inputs);
  const Schema schema = Schema::from_file(options.schema).without_privacy_unit();
  schema.require_declared();
  schema.refuse_images("a kernel of columns");
  const Encoder encoder(schema);
  const Context context{1, nullptr, &interrupted};
  const TableReader reader = options.table.open(Context::available_threads(), &schema);
  const PublicRecords records(read_records(encoder, reader.parts(), context), DeclaredPublic{});
  const std::vector<ColumnLengthScale> found = median_heuristic(encoder, records);
  if (found.empty()) {
    throw Error(ErrorCode::kInvalidSchema,
                "the schema has no column of numbers, dates or times, and categories have no "
                "length scale; nothing is to be chosen");
  }
  options.output.write(options.output.style() == FigureOutput::Style::kJson
                           ? json_of(schema, found).dump(2) + "\n"
                           : text_of(schema, found));
}

void add_rho_command(CLI::App& kernel) {
  CLI::App* command =
      kernel.add_subcommand("rho",
                            "From a kernel's length scale to the rho of its Hermite "
                            "features, and back: 1/(2 l^2) = rho/(1 - rho^2)");
  auto options = std::make_shared<RhoOptions>();
  command->add_option("--length-scale", options->length_scale, "A length scale, greater than 0")
      ->type_name("L");
  command->add_option("--rho", options->rho, "A rho, between 0 and 1")->type_name("R");
  command
      ->add_option("--scale", options->scale,
                   "What the inputs are multiplied by before the features; default 1")
      ->type_name("A");
  command->add_flag("--json", options->json, "As JSON, for programs");
  command->callback([options] { run_rho(*options); });
}

void add_length_scale_command(CLI::App& kernel) {
  CLI::App* command = kernel.add_subcommand(
      "length-scale",
      "The median heuristic: a length scale for each column from the records of a public table");
  auto options = std::make_shared<LengthScaleOptions>();
  options->table.add_to(*command, true);
  command->add_option("--schema", options->schema, "The table's schema")
      ->required()
      ->type_name("FILE");
  command->add_flag("--public", options->is_public,
                    "The table needs no protection: its records may be read for this");
  options->output.add_to(*command, true, false);
  command->callback([options] { run_length_scale(*options); });
}

}  // namespace

void add_kernel_command(CLI::App& program) {
  CLI::App* kernel = program.add_subcommand(
      "kernel", "Tools around the Gaussian kernel: rho, approximation errors, MMD, length scales");
  kernel->require_subcommand(1);
  add_rho_command(*kernel);
  add_kernel_error_command(*kernel);
  add_kernel_features_command(*kernel);
  add_kernel_mmd_command(*kernel);
  add_length_scale_command(*kernel);
}

}  // namespace mehler

#include <fmt/format.h>

#include <cmath>

#include "figure_output.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/core/strict_json.h"
#include "mehler/evaluation/kernels/mmd.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr const char* kNoGuarantee =
    "These figures were computed from the records of both tables, without noise. No privacy "
    "guarantee covers them: where a table is private, they are for its owner only and must not be "
    "published.";

struct MmdOptions {
  std::string first;
  std::string second;
  TableOptions tables;
  std::string schema;
  std::vector<std::string> length_scales;
  std::string order = fmt::format("{}", HermiteFeatures::kDefaultOrder);
  bool approximate_only = false;
  std::string threads;
  FigureOutput output;
};

KernelOptions kernel_options(const MmdOptions& options) {
  KernelOptions result;
  for (const std::string& text : options.length_scales) {
    const auto [column, value] = parse_column_number(text, "--length-scale");
    if (column.empty()) {
      result.length_scale = value;
    } else {
      result.column_length_scales[column] = value;
    }
  }
  return result;
}

/// What was measured.
struct MmdFigures {
  std::size_t first_rows = 0;
  std::size_t second_rows = 0;
  std::size_t order = 0;
  std::optional<KernelValues> exact;
  double approximate = 0.0;
};

Json json_of(const Encoder& encoder, const RecordKernel& kernel, const MmdFigures& figures) {
  Json json{{"records", {figures.first_rows, figures.second_rows}},
            {"label", kernel.label() ? Json(encoder.columns()[*kernel.label()].name) : Json()},
            {"length_scales", Json::object()}};
  for (const RecordKernel::ColumnKernel& column : kernel.columns()) {
    json["length_scales"][encoder.columns()[column.column].name] =
        column.length_scale ? Json(*column.length_scale) : Json();
  }
  json["sum_kernel"] =
      Json{{"exact_squared_mmd", figures.exact ? Json(figures.exact->sum) : Json()},
           {"approximate_squared_mmd", figures.approximate},
           {"order", figures.order}};
  json["product_kernel"] =
      Json{{"exact_squared_mmd", figures.exact ? Json(figures.exact->product) : Json()}};
  json["privacy"] = kNoGuarantee;
  return json;
}

std::string text_of(const Encoder& encoder, const RecordKernel& kernel, const MmdFigures& figures) {
  const auto row = [](const char* name, const char* how, double squared) {
    return std::vector<std::string>{name, how, fmt::format("{:.6g}", squared),
                                    fmt::format("{:.6g}", std::sqrt(squared))};
  };
  std::vector<std::vector<std::string>> rows = {{"kernel", "", "MMD^2", "MMD"}};
  if (figures.exact) {
    rows.push_back(row("sum", "exact, biased estimator", figures.exact->sum));
  }
  const std::string how = fmt::format("from mean features of order {}", figures.order);
  rows.push_back(row("sum", how.c_str(), figures.approximate));
  if (figures.exact) {
    rows.push_back(row("product", "exact, biased estimator", figures.exact->product));
  }
  return fmt::format(
      "Maximum mean discrepancy of {} and {} records over {} columns\n{}\n{}\n{}\n{}",
      group_digits(figures.first_rows), group_digits(figures.second_rows), kernel.columns().size(),
      kernel.label()
          ? fmt::format("and the label '{}': records of different classes have kernel 0\n",
                        encoder.columns()[*kernel.label()].name)
          : "",
      align_columns(rows, 2),
      wrap("The sum kernel compares column by column, the product kernel the joint distribution. "
           "Two "
           "samples of one distribution have an MMD^2 of about 1/records, not 0.",
           0),
      wrap(kNoGuarantee, 0));
}

/// The status line lives here, so that it is gone before the figures are printed.
MmdFigures measure(const MmdOptions& options, const Encoder& encoder, const RecordKernel& kernel,
                   std::size_t order, std::size_t threads) {
  StatusLine line(false);
  const Context context{threads,
                        [&](const Progress& progress) {
                          line.show(fmt::format("comparing  {:.0f}%", 100.0 * progress.fraction));
                        },
                        &interrupted};
  const std::vector<TableReader> readers = options.tables.open_several(
      {{options.first, OptionsFor::kOtherTables}, {options.second, OptionsFor::kOtherTables}},
      threads, &encoder.schema());
  const EncodedBatch first = read_records(encoder, readers[0].parts(), context);
  const EncodedBatch second = read_records(encoder, readers[1].parts(), context);
  MmdFigures figures{first.rows, second.rows, order, std::nullopt, 0.0};
  const SumKernelFeatures features(kernel, order);
  figures.approximate = squared_distance(features.mean(first), features.mean(second));
  if (!options.approximate_only) {
    figures.exact = exact_squared_mmd(kernel, first, second, context);
  }
  return figures;
}

void run_mmd(MmdOptions& options) {
  if (options.first == "-" && options.second == "-") {
    throw Error(ErrorCode::kInvalidArgument,
                "both tables are standard input, which can be read once; name a file for one");
  }
  options.output.open({options.first, options.second, options.schema});
  const std::size_t threads = threads_or_all(options.threads);
  const std::size_t order = parse_count(options.order, "--order", 1, HermiteFeatures::kMaxOrder);
  const Schema schema = Schema::from_file(options.schema).without_privacy_unit();
  schema.require_declared();
  schema.refuse_images("a kernel of columns");
  const Encoder encoder(schema);
  const RecordKernel kernel(encoder, kernel_options(options));
  const MmdFigures figures = measure(options, encoder, kernel, order, threads);
  options.output.write(options.output.style() == FigureOutput::Style::kJson
                           ? json_of(encoder, kernel, figures).dump(2) + "\n"
                           : text_of(encoder, kernel, figures));
}

}  // namespace

void add_kernel_mmd_command(CLI::App& kernel) {
  CLI::App* command = kernel.add_subcommand(
      "mmd",
      "How far two tables are apart: exact and approximate MMD. Reads the records of both; not "
      "covered by a privacy guarantee");
  auto options = std::make_shared<MmdOptions>();
  command->add_option("A", options->first, "A table: CSV, Parquet or Arrow; - for standard input")
      ->required()
      ->type_name("");
  command->add_option("B", options->second, "The other table, of the same columns")
      ->required()
      ->type_name("");
  options->tables.add_reading_to(*command);
  command->add_option("--schema", options->schema, "The schema of both tables")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--length-scale", options->length_scales,
          fmt::format("Kernel length scale where the declared bounds are -1 and 1; default {}. "
                      "COLUMN=L sets it for one column; may be repeated",
                      HermiteFeatures::kDefaultLengthScale))
      ->type_name("L")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option(
          "--order", options->order,
          "Order of the Hermite features of the approximate MMD; default " + options->order)
      ->type_name("C");
  command->add_flag("--approximate-only", options->approximate_only,
                    "Leave out the exact figures, whose cost grows with the square of the records");
  command
      ->add_option("--threads", options->threads,
                   "Worker threads; by default all cores. Never changes the figures")
      ->type_name("T");
  options->output.add_to(*command, true, false);
  command->callback([options] { run_mmd(*options); });
}

}  // namespace mehler

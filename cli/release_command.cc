#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/synthesis/mean_embedding.h"
#include "number_options.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct ReleaseOptions {
  TableOptions table;
  std::string schema;
  std::string output;
  std::string epsilon;
  std::string delta;
  std::string order = std::to_string(HermiteOptions::kDefaultOrder);
  std::vector<std::string> length_scales;
  std::vector<std::string> weights;
  std::string threads;
  bool quiet = false;
};

/// Splits "column=number"; the column is empty for a bare number.
std::pair<std::string, double> parse_column_number(const std::string& text,
                                                   const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    return {"", parse_number(text, option)};
  }
  return {text.substr(0, equals), parse_number(text.substr(equals + 1), option)};
}

HermiteOptions hermite_options(const ReleaseOptions& options) {
  HermiteOptions result;
  result.order = parse_count(options.order, "--order", 1, HermiteFeatures::kMaxOrder);
  for (const std::string& text : options.length_scales) {
    const auto [column, value] = parse_column_number(text, "--length-scale");
    if (column.empty()) {
      result.length_scale = value;
    } else {
      result.column_length_scales[column] = value;
    }
  }
  for (const std::string& text : options.weights) {
    const auto [column, value] = parse_column_number(text, "--weight");
    if (column.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--weight takes COLUMN=NUMBER, but got '{}'", text));
    }
    result.column_weights[column] = value;
  }
  return result;
}

void run_release(const ReleaseOptions& options) {
  const PrivacyBudget budget{parse_number(options.epsilon, "--epsilon"),
                             parse_number(options.delta, "--delta")};
  Accountant accountant(budget);
  const Schema schema = Schema::from_file(options.schema);
  schema.require_declared();
  const HermiteOptions features = hermite_options(options);
  const std::size_t threads = threads_or_all(options.threads);
  AtomicFile file(options.output);
  const TableReader reader = options.table.open(threads, &schema);
  const Release release = [&] {
    ProgressLine line("reading", options.quiet,
                      [progress = reader.progress()] { return progress->fraction(); });
    const Context context{threads, line.callback(), &interrupted};
    return release_mean_embedding(PrivateTable(reader.parts(), schema), features, accountant,
                                  context);
  }();
  release.write(file);
  if (options.quiet) {
    return;
  }
  fmt::print("Wrote {}: {} noisy sums in {} blocks, {} records.\n", options.output,
             group_digits(release.features().dimension()), release.blocks().size(),
             record_count_words(release));
  fmt::print("{}", wrap(release.statement().in_words(), 0));
  fmt::print("See it with: mehler inspect {}\n", options.output);
}

}  // namespace

void add_release_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "release", "Read a private table once and write noisy sums that are safe to publish");
  auto options = std::make_shared<ReleaseOptions>();
  options->table.add_to(*command, true);
  command->add_option("--schema", options->schema, "The table's schema; all of it becomes public")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--epsilon", options->epsilon,
                   "Privacy loss, greater than 0; smaller is more private. No default")
      ->required()
      ->type_name("E");
  command
      ->add_option("--delta", options->delta,
                   "Probability that the loss exceeds epsilon, between 0 and 1; well below "
                   "1/records. No default")
      ->required()
      ->type_name("D");
  command
      ->add_option("--order", options->order,
                   fmt::format("Order of the Hermite features of numbers, 1 to {}; default {}",
                               HermiteFeatures::kMaxOrder, HermiteOptions::kDefaultOrder))
      ->type_name("C");
  command
      ->add_option(
          "--length-scale", options->length_scales,
          fmt::format("Kernel length scale where the declared bounds are -1 and 1; default {}. "
                      "COLUMN=L sets it for one column; may be repeated",
                      HermiteOptions::kDefaultLengthScale))
      ->type_name("L")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--weight", options->weights,
                   "COLUMN=W gives a column's sums W times less noise than those of weight 1; may "
                   "be repeated")
      ->type_name("COLUMN=W")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--threads", options->threads,
                   "Worker threads; by default all cores. Never changes the result")
      ->type_name("T");
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command->add_option("-o,--output", options->output, "Where to write the release")
      ->required()
      ->type_name("FILE");
  command->callback([options] { run_release(*options); });
}

}  // namespace mehler

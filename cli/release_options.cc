#include "release_options.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/synthesis/mean_embedding.h"
#include "number_options.h"
#include "terminal.h"

namespace mehler {
namespace {

/// Splits "column=number"; the column is empty for a bare number.
std::pair<std::string, double> parse_column_number(const std::string& text,
                                                   const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    return {"", parse_number(text, option)};
  }
  return {text.substr(0, equals), parse_number(text.substr(equals + 1), option)};
}

}  // namespace

EmbeddingOptions ReleaseFlags::hermite_options() const {
  EmbeddingOptions result;
  result.order = parse_count(order_, "--order", 1, HermiteFeatures::kMaxOrder);
  for (const std::string& text : length_scales_) {
    const auto [column, value] = parse_column_number(text, "--length-scale");
    if (column.empty()) {
      result.length_scale = value;
    } else {
      result.column_length_scales[column] = value;
    }
  }
  for (const std::string& text : weights_) {
    const auto [column, value] = parse_column_number(text, "--weight");
    if (column.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--weight takes COLUMN=NUMBER, but got '{}'", text));
    }
    result.column_weights[column] = value;
  }
  return result;
}

std::vector<std::string> ReleaseFlags::inputs() const {
  std::vector<std::string> paths = table_.paths();
  paths.push_back(schema_);
  return paths;
}

Release ReleaseFlags::run(bool quiet) const {
  const PrivacyBudget budget{parse_number(epsilon_, "--epsilon"), parse_number(delta_, "--delta")};
  Accountant accountant(budget);
  const Schema schema = Schema::from_file(schema_);
  schema.require_declared();
  const EmbeddingOptions features = hermite_options();
  const TableReader reader = table_.open(threads(), &schema);
  ProgressLine line("reading", quiet,
                    [progress = reader.progress()] { return progress->fraction(); });
  const Context context{threads(), line.callback(), &interrupted};
  return release_mean_embedding(PrivateTable(reader.parts(), schema), features, accountant,
                                context);
}

void ReleaseFlags::add_to(CLI::App& command) {
  table_.add_to(command, true);
  command.add_option("--schema", schema_, "The table's schema; all of it becomes public")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--epsilon", epsilon_,
                  "Privacy loss, greater than 0; smaller is more private. No default")
      ->required()
      ->type_name("E");
  command
      .add_option("--delta", delta_,
                  "Probability that the loss exceeds epsilon, between 0 and 1; well below "
                  "1/records. No default")
      ->required()
      ->type_name("D");
  command
      .add_option("--order", order_,
                  fmt::format("Order of the Hermite features of numbers, 1 to {}; default {}",
                              HermiteFeatures::kMaxOrder, EmbeddingOptions::kDefaultOrder))
      ->type_name("C");
  command
      .add_option(
          "--length-scale", length_scales_,
          fmt::format("Kernel length scale where the declared bounds are -1 and 1; default {}. "
                      "COLUMN=L sets it for one column; may be repeated",
                      EmbeddingOptions::kDefaultLengthScale))
      ->type_name("L")
      ->expected(1)
      ->take_all();
  command
      .add_option("--weight", weights_,
                  "COLUMN=W gives a column's sums W times less noise than those of weight 1; may "
                  "be repeated")
      ->type_name("COLUMN=W")
      ->expected(1)
      ->take_all();
  command
      .add_option("--threads", threads_,
                  "Worker threads; by default all cores. Never changes what is released")
      ->type_name("T");
}

}  // namespace mehler

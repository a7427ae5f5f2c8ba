#include "release_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/features/hermite_features.h"
#include "mehler/features/random_fourier.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/methods.h"
#include "number_options.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr std::size_t kDefaultProductColumns = 2;
constexpr std::size_t kDefaultFrequencies = 500;

/// A public linear map from a file of its own.
LinearMap read_linear_map(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24;
  const std::string what = fmt::format("the linear map '{}'", path);
  const Json json = parse_strict_json(read_whole_file(path, "the linear map", kMaxBytes),
                                      ErrorCode::kInvalidArgument, what);
  JsonObjectReader reader(json, ErrorCode::kInvalidArgument, what);
  LinearMap result;
  for (const Json& name : reader.array("columns")) {
    if (!name.is_string()) {
      reader.fail("has a column whose name is not a text");
    }
    result.columns.push_back(name.get<std::string>());
  }
  for (const Json& row : reader.array("map")) {
    result.rows.emplace_back();
    if (!row.is_array()) {
      reader.fail("must have rows of numbers, such as [[1, 0.5], [0, 2]]");
    }
    for (const Json& coefficient : row) {
      if (!coefficient.is_number()) {
        reader.fail("has a coefficient that is not a number");
      }
      result.rows.back().push_back(coefficient.get<double>());
    }
  }
  reader.finish();
  return result;
}

const std::vector<std::string> kKernels = {"sum", "product", "combined", "fourier"};
constexpr std::string_view kOptionsOfTheSum[] = {"order", "length-scale", "weight"};
constexpr std::string_view kOptionsOfProducts[] = {
    "product",       "product-columns",      "product-subsets", "product-seed", "linear-map",
    "product-order", "product-length-scale", "product-weight",  "product-share"};
constexpr std::string_view kOptionsOfFourier[] = {"frequencies", "fourier-length-scale",
                                                  "fourier-seed"};

bool has_sum(std::string_view kernel) { return kernel == "sum" || kernel == "combined"; }
bool has_products(std::string_view kernel) { return kernel == "product" || kernel == "combined"; }
bool has_fourier(std::string_view kernel) { return kernel == "fourier"; }

bool is_among(std::string_view option, const auto& options) {
  return std::find(std::begin(options), std::end(options), option) != std::end(options);
}

/// Takes "number" as the value for all columns and "column=number" as that of one; each once.
/// `parse` reads a number.
template <typename Number>
void take_column_numbers(const std::vector<std::string>& texts, const std::string& option,
                         const auto& parse, Number& for_all,
                         std::map<std::string, double>& by_column) {
  bool given_for_all = false;
  for (const std::string& text : texts) {
    const auto [column, number] = split_column(text, option);
    if (column.empty() ? given_for_all : by_column.contains(column)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} is given twice for {}; give it once", option,
                              column.empty() ? "all columns" : fmt::format("'{}'", shown(column))));
    }
    if (column.empty()) {
      for_all = parse(number, option);
      given_for_all = true;
    } else {
      by_column[column] =
          static_cast<double>(parse(number, fmt::format("{} of '{}'", option, shown(column))));
    }
  }
}

std::size_t parse_order(const std::string& text, const std::string& option) {
  return parse_count(text, option, 1, HermiteFeatures::kMaxOrder);
}

/// The names of "a,b,c".
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    if (names.back().empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--product names a column without a name in '{}'; write names with "
                              "single commas between, as in age,income",
                              shown(text)));
    }
    begin = comma + 1;
  }
  return names;
}

/// The place of a word among those an option takes.
std::size_t parse_choice(const std::string& text, const std::string& option,
                         const std::vector<std::string>& choices) {
  const auto place = std::find(choices.begin(), choices.end(), text);
  if (place == choices.end()) {
    const std::vector<std::string> near = near_names(text, choices);
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes one of {}, but got '{}'{}", option, fmt::join(choices, ", "),
                            shown(text), near.empty() ? "" : suggest_names(text, choices)));
  }
  return static_cast<std::size_t>(place - choices.begin());
}

}  // namespace

bool is_of_another_kernel(std::string_view option, std::string_view kernel) {
  return (!has_products(kernel) && is_among(option, kOptionsOfProducts)) ||
         (!has_sum(kernel) && is_among(option, kOptionsOfTheSum)) ||
         (!has_fourier(kernel) && is_among(option, kOptionsOfFourier));
}

void ReleaseFlags::require_options_of_the_kernel() const {
  for (const CLI::Option* option : command_->get_options()) {
    const std::string& name = option->get_single_name();
    if (option->count() == 0 || !is_of_another_kernel(name, kernel_)) {
      continue;
    }
    const bool of_products = is_among(name, kOptionsOfProducts);
    const bool of_fourier = is_among(name, kOptionsOfFourier);
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("--{} is given, but --kernel {} has no {}; say --kernel {}, or leave the "
                    "option out",
                    name, kernel_,
                    of_fourier    ? "random Fourier features"
                    : of_products ? "products"
                                  : "sum block",
                    of_fourier    ? "fourier"
                    : of_products ? "combined for a sum block and products, --kernel product"
                                  : "combined for a sum block and products, --kernel sum"));
  }
}

ProductOptions ReleaseFlags::products(const Schema& schema) const {
  ProductOptions result;
  if (is_given("--product-columns")) {
    result.columns = parse_count(product_columns_, "--product-columns", 1, 1000);
  }
  if (is_given("--product-subsets")) {
    result.subsets =
        parse_count(product_subsets_, "--product-subsets", 1, ProductOptions::kMaxSubsets);
  }
  if (is_given("--product-seed")) {
    result.seed = parse_count(product_seed_, "--product-seed", 0, UINT64_MAX);
  }
  for (const std::string& text : products_) {
    result.named.push_back(split_names(text));
  }
  for (const std::string& path : linear_maps_) {
    result.linear.push_back(read_linear_map(path));
  }
  // Nobody asked for products of a table that has too few columns for them.
  const std::size_t columns =
      Encoder(schema).columns().size() - (schema.label() != nullptr ? 1 : 0);
  if (!result.wanted() && (is_given("--kernel") || columns >= kDefaultProductColumns)) {
    result.columns = kDefaultProductColumns;
  }
  if (result.columns == 0 && (is_given("--product-subsets") || is_given("--product-seed"))) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is for products that are drawn, but --product names all there are; "
                    "add --product-columns to draw others besides, or leave it out",
                    is_given("--product-subsets") ? "--product-subsets" : "--product-seed"));
  }
  take_column_numbers(product_orders_, "--product-order", parse_order, result.order,
                      result.column_orders);
  take_column_numbers(product_length_scales_, "--product-length-scale", parse_number,
                      result.length_scale, result.column_length_scales);
  if (is_given("--product-weight")) {
    result.weight = parse_number(product_weight_, "--product-weight");
  }
  return result;
}

FourierOptions ReleaseFlags::fourier() const {
  FourierOptions result;
  result.frequencies = frequencies_.empty() ? kDefaultFrequencies
                                            : parse_count(frequencies_, "--frequencies", 1,
                                                          RandomFourierFeatures::kMaxFrequencies);
  if (is_given("--fourier-length-scale")) {
    result.length_scale = parse_number(fourier_length_scale_, "--fourier-length-scale");
  }
  if (is_given("--fourier-seed")) {
    result.seed = parse_count(fourier_seed_, "--fourier-seed", 0, INT64_MAX);
  }
  return result;
}

DpHpOptions ReleaseFlags::measurement(const Schema& schema) const {
  DpHpOptions result;
  EmbeddingOptions& features = result.features;
  take_column_numbers(orders_, "--order", parse_order, features.order, features.column_orders);
  take_column_numbers(length_scales_, "--length-scale", parse_number, features.length_scale,
                      features.column_length_scales);
  for (const std::string& text : weights_) {
    const auto [column, value] = parse_column_number(text, "--weight");
    if (column.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--weight takes COLUMN=NUMBER, but got '{}'", shown(text)));
    }
    if (!features.column_weights.emplace(column, value).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--weight is given twice for '{}'; give it once", shown(column)));
    }
  }
  parse_choice(kernel_, "--kernel", kKernels);
  require_options_of_the_kernel();
  features.sum = has_sum(kernel_);
  if (has_products(kernel_)) {
    features.product = products(schema);
  }
  if (has_fourier(kernel_)) {
    features.fourier = fourier();
  }
  if (parse_choice(sensitivity_, "--sensitivity", {"certified", "published"}) == 1) {
    result.rules.sensitivity = SensitivityRule::kPublished;
  }
  if (parse_choice(accounting_, "--accounting", {"exact", "published"}) == 1) {
    result.rules.accounting = AccountingRule::kPublished;
  }
  if (is_given("--product-share")) {
    if (result.rules.accounting != AccountingRule::kPublished) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--product-share belongs to --accounting published; with exact accounting the "
                  "blocks share the budget by --product-weight");
    }
    result.product_share = parse_number(product_share_, "--product-share");
  }
  if (is_given("--product-weight") && result.rules.accounting == AccountingRule::kPublished) {
    throw Error(ErrorCode::kInvalidArgument,
                "--product-weight belongs to --accounting exact; by the published accounting "
                "products get the part of the budget that --product-share says");
  }
  return result;
}

std::vector<std::string> ReleaseFlags::inputs() const {
  std::vector<std::string> paths = table_.paths();
  paths.push_back(schema_);
  return paths;
}

Schema ReleaseFlags::read_schema() const {
  Schema schema = Schema::from_file(schema_);
  schema.require_declared();
  return schema;
}

const std::string& ReleaseFlags::method() const {
  find_method(method_);
  require_options_of_the_method(*command_, method_);
  return method_;
}

MarginalsOptions ReleaseFlags::marginals() const {
  MarginalsOptions result;
  if (is_given("--rounds")) {
    result.rounds = static_cast<int>(parse_count(rounds_, "--rounds", 1, 2));
  }
  if (is_given("--triples")) {
    constexpr Triples kChoices[] = {Triples::kByRule, Triples::kAlways, Triples::kNever};
    // Without a value it means "on".
    const std::string choice = triples_.empty() ? "on" : triples_;
    result.triples = kChoices[parse_choice(choice, "--triples", {"auto", "on", "off"})];
  }
  if (is_given("--target-weight")) {
    result.target_weight = parse_number(target_weight_, "--target-weight");
  }
  if (is_given("--memory")) {
    result.max_bytes = parse_count(memory_, "--memory", 10, 1'000'000) * 1'000'000;
  }
  result.validate();
  return result;
}

Release ReleaseFlags::run(bool quiet) const {
  const PrivacyBudget budget{parse_number(epsilon_, "--epsilon"), parse_number(delta_, "--delta")};
  Accountant accountant(budget);
  const Schema schema = read_schema();
  const bool counts = method() == "mehler";
  const MarginalsOptions count_options = counts ? marginals() : MarginalsOptions();
  const DpHpOptions options = counts ? DpHpOptions() : measurement(schema);
  const TableReader reader = table_.open(threads(), &schema);
  ProgressLine line("reading", quiet,
                    [progress = reader.progress()] { return progress->fraction(); });
  const Context context{threads(), line.callback(), &interrupted};
  PrivateTable table(reader.parts(), schema);
  return counts ? release_marginals(std::move(table), count_options, accountant, context)
                : release_dp_hp(std::move(table), options, accountant, context);
}

void ReleaseFlags::add_to(CLI::App& command) {
  command_ = &command;
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
      .add_option(
          "--delta", delta_,
          "The delta of (epsilon, delta)-differential privacy: what probabilities may differ "
          "by beyond the factor e^epsilon. Between 0 and 1, well below 1/records. No "
          "default")
      ->required()
      ->type_name("D");
  const auto repeatable = [&](const std::string& name, std::vector<std::string>& values,
                              const std::string& help, const std::string& type,
                              const std::string& group) {
    command.add_option(name, values, help)
        ->type_name(type)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->group(group);
  };
  const auto once = [&](const std::string& name, std::string& value, const std::string& help,
                        const std::string& type, const std::string& group) {
    command.add_option(name, value, help)->type_name(type)->group(group);
  };
  command
      .add_option(
          "--method", method_,
          fmt::format("One of those that 'mehler methods' lists; default {}", kDefaultMethod))
      ->type_name("M");
  const MarginalsOptions marginal_defaults;
  const std::string counts = "Method mehler";
  once(
      "--rounds", rounds_,
      fmt::format("Rounds of measuring pairs of columns: 1, or 2 with a second one where the first "
                  "shows that it helps; default {}",
                  marginal_defaults.rounds),
      "N", counts);
  command
      .add_option("--triples", triples_,
                  "Whether counts of three columns are measured where they tell more than pairs: "
                  "on, off, or auto (the default): if there are at most 500 triples, epsilon is at "
                  "least 3, and counts of pairs stand out of the noise")
      ->type_name("T")
      ->expected(0, 1)
      ->group(counts);
  once("--target-weight", target_weight_,
       fmt::format("How much more pairs with the schema's target count; default {}",
                   marginal_defaults.target_weight),
       "W", counts);
  once(
      "--memory", memory_,
      fmt::format("Megabytes for tables of pairs and triples; default {}. On top come 5 to 8 bytes "
                  "for each record and column, without a limit",
                  marginal_defaults.max_bytes / 1'000'000),
      "MB", counts);
  const std::string features = "Method dp-hp: features";
  const EmbeddingOptions defaults;
  once("--kernel", kernel_,
       "sum (each column within each class), product (a few columns together), combined (both; "
       "the default), or fourier (random features of all numbers together: DP-MERF's)",
       "K", features);
  repeatable("--order", orders_,
             fmt::format("Order of the Hermite features of numbers, 1 to {}; default {}. "
                         "COLUMN=C sets it for one column; may be repeated",
                         HermiteFeatures::kMaxOrder, defaults.order),
             "C", features);
  repeatable("--length-scale", length_scales_,
             fmt::format("Kernel length scale where the declared bounds are -1 and 1; default {}. "
                         "COLUMN=L sets it for one column; may be repeated",
                         defaults.length_scale),
             "L", features);
  repeatable("--weight", weights_,
             "COLUMN=W gives a column's sums W times less noise than those of weight 1; may be "
             "repeated",
             "COLUMN=W", features);
  const std::string products = "Method dp-hp: product kernel";
  once("--product-columns", product_columns_,
       fmt::format("Columns of each product that is drawn; default {}", kDefaultProductColumns),
       "N", products);
  once("--product-subsets", product_subsets_,
       fmt::format("Products to draw, each with columns of its own; default {}",
                   defaults.product.subsets),
       "E", products);
  once("--product-seed", product_seed_, "What they are drawn with; public. Default 1", "S",
       products);
  repeatable("--product", products_,
             "Columns of a product, in place of or besides drawn ones; may be repeated", "A,B,...",
             products);
  repeatable("--product-order", product_orders_,
             fmt::format("Order of numbers in products; default {}. COLUMN=C for one column",
                         defaults.product.order),
             "C", products);
  repeatable("--product-length-scale", product_length_scales_,
             fmt::format("Length scale of numbers in products; default {}. COLUMN=L for one column",
                         defaults.product.length_scale),
             "L", products);
  repeatable(
      "--linear-map", linear_maps_,
      "A JSON file {\"columns\": [\"a\", \"b\"], \"map\": [[1, 0.5], [0, 2]]}: a product over "
      "the rows of a public linear map (Mahalanobis kernel); may be repeated",
      "FILE", products);
  once("--product-weight", product_weight_,
       fmt::format(
           "Importance of a product when the budget is shared, where the sum has 1; default {}",
           defaults.product.weight),
       "W", products);
  const std::string fourier = "Method dp-hp: random Fourier features";
  once("--frequencies", frequencies_,
       fmt::format("How many, each a cosine and a sine; default {}", kDefaultFrequencies), "F",
       fourier);
  once("--fourier-length-scale", fourier_length_scale_,
       fmt::format("Length scale of the kernel; default {}", defaults.fourier.length_scale), "L",
       fourier);
  once("--fourier-seed", fourier_seed_, "What they are drawn with; public. Default 1", "S",
       fourier);
  const std::string noise = "Method dp-hp: noise";
  once("--sensitivity", sensitivity_,
       "certified (the default), or published: the paper's looser bound, for comparisons", "RULE",
       noise);
  once("--accounting", accounting_,
       "exact (the default), or published: the paper's split of epsilon, for comparisons", "RULE",
       noise);
  once("--product-share", product_share_,
       "With --accounting published: the products' share of epsilon; default 0.2", "P", noise);
  command
      .add_option("--threads", threads_,
                  "Worker threads; by default all cores. Never changes what is released")
      ->type_name("T");
}

}  // namespace mehler

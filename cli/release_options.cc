#include "release_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/strict_json.h"
#include "mehler/features/hermite_features.h"
#include "mehler/features/random_fourier.h"
#include "mehler/synthesis/mean_embedding.h"
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

/// Takes "number" as the value for all columns and "column=number" as that of one.
void take_column_numbers(const std::vector<std::string>& texts, const std::string& option,
                         double& for_all, std::map<std::string, double>& by_column) {
  for (const std::string& text : texts) {
    const auto [column, value] = parse_column_number(text, option);
    if (column.empty()) {
      for_all = value;
    } else {
      by_column[column] = value;
    }
  }
}

/// The same for orders, which are whole numbers.
void take_orders(const std::vector<std::string>& texts, const std::string& option,
                 std::size_t& for_all, std::map<std::string, double>& by_column) {
  auto order = static_cast<double>(for_all);
  take_column_numbers(texts, option, order, by_column);
  require_order(order, "");
  for_all = static_cast<std::size_t>(order);
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return names;
}

/// The place of a word among those an option takes.
std::size_t parse_choice(const std::string& text, const std::string& option,
                         const std::vector<std::string>& choices) {
  const auto place = std::find(choices.begin(), choices.end(), text);
  if (place == choices.end()) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} takes one of {}, but got '{}'", option,
                                                         fmt::join(choices, ", "), text));
  }
  return static_cast<std::size_t>(place - choices.begin());
}

}  // namespace

ProductOptions ReleaseFlags::products() const {
  ProductOptions result;
  if (!product_columns_.empty()) {
    result.columns = parse_count(product_columns_, "--product-columns", 1, 1000);
  }
  if (!product_subsets_.empty()) {
    result.subsets =
        parse_count(product_subsets_, "--product-subsets", 1, ProductOptions::kMaxSubsets);
  }
  if (!product_seed_.empty()) {
    result.seed = parse_count(product_seed_, "--product-seed", 0, UINT64_MAX);
  }
  for (const std::string& text : products_) {
    result.named.push_back(split_names(text));
  }
  for (const std::string& path : linear_maps_) {
    result.linear.push_back(read_linear_map(path));
  }
  take_orders(product_orders_, "--product-order", result.order, result.column_orders);
  take_column_numbers(product_length_scales_, "--product-length-scale", result.length_scale,
                      result.column_length_scales);
  if (!product_weight_.empty()) {
    result.weight = parse_number(product_weight_, "--product-weight");
  }
  return result;
}

FourierOptions ReleaseFlags::fourier() const {
  FourierOptions result;
  result.frequencies = frequencies_.empty() ? kDefaultFrequencies
                                            : parse_count(frequencies_, "--frequencies", 1,
                                                          RandomFourierFeatures::kMaxFrequencies);
  if (!fourier_length_scale_.empty()) {
    result.length_scale = parse_number(fourier_length_scale_, "--fourier-length-scale");
  }
  if (!fourier_seed_.empty()) {
    result.seed = parse_count(fourier_seed_, "--fourier-seed", 0, INT64_MAX);
  }
  return result;
}

MeasurementOptions ReleaseFlags::measurement() const {
  MeasurementOptions result;
  EmbeddingOptions& features = result.features;
  take_orders(orders_, "--order", features.order, features.column_orders);
  take_column_numbers(length_scales_, "--length-scale", features.length_scale,
                      features.column_length_scales);
  for (const std::string& text : weights_) {
    const auto [column, value] = parse_column_number(text, "--weight");
    if (column.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--weight takes COLUMN=NUMBER, but got '{}'", text));
    }
    features.column_weights[column] = value;
  }
  const std::size_t kernel =
      parse_choice(kernel_, "--kernel", {"sum", "product", "combined", "fourier"});
  ProductOptions product = products();
  if ((kernel == 0 || kernel == 3) && product.wanted()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        "product blocks are described, but --kernel has none; say --kernel combined for both, "
        "or --kernel product");
  }
  if (kernel == 3) {
    features.fourier = fourier();
  } else if (!frequencies_.empty() || !fourier_length_scale_.empty() || !fourier_seed_.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "random Fourier features are described, but --kernel is not fourier");
  }
  if (kernel == 1 || kernel == 2) {
    if (!product.wanted()) {
      product.columns = kDefaultProductColumns;
    }
    features.product = std::move(product);
  }
  features.sum = kernel == 0 || kernel == 2;
  if (parse_choice(sensitivity_, "--sensitivity", {"certified", "published"}) == 1) {
    result.rules.sensitivity = SensitivityRule::kPublished;
  }
  if (parse_choice(accounting_, "--accounting", {"exact", "published"}) == 1) {
    result.rules.accounting = AccountingRule::kPublished;
  }
  if (!product_share_.empty()) {
    if (result.rules.accounting != AccountingRule::kPublished) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--product-share belongs to --accounting published; with exact accounting the "
                  "blocks share the budget by --product-weight");
    }
    result.product_share = parse_number(product_share_, "--product-share");
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
  const MeasurementOptions options = measurement();
  const TableReader reader = table_.open(threads(), &schema);
  ProgressLine line("reading", quiet,
                    [progress = reader.progress()] { return progress->fraction(); });
  const Context context{threads(), line.callback(), &interrupted};
  return release_mean_embedding(PrivateTable(reader.parts(), schema), options, accountant, context);
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
  const auto repeatable = [&](const std::string& name, std::vector<std::string>& values,
                              const std::string& help, const std::string& type,
                              const std::string& group) {
    command.add_option(name, values, help)->type_name(type)->expected(1)->take_all()->group(group);
  };
  const auto once = [&](const std::string& name, std::string& value, const std::string& help,
                        const std::string& type, const std::string& group) {
    command.add_option(name, value, help)->type_name(type)->group(group);
  };
  const std::string features = "Features";
  const EmbeddingOptions defaults;
  once("--kernel", kernel_,
       "sum (each column within each class; the default), product (a few columns together), "
       "combined (both), or fourier (random features of all numbers together: DP-MERF's)",
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
  const std::string products = "Product kernel";
  once("--product-columns", product_columns_,
       fmt::format("Columns of each product that is drawn; default {}", kDefaultProductColumns),
       "N", products);
  once("--product-subsets", product_subsets_,
       "Products to draw, each with columns of its own; default 1", "E", products);
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
       "Importance of a product when the budget is shared, where the sum has 1; default 1", "W",
       products);
  const std::string fourier = "Random Fourier features";
  once("--frequencies", frequencies_,
       fmt::format("How many, each a cosine and a sine; default {}", kDefaultFrequencies), "F",
       fourier);
  once("--fourier-length-scale", fourier_length_scale_,
       fmt::format("Length scale of the kernel; default {}", defaults.fourier.length_scale), "L",
       fourier);
  once("--fourier-seed", fourier_seed_, "What they are drawn with; public. Default 1", "S",
       fourier);
  const std::string noise = "Noise";
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

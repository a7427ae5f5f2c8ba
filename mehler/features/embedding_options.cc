#include "mehler/features/embedding_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/features/hermite_features.h"

namespace mehler {
namespace {

constexpr std::size_t kMostProductColumns = 1000;

/// What the kernels of option 'kernel' have.
struct Kernel {
  std::string name;
  bool sum = false;
  bool products = false;
  bool fourier = false;
};
const std::array<Kernel, 4> kKernels = {Kernel{"sum", true, false, false},
                                        {"product", false, true, false},
                                        {"combined", true, true, false},
                                        {"fourier", false, false, true}};
constexpr std::size_t kDefaultKernel = 2;

/// A part that only some kernels have, and the options that describe it.
struct Part {
  bool Kernel::*is_in;
  std::string words;
  std::string remedy;
  std::vector<std::string> options;
};
constexpr std::size_t kProducts = 1;
const std::array<Part, 3> kParts = {
    Part{&Kernel::sum,
         "sum block",
         "combined for a sum block and products, {} sum",
         {"order", "length-scale", "weight"}},
    Part{&Kernel::products,
         "products",
         "combined for a sum block and products, {} product",
         {"product", "product-columns", "product-subsets", "product-seed", "linear-map",
          "product-order", "product-length-scale", "product-weight"}},
    Part{&Kernel::fourier,
         "random Fourier features",
         "fourier",
         {"frequencies", "fourier-length-scale", "fourier-seed"}}};

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Kernel& kernel : kKernels) {
    names.push_back(kernel.name);
  }
  return names;
}

/// The kernels in which an option has no meaning.
std::vector<Option::Displacement> kernels_without(const std::string& option) {
  std::vector<Option::Displacement> result;
  for (const Part& part : kParts) {
    if (std::find(part.options.begin(), part.options.end(), option) == part.options.end()) {
      continue;
    }
    for (const Kernel& kernel : kKernels) {
      if (!(kernel.*part.is_in)) {
        result.push_back({"kernel", kernel.name});
      }
    }
  }
  return result;
}

/// Throws if an option describes a part that the kernel does not have.
void require_part(const Kernel& kernel, const Part& part, const std::string& option) {
  if (!(kernel.*part.is_in)) {
    const std::string words = option_words("kernel");
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is given, but {} {} has no {}; say {} {}, or leave the option out",
                            option_words(option), words, kernel.name, part.words, words,
                            fmt::format(fmt::runtime(part.remedy), words)));
  }
}

void require_options_of(const Kernel& kernel, const OptionValues& values) {
  for (const Part& part : kParts) {
    for (const std::string& option : part.options) {
      if (values.has(option)) {
        require_part(kernel, part, option);
      }
    }
  }
}

const Kernel& kernel_of(const OptionValues& values) {
  return kKernels[values.choice("kernel", kDefaultKernel, kernel_names())];
}

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

/// The names of "a,b,c".
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    if (names.back().empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} names a column without a name in '{}'; write names with single "
                              "commas between, as in age,income",
                              option_words("product"), shown(text)));
    }
    begin = comma + 1;
  }
  return names;
}

std::size_t parse_order(const std::string& text, const std::string& option) {
  return parse_count(text, option, 1, HermiteFeatures::kMaxOrder);
}

ProductOptions parse_products(const OptionValues& values) {
  ProductOptions result;
  const bool others = values.has("product") || values.has("linear-map");
  // Who names the kernel asks for products; else a table that is too narrow has none.
  const std::size_t otherwise =
      values.has("kernel") && !others ? 2 : ProductOptions::kTwoIfThereAre;
  result.columns = values.count("product-columns", otherwise, 1, kMostProductColumns);
  result.subsets = values.count("product-subsets", result.subsets, 1, ProductOptions::kMaxSubsets);
  result.seed = values.count("product-seed", result.seed, 0, UINT64_MAX);
  for (const std::string& text : values.all("product")) {
    result.named.push_back(split_names(text));
  }
  for (const std::string& path : values.all("linear-map")) {
    result.linear.push_back(read_linear_map(path));
  }
  for (const char* option : {"product-subsets", "product-seed"}) {
    if (others && !values.has("product-columns") && values.has(option)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} is for products that are drawn, but {} names all there are; add "
                              "{} to draw others besides, or leave it out",
                              option_words(option), option_words("product"),
                              option_words("product-columns")));
    }
  }
  result.column_orders = values.numbers_by_name("product-order", parse_order, &result.order);
  result.column_length_scales =
      values.numbers_by_name("product-length-scale", parse_number, &result.length_scale);
  result.weight = values.number("product-weight", result.weight);
  return result;
}

}  // namespace

EmbeddingOptions EmbeddingOptions::of_fourier(const FourierOptions& fourier) {
  EmbeddingOptions result;
  result.sum = false;
  result.fourier = fourier;
  return result;
}

std::vector<Option> EmbeddingOptions::list() {
  const EmbeddingOptions defaults;
  std::vector<Option> options = {
      {"kernel", "K",
       "sum (each column within each class), product (a few columns together), combined (both; "
       "the default), or fourier (random features of all numbers together: method dp-merf's)",
       "features"},
      {"order", "C",
       fmt::format("Order of the Hermite features of numbers, 1 to {}; default {}. COLUMN=C sets "
                   "it for one column; may be repeated",
                   HermiteFeatures::kMaxOrder, defaults.order),
       "features", true},
      {"length-scale", "L",
       fmt::format("Kernel length scale where the declared bounds are -1 and 1; default {}. "
                   "COLUMN=L sets it for one column; may be repeated",
                   defaults.length_scale),
       "features", true},
      {"weight", "COLUMN=W",
       "COLUMN=W gives a column's sums W times less noise than those of weight 1; may be repeated",
       "features", true},
      {"product-columns", "N",
       "Columns of each product that is drawn; default 2, and no products of a table that has one",
       "product kernel"},
      {"product-subsets", "E",
       fmt::format("Products to draw, each with columns of its own; default {}",
                   defaults.product.subsets),
       "product kernel"},
      {"product-seed", "S", "What they are drawn with; public. Default 1", "product kernel"},
      {"product", "A,B,...",
       "Columns of a product, in place of or besides drawn ones; may be repeated", "product kernel",
       true},
      {"product-order", "C",
       fmt::format("Order of numbers in products; default {}. COLUMN=C for one column",
                   defaults.product.order),
       "product kernel", true},
      {"product-length-scale", "L",
       fmt::format("Length scale of numbers in products; default {}. COLUMN=L for one column",
                   defaults.product.length_scale),
       "product kernel", true},
      {"linear-map", "FILE",
       "A JSON file {\"columns\": [\"a\", \"b\"], \"map\": [[1, 0.5], [0, 2]]}: a product over the "
       "rows of a public linear map (Mahalanobis kernel); may be repeated",
       "product kernel", true},
      {"product-weight", "W",
       fmt::format(
           "Importance of a product when the budget is shared, where the sum has 1; default {}",
           defaults.product.weight),
       "product kernel"}};
  for (Option& option : FourierOptions::list()) {
    options.push_back(std::move(option));
  }
  for (Option& option : options) {
    option.displaced_by = kernels_without(option.name);
  }
  return options;
}

EmbeddingOptions EmbeddingOptions::parse(const OptionValues& values) {
  EmbeddingOptions result;
  const Kernel& kernel = kernel_of(values);
  result.column_orders = values.numbers_by_name("order", parse_order, &result.order);
  result.column_length_scales =
      values.numbers_by_name("length-scale", parse_number, &result.length_scale);
  result.column_weights = values.numbers_by_name("weight");
  require_options_of(kernel, values);
  result.sum = kernel.sum;
  result.product = kernel.products ? parse_products(values) : ProductOptions();
  result.fourier = kernel.fourier ? FourierOptions::parse(values) : FourierOptions();
  return result;
}

void EmbeddingOptions::require_products_for(const std::string& option, const OptionValues& values) {
  if (values.has(option)) {
    require_part(kernel_of(values), kParts[kProducts], option);
  }
}

}  // namespace mehler

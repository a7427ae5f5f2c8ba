#include "mehler/features/embedding_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

// One default, named by the method and by its features.
static_assert(EmbeddingOptions::kDefaultOrder == HermiteFeatures::kDefaultOrder);
static_assert(EmbeddingOptions::kDefaultLengthScale == HermiteFeatures::kDefaultLengthScale);

using ColumnNumbers = std::map<std::string, double>;

/// Throws unless every name of an option is a column that the option can be for.
void require_columns(const ColumnNumbers& option, std::string_view what, const Encoder& encoder,
                     std::string_view needed, const auto& accepts) {
  std::vector<std::string> accepted;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.label() != i && accepts(encoder.columns()[i])) {
      accepted.push_back(encoder.columns()[i].name);
    }
  }
  for (const auto& [name, value] : option) {
    if (std::find(accepted.begin(), accepted.end(), name) == accepted.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} is given for '{}', which is not {}{}", what, shown(name), needed,
                              suggest_names(name, accepted)));
    }
  }
}

double value_for(const ColumnNumbers& option, const std::string& name, double otherwise) {
  const auto place = option.find(name);
  return place == option.end() ? otherwise : place->second;
}

/// What a product is made of: a column, or a byte of one of images.
using ProductPart = std::pair<std::size_t, std::optional<std::size_t>>;

/// The maps of columns with one set of orders and length scales. Finding the best rho and
/// certifying a bound cost milliseconds each, at high orders much more; columns of one order and
/// length scale share the first, all blocks of a column both.
class ColumnMaps {
 public:
  ColumnMaps(const Encoder& encoder, std::size_t order, const ColumnNumbers& column_orders,
             double length_scale, const ColumnNumbers& column_length_scales)
      : encoder_(encoder),
        order_(order),
        column_orders_(column_orders),
        length_scale_(length_scale),
        column_length_scales_(column_length_scales) {
    constexpr std::string_view kNumbers = "a column of numbers, dates, times or images";
    const auto is_number = [](const Column& column) {
      return column.is_number() || column.is_image();
    };
    require_order(static_cast<double>(order), "");
    require_length_scale(length_scale, "");
    require_columns(column_length_scales, "a length scale", encoder, kNumbers, is_number);
    require_columns(column_orders, "an order", encoder, kNumbers, is_number);
    for (const auto& [name, value] : column_length_scales) {
      require_length_scale(value, fmt::format(" of '{}'", name));
    }
    for (const auto& [name, value] : column_orders) {
      require_order(value, fmt::format(" of '{}'", name));
    }
  }

  const FeatureMap& of(const ProductPart& part) {
    auto place = of_part_.find(part);
    if (place == of_part_.end()) {
      place = of_part_.emplace(part, make(part)).first;
    }
    return place->second;
  }

 private:
  FeatureMap make(const ProductPart& part) {
    const auto& [index, element] = part;
    const Column& column = encoder_.columns()[index];
    if (column.is_category()) {
      return FeatureMap::one_hot(index, column.code_count());
    }
    const auto order = static_cast<std::size_t>(
        value_for(column_orders_, column.name, static_cast<double>(order_)));
    const double length_scale = value_for(column_length_scales_, column.name, length_scale_);
    const auto key = std::pair(order, length_scale);
    auto place = made_.find(key);
    if (place == made_.end()) {
      place = made_.emplace(key, HermiteFeatures::with_best_rho(order, length_scale)).first;
    }
    if (!column.is_image()) {
      return FeatureMap::hermite(index, place->second, column.missing);
    }
    return element ? FeatureMap::pixel(index, *element, place->second)
                   : FeatureMap::pixels(index, column.shape->size(), place->second);
  }

  const Encoder& encoder_;
  std::size_t order_;
  const ColumnNumbers& column_orders_;
  double length_scale_;
  const ColumnNumbers& column_length_scales_;
  std::map<std::pair<std::size_t, double>, HermiteFeatures> made_;
  std::map<ProductPart, FeatureMap> of_part_;
};

/// Columns that features are made of: all but the label.
std::vector<std::size_t> feature_columns(const Encoder& encoder) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.label() != i) {
      indices.push_back(i);
    }
  }
  return indices;
}

/// What products can be drawn of: columns, and the bytes of images.
std::vector<ProductPart> product_parts(const Encoder& encoder) {
  std::vector<ProductPart> parts;
  for (const std::size_t index : feature_columns(encoder)) {
    const Column& column = encoder.columns()[index];
    if (!column.is_image()) {
      parts.emplace_back(index, std::nullopt);
    }
    for (std::size_t i = 0; column.is_image() && i < column.shape->size(); ++i) {
      parts.emplace_back(index, i);
    }
  }
  return parts;
}

FeatureBlock sum_block(const Encoder& encoder, const EmbeddingOptions& options) {
  require_columns(options.column_weights, "a weight", encoder, "a column of the sum block",
                  [](const Column&) { return true; });
  for (const auto& [name, value] : options.column_weights) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the weight of '{}' must be a finite number greater than "
                              "0, but is {}; 1 is what other columns have",
                              name, value));
    }
  }
  ColumnMaps maps(encoder, options.order, options.column_orders, options.length_scale,
                  options.column_length_scales);
  FeatureBlock block{"sum", encoder.label().has_value(), 1.0, {}, Combination::kSum};
  for (const std::size_t index : feature_columns(encoder)) {
    block.maps.push_back(
        WeightedMap{maps.of({index, std::nullopt}),
                    value_for(options.column_weights, encoder.columns()[index].name, 1.0)});
  }
  return block;
}

/// `count` different parts, in the schema's order.
std::vector<ProductPart> draw_subset(std::vector<ProductPart> parts, std::size_t count,
                                     SeededRandom& random) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<double>(parts.size() - i);
    std::swap(parts[i], parts[i + static_cast<std::size_t>(random.uniform() * left)]);
  }
  parts.resize(count);
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// How many ways there are to choose `count` of `all`.
double number_of_subsets(std::size_t all, std::size_t count) {
  double number = 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    number *= static_cast<double>(all - i) / static_cast<double>(i + 1);
  }
  return std::round(number);
}

std::vector<std::size_t> find_subset(const Encoder& encoder,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> allowed;
  for (const std::size_t index : feature_columns(encoder)) {
    if (!encoder.columns()[index].is_image()) {
      allowed.push_back(encoder.columns()[index].name);
    }
  }
  if (names.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a product names no column; name at least one");
  }
  std::vector<std::size_t> subset;
  for (const std::string& name : names) {
    const auto place = std::find(allowed.begin(), allowed.end(), name);
    if (place == allowed.end()) {
      const bool is_label = encoder.label() && encoder.columns()[*encoder.label()].name == name;
      throw Error(ErrorCode::kInvalidArgument,
                  is_label ? fmt::format("a product names '{}', which is the target: every product "
                                         "is split by its classes already; leave it out",
                                         shown(name))
                           : fmt::format("a product names '{}', which is no column that it can be "
                                         "made of{}",
                                         shown(name), suggest_names(name, allowed)));
    }
    const std::size_t index = encoder.index_of(name);
    if (std::find(subset.begin(), subset.end(), index) != subset.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a product names '{}' twice; name each column once", name));
    }
    subset.push_back(index);
  }
  return subset;
}

std::vector<std::vector<ProductPart>> product_subsets(const Encoder& encoder,
                                                      const ProductOptions& options) {
  const std::vector<ProductPart> columns = product_parts(encoder);
  std::vector<std::vector<ProductPart>> subsets;
  for (const std::vector<std::string>& names : options.named) {
    subsets.emplace_back();
    for (const std::size_t index : find_subset(encoder, names)) {
      subsets.back().emplace_back(index, std::nullopt);
    }
  }
  if (options.columns == 0) {
    return subsets;
  }
  if (options.columns > columns.size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("a product over {} columns is asked for, but {}", options.columns,
                    columns.empty() ? "the schema has none besides the target; use the sum kernel"
                                    : fmt::format("the schema has {} to make it of; choose 1 to {}",
                                                  columns.size(), columns.size())));
  }
  if (options.subsets < 1 || options.subsets > ProductOptions::kMaxSubsets) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the number of products must lie in [1, {}], but is {}",
                            ProductOptions::kMaxSubsets, options.subsets));
  }
  // Different ones, as long as there are any: a subset twice would be paid for twice.
  const double possible = number_of_subsets(columns.size(), options.columns);
  const auto wanted =
      static_cast<std::size_t>(std::min(static_cast<double>(options.subsets), possible));
  std::set<std::vector<ProductPart>> drawn;
  SeededRandom random(options.seed);
  while (drawn.size() < wanted) {
    const std::vector<ProductPart> subset = draw_subset(columns, options.columns, random);
    if (drawn.insert(subset).second) {
      subsets.push_back(subset);
    }
  }
  return subsets;
}

/// One map for each row of the linear map: Hermite features of the direction.
std::vector<WeightedMap> direction_maps(const Encoder& encoder, const LinearMap& linear,
                                        std::size_t order) {
  const std::vector<std::size_t> columns = find_subset(encoder, linear.columns);
  for (const std::size_t index : columns) {
    const Column& column = encoder.columns()[index];
    if (!column.is_number()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a linear map names '{}', which is not a column of numbers, dates or "
                              "times",
                              column.name));
    }
  }
  if (columns.empty() || linear.rows.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "a linear map needs at least one column and one row of coefficients");
  }
  std::vector<WeightedMap> maps;
  for (const std::vector<double>& row : linear.rows) {
    double length = 0.0;
    for (const double coefficient : row) {
      length += std::fabs(coefficient);
    }
    if (row.size() != columns.size() || !(length > 0.0) || !std::isfinite(length)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("a row of a linear map must have {} finite coefficients, one for each "
                      "column, of which one at least is not 0; it has {}",
                      columns.size(), row.size()));
    }
    // The direction reaches from -length to length; scaled to [-1, 1] its length scale is 1/length.
    std::vector<MapInput> inputs;
    bool may_miss = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (row[i] != 0.0) {
        inputs.push_back({columns[i], row[i] / length});
        may_miss = may_miss || encoder.columns()[columns[i]].missing;
      }
    }
    maps.push_back(WeightedMap{
        FeatureMap::hermite(std::move(inputs), HermiteFeatures::with_best_rho(order, 1.0 / length),
                            may_miss),
        1.0});
  }
  return maps;
}

/// Random Fourier features of some numbers, whose length scale may follow from how many they are.
RandomFourierFeatures fourier_features(std::size_t inputs, const FourierOptions& options) {
  const double length_scale = options.length_scale.value_or(FourierOptions::kLengthScalePerRoot *
                                                            std::sqrt(static_cast<double>(inputs)));
  return RandomFourierFeatures(inputs, options.frequencies, length_scale, options.seed);
}

/// All numbers together, all pixels together, and what is a code: one-hot categories and whether a
/// number is missing, each of which counts 1/sqrt of how many there are. So the squared norm is 1
/// for the numbers, 1 for the pixels and at most 1 for all codes.
FeatureBlock fourier_block(const Encoder& encoder, const FourierOptions& options) {
  std::vector<std::size_t> numbers;
  std::vector<WeightedMap> images;
  FeatureBlock block{"fourier", encoder.label().has_value(), 1.0, {}, Combination::kSum};
  for (const std::size_t index : feature_columns(encoder)) {
    const Column& column = encoder.columns()[index];
    if (column.is_image()) {
      images.push_back(WeightedMap{
          FeatureMap::fourier_of_pixels(index, fourier_features(column.shape->size(), options))});
    } else if (!column.is_number()) {
      block.maps.push_back(WeightedMap{FeatureMap::one_hot(index, column.code_count())});
    } else {
      numbers.push_back(index);
      if (column.missing) {
        block.maps.push_back(WeightedMap{FeatureMap::missing(index)});
      }
    }
  }
  const double share = 1.0 / std::sqrt(static_cast<double>(block.maps.size()));
  for (WeightedMap& code : block.maps) {
    code.weight = share;
  }
  block.maps.insert(block.maps.end(), images.begin(), images.end());
  if (!numbers.empty()) {
    block.maps.push_back(
        WeightedMap{FeatureMap::fourier(numbers, fourier_features(numbers.size(), options))});
  }
  return block;
}

void add_product_blocks(const Encoder& encoder, const ProductOptions& options,
                        std::vector<FeatureBlock>& blocks) {
  if (!(options.weight > 0.0) || !std::isfinite(options.weight)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the weight of products must be a finite number greater than 0, but is "
                            "{}; 1 is what the sum has",
                            options.weight));
  }
  ColumnMaps maps(encoder, options.order, options.column_orders, options.length_scale,
                  options.column_length_scales);
  std::size_t number = 0;
  for (const std::vector<ProductPart>& subset : product_subsets(encoder, options)) {
    FeatureBlock block{fmt::format("product_{}", ++number),
                       encoder.label().has_value(),
                       options.weight,
                       {},
                       Combination::kProduct};
    for (const ProductPart& part : subset) {
      block.maps.push_back(WeightedMap{maps.of(part), 1.0});
    }
    blocks.push_back(std::move(block));
  }
  for (const LinearMap& linear : options.linear) {
    blocks.push_back(FeatureBlock{fmt::format("product_{}", ++number), encoder.label().has_value(),
                                  options.weight, direction_maps(encoder, linear, options.order),
                                  Combination::kProduct});
  }
}

ProductOptions with_known_columns(const Encoder& encoder, ProductOptions options) {
  if (options.columns == ProductOptions::kTwoIfThereAre) {
    const bool others = !options.named.empty() || !options.linear.empty();
    options.columns = !others && product_parts(encoder).size() >= 2 ? 2 : 0;
  }
  return options;
}

}  // namespace

FeatureSet mean_embedding_features(const Encoder& encoder, const EmbeddingOptions& options,
                                   SchemaOrigin origin) {
  require_columns_to_learn(encoder, origin);
  const ProductOptions product = with_known_columns(encoder, options.product);
  const bool labelled = encoder.label().has_value();
  std::vector<FeatureBlock> blocks;
  const bool count_is_public =
      !labelled && encoder.schema().relation() == NeighbourRelation::kReplaceOne;
  if (!count_is_public) {
    // A wrong count misses the sums of every pixel, so it matters as much as there are pixels.
    const Column* image = encoder.schema().image();
    const double weight = image == nullptr ? 1.0 : static_cast<double>(image->shape->size());
    blocks.push_back(FeatureBlock{
        "count", labelled, weight, {WeightedMap{FeatureMap::constant()}}, Combination::kSum});
  }
  if (!options.sum && !product.wanted() && !options.fourier.wanted()) {
    throw Error(ErrorCode::kInvalidArgument,
                "neither a sum, a product nor a Fourier block is asked for; there is nothing to "
                "learn from");
  }
  if (options.sum && !feature_columns(encoder).empty()) {
    blocks.push_back(sum_block(encoder, options));
  }
  if (options.fourier.wanted() && !feature_columns(encoder).empty()) {
    blocks.push_back(fourier_block(encoder, options.fourier));
  }
  if (product.wanted()) {
    add_product_blocks(encoder, product, blocks);
  }
  return FeatureSet(encoder, std::move(blocks));
}

}  // namespace mehler

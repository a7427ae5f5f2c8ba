#include "mehler/features/feature_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/near_names.h"

namespace mehler {
namespace {

/// Throws unless every name of an option is a column that the option can be for, and every value
/// allowed.
template <typename Accepts, typename RequireValue>
void check_option_columns(const std::map<std::string, double>& option, std::string_view what,
                          const Encoder& encoder, std::string_view needed, const Accepts& accepts,
                          const RequireValue& require_value) {
  std::vector<std::string> accepted;
  for (const Column& column : encoder.columns()) {
    if (accepts(column)) {
      accepted.push_back(column.name);
    }
  }
  for (const auto& [name, value] : option) {
    if (std::find(accepted.begin(), accepted.end(), name) == accepted.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a {} is given for '{}', which is not {}{}", what, name, needed,
                              suggest_names(name, accepted)));
    }
    require_value(name, value);
  }
}

/// Finding the best rho costs a few milliseconds; columns of one length scale share the work.
class HermiteMaps {
 public:
  explicit HermiteMaps(std::size_t order) : order_(order) {}

  FeatureMap make(std::size_t column, double length_scale, bool may_miss) {
    auto place = by_length_scale_.find(length_scale);
    if (place == by_length_scale_.end()) {
      place = by_length_scale_
                  .emplace(length_scale, HermiteFeatures::with_best_rho(order_, length_scale))
                  .first;
    }
    return FeatureMap::hermite(column, place->second, may_miss);
  }

 private:
  std::size_t order_;
  std::map<double, HermiteFeatures> by_length_scale_;
};

}  // namespace

std::size_t FeatureBlock::dimension() const {
  std::size_t sum = 0;
  for (const WeightedMap& member : maps) {
    sum += member.map.dimension();
  }
  return sum;
}

double FeatureBlock::sensitivity(NeighbourRelation relation) const {
  double squared_norm = 0.0;
  for (const WeightedMap& member : maps) {
    squared_norm += member.weight * member.weight * member.map.squared_norm_bound();
  }
  if (relation == NeighbourRelation::kAddRemoveOne) {
    return std::sqrt(squared_norm);
  }
  double squared_difference = 0.0;
  for (const WeightedMap& member : maps) {
    squared_difference += member.weight * member.weight * member.map.squared_difference_bound();
  }
  // Two records of one class differ within its row of sums; two of different classes fill two rows.
  return std::sqrt(labelled ? std::max(2.0 * squared_norm, squared_difference)
                            : squared_difference);
}

FeatureSet::FeatureSet(const Encoder& encoder, std::vector<FeatureBlock> blocks)
    : blocks_(std::move(blocks)) {
  if (encoder.label()) {
    classes_ = encoder.columns()[*encoder.label()].code_count();
  }
  if (blocks_.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "a feature set needs at least one block; add a column besides the label");
  }
  std::set<std::string> names;
  for (const FeatureBlock& block : blocks_) {
    const auto require_positive = [&](double weight) {
      if (!(weight > 0.0) || !std::isfinite(weight)) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("block '{}' has the weight {}; weights must be positive numbers",
                                block.name, weight));
      }
    };
    if (block.maps.empty() || !names.insert(block.name).second ||
        (block.labelled && !encoder.label())) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("block '{}' has no features, a name that another block has, or a label "
                      "where the schema has none",
                      block.name));
    }
    require_positive(block.weight);
    for (const WeightedMap& member : block.maps) {
      require_positive(member.weight);
    }
  }
}

FeatureSet FeatureSet::hermite_sums(const Encoder& encoder, const HermiteOptions& options) {
  check_option_columns(
      options.column_length_scales, "length scale", encoder, "a column of numbers, dates or times",
      [](const Column& column) { return column.is_number(); },
      [](const std::string& name, double value) {
        require_length_scale(value, fmt::format(" of '{}'", name));
      });
  check_option_columns(
      options.column_weights, "weight", encoder, "a column of the sum block",
      [&](const Column& column) {
        return !encoder.label() || column.name != encoder.columns()[*encoder.label()].name;
      },
      [](const std::string& name, double value) {
        if (!(value > 0.0) || !std::isfinite(value)) {
          throw Error(ErrorCode::kInvalidArgument,
                      fmt::format("the weight of '{}' must be a finite number greater than "
                                  "0, but is {}; 1 is what other columns have",
                                  name, value));
        }
      });
  const bool labelled = encoder.label().has_value();
  std::vector<FeatureBlock> blocks;
  const bool count_is_public =
      !labelled && encoder.schema().relation() == NeighbourRelation::kReplaceOne;
  if (!count_is_public) {
    blocks.push_back(FeatureBlock{"count", labelled, 1.0, {WeightedMap{FeatureMap::constant()}}});
  }
  HermiteMaps hermite_maps(options.order);
  FeatureBlock sum{"sum", labelled, 1.0, {}};
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const Column& column = encoder.columns()[i];
    if (encoder.label() == i) {
      continue;
    }
    const auto weight = options.column_weights.find(column.name);
    const auto length_scale = options.column_length_scales.find(column.name);
    sum.maps.push_back(WeightedMap{
        column.is_number() ? hermite_maps.make(i,
                                               length_scale == options.column_length_scales.end()
                                                   ? options.length_scale
                                                   : length_scale->second,
                                               column.missing)
                           : FeatureMap::one_hot(i, column.code_count()),
        weight == options.column_weights.end() ? 1.0 : weight->second});
  }
  if (!sum.maps.empty()) {
    blocks.push_back(std::move(sum));
  }
  return FeatureSet(encoder, std::move(blocks));
}

std::size_t FeatureSet::dimension() const {
  std::size_t sum = 0;
  for (const FeatureBlock& block : blocks_) {
    sum += block_rows(block) * block.dimension();
  }
  return sum;
}

}  // namespace mehler

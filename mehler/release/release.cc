#include "mehler/release/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

/// Stated and re-derived values agree to rounding; anything beyond is another number.
constexpr double kTolerance = 1e-9;

bool agree(double stated, double derived) {
  return std::fabs(stated - derived) <= kTolerance * std::fabs(derived);
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::kInvalidRelease, fmt::format("the release contradicts itself: {}", what));
}

}  // namespace

double protected_sensitivity(const FeatureBlock& block, const Schema& schema,
                             SensitivityRule rule) {
  const std::size_t rows = schema.privacy_unit() ? schema.privacy_unit()->max_rows : 1;
  const double of_one_record = rule == SensitivityRule::kPublished
                                   ? block.published_sensitivity(schema.relation())
                                   : block.sensitivity(schema.relation());
  return static_cast<double>(rows) * of_one_record;
}

double NoisyBlock::at(std::size_t row, std::size_t column) const {
  return std::ldexp(static_cast<double>(grid_sums.at(row * columns + column)), -grid_exponent);
}

Release::Release(std::string method, const Schema& schema, FeatureSet features,
                 PrivacyStatement statement, std::vector<NoisyBlock> blocks)
    : method_(std::move(method)),
      encoder_(schema),
      features_(std::move(features)),
      statement_(std::move(statement)),
      blocks_(std::move(blocks)) {
  verify();
}

void Release::verify() const {
  const auto may_be_in_a_name = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  if (method_.empty() || method_.size() > kMaxMethodName ||
      !std::all_of(method_.begin(), method_.end(), may_be_in_a_name)) {
    fail(fmt::format("'{}' is no name of a method", shown(method_)));
  }
  const std::vector<FeatureBlock>& specified = features_.blocks();
  if (blocks_.size() != specified.size() || statement_.blocks.size() != specified.size()) {
    fail("the numbers of specified, measured and stated blocks differ");
  }
  const bool rows_are_public = schema().relation() == NeighbourRelation::kReplaceOne;
  if (statement_.public_rows.has_value() != rows_are_public) {
    fail("the number of records is stated where it is private, or absent where it is public");
  }
  if (!rows_are_public && !count_block()) {
    fail("it has neither a public number of records nor a count");
  }
  statement_.budget.validate();
  for (std::size_t i = 0; i < specified.size(); ++i) {
    const FeatureBlock& block = specified[i];
    const BlockStatement& stated = statement_.blocks[i];
    if (stated.name != block.name || blocks_[i].rows != features_.block_rows(block) ||
        blocks_[i].columns != block.dimension() ||
        blocks_[i].grid_exponent != block.grid_exponent() ||
        blocks_[i].grid_sums.size() != blocks_[i].rows * blocks_[i].columns) {
      fail(fmt::format("block '{}' does not have the shape that its features have",
                       shown(block.name)));
    }
    const double sensitivity = protected_sensitivity(block, schema(), statement_.rules.sensitivity);
    if (!agree(stated.sensitivity, sensitivity)) {
      fail(fmt::format("block '{}' states the sensitivity {}, but its features have {}",
                       shown(block.name), stated.sensitivity, sensitivity));
    }
    if (!(stated.sigma > 0.0) || !std::isfinite(stated.sigma)) {
      fail(fmt::format("block '{}' states the noise {}, which is not a positive number",
                       shown(block.name), stated.sigma));
    }
  }
  if (!(statement_.mu() >= kMinMu)) {
    fail("it states more noise than can be drawn");
  }
  // Compared as deltas at the stated epsilon, which are well conditioned for every budget: never
  // looser than stated, and not a different number (but the published accounting adds more noise
  // than its budget needs).
  const double delta = delta_of_gaussian(statement_.mu(), statement_.budget.epsilon);
  const bool may_be_less = statement_.rules.accounting == AccountingRule::kPublished;
  if (!(delta <= statement_.budget.delta * (1.0 + kTolerance) &&
        (may_be_less || delta >= statement_.budget.delta * (1.0 - 1e-6)))) {
    fail(fmt::format("it states epsilon {} at delta {}, but its noise gives epsilon {}",
                     statement_.budget.epsilon, statement_.budget.delta,
                     epsilon_of_gaussian(statement_.mu(), statement_.budget.delta)));
  }
}

std::optional<std::size_t> Release::count_block() const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const FeatureBlock& block = features_.blocks()[i];
    if (block.maps.size() == 1 && block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      return i;
    }
  }
  return std::nullopt;
}

double Release::record_count() const {
  if (statement_.public_rows) {
    return static_cast<double>(*statement_.public_rows);
  }
  const NoisyBlock& counts = blocks_[*count_block()];
  double count = 0.0;
  for (std::size_t row = 0; row < counts.rows; ++row) {
    count += counts.at(row, 0);
  }
  return count;
}

double Release::record_count_error() const {
  if (statement_.public_rows) {
    return 0.0;
  }
  const std::size_t block = *count_block();
  return statement_.blocks[block].sigma / features_.blocks()[block].maps[0].weight *
         std::sqrt(static_cast<double>(blocks_[block].rows));
}

}  // namespace mehler

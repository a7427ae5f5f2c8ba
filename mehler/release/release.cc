#include "mehler/release/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/accounting/composition.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/overloaded.h"
#include "mehler/encoding/encoder.h"
#include "mehler/release/payload.h"

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

double times_rows_of_unit(double of_one_record, const Schema& schema) {
  const std::size_t rows = schema.privacy_unit() ? schema.privacy_unit()->max_rows : 1;
  return static_cast<double>(rows) * of_one_record;
}

/// What follows from the specification of a block, to compare what is stated and held with.
struct ExpectedBlock {
  std::string name;
  std::size_t rows;
  std::size_t columns;
  int grid_exponent;
  double sensitivity;
  /// Where noise of the Laplace kind can be.
  std::optional<double> absolute_sensitivity = {};
};

std::vector<ExpectedBlock> expected_blocks(const NoisySums& sums, const Encoder& encoder,
                                           SensitivityRule rule) {
  const Schema& schema = encoder.schema();
  std::vector<ExpectedBlock> result;
  for (const FeatureBlock& block : sums.features.blocks()) {
    result.push_back({block.name, sums.features.block_rows(block), block.dimension(),
                      block.grid_exponent(), protected_sensitivity(block, schema, rule)});
  }
  return result;
}

std::vector<ExpectedBlock> expected_blocks(const NoisyCounts& counts, const Encoder& encoder,
                                           SensitivityRule) {
  const Schema& schema = encoder.schema();
  std::vector<ExpectedBlock> result;
  for (const CountBlock& block : counts.counts.blocks()) {
    result.push_back({block.name, 1, block.dimension(), block.grid_exponent(),
                      protected_sensitivity(block, schema),
                      protected_absolute_sensitivity(block, schema)});
  }
  return result;
}

/// Of weights a reader knows the count alone.
std::vector<ExpectedBlock> expected_blocks(const TrainedWeights& weights, const Encoder& encoder,
                                           SensitivityRule) {
  if (weights.counts_classes && (!weights.count || !encoder.label())) {
    fail("it counts classes that there are not");
  }
  if (!weights.count) {
    return {};
  }
  const CountBlock counted = TrainedWeights::counted(encoder, weights.counts_classes);
  return {{counted.name, 1, counted.dimension(), counted.grid_exponent(),
           protected_sensitivity(counted, encoder.schema())}};
}

void require_shape(const ExpectedBlock& expected, const NoisyBlock& held) {
  if (held.rows != expected.rows || held.columns != expected.columns ||
      held.grid_exponent != expected.grid_exponent ||
      held.grid_sums.size() != held.rows * held.columns) {
    fail(fmt::format("block '{}' does not have the shape that it is specified with",
                     shown(expected.name)));
  }
}

void require_noise(const ExpectedBlock& expected, const Charge& charge) {
  const auto* gaussian = std::get_if<GaussianSums>(&charge);
  const auto* laplace = std::get_if<LaplaceSums>(&charge);
  if (gaussian == nullptr && (laplace == nullptr || !expected.absolute_sensitivity)) {
    fail(fmt::format("block '{}' has Gaussian noise{}, but is charged for another",
                     shown(expected.name),
                     expected.absolute_sensitivity ? " or Laplace noise" : ""));
  }
  if (name_of(charge) != expected.name) {
    fail(fmt::format("block '{}' is stated as '{}'", shown(expected.name), shown(name_of(charge))));
  }
  const double stated = gaussian != nullptr ? gaussian->sensitivity : laplace->sensitivity;
  const double derived =
      gaussian != nullptr ? expected.sensitivity : *expected.absolute_sensitivity;
  if (!agree(stated, derived)) {
    fail(fmt::format("block '{}' states the sensitivity {}, but what it measures has {}",
                     shown(expected.name), stated, derived));
  }
  const double noise = gaussian != nullptr ? gaussian->sigma : laplace->scale;
  if (!(noise > 0.0) || !std::isfinite(noise)) {
    fail(fmt::format("block '{}' states the noise {}, which is not a positive number",
                     shown(expected.name), noise));
  }
}

/// The block that counts all records, its factor and its place; nothing where there is none.
struct RecordCounts {
  std::size_t block;
  double weight;
};

std::optional<RecordCounts> find_record_counts(const NoisySums& sums) {
  const auto block = sums.count_block();
  if (!block) {
    return std::nullopt;
  }
  return RecordCounts{*block, sums.features.blocks()[*block].maps[0].weight};
}

std::optional<RecordCounts> find_record_counts(const NoisyCounts& counts) {
  const std::vector<CountBlock>& blocks = counts.counts.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (std::holds_alternative<RecordCount>(blocks[i].counted)) {
      return RecordCounts{i, 1.0};
    }
  }
  return std::nullopt;
}

std::optional<RecordCounts> find_record_counts(const TrainedWeights& weights) {
  return weights.count ? std::optional(RecordCounts{0, 1.0}) : std::nullopt;
}

std::span<const NoisyBlock> blocks_of(const Payload& payload) {
  return std::visit(Overloaded{[](const TrainedWeights& weights) {
                                 return weights.count ? std::span(&*weights.count, 1)
                                                      : std::span<const NoisyBlock>();
                               },
                               [](const auto& held) { return std::span(held.blocks); }},
                    payload);
}

/// Whether a charge is that of a training, whatever its name.
bool is_charge_of(const TrainingPlan& training, const Charge& charge) {
  const Charge derived = training.charge(name_of(charge));
  const auto same = [](const auto& a, const auto& b) {
    return a.noise_multiplier == b.noise_multiplier && a.sampling_rate == b.sampling_rate &&
           a.steps == b.steps;
  };
  const auto* steps = std::get_if<SubsampledGaussian>(&charge);
  const auto* queries = std::get_if<ReplacedGaussian>(&charge);
  return derived.index() == charge.index() &&
         (steps != nullptr ? same(*steps, std::get<SubsampledGaussian>(derived))
                           : same(*queries, std::get<ReplacedGaussian>(derived)));
}

std::optional<RecordCounts> find_record_counts(const Payload& payload) {
  return std::visit([](const auto& held) { return find_record_counts(held); }, payload);
}

}  // namespace

double protected_sensitivity(const FeatureBlock& block, const Schema& schema,
                             SensitivityRule rule) {
  return times_rows_of_unit(rule == SensitivityRule::kPublished
                                ? block.published_sensitivity(schema.relation())
                                : block.sensitivity(schema.relation()),
                            schema);
}

double protected_sensitivity(const CountBlock& block, const Schema& schema) {
  return times_rows_of_unit(block.sensitivity(schema.relation()), schema);
}

std::optional<double> protected_absolute_sensitivity(const CountBlock& block,
                                                     const Schema& schema) {
  const std::optional<double> of_one_record = block.absolute_sensitivity(schema.relation());
  return of_one_record ? std::optional(times_rows_of_unit(*of_one_record, schema)) : std::nullopt;
}

double NoisyBlock::at(std::size_t row, std::size_t column) const {
  return std::ldexp(static_cast<double>(grid_sums.at(row * columns + column)), -grid_exponent);
}

CountBlock TrainedWeights::counted(const Encoder& encoder, bool by_class) {
  if (!by_class) {
    return CountBlock::records();
  }
  const std::vector<std::size_t> columns = {*encoder.label()};
  std::vector<std::shared_ptr<const ColumnPartition>> cells(encoder.columns().size());
  cells[columns[0]] = std::make_shared<const ColumnPartition>(
      ColumnPartition::even(encoder.columns()[columns[0]], 1));
  return CountBlock::cell_counts(encoder, columns, cells, "");
}

std::vector<double> TrainedWeights::class_shares() const {
  if (!counts_classes) {
    return {1.0};
  }
  std::vector<double> shares;
  double sum = 0.0;
  for (std::size_t i = 0; i < count->columns; ++i) {
    shares.push_back(std::max(count->at(0, i), 0.0));
    sum += shares.back();
  }
  for (double& share : shares) {
    share = sum > 0.0 ? share / sum : 1.0 / static_cast<double>(shares.size());
  }
  return shares;
}

std::optional<std::size_t> NoisySums::count_block() const {
  for (std::size_t i = 0; i < features.blocks().size(); ++i) {
    const FeatureBlock& block = features.blocks()[i];
    if (block.maps.size() == 1 && block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      return i;
    }
  }
  return std::nullopt;
}

struct Release::Parts {
  std::string method;
  Encoder encoder;
  Payload payload;
  PrivacyStatement statement;

  const Schema& schema() const { return encoder.schema(); }

  void verify() const;
  void verify_method() const;
  void verify_blocks() const;
  void verify_weights() const;
  void verify_record_count() const;
  void verify_numbers_of_charges() const;
  void verify_charges() const;
  void verify_epsilon() const;
};

Release::Release(std::string method, const Schema& schema, Payload payload,
                 PrivacyStatement statement) {
  auto parts = std::make_shared<const Parts>(
      Parts{std::move(method), Encoder(schema), std::move(payload), std::move(statement)});
  parts->verify();
  parts_ = std::move(parts);
}

const std::string& Release::method() const { return parts_->method; }
const Schema& Release::schema() const { return parts_->schema(); }
const Encoder& Release::encoder() const { return parts_->encoder; }
const PrivacyStatement& Release::statement() const { return parts_->statement; }
std::string Release::in_words() const { return statement().in_words(schema()); }
const Payload& Release::payload() const { return parts_->payload; }
bool Release::has_counts() const { return std::holds_alternative<NoisyCounts>(payload()); }

void Release::Parts::verify() const {
  verify_method();
  statement.budget.validate();
  verify_numbers_of_charges();
  verify_blocks();
  verify_weights();
  verify_record_count();
  verify_charges();
  verify_epsilon();
}

void Release::Parts::verify_method() const {
  const auto may_be_in_a_name = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  if (method.empty() || method.size() > kMaxMethodName ||
      !std::all_of(method.begin(), method.end(), may_be_in_a_name)) {
    fail(fmt::format("'{}' is no name of a method", shown(method)));
  }
}

void Release::Parts::verify_blocks() const {
  const std::vector<ExpectedBlock> expected = std::visit(
      [&](const auto& held) { return expected_blocks(held, encoder, statement.rules.sensitivity); },
      payload);
  const std::span<const NoisyBlock> held = blocks_of(payload);
  if (held.size() != expected.size() || statement.charges.size() < expected.size()) {
    fail("the numbers of specified, measured and charged blocks differ");
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    require_shape(expected[i], held[i]);
    require_noise(expected[i], statement.charges[i]);
  }
}

void Release::Parts::verify_record_count() const {
  const bool rows_are_public = schema().relation() == NeighbourRelation::kReplaceOne;
  if (statement.public_rows.has_value() != rows_are_public) {
    fail("the number of records is stated where it is private, or absent where it is public");
  }
  if (!rows_are_public && !find_record_counts(payload)) {
    fail("it has neither a public number of records nor a count");
  }
}

/// Before anything is derived from them: a charge that no mechanism has, such as a negative delta,
/// could make others cost less.
void Release::Parts::verify_numbers_of_charges() const {
  for (const Charge& charge : statement.charges) {
    try {
      mehler::validate(charge);
    } catch (const Error& error) {
      fail(fmt::format("no mechanism costs what it is charged for: {}", error.what()));
    }
  }
}

void Release::Parts::verify_charges() const {
  for (const Charge& charge : statement.charges) {
    if ((std::holds_alternative<SubsampledGaussian>(charge) ||
         std::holds_alternative<ReplacedGaussian>(charge)) &&
        (schema().relation() == NeighbourRelation::kReplaceOne ||
         (schema().privacy_unit() && schema().privacy_unit()->max_rows > 1))) {
      fail(
          fmt::format("'{}' samples records, which is accounted for where one record is "
                      "added or removed, and not where it is exchanged or where a person has "
                      "several",
                      shown(name_of(charge))));
    }
  }
}

void Release::Parts::verify_weights() const {
  const auto* weights = std::get_if<TrainedWeights>(&payload);
  if (weights == nullptr) {
    return;
  }
  if (!std::all_of(weights->values.begin(), weights->values.end(),
                   [](float value) { return std::isfinite(value); })) {
    fail("a weight is not a number");
  }
  if (weights->training) {
    weights->training->validate();
    const std::vector<Charge>& charges = statement.charges;
    if (std::count_if(charges.begin(), charges.end(), [&](const Charge& charge) {
          return is_charge_of(*weights->training, charge);
        }) != 1) {
      fail("the training that it describes is not what it is charged for");
    }
    if (weights->training->critics == TrainingCritics::kOnePerClass && !schema().label()) {
      fail("it has a critic for each class, but no classes");
    }
  }
}

void Release::Parts::verify_epsilon() const {
  const std::optional<double> mu = statement.mu();
  const auto refuse = [&] {
    fail(fmt::format("it states epsilon {} at delta {}, but its charges give epsilon {}",
                     statement.budget.epsilon, statement.budget.delta, statement.epsilon_spent()));
  };
  if (!mu) {
    // An upper bound: noise that was calibrated to it spends a little less.
    if (!ComposedPrivacy(statement.charges).keeps(statement.budget)) {
      refuse();
    }
    return;
  }
  // Compared as deltas at the stated epsilon, which are well conditioned for every budget: never
  // looser than stated, and not a different number (but the published accounting adds more noise
  // than its budget needs).
  const double delta =
      delta_of_gaussian(*mu, statement.budget.epsilon) + statement.disclosure_delta();
  const bool may_be_less = statement.rules.accounting == AccountingRule::kPublished;
  if (!(delta <= statement.budget.delta * (1.0 + kTolerance) &&
        (may_be_less || delta >= statement.budget.delta * (1.0 - 1e-6)))) {
    refuse();
  }
}

namespace {

template <typename Wanted>
const Wanted& held_by(const Payload& payload, const char* wanted) {
  if (const auto* held = std::get_if<Wanted>(&payload)) {
    return *held;
  }
  constexpr const char* kHeld[] = {"sums of features", "counts of cells",
                                   "weights of trained networks"};
  throw Error(ErrorCode::kInvalidRelease, fmt::format("the release holds {}, and {} are needed",
                                                      kHeld[payload.index()], wanted));
}

}  // namespace

const NoisySums& Release::sums() const { return held_by<NoisySums>(payload(), "sums of features"); }

const NoisyCounts& Release::counts() const {
  return held_by<NoisyCounts>(payload(), "counts of cells");
}

const TrainedWeights& Release::weights() const {
  return held_by<TrainedWeights>(payload(), "weights of trained networks");
}

std::size_t Release::dimension() const {
  const auto* weights = std::get_if<TrainedWeights>(&payload());
  std::size_t numbers = weights == nullptr ? 0 : weights->values.size();
  for (const NoisyBlock& block : blocks_of(payload())) {
    numbers += block.grid_sums.size();
  }
  return numbers;
}

double Release::record_count() const {
  if (statement().public_rows) {
    return static_cast<double>(*statement().public_rows);
  }
  const NoisyBlock& counts = blocks_of(payload())[find_record_counts(payload())->block];
  double count = 0.0;
  for (std::size_t i = 0; i < counts.rows * counts.columns; ++i) {
    count += counts.at(i / counts.columns, i % counts.columns);
  }
  return count;
}

double Release::record_count_error() const {
  if (statement().public_rows) {
    return 0.0;
  }
  const RecordCounts counts = *find_record_counts(payload());
  return statement().noise_of(counts.block).sigma / counts.weight *
         std::sqrt(static_cast<double>(blocks_of(payload())[counts.block].grid_sums.size()));
}

std::uint64_t Release::usual_rows() const {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(record_count())));
}

}  // namespace mehler

#pragma once

#include <cstdint>
#include <string>

#include "mehler/accounting/charge.h"

namespace mehler {

/// Whose gradients a private training adds noise to.
enum class TrainingCritics {
  kOne,          ///< of one critic, by a batch of records
  kOnePerClass,  ///< of one critic for each class; a record is in batches of its own class alone
  kShards,       ///< of one of many critics, each with records of its own, by generated records
};

/// What a private training does to records, in numbers: fixed before the first record is read, and
/// what it is charged for. A reader of a release derives the charge again.
struct TrainingPlan {
  /// Rates are multiples of 2^-kRateExponent: a record is in a batch if a random word of so many
  /// bits is below the numerator.
  static constexpr int kRateExponent = 32;
  static constexpr std::uint64_t kFullRate = std::uint64_t{1} << kRateExponent;
  static constexpr std::uint64_t kMaxShards = 1'000'000;
  static constexpr std::uint64_t kMaxQueries = 65'536;
  static constexpr double kMinClipNorm = 1e-12;
  static constexpr double kMaxClipNorm = 1e12;

  TrainingCritics critics = TrainingCritics::kOne;
  /// Of batches: every record is in each with probability rate_numerator / 2^32, independently of
  /// the others. 0 for shards.
  std::uint64_t rate_numerator = 0;
  /// Standard deviation of the noise over what one record can change: the clip norm, or for shards
  /// twice that, of one generated record.
  double noise_multiplier = 0.0;
  /// Of each critic; for shards the steps of the generator.
  std::uint64_t steps = 0;
  /// The largest 2-norm of a record's gradient, or of a generated record's.
  double clip_norm = 1.0;
  /// Of shards: how many critics there are, generated records of a step, and whether one critic is
  /// drawn for all of them instead of one for each.
  std::uint64_t shards = 0;
  std::uint64_t queries = 0;
  bool drawn_jointly = false;
  /// As its authors had it; for people to read.
  bool published = false;

  /// The nearest rate that there is, at least 2^-32. Throws Error(kInvalidArgument) unless 0 < rate
  /// <= 1.
  static std::uint64_t numerator_of(double rate);

  /// A record's probability to be met by a step, or by a query.
  double rate() const;
  /// A step's noise multiplier and the number of steps as they are charged for: with one critic
  /// drawn for all generated records of a step, their gradients are one answer, which can change by
  /// the root of their number more.
  double charged_multiplier() const;
  std::uint64_t charged_steps() const;
  /// What it costs; of parts that no record shares as much as of one of them.
  Charge charge(const std::string& name) const;

  /// Throws Error(kInvalidArgument), which names the value and what is allowed, for numbers that
  /// are no plan.
  void validate() const;
};

}  // namespace mehler

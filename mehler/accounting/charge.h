#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace mehler {

/// What was measured of one block of sums, and with how much noise.
struct GaussianSums {
  std::string name;
  /// The largest change, in the 2-norm, of the block's sums between neighbouring tables.
  double sensitivity = 0.0;
  /// Standard deviation of the Gaussian noise on every sum.
  double sigma = 0.0;

  /// What the block spends: (sensitivity / sigma)^2.
  double mu_squared() const { return (sensitivity / sigma) * (sensitivity / sigma); }
};

/// Steps that each take every record into a batch with the same probability, independently of the
/// others (Poisson sampling), and add Gaussian noise to a sum over the batch. Neighbouring tables
/// differ by one record that is added or removed.
struct SubsampledGaussian {
  std::string name;
  /// Standard deviation of the noise over the largest 2-norm of what one record adds to a sum.
  double noise_multiplier = 0.0;
  double sampling_rate = 0.0;
  std::uint64_t steps = 0;
};

/// Queries that each look at one of several parts of the records, drawn with the same probability
/// each and independently of other queries, and add Gaussian noise to the answer. A record is in
/// one part; whatever that part answers with it and without it, and whatever the others do, any two
/// answers are within a known distance. Unlike a batch without the record, a query that passes it
/// over may look like one that met it, so that it costs more than a SubsampledGaussian.
struct ReplacedGaussian {
  std::string name;
  /// Standard deviation of the noise over the largest 2-norm of the difference of two answers.
  double noise_multiplier = 0.0;
  /// The probability of a part.
  double sampling_rate = 0.0;
  std::uint64_t steps = 0;
};

/// A choice between candidates by the exponential mechanism: each with probability proportional to
/// exp(epsilon score / (2 sensitivity)). (epsilon, 0)-private, and cheaper than that beside
/// Gaussian noise, because its privacy loss lies in an interval of length epsilon
/// (selection_privacy.h).
struct Selection {
  std::string name;
  std::uint64_t candidates = 0;
  double epsilon = 0.0;

  /// With which it composes as Gaussian noise does.
  double mu_squared() const;
};

/// What was measured of one block of counts, and with how much noise of the discrete Laplace kind.
struct LaplaceSums {
  std::string name;
  /// The largest change, in the 1-norm, of the block's counts between neighbouring tables.
  double sensitivity = 0.0;
  /// A multiple k of the grid's step h has a probability proportional to exp(-abs(k) h / scale).
  double scale = 0.0;

  /// Pure privacy.
  double epsilon() const { return sensitivity / scale; }
};

/// A mechanism of pure differential privacy, such as the geometric one.
struct PureMechanism {
  std::string name;
  double epsilon = 0.0;
};

/// A mechanism that is private but for events of probability delta, whatever the records, in which
/// it may tell anything about a person: (0, delta)-differentially private. Such as values that one
/// person alone has, and that pass a threshold by chance.
struct RareDisclosure {
  std::string name;
  double delta = 0.0;
};

/// One line of what a privacy statement consists of: from these numbers, and from nothing else, a
/// reader derives what the whole costs (composition.h).
using Charge = std::variant<GaussianSums, SubsampledGaussian, PureMechanism, RareDisclosure,
                            Selection, LaplaceSums, ReplacedGaussian>;

/// What the numbers of a charge may be. Noise below the smallest protects nothing; above the
/// largest nothing could be seen through it.
inline constexpr double kMinNoiseMultiplier = 1e-3;
inline constexpr double kMaxNoiseMultiplier = 1e9;
inline constexpr std::uint64_t kMaxSteps = 1'000'000'000;
/// Of a selection: beyond, the best candidate is chosen.
inline constexpr double kMaxSelectionEpsilon = 1e3;

const std::string& name_of(const Charge& charge);

/// The sum of mu_squared() over the Gaussian sums and selections among the charges.
double gaussian_mu_squared(std::span<const Charge> charges);

/// The sum of the deltas of the rare disclosures among the charges.
double disclosure_delta(std::span<const Charge> charges);

/// Whether there is nothing but Gaussian sums, selections and rare disclosures: mu^2 and delta say
/// what they cost together.
bool is_gaussian(std::span<const Charge> charges);

/// Throws Error(kInvalidArgument), which names the charge, the value and what is allowed, unless
/// - GaussianSums: sensitivity and sigma are positive, kMinMu <= sensitivity / sigma <= 10^4;
/// - SubsampledGaussian, ReplacedGaussian: the noise multiplier is within the limits above,
///   0 < sampling_rate <= 1, 1 <= steps <= kMaxSteps;
/// - PureMechanism: 2 kMinMu <= epsilon <= PrivacyBudget::kMaxEpsilon;
/// - RareDisclosure: 0 < delta < 1;
/// - Selection: at least one candidate, 2 kMinMu <= epsilon <= kMaxSelectionEpsilon;
/// - LaplaceSums: sensitivity and scale are positive, and their quotient is as a PureMechanism's
///   epsilon.
void validate(const Charge& charge);

}  // namespace mehler

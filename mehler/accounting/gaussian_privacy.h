#pragma once

namespace mehler {

/// The exact privacy of Gaussian noise.
///
/// A mechanism that adds N(0, sigma^2 I) to sums of sensitivity Delta is mu-Gaussian differentially
/// private with mu = Delta / sigma; several compose to mu^2 = sum (Delta_i / sigma_i)^2, and the
/// whole is (epsilon, delta)-private exactly when
///
///   delta >= Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
///
/// (Balle and Wang 2018; Dong, Roth and Su 2022). Values are accurate to a relative 1e-14, for mu
/// and epsilon of any size; where one is rounded, it is to the side that promises less.

/// The epsilon and delta of (epsilon, delta)-differential privacy, as asked for or as stated.
struct PrivacyBudget {
  double epsilon = 0.0;
  double delta = 0.0;

  /// Far beyond any protection; up to here mu, whose relative error is 1e-12, gives delta to a
  /// relative 1e-6.
  static constexpr double kMaxEpsilon = 1e6;

  /// Throws Error(kInvalidArgument) unless 0 < epsilon <= kMaxEpsilon and 0 < delta < 1.
  void validate() const;
};

/// The smallest mu of a budget. Less would need noise of 10^15 times what one record changes, more
/// than can be drawn.
inline constexpr double kMinMu = 1e-15;

/// The smallest delta for which mu-Gaussian privacy is (epsilon, delta)-private. epsilon >= 0, mu >
/// 0.
double delta_of_gaussian(double mu, double epsilon);

/// The smallest epsilon >= 0 for which it is (epsilon, delta)-private, rounded up: it is enough.
double epsilon_of_gaussian(double mu, double delta);

/// The largest mu that keeps a budget, less a relative 1e-12 so that rounding never overspends.
/// Throws Error(kInvalidArgument) for an invalid budget, and for one whose mu would be below
/// kMinMu.
double calibrate_mu(const PrivacyBudget& budget);

}  // namespace mehler

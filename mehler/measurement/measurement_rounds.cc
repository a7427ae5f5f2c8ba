#include "mehler/measurement/measurement_rounds.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {

MeasurementRounds::MeasurementRounds(PrivateCounter& codes, const Encoder& encoder,
                                     Accountant& accountant)
    : codes_(codes),
      encoder_(encoder),
      accountant_(accountant),
      measurements_(encoder),
      earlier_charges_(accountant.charges()) {
  if (const auto rows = codes.public_rows()) {
    measurements_.set_public_rows(static_cast<double>(*rows));
  }
}

double MeasurementRounds::cost(const CountBlock& block) const {
  const double sensitivity = protected_sensitivity(block, encoder_.schema());
  return sensitivity * sensitivity;
}

double MeasurementRounds::left() const {
  // The sum of many blocks' mu^2 may be rounded up.
  return accountant_.left_mu_squared() * (1.0 - 1e-11);
}

void MeasurementRounds::measure(const std::string& what, std::vector<CountBlock> blocks,
                                std::vector<double> shares, double mu_squared,
                                const Context& context) {
  MEHLER_ASSERT(blocks.size() == shares.size() && mu_squared > 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    sum += shares[i] * cost(blocks[i]);
  }
  if (!(sum > 0.0)) {
    return;
  }
  std::vector<CountBlock> measured;
  std::vector<double> precisions;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (shares[i] > 0.0) {
      measured.push_back(std::move(blocks[i]));
      precisions.push_back(shares[i] * mu_squared / sum);
    }
  }
  CountMechanism mechanism(accountant_, what, measured, encoder_.schema(), precisions);
  const std::vector<GaussianSums> charges = mechanism.charges();
  any_measured_ = true;
  bytes_ += bytes_of(measured);
  std::vector<NoisyBlock> noisy = codes_.measure(std::move(mechanism), context);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measurements_.add(measured[i], noisy[i], charges[i].sigma);
    blocks_.push_back(std::move(measured[i]));
    noisy_.push_back(std::move(noisy[i]));
    charges_.emplace_back(charges[i]);
  }
}

MeasuredSum MeasurementRounds::measure_sum(const CountBlock& block, double mu_squared,
                                           const Context& context) {
  MEHLER_ASSERT(block.vector_sum() != nullptr);
  measure(block.name, {block}, {1.0}, mu_squared, context);
  return read_sum(*block.vector_sum(), noisy_.back(),
                  std::get<GaussianSums>(charges_.back()).sigma);
}

Release MeasurementRounds::finish(std::string method) {
  const Schema& schema = encoder_.schema();
  PrivacyStatement statement;
  statement.budget = accountant_.budget();
  statement.public_rows = codes_.public_rows();
  statement.charges = std::move(charges_);
  statement.charges.insert(statement.charges.end(), earlier_charges_.begin(),
                           earlier_charges_.end());
  return Release(std::move(method), schema,
                 NoisyCounts{CountSet(encoder_, std::move(blocks_)), std::move(noisy_)},
                 std::move(statement));
}

}  // namespace mehler

#include "mehler/measurement/measurement_rounds.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/measurement/measured_release.h"

namespace mehler {
namespace {

double squared_sensitivity(const CountBlock& block, const Schema& schema) {
  const double sensitivity = protected_sensitivity(block, schema);
  return sensitivity * sensitivity;
}

}  // namespace

void require_drawable_round(std::span<const CountBlock> blocks, std::span<const double> shares,
                            double mu_squared, const Schema& schema) {
  MEHLER_ASSERT(blocks.size() == shares.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    sum += shares[i] * squared_sensitivity(blocks[i], schema);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (shares[i] > 0.0) {
      const double sigma = std::sqrt(sum / (shares[i] * mu_squared));
      for (const double scale : blocks[i].noise_scales()) {
        require_drawable(sigma * scale, blocks[i].grid_exponent());
      }
    }
  }
}

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
  return squared_sensitivity(block, encoder_.schema());
}

double MeasurementRounds::left() const {
  // The sum of many blocks' mu^2 may be rounded up.
  return accountant_.left_mu_squared() * (1.0 - 1e-11) - kept_for_later_;
}

void MeasurementRounds::keep_for_later(double mu_squared) {
  MEHLER_ASSERT(mu_squared >= 0.0 && mu_squared < accountant_.left_mu_squared());
  kept_for_later_ = mu_squared;
}

bool MeasurementRounds::knows_records() const {
  return codes_.public_rows().has_value() ||
         std::any_of(blocks_.begin(), blocks_.end(), [](const CountBlock& block) {
           return std::holds_alternative<RecordCount>(block.counted);
         });
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
  std::vector<Charge> charges(mechanism.charges().begin(), mechanism.charges().end());
  any_measured_ = true;
  say_measured(context);
  std::vector<NoisyBlock> noisy = codes_.measure(std::move(mechanism), context);
  keep(std::move(measured), std::move(noisy), std::move(charges));
}

void MeasurementRounds::measure_pure(const std::string& what, std::vector<CountBlock> blocks,
                                     double scale, const Context& context) {
  LaplaceMechanism mechanism(accountant_, what, blocks, encoder_.schema(), scale);
  std::vector<Charge> charges(mechanism.charges().begin(), mechanism.charges().end());
  any_measured_ = true;
  say_measured(context);
  std::vector<NoisyBlock> noisy = codes_.measure(std::move(mechanism), context);
  keep(std::move(blocks), std::move(noisy), std::move(charges));
}

void MeasurementRounds::keep(std::vector<CountBlock> blocks, std::vector<NoisyBlock> noisy,
                             std::vector<Charge> charges) {
  bytes_ += bytes_of(blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks_.push_back(std::move(blocks[i]));
    noisy_.push_back(std::move(noisy[i]));
    charges_.push_back(std::move(charges[i]));
    measurements_.add(blocks_.back(), noisy_.back(), sigma_of(blocks_.size() - 1));
  }
}

double MeasurementRounds::sigma_of(std::size_t block) const {
  return PrivacyStatement{{}, {}, {charges_.at(block)}, {}}.noise_of(0).sigma;
}

std::size_t MeasurementRounds::choose(const std::string& what,
                                      std::span<const std::size_t> candidates, double epsilon) {
  ExactSelection selection(accountant_, what, candidates.size(), epsilon, encoder_.schema());
  choices_.emplace_back(selection.charge());
  any_measured_ = true;
  return codes_.choose(candidates, std::move(selection));
}

MeasuredSum MeasurementRounds::measure_sum(const CountBlock& block, double mu_squared,
                                           const Context& context) {
  MEHLER_ASSERT(block.vector_sum() != nullptr);
  measure(block.name, {block}, {1.0}, mu_squared, context);
  return read_sum(*block.vector_sum(), noisy_.back(), sigma_of(charges_.size() - 1));
}

Release MeasurementRounds::finish(std::string method, const NoiseRules& rules) {
  const Schema& schema = encoder_.schema();
  PrivacyStatement statement;
  statement.budget = accountant_.budget();
  statement.public_rows = codes_.public_rows();
  statement.charges = std::move(charges_);
  statement.rules = rules;
  statement.charges.insert(statement.charges.end(), choices_.begin(), choices_.end());
  statement.charges.insert(statement.charges.end(), earlier_charges_.begin(),
                           earlier_charges_.end());
  return Release(std::move(method), schema,
                 NoisyCounts{CountSet(encoder_, std::move(blocks_)), std::move(noisy_)},
                 std::move(statement));
}

}  // namespace mehler

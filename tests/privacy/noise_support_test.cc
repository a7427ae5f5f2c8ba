// Which values a release can have at all. Noise of the right scale still betrays a record if some
// outputs of one table are no output of its neighbour: floating-point noise leaves such traces.
// Here every integer is an exact sum plus some noise, whatever the sum.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/measurement/internal/noise.h"
#include "mehler/measurement/private_counter.h"
#include "mehler/privacy/rounded_gaussian.h"
#include "tests/support/counted_table.h"
#include "tests/support/private_counter_test_peer.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace noise_support_test {

/// Outputs of one setting. The rarest residue has a probability of at least 1/64, so that one is
/// missing by accident with a probability of at most 64 exp(-62) = 8e-26.
constexpr std::size_t kOutputs = 4000;

/// The largest power of two up to `most` whose residues noise of this scale has all: those near
/// half of it are two standard deviations away.
std::uint64_t residues_within(double grid_sigma, std::uint64_t most) {
  std::uint64_t modulus = 2;
  while (modulus < most && 2.0 * static_cast<double>(modulus) <= 4.0 * grid_sigma) {
    modulus *= 2;
  }
  return modulus;
}

/// Whether the noise that these outputs would need under the neighbouring table, whose sum is
/// `neighbour`, has every residue modulo a power of two.
bool has_every_residue(const std::vector<std::int64_t>& outputs, std::int64_t neighbour,
                       std::uint64_t modulus) {
  std::vector<bool> seen(modulus, false);
  for (const std::int64_t output : outputs) {
    const auto noise = static_cast<std::uint64_t>(output) - static_cast<std::uint64_t>(neighbour);
    seen[noise % modulus] = true;
  }
  return std::all_of(seen.begin(), seen.end(), [](bool is_seen) { return is_seen; });
}

struct Setting {
  double grid_sigma;
  std::int64_t sum;
};

/// The least noise and much of it, on small sums and on such as leave 64 bits little room.
std::vector<Setting> settings() {
  std::vector<Setting> result;
  for (const double sigma : {kMinRoundedSigma, 3.3, 1000.5, 1e9, kMaxRoundedSigma}) {
    for (const std::int64_t sum :
         {std::int64_t{0}, std::int64_t{-12'345}, (std::int64_t{1} << 60) + 3}) {
      result.push_back({sigma, sum});
    }
  }
  return result;
}

/// Adds noise with `draw(sum, grid_sigma, outputs)` in every setting, and looks at the outputs from
/// the side of neighbours whose sums differ by one step of the grid and by 1,001.
bool reaches_every_value(const auto& draw) {
  for (const auto& [sigma, sum] : settings()) {
    const std::vector<std::int64_t> outputs = draw(sum, sigma);
    for (const std::int64_t change : {1, -1, 1001}) {
      if (!has_every_residue(outputs, sum + change, residues_within(sigma, 64))) {
        return false;
      }
    }
  }
  return true;
}

/// The noise that is shipped.
std::vector<std::int64_t> shipped(std::int64_t sum, double grid_sigma) {
  FeatureBlock block;
  block.name = "count";
  block.maps.push_back({FeatureMap::constant(), 1.0});
  return with_noise(block, kOutputs, WipedVector<std::int64_t>(kOutputs, sum),
                    std::ldexp(grid_sigma, -block.grid_exponent()))
      .grid_sums;
}

/// Broken: a Gaussian in floating point, scaled and rounded, on an exact sum. Beyond the 24 digits
/// of a float its lowest digits are zeros.
std::vector<std::int64_t> float_noise(std::int64_t sum, double grid_sigma) {
  SeededRandom random(1);
  std::vector<std::int64_t> outputs;
  for (std::size_t i = 0; i < kOutputs; ++i) {
    outputs.push_back(
        sum + std::llround(static_cast<float>(random.normal()) * static_cast<float>(grid_sigma)));
  }
  return outputs;
}

/// Broken: sums and noise in floating point. A large sum takes the noise's lowest digits away.
std::vector<std::int64_t> noise_on_a_floating_sum(std::int64_t sum, double grid_sigma) {
  SeededRandom random(1);
  std::vector<std::int64_t> outputs;
  for (std::size_t i = 0; i < kOutputs; ++i) {
    outputs.push_back(std::llround(static_cast<double>(sum) + grid_sigma * random.normal()));
  }
  return outputs;
}

/// Broken: twice a Gaussian of half the scale. Right in scale, and never odd.
std::vector<std::int64_t> even_noise(std::int64_t sum, double grid_sigma) {
  SeededRandom random(1);
  std::vector<std::int64_t> outputs;
  for (std::size_t i = 0; i < kOutputs; ++i) {
    outputs.push_back(sum + 2 * std::llround(0.5 * grid_sigma * random.normal()));
  }
  return outputs;
}

TEST(NoiseSupport, EveryReleasedValueIsPossibleUnderTheNeighbouringTable) {
  EXPECT_TRUE(reaches_every_value(shipped));
}

TEST(NoiseSupport, OfBrokenSamplersIsFoundToHaveHoles) {
  EXPECT_FALSE(reaches_every_value(float_noise));
  EXPECT_FALSE(reaches_every_value(noise_on_a_floating_sum));
  EXPECT_FALSE(reaches_every_value(even_noise));
}

TEST(NoiseSupport, OfMeasuredCountsReachesEveryValueFromTheNeighboursCounts) {
  // The whole way from records to noisy counts, with so large a budget that the noise is a few
  // steps of the grid: two columns of 61 categories have 3,600 contrasts.
  std::string labels;
  for (int i = 0; i < 61; ++i) {
    labels += (i > 0 ? ", \"v" : "\"v") + std::to_string(i) + "\"";
  }
  const Schema schema =
      schema_of(R"({"name": "p", "kind": "categorical", "categories": [)" + labels +
                R"(]}, {"name": "q", "kind": "categorical", "categories": [)" + labels + "]}");
  const Encoder encoder(schema);
  const auto records = [](const std::vector<std::string>& values) {
    Table table;
    for (const char* name : {"p", "q"}) {
      table.columns.push_back({name, ColumnKind::kCategorical, values, {}});
    }
    return table;
  };
  const auto codes_of = [&](const std::vector<std::string>& values) {
    return PrivateCounter(PrivateTable({part_of({records(values)})}, schema), encoder, Context{});
  };
  const CountBlock block = CountBlock::marginal(encoder, {{0, 1}}, own_cells(encoder), "");
  const std::vector<CountBlock> blocks = {block};
  PrivateCounter without = codes_of({"v3", "v60"});
  const std::vector<std::int64_t> neighbour = PrivateCounterTestPeer::sums(without, blocks)[0];
  PrivateCounter with_mine = codes_of({"v3", "v60", "v7"});
  Accountant accountant({20'000.0, 1e-6});
  const double precision = 0.9 * accountant.total_mu_squared();
  CountMechanism mechanism(accountant, "test", blocks, schema, std::vector{precision});
  const double grid_sigma = std::ldexp(mechanism.charges()[0].sigma, block.grid_exponent());
  ASSERT_LT(grid_sigma, 4.0);
  const std::vector<NoisyBlock> noisy = with_mine.measure(std::move(mechanism), Context{});
  std::vector<std::int64_t> implied;
  for (std::size_t i = 0; i < neighbour.size(); ++i) {
    implied.push_back(noisy[0].grid_sums[i] - neighbour[i]);
  }
  ASSERT_EQ(implied.size(), 3600U);
  // Every contrast has at least that noise, most much more.
  EXPECT_TRUE(has_every_residue(implied, 0, 64));
}

}  // namespace noise_support_test
}  // namespace mehler

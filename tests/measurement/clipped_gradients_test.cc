// What a record adds to a critic's gradient: right, bounded, and its own alone.

#include "mehler/measurement/internal/clipped_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/integer_math.h"
#include "mehler/privacy/subsampled_mechanism.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/errors.h"
#include "tests/support/even_batch.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace clipped_gradients_test {

using Sums = std::vector<std::int64_t>;
constexpr CriticLoss kLosses[] = {CriticLoss::kWasserstein, CriticLoss::kCrossEntropy};
constexpr auto kLeaky = ActivationLayer::Function::kLeakyRectifier;
constexpr auto kRectifier = ActivationLayer::Function::kRectifier;

/// Records, and a critic of three layers.
struct Example {
  Encoder encoder{Schema::from_json(R"({"mehler_schema": 1, "target": "label", "columns": [
      {"name": "x", "kind": "numeric", "bounds": [-4, 9], "missing": true},
      {"name": "y", "kind": "integer", "bounds": [0, 1000]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"], "other": "rest"},
      {"name": "label", "kind": "boolean"}]})")};
  RecordInputs inputs{encoder, {RecordInputs::Label::kTold}};
  EncodedBatch records;
  Network critic;

  explicit Example(std::size_t rows, double size = 1.0)
      : critic({DenseLayer{inputs.size(), 17}, ActivationLayer{17, kLeaky}, DenseLayer{17, 9},
                ActivationLayer{9, kRectifier}, DenseLayer{9, 1}},
               3) {
    SeededRandom random(1);
    records = even_batch(encoder, rows, random, 0.3);
    for (float& parameter : critic.parameters()) {
      parameter = static_cast<float>(size * random.normal());
    }
  }

  Sums sums(const std::vector<std::uint32_t>& rows, CriticLoss loss, double clip_norm,
            std::size_t threads = 1) const {
    WorkerPool pool(threads);
    Sums result(critic.parameters().size(), 0);
    ClippedGradients(inputs).add(critic, loss, clip_norm, records, rows, pool, result);
    return result;
  }
};

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The loss of one real record in double, from the definitions.
double loss_of(const Example& example, const std::vector<double>& parameters, CriticLoss loss,
               std::size_t row) {
  std::vector<float> inputs(example.inputs.size());
  example.inputs.put(example.records, row, inputs.data());
  std::vector<double> below(inputs.begin(), inputs.end());
  std::size_t place = 0;
  for (const std::size_t width : {17, 9, 1}) {
    std::vector<double> above(width);
    for (std::size_t j = 0; j < width; ++j) {
      above[j] = parameters[place + below.size() * width + j];
      for (std::size_t i = 0; i < below.size(); ++i) {
        above[j] += below[i] * parameters[place + i * width + j];
      }
      if (width > 1) {
        above[j] = std::max(above[j], width == 17 ? 0.2 * above[j] : 0.0);
      }
    }
    place += (below.size() + 1) * width;
    below = above;
  }
  return loss == CriticLoss::kWasserstein ? -below[0] : std::log1p(std::exp(-below[0]));
}

TEST(ClippedGradients, AgreeWithFiniteDifferencesWhereNothingIsClipped) {
  const Example example(40, 0.4);
  constexpr double kClip = 64.0;  // more than any norm here
  for (const CriticLoss loss : kLosses) {
    const Sums sums = example.sums(first_rows(40), loss, kClip);
    std::vector<double> parameters(example.critic.parameters().begin(),
                                   example.critic.parameters().end());
    const auto total = [&] {
      double sum = 0.0;
      for (std::size_t row = 0; row < 40; ++row) {
        sum += loss_of(example, parameters, loss, row);
      }
      return sum;
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double kept = parameters[i];
      constexpr double kStep = 1e-6;
      parameters[i] = kept + kStep;
      const double above = total();
      parameters[i] = kept - kStep;
      const double below = total();
      parameters[i] = kept;
      const double found = kClip * std::ldexp(static_cast<double>(sums[i]), -kGradientGridExponent);
      EXPECT_NEAR(found, (above - below) / (2.0 * kStep), 5e-3) << i;
    }
  }
}

uint128 squared_norm(const Sums& sums) {
  uint128 squares = 0;
  for (const std::int64_t sum : sums) {
    const auto size = static_cast<uint128>(std::abs(sum));
    squares += size * size;
  }
  return squares;
}

TEST(ClippedGradients, OfARecordAreNeverLongerThanTheClipNormAsIntegersAndNearlyAsLong) {
  const uint128 one = uint128{1} << (2 * kGradientGridExponent);
  for (const double size : {0.05, 1.0, 30.0}) {
    const Example example(300, size);
    for (const CriticLoss loss : kLosses) {
      for (const double clip_norm : {1e-3, 0.64, 1.1, 50.0}) {
        double longest = 0.0;
        for (std::uint32_t row = 0; row < 300; ++row) {
          const uint128 squares = squared_norm(example.sums({row}, loss, clip_norm));
          ASSERT_LE(squares, one) << size << " " << clip_norm << " " << row;
          longest = std::max(longest, static_cast<double>(squares) / static_cast<double>(one));
        }
        if (clip_norm < 0.01) {
          EXPECT_GT(longest, 0.9999);
        }
      }
    }
  }
}

TEST(ClippedGradients, WithAndWithoutARecordDifferByThatRecordAloneWhateverItsPlace) {
  const InstructionSetRestorer restorer;
  const Example example(70);
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    for (const CriticLoss loss : kLosses) {
      const std::vector<std::uint32_t> others = first_rows(69);
      const Sums without = example.sums(others, loss, 0.7);
      const Sums alone = example.sums({69}, loss, 0.7);
      for (std::size_t place = 0; place <= others.size(); ++place) {
        std::vector<std::uint32_t> rows = others;
        rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(place), 69);
        Sums with = example.sums(rows, loss, 0.7);
        for (std::size_t i = 0; i < with.size(); ++i) {
          with[i] -= alone[i];
        }
        ASSERT_EQ(with, without) << set << " " << place;
      }
    }
  }
}

TEST(ClippedGradients, DependNeitherOnTheOrderNorOnThreadsNorOnHowManyGoTogether) {
  const Example example(5000);
  std::vector<std::uint32_t> rows = first_rows(5000);
  const Sums sums = example.sums(rows, CriticLoss::kCrossEntropy, 1.0);
  EXPECT_EQ(example.sums(rows, CriticLoss::kCrossEntropy, 1.0, 3), sums);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(example.sums(rows, CriticLoss::kCrossEntropy, 1.0, 2), sums);
  Sums parts(sums.size(), 0);
  for (std::size_t first = 0; first < 5000; first += 1250) {
    const std::vector<std::uint32_t> some(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                          rows.begin() + static_cast<std::ptrdiff_t>(first + 1250));
    const Sums part = example.sums(some, CriticLoss::kCrossEntropy, 1.0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] += part[i];
    }
  }
  EXPECT_EQ(parts, sums);
}

TEST(ClippedGradients, ARecordWhoseGradientIsNoNumberAddsNothing) {
  Example example(20, 1e30);  // overflows in the second layer
  EXPECT_EQ(squared_norm(example.sums(first_rows(20), CriticLoss::kWasserstein, 1.0)), 0u);
}

TEST(ClippedGradients, OfNoRecordAreNone) {
  EXPECT_EQ(squared_norm(Example(2).sums({}, CriticLoss::kWasserstein, 1.0)), 0u);
}

TEST(ClippedGradients, RefuseCriticsThatMixRecordsOrThatTheyDoNotKnow) {
  const auto refused = [](std::vector<Layer> layers, std::size_t inputs = 4) {
    const Network critic(std::move(layers), 1);
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { ClippedGradients::require_critic(critic, inputs); }),
                    {"critic", "dense", "mix records"});
  };
  const ActivationLayer rectifier{3, kRectifier};
  refused({DenseLayer{4, 3}, NormalizationLayer{3, 1, true}, DenseLayer{3, 1}});
  refused({DenseLayer{4, 3, false}, rectifier, DenseLayer{3, 1}});
  refused({DenseLayer{4, 3}, rectifier, DenseLayer{3, 1, false}});
  refused({DenseLayer{4, 3}, DenseLayer{3, 1}});
  refused({DenseLayer{4, 3}, rectifier, DenseLayer{3, 2}});
  refused({DenseLayer{4, 3}, rectifier});
  refused({DenseLayer{4, 3}, ActivationLayer{3, ActivationLayer::Function::kLogistic},
           DenseLayer{3, 1}});
  refused({ConvolutionLayer{{2, 2, 1}, 1, 3}, ActivationLayer{4, kRectifier}, DenseLayer{4, 1}});
  refused({DenseLayer{4, 3}, rectifier, DenseLayer{3, 1}}, 5);
  EXPECT_NO_THROW(ClippedGradients::require_critic(
      Network({DenseLayer{4, 3}, rectifier, DenseLayer{3, 1}}, 1), 4));
}

}  // namespace clipped_gradients_test
}  // namespace mehler

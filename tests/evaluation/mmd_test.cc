#include "mehler/evaluation/kernels/mmd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/errors.h"

namespace mehler {
namespace mmd_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Encoder encoder_of(const std::string& target) {
  return Encoder(Schema::from_json(R"({"mehler_schema": 1, )" +
                                   (target.empty() ? "" : R"("target": ")" + target + R"(", )") +
                                   R"("columns": [
      {"name": "x", "kind": "numeric", "bounds": [-1, 1]},
      {"name": "y", "kind": "numeric", "bounds": [-1, 1], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "c"], "missing": true},
      {"name": "group", "kind": "categorical", "categories": ["p", "q"]}]})"));
}

/// Records of encoder_of, some values missing; y follows x, more closely in group 1.
EncodedBatch records(std::size_t rows, std::uint64_t seed, double shift = 0.0) {
  SeededRandom random(seed);
  EncodedBatch batch;
  batch.rows = rows;
  batch.columns.resize(4);
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = std::clamp(0.3 * random.normal() + shift, -1.0, 1.0);
    const bool group = random.flip(0.4);
    batch.columns[0].numbers.push_back(x);
    batch.columns[1].numbers.push_back(
        random.flip(0.2) ? kMissing
                         : std::clamp(x + (group ? 0.1 : 0.4) * random.normal(), -1.0, 1.0));
    batch.columns[2].codes.push_back(static_cast<std::int32_t>(4 * random.uniform()));
    batch.columns[3].codes.push_back(group ? 1 : 0);
  }
  return batch;
}

/// The definition, pair by pair.
KernelValues reference_mmd(const RecordKernel& kernel, const EncodedBatch& x,
                           const EncodedBatch& y) {
  const auto mean = [&](const EncodedBatch& a, const EncodedBatch& b) {
    KernelValues total;
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j < b.rows; ++j) {
        const KernelValues values = kernel.evaluate(a, i, b, j);
        total.sum += values.sum;
        total.product += values.product;
      }
    }
    const double pairs = static_cast<double>(a.rows) * static_cast<double>(b.rows);
    return KernelValues{total.sum / pairs, total.product / pairs};
  };
  const KernelValues xx = mean(x, x);
  const KernelValues yy = mean(y, y);
  const KernelValues xy = mean(x, y);
  return {xx.sum + yy.sum - 2 * xy.sum, xx.product + yy.product - 2 * xy.product};
}

TEST(RecordKernel, IsWhatItsDefinitionSays) {
  const RecordKernel kernel(encoder_of("group"), {0.5, {{"y", 0.25}}});
  EncodedBatch batch;
  batch.rows = 4;
  batch.columns = {{{0.1, 0.4, 0.4, 0.1}, {}, {}},
                   {{0.0, 0.1, kMissing, kMissing}, {}, {}},
                   {{}, {0, 0, 3, 3}, {}},
                   {{}, {1, 1, 1, 0}, {}}};
  const double x_kernel = std::exp(-0.3 * 0.3 / (2 * 0.5 * 0.5));
  const double y_kernel = std::exp(-0.1 * 0.1 / (2 * 0.25 * 0.25));
  const KernelValues near = kernel.evaluate(batch, 0, batch, 1);
  EXPECT_NEAR(near.sum, (x_kernel + y_kernel + 1) / 3, 1e-15);
  EXPECT_NEAR(near.product, x_kernel * y_kernel, 1e-15);
  const KernelValues missing = kernel.evaluate(batch, 1, batch, 2);
  EXPECT_NEAR(missing.sum, 1.0 / 3, 1e-15);
  EXPECT_EQ(missing.product, 0.0);
  EXPECT_EQ(kernel.evaluate(batch, 2, batch, 2).product, 1.0);
  EXPECT_EQ(kernel.evaluate(batch, 2, batch, 2).sum, 1.0);
  EXPECT_EQ(kernel.evaluate(batch, 2, batch, 3).sum, 0.0) << "different labels";
  EXPECT_EQ(kernel.evaluate(batch, 2, batch, 3).product, 0.0) << "different labels";
}

TEST(RecordKernel, RefusesWhatIsNoLengthScaleOfAColumn) {
  const Encoder encoder = encoder_of("group");
  const auto message = [&](const KernelOptions& options) {
    return message_of(ErrorCode::kInvalidArgument, [&] { RecordKernel(encoder, options); });
  };
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    expect_mentions(message({bad, {}}), {"length scale", "[0.001, 1000]"});
    expect_mentions(message({0.2, {{"y", bad}}}), {"'y'", "[0.001, 1000]"});
  }
  expect_mentions(message({0.2, {{"c", 0.2}}}), {"'c'", "numbers"});
  expect_mentions(message({0.2, {{"z", 0.2}}}), {"'z'", "numbers"});
}

TEST(RecordKernel, NeedsAColumnBesidesTheLabel) {
  const Encoder encoder(Schema::from_json(
      R"({"mehler_schema": 1, "target": "b", "columns": [{"name": "b", "kind": "boolean"}]})"));
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { RecordKernel(encoder, {}); }),
                  {"besides the label"});
}

TEST(ExactMmd, AgreesWithTheDefinitionAtEveryBlockBoundary) {
  for (const char* target : {"", "group"}) {
    const RecordKernel kernel(encoder_of(target), {0.2, {{"y", 0.01}}});
    for (const auto& [m, n] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {1, 7}, {63, 64}, {65, 1}, {128, 200}, {130, 1100}}) {
      const EncodedBatch x = records(m, 1);
      const EncodedBatch y = records(n, 2, 0.2);
      const KernelValues expected = reference_mmd(kernel, x, y);
      const KernelValues found = exact_squared_mmd(kernel, x, y, Context{});
      EXPECT_NEAR(found.sum, expected.sum, 1e-13) << m << " " << n;
      EXPECT_NEAR(found.product, expected.product, 1e-13) << m << " " << n;
      EXPECT_GT(found.sum, 0.0);
    }
  }
}

TEST(ExactMmd, IsZeroForEqualRecords) {
  const RecordKernel kernel(encoder_of("group"), {});
  const EncodedBatch x = records(300, 4);
  const KernelValues found = exact_squared_mmd(kernel, x, x, Context{});
  EXPECT_NEAR(found.sum, 0.0, 1e-13);
  EXPECT_NEAR(found.product, 0.0, 1e-13);
  EXPECT_GE(found.sum, 0.0);
}

TEST(ExactMmd, SeesADependenceOnlyWithTheProductKernel) {
  // y and its mirror image in x: the same columns, another joint distribution.
  const RecordKernel kernel(encoder_of(""), {0.3, {}});
  EncodedBatch x = records(2000, 5);
  EncodedBatch y = records(2000, 6);
  for (double& value : y.columns[0].numbers) {
    value = -value;
  }
  const KernelValues apart = exact_squared_mmd(kernel, x, y, Context{});
  const KernelValues alike = exact_squared_mmd(kernel, x, records(2000, 6), Context{});
  EXPECT_LT(apart.sum, 2 * alike.sum);
  EXPECT_GT(apart.product, 10 * alike.product);
}

TEST(ExactMmd, IsTheSameForAnyNumberOfThreads) {
  const RecordKernel kernel(encoder_of("group"), {});
  const EncodedBatch x = records(1500, 7);
  const EncodedBatch y = records(900, 8);
  const KernelValues one = exact_squared_mmd(kernel, x, y, Context{});
  for (const std::size_t threads : {2, 3, 8}) {
    const KernelValues many = exact_squared_mmd(kernel, x, y, Context{threads, nullptr, nullptr});
    EXPECT_EQ(one.sum, many.sum);
    EXPECT_EQ(one.product, many.product);
  }
}

TEST(ExactMmd, AgreesOnEveryInstructionSet) {
  const RecordKernel kernel(encoder_of("group"), {});
  const EncodedBatch x = records(333, 9);
  const EncodedBatch y = records(222, 10);
  const KernelValues expected = reference_mmd(kernel, x, y);
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    const KernelValues found = exact_squared_mmd(kernel, x, y, Context{});
    EXPECT_NEAR(found.sum, expected.sum, 1e-13) << name;
    EXPECT_NEAR(found.product, expected.product, 1e-13) << name;
  }
  force_instruction_set("");
}

TEST(ExactMmd, StopsOnRequestAndRefusesEmptySets) {
  const RecordKernel kernel(encoder_of(""), {});
  const std::atomic<bool> cancelled{true};
  message_of(ErrorCode::kCancelled, [&] {
    exact_squared_mmd(kernel, records(10, 1), records(10, 2), Context{1, nullptr, &cancelled});
  });
  message_of(ErrorCode::kInvalidArgument,
             [&] { exact_squared_mmd(kernel, records(10, 1), records(0, 2), Context{}); });
  message_of(ErrorCode::kInvalidArgument,
             [&] { SumKernelFeatures(kernel, 5).mean(records(0, 1)); });
}

TEST(ApproximateMmd, TendsToTheExactOneAsTheOrderGrows) {
  for (const char* target : {"", "group"}) {
    const RecordKernel kernel(encoder_of(target), {0.3, {{"y", 0.2}}});
    const EncodedBatch x = records(400, 11);
    const EncodedBatch y = records(300, 12, 0.1);
    const double exact = exact_squared_mmd(kernel, x, y, Context{}).sum;
    const auto approximate = [&](std::size_t order) {
      const SumKernelFeatures features(kernel, order);
      return squared_distance(features.mean(x), features.mean(y));
    };
    EXPECT_NEAR(approximate(60), exact, 1e-12);
    EXPECT_GT(std::fabs(approximate(2) - exact), 1e-5);
  }
}

TEST(ApproximateMmd, HasOneEntryMoreWhereValuesMayBeMissing) {
  const RecordKernel kernel(encoder_of("group"), {});
  EXPECT_EQ(SumKernelFeatures(kernel, 5).dimension(), 2U * (6 + 7 + 4));
}

}  // namespace mmd_test
}  // namespace mehler

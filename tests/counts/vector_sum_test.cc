// Sums of vectors of records: what they add up to, and that no record changes them by more than the
// sensitivity that they are charged for.

#include "mehler/counts/vector_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/counts/count_set.h"
#include "mehler/counts/vector_accumulator.h"
#include "tests/support/errors.h"
#include "tests/support/even_batch.h"

namespace mehler {
namespace vector_sum_test {

constexpr double kRadius = 1.5;

Schema schema() {
  return Schema::from_json(R"({"mehler_schema": 1, "target": "y", "columns": [
      {"name": "a", "kind": "numeric", "bounds": [0, 1]},
      {"name": "b", "kind": "integer", "bounds": [0, 9], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["u", "v", "w"]},
      {"name": "y", "kind": "categorical", "categories": ["no", "yes", "perhaps"]}]})");
}

/// Every kind of sum, of vectors with random parameters.
struct Sums {
  Encoder encoder{schema()};
  std::shared_ptr<ScoreTables> scores = std::make_shared<ScoreTables>();
  CountedColumn classes;
  SeededRandom random{7};

  Sums() {
    for (std::size_t c = 0; c < 3; ++c) {
      auto cells =
          std::make_shared<const ColumnPartition>(ColumnPartition::even(encoder.columns()[c], 16));
      std::vector<std::int32_t> table;
      for (std::size_t i = 0; i < cells->size(); ++i) {
        table.push_back(static_cast<std::int32_t>(random.next_word() % 6000) - 3000);
      }
      scores->columns.push_back({{c, std::move(cells)}, std::move(table)});
    }
    classes = {3, std::make_shared<const ColumnPartition>(
                      ColumnPartition::even(encoder.columns()[3], 16))};
  }

  std::vector<double> numbers(std::size_t count) {
    std::vector<double> result(count);
    for (double& number : result) {
      number = on_parameter_grid(2.0 * random.normal());
    }
    return result;
  }

  std::shared_ptr<const RecordVector> vector(bool keeps_scores) {
    auto made = std::make_shared<RecordVector>();
    made->scores = scores;
    made->centre = numbers(3);
    made->directions = numbers(6);
    made->factors = {0.5, 3.0};
    made->keeps_scores = keeps_scores;
    made->sizes = {1.0, 0.25};
    made->size_offset = 0.5;
    made->norm_weight = 0.75;
    made->constant = 0.25;
    made->scale = 0.5;
    made->radius = kRadius;
    return made;
  }

  VectorSum sum(SumKind kind, bool by_class) {
    VectorSum made;
    made.kind = kind;
    made.vector = vector(true);
    if (by_class) {
      made.classes = classes;
    }
    if (kind == SumKind::kLoadings) {
      made.other = vector(false);
    } else if (kind == SumKind::kLengths) {
      made.cells = 5;
      made.cell_width = 0.2;
    } else if (kind == SumKind::kGradient) {
      made.weights = std::make_shared<const std::vector<double>>(numbers(made.dimension()));
      made.gradient_radius = 0.5;
    }
    return made;
  }

  std::vector<CountBlock> all() {
    return {{"lengths", sum(SumKind::kLengths, true)},
            {"means", sum(SumKind::kMeans, false)},
            {"means by class", sum(SumKind::kMeans, true)},
            {"products", sum(SumKind::kProducts, false)},
            {"products by class", sum(SumKind::kProducts, true)},
            {"loadings", sum(SumKind::kLoadings, false)},
            {"gradient", sum(SumKind::kGradient, true)}};
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(squares);
}

TEST(VectorSum, NoRecordAndNoExchangeIsLargerThanTheSensitivity) {
  Sums sums;
  constexpr std::size_t kRecords = 300;
  const EncodedBatch batch = even_batch(sums.encoder, kRecords, sums.random, 0.2);
  for (const CountBlock& block : sums.all()) {
    std::vector<std::vector<double>> added(kRecords, std::vector<double>(block.dimension()));
    for (std::size_t r = 0; r < kRecords; ++r) {
      block.evaluate(batch, r, added[r].data());
    }
    const double one = block.sensitivity(NeighbourRelation::kAddRemoveOne);
    const double two = block.sensitivity(NeighbourRelation::kReplaceOne);
    const std::vector<double> nothing(block.dimension(), 0.0);
    double largest = 0.0;
    for (std::size_t r = 0; r < kRecords; ++r) {
      largest = std::max(largest, distance(added[r], nothing));
      for (std::size_t s = 0; s < r; ++s) {
        ASSERT_LE(distance(added[r], added[s]), two) << block.name;
      }
    }
    EXPECT_LE(largest, one) << block.name;
    EXPECT_GE(largest, 0.9 * one) << block.name << ": the bound is loose, or nothing was clipped";
  }
}

TEST(VectorSum, SumsAreTheSameInAnyOrderAndInParts) {
  Sums sums;
  constexpr std::size_t kRecords = 100;
  const EncodedBatch batch = even_batch(sums.encoder, kRecords, sums.random, 0.2);
  for (const CountBlock& block : sums.all()) {
    const VectorSum& sum = *block.vector_sum();
    std::vector<std::int64_t> forwards(sum.dimension());
    std::vector<std::int64_t> backwards(sum.dimension());
    VectorAccumulator all(sum);
    for (std::size_t r = 0; r < kRecords; ++r) {
      all.add(sum.leaves_of(batch, r));
    }
    all.add_to(forwards);
    VectorAccumulator first(sum);
    VectorAccumulator second(sum);
    for (std::size_t r = kRecords; r-- > 0;) {
      (r < 37 ? first : second).add(sum.leaves_of(batch, r));
    }
    first.add_to(backwards);
    second.add_to(backwards);
    EXPECT_EQ(forwards, backwards) << block.name;
  }
}

TEST(VectorSum, ProductsAreThoseOfTheEntries) {
  Sums sums;
  const VectorSum means = sums.sum(SumKind::kMeans, false);
  VectorSum products = means;
  products.kind = SumKind::kProducts;
  const EncodedBatch batch = even_batch(sums.encoder, 1, sums.random, 0.0);
  const CountBlock mean{"mean", means};
  const CountBlock product{"product", products};
  std::vector<double> u(mean.dimension());
  std::vector<double> found(product.dimension());
  mean.evaluate(batch, 0, u.data());
  product.evaluate(batch, 0, found.data());
  std::size_t next = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t j = i; j < u.size(); ++j) {
      EXPECT_NEAR(found[next++], u[i] * u[j] * (i == j ? 1.0 : std::sqrt(2.0)), 2e-3);
    }
  }
}

TEST(VectorSum, ARecordTouchesItsClassAlone) {
  Sums sums;
  const EncodedBatch batch = even_batch(sums.encoder, 1, sums.random, 0.0);
  const CountBlock block{"means", sums.sum(SumKind::kMeans, true)};
  std::vector<double> added(block.dimension());
  block.evaluate(batch, 0, added.data());
  const std::size_t own = block.vector_sum()->vector->dimension();
  for (std::size_t i = 0; i < added.size(); ++i) {
    const bool is_own = static_cast<std::int32_t>(i / own) == batch.columns[3].codes[0];
    EXPECT_EQ(added[i] != 0.0, is_own) << i;
  }
}

TEST(VectorSum, ReadsBackWhatItWrites) {
  Sums sums;
  std::vector<CountBlock> blocks = sums.all();
  blocks.push_back(CountBlock::records());
  const CountSet counts(sums.encoder, blocks);
  const std::string json = counts.to_json(sums.encoder);
  EXPECT_EQ(CountSet::from_json(sums.encoder, json), counts);
  // All vectors have the same scores, which are written once.
  EXPECT_EQ(json.find("\"cells\":0,\"scores\""), json.rfind("\"cells\":0,\"scores\""));
}

TEST(VectorSum, RefusesPartsThatDoNotFitTogether) {
  Sums sums;
  const auto refused = [&](SumKind kind, const auto& change, const char* word) {
    VectorSum sum = sums.sum(kind, kind == SumKind::kGradient);
    RecordVector vector = *sum.vector;
    change(sum, vector);
    sum.vector = std::make_shared<const RecordVector>(vector);
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 CountSet(sums.encoder, {{"block", sum}});
                               }),
                    {"'block'", word});
  };
  for (const double radius : {0.0, -1.0, std::nan(""), 1e6}) {
    refused(
        SumKind::kMeans, [&](VectorSum&, RecordVector& v) { v.radius = radius; }, "radius");
    refused(
        SumKind::kGradient, [&](VectorSum& s, RecordVector&) { s.gradient_radius = radius; },
        "radius");
    refused(
        SumKind::kLengths, [&](VectorSum& s, RecordVector&) { s.cell_width = radius; }, "width");
  }
  refused(
      SumKind::kMeans, [](VectorSum&, RecordVector& v) { v.centre.pop_back(); }, "size");
  refused(
      SumKind::kMeans, [](VectorSum&, RecordVector& v) { v.directions.pop_back(); }, "size");
  refused(
      SumKind::kMeans, [](VectorSum&, RecordVector& v) { v.sizes.pop_back(); }, "size");
  refused(
      SumKind::kMeans, [](VectorSum&, RecordVector& v) { v.factors[0] = std::nan(""); }, "finite");
  refused(
      SumKind::kMeans, [](VectorSum&, RecordVector& v) { v.scale = INFINITY; }, "finite");
  refused(
      SumKind::kLengths, [](VectorSum& s, RecordVector&) { s.cells = 0; }, "cells");
  refused(
      SumKind::kLoadings, [](VectorSum& s, RecordVector&) { s.other = nullptr; }, "second");
  refused(
      SumKind::kGradient, [](VectorSum& s, RecordVector&) { s.classes.reset(); }, "classes");
  refused(
      SumKind::kGradient,
      [](VectorSum& s, RecordVector&) {
        s.weights = std::make_shared<const std::vector<double>>(3, 0.0);
      },
      "weight");
}

TEST(VectorSum, RefusesSpecificationsThatAreNone) {
  Sums sums;
  const CountSet counts(sums.encoder, {{"gradient", sums.sum(SumKind::kGradient, true)}});
  const std::string json = counts.to_json(sums.encoder);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const std::size_t place = changed.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    changed.replace(place, from.size(), to);
    EXPECT_THROW(CountSet::from_json(sums.encoder, changed), Error) << to;
  };
  refused("\"sum\":\"gradient\"", "\"sum\":\"integral\"");
  refused("\"sum\":\"gradient\"", "\"sum\":\"means\"");
  refused("\"vector\":0", "\"vector\":1");
  refused("\"vector\":0", "\"vector\":-1");
  refused("\"classes\":", "\"classes\":9");
  refused("\"weights\":[", "\"weights\":[1e300,");
  refused("\"weights\":[", "\"weights\":[99999999999999999999,");
  refused("\"weights\":[", "\"weights\":[\"\",");
  refused("\"radius\":1.5", "\"radius\":-1.5");
  refused("\"factors\":[", "\"factors\":[null,");
  refused("\"keeps_scores\":true", "\"keeps_scores\":1");
}

}  // namespace vector_sum_test
}  // namespace mehler

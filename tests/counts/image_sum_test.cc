// Sums of vectors of images: no record changes them by more than the sensitivity that they are
// charged for, and what a record adds depends on that record alone.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/counts/count_set.h"
#include "mehler/counts/vector_accumulator.h"
#include "tests/support/errors.h"
#include "tests/support/image_sums.h"
#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace image_sum_test {

struct Images {
  Encoder encoder{shapes_schema()};
  ExampleImageSums sums{encoder, 0, 1};
  EncodedBatch batch;

  /// Shapes, noise, black and white.
  explicit Images(std::size_t rows) {
    SeededRandom random(3);
    batch.rows = rows;
    batch.columns.resize(2);
    for (std::size_t r = 0; r < rows; ++r) {
      const bool stands = random.flip(0.5);
      batch.columns[0].codes.push_back(stands ? 1 : 0);
      std::vector<std::uint8_t> pixels = draw_shape(stands, random);
      if (r % 4 == 3) {
        for (std::uint8_t& pixel : pixels) {
          pixel = r % 8 == 3 ? (r % 16 == 3 ? 0 : 255)
                             : static_cast<std::uint8_t>(random.next_word() % 256);
        }
      }
      batch.columns[1].pixels.insert(batch.columns[1].pixels.end(), pixels.begin(), pixels.end());
    }
  }

  std::vector<CountBlock> blocks() {
    std::vector<CountBlock> result;
    for (const VectorSum& sum : sums.all()) {
      result.push_back({"sum " + std::to_string(result.size()), sum});
    }
    return result;
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(squares);
}

TEST(ImageSum, NoRecordAndNoExchangeIsLargerThanTheSensitivity) {
  constexpr std::size_t kRecords = 100;
  Images images(kRecords);
  for (const CountBlock& block : images.blocks()) {
    std::vector<std::vector<double>> added(kRecords, std::vector<double>(block.dimension()));
    for (std::size_t r = 0; r < kRecords; ++r) {
      block.evaluate(images.batch, r, added[r].data());
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
    EXPECT_GE(largest, 0.9 * one) << block.name << ": the bound is loose, or nothing was shortened";
  }
}

// What makes an exchange of class means as far as the constant says: two classes, opposite codes.
TEST(ImageSum, TheConstantCancelsWithinAClassAndNotBetweenClasses) {
  Images images(1);
  VectorSum one_class = images.sums.class_means();
  const double entries = one_class.image->bound();
  EXPECT_NEAR(one_class.sensitivity(NeighbourRelation::kReplaceOne), 2.0 * entries, 1e-3);
  auto vector = std::make_shared<ImageVector>(*one_class.image);
  vector->constant = 3.0 * entries;
  one_class.image = vector;
  EXPECT_NEAR(one_class.sensitivity(NeighbourRelation::kReplaceOne),
              std::sqrt(2.0) * std::hypot(entries, 3.0 * entries), 1e-3);
  one_class.classes.reset();
  EXPECT_NEAR(one_class.sensitivity(NeighbourRelation::kReplaceOne), 2.0 * entries, 1e-3);
}

TEST(ImageSum, ARowDependsOnItselfAloneWhateverTheBatch) {
  constexpr std::size_t kRecords = 67;
  Images images(kRecords);
  for (const VectorSum& sum : images.sums.all()) {
    const ImageScores& scores = *sum.image->scores;
    std::vector<float> of_rows(kRecords * scores.size());
    std::vector<std::uint32_t> classes;
    for (std::size_t r = 0; r < kRecords; ++r) {
      scores.evaluate(std::span(images.batch.columns[1].pixels).subspan(64 * r, 64),
                      std::span(of_rows).subspan(r * scores.size(), scores.size()));
      classes.push_back(sum.class_of(images.batch, r));
    }
    const std::size_t own = sum.vector_dimension();
    std::vector<double> together(kRecords * own);
    sum.image->evaluate(of_rows, classes, together, {});
    std::vector<double> alone(own);
    for (std::size_t r = 0; r < kRecords; ++r) {
      sum.image->evaluate(std::span(of_rows).subspan(r * scores.size(), scores.size()),
                          std::span(classes).subspan(r, 1), alone, {});
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &together[r * own])) << r;
    }
    // Sums in one go, and backwards in parts of one row.
    std::vector<std::int64_t> forwards(sum.dimension());
    std::vector<std::int64_t> backwards(sum.dimension());
    VectorAccumulator all(sum);
    all.add_images(of_rows, classes);
    all.add_to(forwards);
    VectorAccumulator first(sum);
    VectorAccumulator second(sum);
    for (std::size_t r = kRecords; r-- > 0;) {
      (r % 3 == 0 ? first : second)
          .add_images(std::span(of_rows).subspan(r * scores.size(), scores.size()),
                      std::span(classes).subspan(r, 1));
    }
    first.add_to(backwards);
    second.add_to(backwards);
    EXPECT_EQ(forwards, backwards);
  }
}

TEST(ImageSum, ACellIsTheNearestOfItsClass) {
  Images images(40);
  const VectorSum sum = images.sums.cells();
  const CountBlock block{"cells", sum};
  const std::size_t own = sum.vector_dimension();
  ASSERT_EQ(sum.cell_count(), 2u);
  std::size_t seen[2] = {};
  for (std::size_t r = 0; r < 40; ++r) {
    std::vector<double> added(block.dimension());
    block.evaluate(images.batch, r, added.data());
    const auto of_class = static_cast<std::size_t>(images.batch.columns[0].codes[r]);
    for (std::size_t b = 0; b < 4; ++b) {
      if (added[(b + 1) * own - 1] == 0.0) {
        continue;  // the constant is where the record is
      }
      EXPECT_EQ(b / 2, of_class);
      ++seen[b % 2];
      double squares[2] = {};
      for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t i = 0; i + 1 < own; ++i) {
          const double centre = sum.image->cell_centres[(2 * of_class + c) * (own - 1) + i];
          squares[c] += std::pow(added[b * own + i] - centre, 2.0);
        }
      }
      EXPECT_LE(squares[b % 2], squares[1 - b % 2] + 1e-4);
    }
  }
  EXPECT_EQ(seen[0] + seen[1], 40u);
  EXPECT_GT(seen[0] * seen[1], 0u);
}

TEST(ImageSum, ReadsBackWhatItWrites) {
  Images images(1);
  std::vector<CountBlock> blocks = images.blocks();
  blocks.push_back(CountBlock::records());
  const CountSet counts(images.encoder, blocks);
  EXPECT_EQ(CountSet::from_json(images.encoder, counts.to_json(images.encoder)), counts);
}

TEST(ImageSum, RefusesPartsThatDoNotFitTogether) {
  Images images(1);
  const auto refused = [&](VectorSum sum, const auto& change, const char* word) {
    auto vector = std::make_shared<ImageVector>(*sum.image);
    change(sum, *vector);
    sum.image = sum.image ? vector : nullptr;
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 CountSet(images.encoder, {{"block", sum}});
                               }),
                    {"'block'", word});
  };
  ExampleImageSums& sums = images.sums;
  for (const double radius : {0.0, -1.0, std::nan(""), 1e6}) {
    refused(
        sums.means(), [&](VectorSum&, ImageVector& v) { v.radius = radius; }, "radii");
    refused(
        sums.class_products(), [&](VectorSum&, ImageVector& v) { v.cell_radius = radius; },
        std::isnan(radius) ? "finite" : "radii");
  }
  refused(
      sums.means(), [](VectorSum&, ImageVector& v) { v.centre.pop_back(); }, "size");
  refused(
      sums.cells(), [](VectorSum&, ImageVector& v) { v.class_centres.pop_back(); }, "size");
  refused(
      sums.cells(), [](VectorSum&, ImageVector& v) { v.cells = 3; }, "size");
  refused(
      sums.cells(), [](VectorSum&, ImageVector& v) { v.factors[0] = INFINITY; }, "finite");
  refused(
      sums.gradient(), [](VectorSum&, ImageVector& v) { v.radius = 1.6; }, "longer");
  refused(
      sums.gradient(), [](VectorSum& s, ImageVector&) { s.classes.reset(); }, "classes");
  refused(
      sums.gradient(), [](VectorSum& s, ImageVector&) { s.weights.reset(); }, "weights");
  refused(
      sums.means(), [](VectorSum& s, ImageVector&) { s.kind = SumKind::kLoadings; }, "scores");
  refused(
      sums.cells(), [](VectorSum& s, ImageVector&) { s.kind = SumKind::kProducts; }, "cells");
}

TEST(ImageSum, RefusesSpecificationsThatAreNone) {
  Images images(1);
  const CountSet counts(images.encoder, {{"cells", images.sums.cells()}});
  const std::string json = counts.to_json(images.encoder);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const std::size_t place = changed.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    changed.replace(place, from.size(), to);
    EXPECT_THROW(CountSet::from_json(images.encoder, changed), Error) << to;
  };
  refused("\"image_vector\":0", "\"image_vector\":1");
  refused("\"image\":0", "\"image\":-1");
  refused("\"column\":\"image\"", "\"column\":\"shape\"");
  refused("\"scores\":\"code\"", "\"scores\":\"pixels\"");
  refused("\"cells\":2", "\"cells\":-2");
  refused("\"cells\":2", "\"cells\":2000000");
  refused("\"factors\":[", "\"factors\":[null,");
  refused("\"from_cells\":false", "\"from_cells\":true");
  refused("\"inner_radius\":8.0", "\"inner_radius\":-8.0");
}

}  // namespace image_sum_test
}  // namespace mehler

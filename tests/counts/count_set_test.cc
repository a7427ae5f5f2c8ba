#include "mehler/counts/count_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"

namespace mehler {
namespace count_set_test {

Schema small_schema() {
  return Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 99]},
      {"name": "c", "kind": "categorical", "categories": ["u", "v", "w"]},
      {"name": "d", "kind": "categorical", "categories": ["u", "v"], "missing": true},
      {"name": "one", "kind": "categorical", "categories": ["u"]}]})");
}

struct Counted {
  Encoder encoder{small_schema()};
  std::vector<std::shared_ptr<const ColumnPartition>> cells;

  Counted() {
    for (const Column& column : encoder.columns()) {
      cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 8)));
    }
  }
  CountBlock marginal(const std::vector<std::size_t>& columns, const char* step = "") const {
    return CountBlock::marginal(encoder, columns, cells, step);
  }
  CountBlock halves(std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges) const {
    return {"halves", HalvedRanges{0, std::make_shared<const RangeHalves>(
                                          RangeHalves{cells[0]->leaves(), std::move(ranges)})}};
  }
};

TEST(CountBlock, HasTheSensitivityOfWhatItCounts) {
  const Counted of;
  using enum NeighbourRelation;
  EXPECT_EQ(CountBlock::records().sensitivity(kAddRemoveOne), 1.0);
  EXPECT_EQ(CountBlock::records().sensitivity(kReplaceOne), 0.0);
  EXPECT_NEAR(of.marginal({1}).sensitivity(kAddRemoveOne), std::sqrt(2.0 / 3.0), 1e-15);
  EXPECT_NEAR(of.marginal({1}).sensitivity(kReplaceOne), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(of.marginal({0, 1, 2}).sensitivity(kAddRemoveOne),
              std::sqrt(7.0 / 8.0 * 2.0 / 3.0 * 2.0 / 3.0), 1e-15);
  EXPECT_EQ(of.halves({{0, 2}}).sensitivity(kAddRemoveOne), 1.0);
  EXPECT_EQ(of.halves({{0, 2}}).sensitivity(kReplaceOne), 2.0);
}

TEST(CountBlock, IsNamedAfterItsColumnsAndStep) {
  const Counted of;
  EXPECT_EQ(of.marginal({0}).name, "x");
  EXPECT_EQ(of.marginal({0, 2}, "round 1").name, "x x d (round 1)");
  EXPECT_EQ(of.marginal({0, 2}, "round 1").step, "round 1");
  EXPECT_EQ(block_word("a x b"), "\"a x b\"");
}

TEST(CountSet, ReadsBackWhatItWrites) {
  const Counted of;
  const CountSet counts(of.encoder,
                        {CountBlock::records(), of.marginal({0}, "round 1"), of.marginal({0, 1}),
                         of.marginal({0, 1, 2}), of.halves({{0, 2}, {4, 9}})});
  const std::string json = counts.to_json(of.encoder);
  EXPECT_EQ(CountSet::from_json(of.encoder, json), counts);
  EXPECT_EQ(counts.dimension(), 1u + 7 + 7 * 2 + 7 * 2 * 2 + 2);
  // Cells are written once, however many marginals have them.
  EXPECT_EQ(json.find("\"starts\""), json.rfind("\"starts\""));
}

TEST(CountSet, RefusesBlocksThatAreNone) {
  const Counted of;
  const auto refused = [&](std::vector<CountBlock> blocks, const char* word) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { CountSet(of.encoder, std::move(blocks)); }),
        {word});
  };
  refused({}, "no block");
  refused({of.marginal({0}), of.marginal({0})}, "'x'");
  refused({of.marginal({0, 0})}, "different columns");
  refused({of.marginal({0, 1, 2, 3})}, "1 to 3");
  refused({of.marginal({3})}, "two cells");
  refused({{"none", Marginal{}}}, "'none'");
  refused({of.halves({{4, 2}})}, "range");
}

TEST(CountSet, RefusesASpecificationThatDoesNotFitTheSchema) {
  const Counted of;
  const auto refused = [&](const std::string& cells, const std::string& block,
                           ErrorCode code = ErrorCode::kInvalidRelease) {
    message_of(code, [&] {
      CountSet::from_json(of.encoder,
                          R"({"cells": [)" + cells + R"(], "blocks": [)" + block + "]}");
    });
  };
  const std::string cells = R"({"column": "c", "rare": []})";
  CountSet::from_json(of.encoder,
                      R"({"cells": [)" + cells +
                          R"(], "blocks": [{"name": "c", "counts": "marginal", "cells": [0]}]})");
  refused(cells, R"({"name": "c", "counts": "marginal", "cells": [1]})");
  refused(cells, R"({"name": "c", "counts": "marginal", "cells": [-1]})");
  refused(cells, R"({"name": "c", "counts": "marginal", "cells": ["c"]})");
  refused(cells, R"({"name": "c", "counts": "everything"})");
  refused(cells, R"({"name": "c", "counts": "records", "cells": [0]})");
  refused(cells, R"({"name": "c", "counts": "records", "step": ""})");
  refused("", R"({"name": "c", "counts": "halves", "column": "c", "ranges": [0, 2]})");
  refused("", R"({"name": "c", "counts": "halves", "column": "x", "ranges": [0, 2, 4]})");
  refused(R"({"column": "none", "rare": []})", R"({"name": "c", "counts": "records"})",
          ErrorCode::kInvalidArgument);
  refused(R"({"column": "x", "starts": [5, 3]})", R"({"name": "c", "counts": "records"})",
          ErrorCode::kInvalidArgument);
}

}  // namespace count_set_test
}  // namespace mehler

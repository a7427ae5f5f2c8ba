#include "mehler/generator/rule_guard.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace mehler {
namespace rule_guard_test {

/// a in 0 .. 9, of which 7 never occurs, and never 3 beside yes.
const Encoder& encoder() {
  static const Encoder made(Schema::from_json(
      R"({"mehler_schema": 1, "never": [{"a": 7}, {"a": 3, "b": "yes"}], "columns": [
          {"name": "a", "kind": "integer", "bounds": [0, 9]},
          {"name": "b", "kind": "categorical", "categories": ["no", "yes"]}]})"));
  return made;
}

EncodedBatch batch_of(const std::vector<int>& numbers, const std::vector<std::int32_t>& codes) {
  EncodedBatch batch;
  batch.rows = numbers.size();
  batch.columns.resize(2);
  const NumberCoding coding(encoder().columns()[0]);
  for (const int number : numbers) {
    batch.columns[0].numbers.push_back(coding.encode(number));
  }
  batch.columns[1].codes.assign(codes.begin(), codes.end());
  return batch;
}

std::vector<std::int64_t> numbers_in(const EncodedBatch& batch) {
  return std::get<std::vector<std::int64_t>>(encoder().decode(batch).columns[0].values);
}

TEST(RuleGuard, RedrawsOnlyTheRowsThatBreakARule) {
  const RuleGuard guard(encoder());
  EncodedBatch batch = batch_of({1, 7, 3, 3}, {0, 0, 1, 0});
  std::vector<std::vector<std::size_t>> asked;
  guard.repair(batch, 5, [&](const std::vector<std::size_t>& rows, std::size_t attempt) {
    asked.push_back(rows);
    return attempt == 0 ? batch_of({5, 7}, {1, 0}) : batch_of({6}, {0});
  });
  EXPECT_EQ(asked, (std::vector<std::vector<std::size_t>>{{1, 2}, {2}}));
  EXPECT_EQ(numbers_in(batch), (std::vector<std::int64_t>{1, 5, 6, 3}));
}

TEST(RuleGuard, CopiesALawfulRowWhereRedrawingDoesNotHelp) {
  const RuleGuard guard(encoder());
  EncodedBatch batch = batch_of({7, 2, 7}, {0, 1, 0});
  const auto hopeless = [](const std::vector<std::size_t>& rows, std::size_t) {
    return batch_of(std::vector<int>(rows.size(), 7), std::vector<std::int32_t>(rows.size(), 0));
  };
  guard.repair(batch, 3, hopeless);
  EXPECT_EQ(numbers_in(batch), (std::vector<std::int64_t>{2, 2, 2}));
  EncodedBatch unlawful = batch_of({7, 7}, {0, 1});
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { guard.repair(unlawful, 3, hopeless); }),
      {"never occur", "loosen"});
}

TEST(RuleGuard, RefusesConditionsThatAskForACombination) {
  const RuleGuard guard(encoder());
  const auto conditions = [](const std::vector<SampleCondition>& where) {
    return resolve_conditions(encoder(), where, ConditionedColumns::kAll);
  };
  const std::string number = encoder().columns()[0].name;
  const ColumnCondition three = conditions({{number, "3"}})[0];
  const ColumnCondition three_or_four =
      conditions({{number, ConditionRelation::kIn, {"3", "4"}}})[0];
  const ColumnCondition yes{1, {false, true}, {}, false};
  const ColumnCondition no{1, {true, false}, {}, false};
  const ColumnCondition either{1, {true, true}, {}, false};
  EXPECT_NO_THROW(guard.refuse_contradictions({three}));
  EXPECT_NO_THROW(guard.refuse_contradictions({three, either}));
  EXPECT_NO_THROW(guard.refuse_contradictions({three_or_four, yes}));
  EXPECT_NO_THROW(guard.refuse_contradictions({three, no}));
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               guard.refuse_contradictions({yes, three});
                             }),
                  {"rule 2"});
}

}  // namespace rule_guard_test
}  // namespace mehler

#include "mehler/core/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"
#include "tests/support/little_memory.h"

namespace mehler {
namespace context_test {

TEST(RunWorkers, RunsEachWorkerOnce) {
  std::atomic<int> mask{0};
  run_workers(5, [&](std::size_t worker) { mask.fetch_or(1 << worker); });
  EXPECT_EQ(mask.load(), 31);
}

TEST(RunWorkers, ThrowsWhatAWorkerThrewAfterAllHaveEnded) {
  std::atomic<int> ended{0};
  expect_mentions(message_of(ErrorCode::kInvalidTable,
                             [&] {
                               run_workers(4, [&](std::size_t worker) {
                                 ++ended;
                                 if (worker == 2) {
                                   throw Error(ErrorCode::kInvalidTable, "from worker 2");
                                 }
                               });
                             }),
                  {"from worker 2"});
  EXPECT_EQ(ended.load(), 4);
}

TEST(Context, ThrowsOnlyWhenCancelled) {
  std::atomic<bool> cancelled{false};
  const Context context{1, nullptr, &cancelled};
  EXPECT_NO_THROW(context.throw_if_cancelled());
  cancelled = true;
  message_of(ErrorCode::kCancelled, [&] { context.throw_if_cancelled(); });
}

TEST(Assertion, IsAnErrorAndNotACrash) {
  expect_mentions(message_of(ErrorCode::kInternal, [] { MEHLER_ASSERT(1 == 2); }),
                  {"1 == 2", "context_test.cc", "bug"});
}

TEST(SeededRandom, IsTheSameOnEveryMachine) {
  SeededRandom random(1234567);  // the reference values of SplitMix64
  EXPECT_EQ(random.next_word(), 6457827717110365317ULL);
  EXPECT_EQ(random.next_word(), 3203168211198807973ULL);
}

TEST(SeededRandom, NormalHasMeanZeroAndVarianceOne) {
  SeededRandom random(7);
  constexpr int kDraws = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 5.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0, 5.0 * std::sqrt(2.0 / kDraws));
}

TEST(RunWorkers, SaysThatTheSystemDoesNotStartSoManyThreads) {
  const LittleMemory limit(100'000'000);
  std::atomic<bool> may_end{false};
  const std::string message = message_of(ErrorCode::kFile, [&] {
    run_workers(500, [&](std::size_t worker) {
      while (worker > 0 && !may_end.load()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (worker == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        may_end.store(true);
      }
    });
  });
  expect_mentions(message, {"500 threads", "ask for fewer"});
}

}  // namespace context_test
}  // namespace mehler

#include "mehler/core/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>

#include "tests/support/little_memory.h"

namespace mehler {
namespace worker_pool_test {

TEST(WorkerPool, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (const std::size_t threads : {1, 2, 3, 8}) {
    WorkerPool pool(threads);
    for (std::size_t round = 0; round < 300; ++round) {
      const std::size_t tasks = round % 20;
      std::vector<std::atomic<int>> runs(tasks);
      pool.run(tasks, [&](std::size_t task) { runs[task].fetch_add(1); });
      for (const std::atomic<int>& count : runs) {
        ASSERT_EQ(count.load(), 1);
      }
    }
  }
}

// Threads that come late to a round find it closed, or work at the next one: never at tasks that
// are gone.
TEST(WorkerPool, LateThreadsTouchNothingOfARoundThatIsOver) {
  WorkerPool pool(8);
  for (std::size_t round = 1; round <= 20'000; ++round) {
    std::vector<std::size_t> found(1 + round % 5);
    pool.run(found.size(), [&](std::size_t task) { found[task] += round; });
    for (const std::size_t value : found) {
      ASSERT_EQ(value, round);
    }
  }
}

TEST(WorkerPool, ThrowsTheFirstErrorAndGoesOnWorking) {
  WorkerPool pool(3);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(pool.run(100,
                          [](std::size_t task) {
                            if (task == 7) {
                              throw std::runtime_error("seven");
                            }
                          }),
                 std::runtime_error);
    std::atomic<int> done{0};
    pool.run(10, [&](std::size_t) { done.fetch_add(1); });
    EXPECT_EQ(done.load(), 10);
  }
}

/// For the stacks of a few threads.
constexpr std::size_t kLittle = 100'000'000;

TEST(WorkerPool, DoesWithoutThreadsThatTheSystemDoesNotStart) {
  std::optional<WorkerPool> pool;
  {
    const LittleMemory limit(kLittle);
    pool.emplace(500);
  }
  std::atomic<int> done{0};
  pool->run(1000, [&](std::size_t) { done.fetch_add(1); });
  EXPECT_EQ(done.load(), 1000);
}

TEST(WorkerPool, EndsWithoutEverHavingWorked) { const WorkerPool pool(4); }

}  // namespace worker_pool_test
}  // namespace mehler

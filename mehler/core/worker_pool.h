#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mehler {

/// Threads that are kept for many short pieces of work, such as the parts of a training step.
///
/// Work is cut into tasks that do not depend on the number of threads, so results do not either.
/// Idle threads sleep; they do not spin on cores that others may need. Whoever has no core yet when
/// the last task begins is not waited for: on a busy machine that would cost milliseconds a piece.
class WorkerPool {
 public:
  /// `threads` work at once, the calling one among them; at least 1. Fewer where the system starts
  /// no more.
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs task(0) .. task(tasks - 1) in any order and waits for all of them. The first exception
  /// thrown is thrown again here, once no task runs any more; tasks that have not begun by then are
  /// left out. Not to be called from a task, nor from two threads at once.
  void run(std::size_t tasks, const std::function<void(std::size_t task)>& task);

 private:
  void wait_for_work();
  void work_off();

  /// Goes to the tasks of a run(), unless none are there or all have begun; says whether it did.
  bool enter();
  void leave();

  /// Of gate_: nobody enters any more.
  static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;

  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> round_{0};  ///< grows by 1 with each run(), and once more to stop
  /// How many threads, besides the calling one, are at the tasks of a run(), and kClosed. What the
  /// tasks are is written while it is closed and nobody is inside, and read inside alone.
  std::atomic<std::uint32_t> gate_{kClosed};
  std::atomic<std::size_t> next_task_{0};
  std::size_t tasks_ = 0;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::mutex error_mutex_;
  std::exception_ptr first_error_;
};

}  // namespace mehler

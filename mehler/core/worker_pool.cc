#include "mehler/core/worker_pool.h"

#include <exception>
#include <utility>

#include "mehler/core/error.h"

namespace mehler {

WorkerPool::WorkerPool(std::size_t threads) {
  MEHLER_ASSERT(threads >= 1);
  threads_.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) {
      threads_.emplace_back([this] { wait_for_work(); });
    }
  } catch (const std::exception&) {
    // No memory for a stack, or too many threads: those that there are do the same work.
  }
}

WorkerPool::~WorkerPool() {
  stopping_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerPool::run(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  tasks_ = tasks;
  task_ = &task;
  next_task_.store(0);
  const bool alone = threads_.empty() || tasks <= 1;
  if (!alone) {
    gate_.store(0);
    round_.fetch_add(1);
    round_.notify_all();
  }
  work_off();
  if (!alone) {
    gate_.fetch_or(kClosed);
    for (std::uint32_t gate = gate_.load(); gate != kClosed; gate = gate_.load()) {
      gate_.wait(gate);
    }
  }
  if (first_error_ != nullptr) {
    std::rethrow_exception(std::exchange(first_error_, nullptr));
  }
}

void WorkerPool::wait_for_work() {
  std::uint32_t seen = 0;
  while (true) {
    round_.wait(seen);
    seen = round_.load();
    if (stopping_.load()) {
      return;
    }
    // Whoever comes late finds the gate closed, or works at what is next.
    if (enter()) {
      work_off();
      leave();
    }
  }
}

bool WorkerPool::enter() {
  std::uint32_t gate = gate_.load();
  while ((gate & kClosed) == 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1)) {
      return true;
    }
  }
  return false;
}

void WorkerPool::leave() {
  if (gate_.fetch_sub(1) == (kClosed | 1)) {
    gate_.notify_one();
  }
}

void WorkerPool::work_off() {
  for (std::size_t i = next_task_.fetch_add(1); i < tasks_; i = next_task_.fetch_add(1)) {
    try {
      (*task_)(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (first_error_ == nullptr) {
        first_error_ = std::current_exception();
      }
      next_task_.store(tasks_);
    }
  }
}

}  // namespace mehler

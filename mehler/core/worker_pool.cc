#include "mehler/core/worker_pool.h"

#include <utility>

#include "mehler/core/error.h"

namespace mehler {

WorkerPool::WorkerPool(std::size_t threads) {
  MEHLER_ASSERT(threads >= 1);
  threads_.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) {
    threads_.emplace_back([this] { wait_for_work(); });
  }
}

WorkerPool::~WorkerPool() {
  stopping_ = true;
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
    busy_.store(static_cast<std::uint32_t>(threads_.size()));
    round_.fetch_add(1);
    round_.notify_all();
  }
  work_off();
  if (!alone) {
    for (std::uint32_t busy = busy_.load(); busy != 0; busy = busy_.load()) {
      busy_.wait(busy);
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
    ++seen;  // run() waits for every thread, so no round is ever skipped
    if (stopping_) {
      return;
    }
    work_off();
    if (busy_.fetch_sub(1) == 1) {
      busy_.notify_one();
    }
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

#include "mehler/core/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "mehler/core/error.h"

namespace mehler {

void Context::throw_if_cancelled() const {
  if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::kCancelled, "stopped on request");
  }
}

std::size_t Context::available_threads() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void run_workers(std::size_t threads, const std::function<void(std::size_t)>& work) {
  MEHLER_ASSERT(threads >= 1);
  if (threads == 1) {
    work(0);
    return;
  }
  std::mutex mutex;
  std::exception_ptr first_error;
  {
    std::vector<std::jthread> workers;
    workers.reserve(threads);
    const auto fail = [&](std::exception_ptr error) {
      const std::lock_guard lock(mutex);
      if (first_error == nullptr) {
        first_error = std::move(error);
      }
    };
    try {
      for (std::size_t worker = 0; worker < threads; ++worker) {
        workers.emplace_back([&, worker] {
          try {
            work(worker);
          } catch (...) {
            fail(std::current_exception());
          }
        });
      }
    } catch (const std::system_error&) {
      fail(std::make_exception_ptr(
          Error(ErrorCode::kFile,
                fmt::format("the system does not start {} threads; ask for fewer", threads))));
    }
  }
  if (first_error != nullptr) {
    std::rethrow_exception(first_error);
  }
}

}  // namespace mehler

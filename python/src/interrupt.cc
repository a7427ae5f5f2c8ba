#include "interrupt.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

namespace nb = nanobind;

namespace mehler::python {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

/// What the working thread leaves for the one that waits.
class Desk {
 public:
  void put(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
  }
  std::optional<Progress> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(latest_, std::nullopt);
  }
  void finish(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      error_ = std::move(error);
      is_done_ = true;
    }
    done_.notify_all();
  }
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, time, [&] { return is_done_; });
  }
  void rethrow() const {
    if (error_ != nullptr) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<Progress> latest_;
  std::exception_ptr error_;
  bool is_done_ = false;
};

void show(const Watch& watch, const Progress& progress) {
  double fraction = progress.fraction;
  if (fraction < 0.0 && watch.private_rows && *watch.private_rows > 0) {
    fraction = static_cast<double>(progress.rows) / static_cast<double>(*watch.private_rows);
  }
  const nb::object shown =
      fraction < 0.0 ? nb::object(nb::none()) : nb::float_(std::min(fraction, 1.0));
  watch.progress(shown, watch.is_private ? nb::str("") : nb::str(progress.words.c_str()));
}

pthread_t& main_thread() {
  static pthread_t thread{};
  return thread;
}

}  // namespace

void run_watched(const Watch& watch, const std::function<void(const Context&)>& work,
                 std::atomic<bool>* flag) {
  Desk desk;
  std::atomic<bool> of_this_call{false};
  std::atomic<bool>& cancelled = flag == nullptr ? of_this_call : *flag;
  Context context;
  context.threads = watch.threads == 0 ? Context::available_threads() : watch.threads;
  context.cancelled = &cancelled;
  if (!watch.progress.is_none()) {
    context.progress = [&](const Progress& progress) { desk.put(progress); };
  }
  if (watch.is_private) {  // a stream of samples keeps its context for longer than there is a watch
    context.measured = [&] { watch.has_measured = true; };
  }
  std::exception_ptr stopped_by;
  {
    const nb::gil_scoped_release others_may_run;
    std::jthread thread([&] {
      std::exception_ptr error;
      try {
        work(context);
      } catch (...) {
        error = std::current_exception();
      }
      desk.finish(std::move(error));
    });
    while (!desk.wait(kBetweenLooks)) {
      const nb::gil_scoped_acquire gil;
      try {
        if (PyErr_CheckSignals() != 0) {
          throw nb::python_error();
        }
        if (const auto progress = desk.take()) {
          show(watch, *progress);
        }
      } catch (...) {
        stopped_by = std::current_exception();
        break;
      }
    }
    cancelled = stopped_by != nullptr;
  }
  if (stopped_by != nullptr) {
    std::rethrow_exception(stopped_by);
  }
  desk.rethrow();
}

void note_main_thread() {
  // The module may be imported by another thread.
  const nb::object thread = nb::module_::import_("threading").attr("main_thread")();
  main_thread() = nb::cast<pthread_t>(thread.attr("ident"));
}

bool signal_wants_to_stop() {
  if (pthread_equal(pthread_self(), main_thread()) == 0 || Py_IsInitialized() == 0) {
    return false;
  }
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) {
    return false;
  }
  PyErr_Clear();
  PyErr_SetInterrupt();
  return true;
}

}  // namespace mehler::python

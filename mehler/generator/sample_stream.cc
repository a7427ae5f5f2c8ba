// Sampling as a stream to pull from: a thread draws ahead, by at most kAhead tables.

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "mehler/core/error.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/stored_records.h"
#include "mehler/release/release.h"

namespace mehler {
namespace {

constexpr std::size_t kAhead = 2;

/// Thrown within the drawing thread once nobody pulls any more.
struct NobodyPulls {};

class SampleStream {
 public:
  SampleStream(const Generator& generator, SampleOptions options, Context context,
               std::optional<Schema> types)
      : types_(types ? std::move(*types) : generator.release().schema()),
        thread_([this, &generator, options = std::move(options), context = std::move(context)] {
          draw(generator, options, context);
        }) {}

  ~SampleStream() {
    {
      const std::lock_guard lock(mutex_);
      is_abandoned_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// The next table, which stays; nothing at the end. Throws what drawing threw.
  const Table* peek() {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !drawn_.empty() || is_done_; });
    if (drawn_.empty() && error_) {
      std::rethrow_exception(error_);
    }
    return drawn_.empty() ? nullptr : &drawn_.front();
  }

  void pop() {
    {
      const std::lock_guard lock(mutex_);
      drawn_.pop_front();
    }
    changed_.notify_all();
  }

  /// Runs a call of the Arrow interface, which knows error numbers and a text.
  int guarded(const auto& call) {
    try {
      call();
      return 0;
    } catch (const Error& error) {
      message_ = error.what();
      return error.code() == ErrorCode::kCancelled ? ECANCELED : EINVAL;
    } catch (const std::exception&) {
      message_ = "not enough memory";
      return ENOMEM;
    }
  }
  const char* message() const { return message_.empty() ? nullptr : message_.c_str(); }

 private:
  /// changed_.wait() of GCC 12 is a symbol of its libstdc++; waiting by the hour is compiled in,
  /// and a Python wheel then runs with older ones.
  void wait(std::unique_lock<std::mutex>& lock, const auto& until) {
    while (!changed_.wait_for(lock, std::chrono::hours(1), until)) {
    }
  }

  void draw(const Generator& generator, const SampleOptions& options, const Context& context) {
    try {
      generator.sample(options, context, [&](const Table& table) {
        Table ready = stored_records(table, types_);
        std::unique_lock lock(mutex_);
        wait(lock, [&] { return drawn_.size() < kAhead || is_abandoned_; });
        if (is_abandoned_) {
          throw NobodyPulls();
        }
        drawn_.push_back(std::move(ready));
        changed_.notify_all();
      });
    } catch (const NobodyPulls&) {
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    changed_.notify_all();
  }

  const Schema types_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Table> drawn_;
  bool is_done_ = false;
  bool is_abandoned_ = false;
  std::exception_ptr error_;
  std::string message_;  ///< of the thread that pulls
  std::thread thread_;   ///< begins when all else is there
};

SampleStream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<SampleStream*>(stream->private_data);
}

}  // namespace

ArrowArrayStream Generator::sample_stream(const SampleOptions& options, const Context& context,
                                          std::optional<Schema> types) const {
  options.validate();
  ArrowArrayStream stream{};
  stream.private_data = new SampleStream(*this, options, context, std::move(types));
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return stream_of(self).guarded([&] {
      const Table* first = stream_of(self).peek();
      if (first == nullptr) {
        throw Error(ErrorCode::kInvalidArgument,
                    "the stream is at its end; ask for its schema before");
      }
      ArrowArray unused{};
      first->export_to_arrow(out, &unused);
      unused.release(&unused);
    });
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return stream_of(self).guarded([&] {
      *out = ArrowArray{};
      if (const Table* next = stream_of(self).peek()) {
        ArrowSchema unused{};
        next->export_to_arrow(&unused, out);
        unused.release(&unused);
        stream_of(self).pop();
      }
    });
  };
  stream.get_last_error = [](ArrowArrayStream* self) { return stream_of(self).message(); };
  stream.release = [](ArrowArrayStream* self) {
    delete &stream_of(self);
    self->release = nullptr;
  };
  return stream;
}

}  // namespace mehler

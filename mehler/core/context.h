#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace mehler {

/// How far a long piece of work is. Called at most a few times a second, from one thread at a time.
///
/// Privacy: the row count is private under add-remove-one. A callback may show it to the person who
/// runs the work, on their screen; it must not end up in a log or a file.
struct Progress {
  std::uint64_t rows = 0;  ///< records done
  double fraction = -1.0;  ///< of the whole, in [0, 1]; negative when the size is not known
  std::string words = {};  ///< what else there is to say: "epoch 3 of 60  loss 12.40"
};

using ProgressCallback = std::function<void(const Progress&)>;

/// What a long call needs to know about where it runs. Passed down; there are no globals.
struct Context {
  /// Worker threads, at least 1. Results never depend on it.
  std::size_t threads = 1;
  /// Told how far the work is; may be empty.
  ProgressCallback progress;
  /// When set to true (by a signal handler, say) the call ends with Error(kCancelled) and no
  /// output.
  const std::atomic<bool>* cancelled = nullptr;
  /// Called when records have been measured: whatever becomes of the call, the privacy budget
  /// counts as spent from then on. May be called again; may be empty.
  std::function<void()> measured = {};

  /// Throws Error(kCancelled) if the caller has asked to stop.
  void throw_if_cancelled() const;

  /// The number of threads this machine runs at once, at least 1.
  static std::size_t available_threads();
};

/// Runs work(0) .. work(threads - 1), each on a thread of its own, and waits for all of them. The
/// first exception thrown is thrown again here, after every worker has ended.
void run_workers(std::size_t threads, const std::function<void(std::size_t worker)>& work);

}  // namespace mehler

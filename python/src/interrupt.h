#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "mehler/core/context.h"

namespace mehler::python {

/// What Python wants to know of a long call.
struct Watch {
  /// Called as progress(fraction or None, words), on the thread that made the call; None for
  /// nobody.
  nanobind::object progress = nanobind::none();
  /// Of private records, how many there are, as far as that is known: progress then is a share of
  /// them and has no words.
  ///
  /// Privacy: a notebook keeps its output, and the number of records is private under
  /// add-remove-one. Fractions alone reach Python.
  std::optional<std::uint64_t> private_rows = std::nullopt;
  bool is_private = false;
  /// Worker threads; 0 for as many as the machine has.
  std::size_t threads = 0;
  /// Whether the call has measured private records: whatever becomes of it, the budget is spent
  /// then. Set from the thread that does the work, in a Watch that is otherwise only read.
  mutable std::atomic<bool> has_measured = false;
};

/// Runs `work` on a thread of its own while this one, without the GIL, looks for signals and shows
/// progress. Ctrl-C, and whatever the callback raises, cancels the work and is raised when that has
/// ended; otherwise, what the work throws. `flag` is what the context's `cancelled` points to, for
/// work that goes on afterwards; by default one that lives as long as the call.
void run_watched(const Watch& watch, const std::function<void(const Context&)>& work,
                 std::atomic<bool>* flag = nullptr);

/// The same for work with a result.
template <typename Work>
auto watched(const Watch& watch, const Work& work) {
  using Result = std::invoke_result_t<Work, const Context&>;
  std::optional<Result> result;
  run_watched(watch, [&](const Context& context) { result.emplace(work(context)); });
  return std::move(*result);
}

/// Whether a signal wants the process to stop, asked while a foreign library pulls a stream from
/// us: then Python raises KeyboardInterrupt as soon as that library returns. Only ever true on
/// Python's main thread, which alone may wait for the GIL here: on another one, the library's own
/// Python thread may hold the GIL and wait for us.
bool signal_wants_to_stop();

/// Notes which thread is Python's main one; needed before the above. The GIL is held.
void note_main_thread();

}  // namespace mehler::python

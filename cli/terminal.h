#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/release/release.h"
#include "mehler/report/text.h"

namespace mehler {

/// Set by Ctrl-C (or SIGTERM) once watch_for_interrupt() has run.
extern std::atomic<bool> interrupted;
/// Keeps Ctrl-C and SIGTERM waiting until watch_for_interrupt() runs.
void hold_interrupts();
/// Work in progress sees `interrupted` and ends by itself. If it does not within half a second (it
/// waits for a pipe, say), unfinished files are removed and the program ends with `exit_code`. Call
/// it first: threads that exist already would take the signals.
void watch_for_interrupt(int exit_code);

/// From here on a command that fails leaves something behind: a sentence that says what, and how to
/// go on from it. Empty: nothing again. For main and for watch_for_interrupt(); thread-safe.
void set_kept(std::string sentence);
/// An error with what is kept after it, if anything is.
std::string with_kept(std::string_view message);
/// The same, but says "nothing was written" if nothing is kept.
std::string with_kept_or_nothing(std::string_view message);

/// What to know of bounds and categories that were bought by a release under this schema: which
/// columns were left out because nothing of them stood out of the noise. Empty if there is nothing.
std::string bought_words(const Schema& schema, const Release& release);

/// A text as one word of a shell command, quoted where it must be.
std::string shell_word(const std::string& text);

/// A message or a report of the library, with its options as the flags that they are here: "option
/// 'order'" is
/// --order.
std::string with_flags(std::string_view message);

/// Writes to standard error. What cannot be written there is lost: nobody could be told, and no
/// work ends for it.
void say(std::string_view text);

/// Prints the error that ends the program on standard error, as one line and with flags: the first
/// one, if there are two. Thread-safe.
void report_error(std::string_view message);

/// A line on standard error that is written over and over; only on a terminal, never when `quiet`.
/// Wiped when the object goes.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_shown() const { return shown_; }
  void show(std::string_view text);

 private:
  bool shown_;
  bool drawn_ = false;
};

/// A line on standard error that shows rows, rows per second and the time left; only on a terminal,
/// never when `quiet`. The line is wiped when the object goes.
///
/// Privacy: the number of rows may be private. It goes to the screen of the person who runs the
/// program, never into a pipe or a file.
class ProgressLine {
 public:
  /// `fraction` says how far the work is, where the callback's own does not.
  ProgressLine(std::string title, bool quiet, std::function<double()> fraction = nullptr);

  /// For Context::progress; empty when nothing is to be shown.
  ProgressCallback callback();

 private:
  void show(const Progress& progress);

  std::string title_;
  StatusLine line_;
  std::function<double()> fraction_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "1 column", "2 columns".
std::string counted(std::uint64_t number, std::string_view noun);

/// "40 s", "3 min 05 s", "2 h 10 min".
std::string duration_words(double seconds);

/// Where the schema has an identifier and no privacy unit: lines that say that the guarantee covers
/// single records, and how to declare a unit. Empty otherwise.
std::string privacy_unit_hint(const Schema& schema);

/// Says so where a budget promises little: a delta that lets whole records out, an epsilon that
/// bounds next to nothing. Empty for others.
std::string budget_hint(const Release& release);

/// Of method images: the classes whose records do not stand out of the noise. Empty if there are
/// none, and for other methods.
std::string classes_hint(const Release& release);

}  // namespace mehler

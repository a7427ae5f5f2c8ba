#include "terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "mehler/core/atomic_file.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/estimation/image_model.h"

namespace mehler {
namespace {

std::mutex kept_mutex;
std::string kept;

}  // namespace

std::atomic<bool> interrupted{false};

namespace {

sigset_t interrupt_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Of a terminal that is closed, unless somebody has said that the program is to outlive it.
  struct sigaction hang_up = {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
    sigaddset(&signals, SIGHUP);
  }
  return signals;
}

}  // namespace

void hold_interrupts() {
  const sigset_t signals = interrupt_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);  // there is one thread yet
}

void watch_for_interrupt(int exit_code) {
  // A file that outgrows its limit, or a reader that goes away, is an error with a message.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = interrupt_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, exit_code] {
    int signal = 0;
    sigwait(&signals, &signal);
    interrupted.store(true);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    AtomicFile::discard_all();
    report_error(with_kept_or_nothing("stopped on request"));
    _exit(exit_code);
  }).detach();
}

void set_kept(std::string sentence) {
  const std::lock_guard lock(kept_mutex);
  kept = std::move(sentence);
}

std::string with_kept(std::string_view message) {
  const std::lock_guard lock(kept_mutex);
  return kept.empty() || message.ends_with(kept) ? std::string(message)
                                                 : fmt::format("{}. {}", message, kept);
}

std::string with_kept_or_nothing(std::string_view message) {
  {
    const std::lock_guard lock(kept_mutex);
    if (kept.empty()) {
      return fmt::format("{}; nothing was written", message);
    }
  }
  return with_kept(message);
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word + "'";
}

std::string with_flags(std::string_view message) {
  constexpr std::string_view kBefore = "option '";
  std::string result;
  while (true) {
    const std::size_t begin = message.find(kBefore);
    if (begin == std::string_view::npos) {
      return result.append(message);
    }
    const std::string_view rest = message.substr(begin + kBefore.size());
    const std::size_t length =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), rest.size());
    if (length > 0 && rest[0] != '-' && rest.substr(length).starts_with("'")) {
      result.append(message.substr(0, begin)).append("--").append(rest.substr(0, length));
      message = rest.substr(length + 1);
    } else {
      result.append(message.substr(0, begin + kBefore.size()));
      message = rest;
    }
  }
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void report_error(std::string_view message) {
  std::string line;
  for (const char c : with_flags(message)) {
    // Names from files may hold anything; a message is one line and sends no codes to a terminal.
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", c);
    } else {
      line += c;
    }
  }
  // The work and the watcher of signals may end the program at the same moment.
  static std::mutex mutex;
  static bool is_said = false;
  const std::lock_guard lock(mutex);
  if (!std::exchange(is_said, true)) {
    say(fmt::format("mehler: error: {}\n", line));
  }
}

std::string duration_words(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  return whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

StatusLine::StatusLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (drawn_) {
    say("\r\033[K");
  }
}

void StatusLine::show(std::string_view text) {
  if (shown_) {
    say(fmt::format("\r\033[K{}", text));
    drawn_ = true;
  }
}

ProgressLine::ProgressLine(std::string title, bool quiet, std::function<double()> fraction)
    : title_(std::move(title)), line_(quiet), fraction_(std::move(fraction)) {}

ProgressCallback ProgressLine::callback() {
  if (!line_.is_shown()) {
    return nullptr;
  }
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  if (fraction_ && progress.fraction >= 0.0) {
    // What comes after the reading says itself how far it is.
    fraction_ = nullptr;
    title_.clear();
    start_ = std::chrono::steady_clock::now();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double fraction = fraction_ ? fraction_() : progress.fraction;
  std::string line = title_;
  if (!progress.words.empty()) {
    line += (line.empty() ? "" : "  ") + progress.words;
    if (progress.rows == 0 && fraction < 0.0) {
      start_ = std::chrono::steady_clock::now();  // rows and time are those of what comes after
    }
  } else {
    line += fmt::format("  {} rows  {} rows/s", group_digits(progress.rows),
                        group_digits(static_cast<std::uint64_t>(static_cast<double>(progress.rows) /
                                                                std::max(seconds, 1e-3))));
  }
  if (fraction > 0.0) {
    line += fmt::format("  {:.0f}%  {} left", 100.0 * fraction,
                        duration_words(seconds * (1.0 - fraction) / fraction));
  }
  line_.show(line);
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", group_digits(number), noun, number == 1 ? "" : "s");
}

std::string privacy_unit_hint(const Schema& schema) {
  const auto identifier =
      std::find_if(schema.columns().begin(), schema.columns().end(),
                   [](const Column& column) { return column.kind == ColumnKind::kIdentifier; });
  if (schema.privacy_unit() || identifier == schema.columns().end()) {
    return "";
  }
  const std::string relation = schema.relation() == NeighbourRelation::kReplaceOne
                                   ? "\"relation\": \"add-remove-one\", "
                                   : "";
  return wrap(
      fmt::format(
          "The guarantee covers single records. If several can belong to one '{}', declare "
          "it in the schema before a release is made: {}\"privacy_unit\": {{\"column\": {}, "
          "\"max_rows\": 5}}.",
          identifier->name, relation, Json(identifier->name).dump()),
      0);
}

std::string bought_words(const Schema& schema, const Release& release) {
  std::vector<std::string> left_out;
  for (const Column& column : schema.columns()) {
    const Column* released = release.schema().find(column.name);
    if (column.is_to_be_bought() && !released->is_used()) {
      left_out.push_back("'" + column.name + "'");
    }
  }
  return left_out.empty()
             ? ""
             : wrap(fmt::format("Note: nothing of {} stood out of the noise, so that no bounds or "
                                "categories could be bought; left out. Declare them, or give more "
                                "of the budget to it (--buy-share).",
                                fmt::join(left_out, ", ")),
                    0);
}

std::string budget_hint(const Release& release) {
  constexpr double kLargeEpsilon = 10.0;
  const PrivacyBudget& budget = release.statement().budget;
  const double records = std::max(1.0, release.record_count());
  std::string text;
  if (budget.delta * records > 1.0) {
    text += wrap(fmt::format("Note: delta {} is more than 1 in the number of records ({}). Who "
                             "published that share of the records as they are would keep it too; "
                             "take one well below {:.1g}.",
                             budget.delta, record_count_words(release), 1.0 / records),
                 0);
  }
  if (budget.epsilon > kLargeEpsilon) {
    text +=
        wrap(fmt::format("Note: epsilon {} promises little by itself. What is computed from the "
                         "release may become e^{} times as likely by one record.",
                         budget.epsilon, budget.epsilon),
             0);
  }
  return text;
}

std::string classes_hint(const Release& release) {
  if (release.method() != "images") {
    return "";
  }
  const MeasuredSum means = sum_of_step(release, image_steps::kClassMeans, SumKind::kMeans);
  const Column& column = release.encoder().columns()[means.sum.classes->column];
  const std::vector<std::string> labels = column.labels();
  std::vector<std::string> names;
  for (const std::size_t k : hardly_known_classes(means)) {
    names.push_back("'" + shown(labels[k]) + "'");
  }
  return names.empty()
             ? ""
             : wrap(fmt::format("Note: classes hardly known: {}. Their records do not stand out of "
                                "the noise, and their images are mostly made of it.",
                                fmt::join(names, ", ")),
                    0);
}

}  // namespace mehler

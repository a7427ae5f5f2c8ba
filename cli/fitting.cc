#include "fitting.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/options.h"
#include "mehler/synthesis/forecast_report.h"
#include "terminal.h"

namespace mehler {

std::unique_ptr<const Generator> fit_with_progress(const Release& release, FitRequest request,
                                                   std::size_t threads, bool quiet) {
  request.on_checkpoint = [path = request.checkpoint] {
    set_kept(fmt::format(
        "What was reached is in '{}': give the same command with --resume to go on", path));
  };
  ProgressLine line("fitting", quiet);
  return fit(release, request, Context{threads, line.callback(), &interrupted});
}

Error not_whole(const std::string& path, const Error& error) {
  return {ErrorCode::kInvalidRelease,
          fmt::format("'{}' is no valid release: {}; do not use it, and get a fresh copy from its "
                      "source",
                      path, error.what())};
}

std::string fit_words(const Generator& generator, const ReleaseAgreement& agreement,
                      const std::string& of_records) {
  constexpr const char* kCountedTables[] = {"a column", "a pair of columns", "a triple of columns"};
  if (agreement.counts.empty()) {
    return "";
  }
  std::string words = "How close" + of_records + ": to match the released counts,";
  for (std::size_t i = 0; i < agreement.counts.size(); ++i) {
    const CountAgreement& counts = agreement.counts[i];
    words +=
        fmt::format("{} {} {}in {} ({}: {}, {})", i > 0 ? " and" : "",
                    percent_words(std::min(1.0, counts.error)),
                    i > 0 ? "" : "of the records would have to change ",
                    kCountedTables[counts.columns - 1], i > 0 ? "noise" : "the release's own noise",
                    percent_words(std::min(1.0, counts.noise)), level_of(counts.noise));
  }
  words +=
      ", on average. At or below the noise is as close as the release lets anyone see. These are "
      "the release's cells, in which numbers are ranges; 'mehler evaluate --real' compares values.";
  if (!generator.has_settled()) {
    words +=
        " The fit had not settled when it ended: some columns determine one another almost; "
        "expect less of how they go together.";
  }
  return wrap(words, 0);
}

std::uint64_t parse_seed(const std::string& text) {
  return text.empty() ? 1 : parse_count(text, "--seed", 0, UINT64_MAX);
}

}  // namespace mehler

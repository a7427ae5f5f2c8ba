#include "mehler/evaluation/tables/marginals.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/seeded_random.h"
#include "mehler/evaluation/tables/cell_counts.h"

namespace mehler {
namespace {

using Subset = std::vector<std::size_t>;

/// The next subset in lexicographic order; false after the last.
bool advance(Subset& subset, std::size_t columns) {
  const std::size_t ways = subset.size();
  for (std::size_t i = ways; i-- > 0;) {
    if (subset[i] < columns - ways + i) {
      ++subset[i];
      for (std::size_t j = i + 1; j < ways; ++j) {
        subset[j] = subset[j - 1] + 1;
      }
      return true;
    }
  }
  return false;
}

std::vector<Subset> every_subset(std::size_t columns, std::size_t ways) {
  Subset subset(ways);
  std::iota(subset.begin(), subset.end(), 0);
  std::vector<Subset> all;
  do {
    all.push_back(subset);
  } while (advance(subset, columns));
  return all;
}

std::size_t below(SeededRandom& random, std::size_t limit) {
  return static_cast<std::size_t>(random.uniform() * static_cast<double>(limit));
}

Subset random_subset(std::size_t columns, std::size_t ways, SeededRandom& random) {
  // Floyd's method: every subset is equally likely.
  std::set<std::size_t> chosen;
  for (std::size_t last = columns - ways; last < columns; ++last) {
    const std::size_t drawn = below(random, last + 1);
    chosen.insert(chosen.contains(drawn) ? last : drawn);
  }
  return {chosen.begin(), chosen.end()};
}

bool share_prefix(const Subset& a, const Subset& b) {
  return std::equal(a.begin(), a.end() - 1, b.begin());
}

/// Where the runs of subsets begin that differ in their last column only; the end comes last.
std::vector<std::size_t> runs_of_one_prefix(const std::vector<Subset>& subsets) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    if (i == 0 || !share_prefix(subsets[i - 1], subsets[i])) {
      begins.push_back(i);
    }
  }
  begins.push_back(subsets.size());
  return begins;
}

void summarise(MarginalDistances& result) {
  const auto count = static_cast<double>(result.subsets.size());
  double sum = 0.0;
  for (const SubsetDistance& subset : result.subsets) {
    sum += subset.total_variation;
  }
  result.mean = sum / count;
  if (!result.is_sample() || result.subsets.size() < 2) {
    return;
  }
  double squares = 0.0;
  for (const SubsetDistance& subset : result.subsets) {
    squares += (subset.total_variation - result.mean) * (subset.total_variation - result.mean);
  }
  // Without replacement, the variance falls by the share that was not drawn.
  const double left = 1.0 - count / static_cast<double>(result.all_subsets);
  result.standard_error = std::sqrt(left * squares / (count - 1.0) / count);
}

}  // namespace

void require_valid(const MarginalDistanceOptions& options, std::size_t columns) {
  if (options.ways < 1 || options.ways > columns) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{}-way marginals were asked for, but the tables have {} column{}; "
                            "give a number from 1 to {}",
                            options.ways, columns, columns == 1 ? "" : "s", columns));
  }
  if (options.max_subsets < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                "the number of subsets to compare must be at least 1, but is 0");
  }
}

std::uint64_t count_subsets(std::size_t n, std::size_t k) {
  uint128 count = 1;
  for (std::size_t i = 0; i < std::min(k, n - k); ++i) {
    count = count * (n - i) / (i + 1);
    if (count >= UINT64_MAX) {
      return UINT64_MAX;
    }
  }
  return static_cast<std::uint64_t>(count);
}

std::vector<Subset> choose_subsets(std::size_t columns, const MarginalDistanceOptions& options) {
  require_valid(options, columns);
  const std::uint64_t all = count_subsets(columns, options.ways);
  if (all <= options.max_subsets) {
    return every_subset(columns, options.ways);
  }
  SeededRandom random(options.seed);
  if (all / 2 < options.max_subsets) {  // few are left out, so drawing would meet old ones often
    std::vector<Subset> subsets = every_subset(columns, options.ways);
    for (std::size_t i = 0; i < options.max_subsets; ++i) {
      std::swap(subsets[i], subsets[i + below(random, subsets.size() - i)]);
    }
    subsets.resize(options.max_subsets);
    std::sort(subsets.begin(), subsets.end());
    return subsets;
  }
  std::set<Subset> drawn;
  while (drawn.size() < options.max_subsets) {
    drawn.insert(random_subset(columns, options.ways, random));
  }
  return {drawn.begin(), drawn.end()};
}

MarginalDistances compare_marginals(const CodedTable& a, const CodedTable& b,
                                    const MarginalDistanceOptions& options,
                                    const Context& context) {
  const std::vector<Subset> subsets = choose_subsets(a.columns.size(), options);
  const JoinedTables tables(a, b);
  MarginalDistances result;
  result.ways = options.ways;
  result.all_subsets = count_subsets(a.columns.size(), options.ways);
  result.subsets.resize(subsets.size());
  const std::vector<std::size_t> runs = runs_of_one_prefix(subsets);

  std::atomic<std::size_t> next{0};
  auto last_told = std::chrono::steady_clock::now();
  run_workers(context.threads, [&](std::size_t worker) {
    CellCounter counter(tables);
    Subset last;
    std::vector<double> distances;
    for (std::size_t run = next++; run + 1 < runs.size(); run = next++) {
      const Subset& first = subsets[runs[run]];
      counter.set_prefix({first.data(), first.size() - 1});
      context.throw_if_cancelled();
      last.clear();
      for (std::size_t i = runs[run]; i < runs[run + 1]; ++i) {
        last.push_back(subsets[i].back());
      }
      distances.resize(last.size());
      counter.total_variations_with(last, distances);
      for (std::size_t i = 0; i < last.size(); ++i) {
        result.subsets[runs[run] + i] = {subsets[runs[run] + i], distances[i]};
      }
      const auto now = std::chrono::steady_clock::now();
      if (worker == 0 && context.progress && now - last_told > std::chrono::milliseconds(250)) {
        last_told = now;
        context.progress({0, static_cast<double>(run) / static_cast<double>(runs.size())});
      }
    }
  });
  summarise(result);
  return result;
}

}  // namespace mehler

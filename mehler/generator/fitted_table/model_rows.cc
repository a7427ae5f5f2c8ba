#include "mehler/generator/fitted_table/model_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

CodedRows draw_block(const PairwiseModel& model, const TableFit& fit, std::size_t first,
                     std::size_t count, const DrawOptions& options, const Context& context) {
  const CodedRows& chain = fit.chain;
  CodedRows rows(count, chain.columns);
  for (std::size_t r = 0; r < count; ++r) {
    const auto start = chain.row((first + r) % chain.rows);
    std::copy(start.begin(), start.end(), rows.row(r).begin());
  }
  Context alone;
  alone.cancelled = context.cancelled;
  move_independent_rows(model.forces(), static_cast<std::size_t>(options.sweeps), options.seed,
                        first, rows, alone);
  if (options.polish_sweeps > 0) {
    const double factor = static_cast<double>(count) / static_cast<double>(chain.rows);
    polish_rows(model.shape(), times(fit.averages, factor), options.polish_sweeps, {},
                SeededRandom(options.seed ^ first).next_word(), rows);
  }
  return rows;
}

}  // namespace

std::size_t RowBlocks::of_row(std::size_t row) const {
  if (total_ == 0) {
    return row / fit_rows_;
  }
  std::size_t block = row / (total_ / count_ + 1);
  while (begin(block + 1) <= row) {
    ++block;
  }
  return block;
}

CodedRows draw_rows(const PairwiseModel& model, const TableFit& fit, std::size_t first_row,
                    std::size_t count, const DrawOptions& options, const Context& context) {
  if (options.total_rows > 0 && first_row + count > options.total_rows) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("rows {} to {} were asked for, but the table has {} rows in all",
                            first_row, first_row + count, options.total_rows));
  }
  MEHLER_ASSERT(options.sweeps >= 0 && options.polish_sweeps >= 0);
  CodedRows result(count, fit.chain.columns);
  if (count == 0) {
    return result;
  }
  const RowBlocks blocks(fit.chain.rows, options.total_rows);
  const std::size_t first_block = blocks.of_row(first_row);
  const std::size_t last_block = blocks.of_row(first_row + count - 1);
  WorkerPool pool(context.threads);
  pool.run(last_block - first_block + 1, [&](std::size_t i) {
    context.throw_if_cancelled();
    const std::size_t begin = blocks.begin(first_block + i);
    const std::size_t end = blocks.begin(first_block + i + 1);
    const CodedRows block = draw_block(model, fit, begin, end - begin, options, context);
    const std::size_t from = std::max(begin, first_row);
    const std::size_t to = std::min(end, first_row + count);
    std::copy_n(&block.codes[(from - begin) * block.columns], (to - from) * block.columns,
                &result.codes[(from - first_row) * block.columns]);
  });
  return result;
}

CodedRows shrink_rows(const CliqueTargets& shape, const TableFit& fit, std::size_t count,
                      std::uint64_t seed, const TableFitOptions& options) {
  const CodedRows& chain = fit.chain;
  MEHLER_ASSERT(count <= chain.rows);
  CodedRows rows(count, chain.columns);
  if (count == 0) {
    return rows;
  }
  SeededRandom random(seed);
  std::vector<std::size_t> numbers(chain.rows);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (std::size_t r = 0; r < count; ++r) {
    std::swap(numbers[r], numbers[r + uniform_below(random, chain.rows - r)]);
    const auto row = chain.row(numbers[r]);
    std::copy(row.begin(), row.end(), rows.row(r).begin());
  }
  const double factor = static_cast<double>(count) / static_cast<double>(chain.rows);
  polish_rows(shape, times(fit.averages, factor), options.polish_sweeps, options,
              random.next_word(), rows);
  return rows;
}

}  // namespace mehler

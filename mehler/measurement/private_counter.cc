#include "mehler/measurement/private_counter.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/overloaded.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/contrasts.h"
#include "mehler/measurement/internal/noise.h"
#include "mehler/privacy/secure_random.h"

namespace mehler {
namespace {

/// Tables that are counted at once to be scored, in bytes of their counts.
constexpr std::size_t kScoredBytes = 64'000'000;

/// The columns of a table of counts; none if a block is something else.
std::span<const CountedColumn> columns_of(const CountBlock& block) {
  if (const Marginal* table = block.marginal()) {
    return table->columns;
  }
  if (const CellCounts* table = block.cell_counts()) {
    return table->columns;
  }
  return {};
}

}  // namespace

PrivateCounter::PrivateCounter(PrivateTable&& table, const Encoder& encoder, const Context& context,
                               std::size_t max_bytes)
    : PrivateCounter(make_count_source(std::move(table), encoder, max_bytes, context),
                     encoder.schema(), context) {}

PrivateCounter::PrivateCounter(std::unique_ptr<const CountSource> source, const Schema& schema,
                               const Context& context)
    : schema_(schema),
      source_(std::move(source)),
      rows_(source_->count(CountRequest{}, context).rows_) {
  require_public_rows(rows_, schema_.relation());
}

std::optional<std::uint64_t> PrivateCounter::public_rows() const {
  return schema_.relation() == NeighbourRelation::kReplaceOne ? std::optional(rows_) : std::nullopt;
}

PrivateCounter::TableKey PrivateCounter::key_of(std::span<const CountedColumn> columns) {
  TableKey key;
  for (const CountedColumn& counted : columns) {
    key.push_back(counted.cells);
  }
  return key;
}

void PrivateCounter::count_tables(std::span<const CountBlock> blocks, const Context& context) {
  std::set<TableKey> keys;
  CountRequest request;
  for (const CountBlock& block : blocks) {
    const std::span<const CountedColumn> columns = columns_of(block);
    if (columns.size() < 2) {
      continue;
    }
    const TableKey key = key_of(columns);
    if (!keys.insert(key).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the counts of block '{}' would be measured twice at once; measure "
                              "them once, with more precision",
                              block.name));
    }
    if (!tables_.contains(key)) {
      request.tables.push_back({{columns.begin(), columns.end()}});
    }
  }
  if (request.tables.empty()) {
    return;
  }
  PartialCounts counted = source_->count(request, context);
  for (std::size_t t = 0; t < request.tables.size(); ++t) {
    tables_[key_of(request.tables[t].columns)] = std::move(counted.tables_[t]);
  }
}

void PrivateCounter::add_sums(std::span<const CountBlock> blocks, const Context& context) {
  CountRequest request;
  for (const CountBlock& block : blocks) {
    if (const VectorSum* sum = block.vector_sum()) {
      // Leaves room for noise.
      if (static_cast<double>(rows_) * sum->largest_entry() > std::ldexp(1.0, 61)) {
        throw Error(ErrorCode::kInvalidTable,
                    "the table has so many records that exact sums of their vectors leave 64 bits; "
                    "split the table");
      }
      request.sums.push_back(*sum);
    }
  }
  if (request.sums.empty()) {
    return;
  }
  PartialCounts counted = source_->count(request, context);
  sums_.resize(blocks.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].vector_sum() != nullptr) {
      sums_[i] = std::move(counted.sums_[next++]);
    }
  }
}

LeafCounts PrivateCounter::leaves_of(std::size_t column, const Context& context) const {
  PartialCounts counted = source_->count({{column}, {}}, context);
  return std::move(counted.columns_.front());
}

PrivateCounter::Counts PrivateCounter::cells(std::span<const CountedColumn> columns,
                                             const Context& context) const {
  if (columns.size() > 1) {
    return tables_.at(key_of(columns));
  }
  const CountedColumn& counted = columns.front();
  Counts counts(counted.cells->size());
  leaves_of(counted.column, context).for_each([&](std::uint32_t leaf, std::int64_t count) {
    counts[counted.cells->cell_of(leaf)] += count;
  });
  return counts;
}

PrivateCounter::Counts PrivateCounter::contrasts(const Marginal& marginal,
                                                 const Context& context) const {
  const std::vector<std::size_t> shape = marginal.shape();
  Counts counts = cells(marginal.columns, context);
  turn_into_contrasts(counts, shape);
  counts.resize(contrast_count(shape));
  return counts;
}

PrivateCounter::Counts PrivateCounter::differences(const HalvedRanges& ranges,
                                                   const Context& context) const {
  const RangeHalves& halves = *ranges.halves;
  Counts result(halves.ranges.size());
  leaves_of(ranges.column, context).for_each([&](std::uint32_t leaf, std::int64_t count) {
    const std::size_t range = halves.range_of(leaf);
    if (range != RangeHalves::kNone) {
      result[range] += leaf < RangeHalves::middle(halves.ranges[range]) ? count : -count;
    }
  });
  return result;
}

PrivateCounter::Counts PrivateCounter::exact_counts(const CountBlock& block,
                                                    const Context& context) const {
  return std::visit(
      Overloaded{[&](const RecordCount&) { return Counts{static_cast<std::int64_t>(rows_)}; },
                 [&](const Marginal& marginal) { return contrasts(marginal, context); },
                 [&](const HalvedRanges& ranges) { return differences(ranges, context); },
                 [&](const CellCounts& counted) { return cells(counted.columns, context); },
                 [&](const VectorSum&) { return Counts(); }},  // add_sums() has them
      block.counted);
}

std::vector<NoisyBlock> PrivateCounter::measure(CountMechanism&& mechanism,
                                                const Context& context) {
  mechanism.require_schema(schema_);
  const CountMechanism paid = std::move(mechanism);
  const std::vector<CountBlock>& blocks = paid.blocks();
  count_tables(blocks, context);
  add_sums(blocks, context);
  std::vector<NoisyBlock> result(blocks.size());
  WorkerPool pool(context.threads);
  pool.run(blocks.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    Counts exact =
        blocks[i].vector_sum() != nullptr ? std::move(sums_[i]) : exact_counts(blocks[i], context);
    result[i] = with_noise(blocks[i], std::move(exact), paid.charges()[i].sigma);
  });
  sums_.clear();
  return result;
}

std::vector<NoisyBlock> PrivateCounter::measure(LaplaceMechanism&& mechanism,
                                                const Context& context) {
  mechanism.require_schema(schema_);
  const LaplaceMechanism paid = std::move(mechanism);
  const std::vector<CountBlock>& blocks = paid.blocks();
  count_tables(blocks, context);
  std::vector<NoisyBlock> result;
  for (const CountBlock& block : blocks) {
    context.throw_if_cancelled();
    result.push_back(with_laplace_noise(block, exact_counts(block, context), paid.rate()));
  }
  return result;
}

std::uint64_t PrivateCounter::score_sensitivity() const {
  return sensitivity_of_scores(*score_kind_, schema_, rows_);
}

std::size_t PrivateCounter::score(std::span<const ScoredTable> tables, const Context& context) {
  const std::size_t first = scores_.size();
  scores_.resize(first + tables.size());
  std::size_t done = 0;
  while (done < tables.size()) {
    CountRequest request;
    std::size_t bytes = 0;
    while (done + request.tables.size() < tables.size() && bytes < kScoredBytes) {
      const ScoredTable& table = tables[done + request.tables.size()];
      MEHLER_ASSERT(score_kind_.value_or(table.kind) == table.kind);
      score_kind_ = table.kind;
      request.tables.push_back({table.columns});
      bytes += table.cells() * sizeof(std::int64_t);
    }
    require_scorable(*score_kind_, rows_);
    const PartialCounts counted = source_->count(request, context);
    WorkerPool pool(context.threads);
    pool.run(request.tables.size(), [&](std::size_t i) {
      scores_[first + done + i] = score_of(tables[done + i], counted.tables_[i], rows_);
    });
    done += request.tables.size();
  }
  return first;
}

std::size_t PrivateCounter::choose(std::span<const std::size_t> candidates,
                                   ExactSelection&& selection) {
  selection.require_schema(schema_);
  const ExactSelection paid = std::move(selection);
  MEHLER_ASSERT(!candidates.empty() && paid.charge().candidates == candidates.size());
  WipedVector<std::int64_t> scores;
  for (const std::size_t candidate : candidates) {
    scores.push_back(scores_.at(candidate));
  }
  SecureRandom random;
  return draw_by_scores(random, std::span<const std::int64_t>(scores), score_sensitivity(),
                        paid.numerator());
}

}  // namespace mehler

#include "mehler/measurement/private_counter.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/overloaded.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/contrasts.h"
#include "mehler/measurement/internal/noise.h"

namespace mehler {

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

PrivateCounter::TableKey PrivateCounter::key_of(const Marginal& table) {
  TableKey key;
  for (const CountedColumn& counted : table.columns) {
    key.push_back(counted.cells);
  }
  return key;
}

void PrivateCounter::count_tables(std::span<const CountBlock> blocks, const Context& context) {
  std::set<TableKey> keys;
  CountRequest request;
  for (const CountBlock& block : blocks) {
    const Marginal* table = block.marginal();
    if (table == nullptr || table->columns.size() < 2) {
      continue;
    }
    const TableKey key = key_of(*table);
    if (!keys.insert(key).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the counts of block '{}' would be measured twice at once; measure "
                              "them once, with more precision",
                              block.name));
    }
    if (!tables_.contains(key)) {
      request.tables.push_back(*table);
    }
  }
  if (request.tables.empty()) {
    return;
  }
  PartialCounts counted = source_->count(request, context);
  for (std::size_t t = 0; t < request.tables.size(); ++t) {
    tables_[key_of(request.tables[t])] = std::move(counted.tables_[t]);
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

PrivateCounter::Counts PrivateCounter::contrasts(const Marginal& marginal,
                                                 const Context& context) const {
  const std::vector<std::size_t> shape = marginal.shape();
  Counts counts;
  if (marginal.columns.size() > 1) {
    counts = tables_.at(key_of(marginal));
  } else {
    const CountedColumn& counted = marginal.columns.front();
    counts.resize(counted.cells->size());
    leaves_of(counted.column, context).for_each([&](std::uint32_t leaf, std::int64_t count) {
      counts[counted.cells->cell_of(leaf)] += count;
    });
  }
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

}  // namespace mehler

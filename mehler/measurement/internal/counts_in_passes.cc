#include "mehler/measurement/internal/counts_in_passes.h"

#include <numeric>

#include "mehler/measurement/internal/private_record_queue.h"

namespace mehler {
namespace {

CountRequest all_columns(const Encoder& encoder) {
  CountRequest request;
  request.columns.resize(encoder.columns().size());
  std::iota(request.columns.begin(), request.columns.end(), std::size_t{0});
  return request;
}

}  // namespace

CountsInPasses::CountsInPasses(const PrivateTable& table, const Encoder& encoder,
                               const Context& context)
    : table_(table.again()),
      encoder_(encoder),
      grids_(value_grids(encoder_)),
      leaves_(read(all_columns(encoder_), context)) {}

PartialCounts CountsInPasses::read(CountRequest request, const Context& context) const {
  PartialCounts counts(grids_, std::move(request));
  for_private_records(
      table_, encoder_, context,
      [&](std::size_t, const EncodedBatch& batch, std::span<const std::uint8_t> kept) {
        counts.add(batch, kept);
        return true;
      });
  return counts;
}

std::size_t CountsInPasses::bytes(const Encoder& encoder) {
  std::size_t leaves = 0;
  for (const Column& column : encoder.columns()) {
    leaves += ValueGrid(column).leaves();
  }
  return leaves * sizeof(std::int64_t);
}

PartialCounts CountsInPasses::count(const CountRequest& request, const Context& context) const {
  PartialCounts counts = request.tables.empty() && request.sums.empty()
                             ? PartialCounts(grids_, request)
                             : read({{}, request.tables, request.sums}, context);
  counts.request_ = request;
  counts.rows_ = leaves_.rows_;
  counts.columns_.clear();
  for (const std::size_t column : request.columns) {
    counts.columns_.push_back(leaves_.columns_.at(column));
  }
  return counts;
}

}  // namespace mehler

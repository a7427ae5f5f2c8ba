#include "mehler/generator/chunked_draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/copy_row.h"

namespace mehler {
namespace {

/// A condition that is met less often than this is refused as too rare.
constexpr double kRarest = 1.0 / 20'000.0;

void keep_first_rows(EncodedBatch& batch, std::uint64_t rows) {
  if (rows >= batch.rows) {
    return;
  }
  const std::size_t rows_before = std::exchange(batch.rows, static_cast<std::size_t>(rows));
  for (EncodedColumn& column : batch.columns) {
    column.pixels.resize(column.pixels.size() / rows_before * batch.rows);
    column.codes.resize(std::min(column.codes.size(), batch.rows));
    column.numbers.resize(std::min(column.numbers.size(), batch.rows));
  }
}

void keep_rows(EncodedBatch& batch, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) {
      copy_row(batch, rows[i], batch, i);
    }
  }
  keep_first_rows(batch, rows.size());
}

void keep_meeting_rows(EncodedBatch& batch, const std::vector<ColumnCondition>& conditions) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (meets(conditions, batch, row)) {
      kept.push_back(row);
    }
  }
  keep_rows(batch, kept);
}

}  // namespace

bool meets(const std::vector<ColumnCondition>& conditions, const EncodedBatch& batch,
           std::size_t row) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const ColumnCondition& condition) {
    const EncodedColumn& column = batch.columns[condition.column];
    if (!column.codes.empty()) {
      return static_cast<bool>(condition.codes[static_cast<std::size_t>(column.codes[row])]);
    }
    const double number = column.numbers[row];
    return std::isnan(number) ? condition.missing
                              : std::any_of(condition.ranges.begin(), condition.ranges.end(),
                                            [&](const Interval& range) {
                                              return range.low <= number && number <= range.high;
                                            });
  });
}

void draw_in_chunks(const SampleOptions& options, const std::vector<ColumnCondition>& conditions,
                    const Encoder& encoder, const RuleGuard& guard, const ChunkSource& source,
                    const Context& context, const Generator::RecordSink& sink) {
  std::uint64_t written = 0;
  std::uint64_t drawn = 0;
  std::vector<EncodedBatch> records(context.threads);
  std::vector<Table> tables(context.threads);
  for (std::uint64_t first_chunk = 0; written < options.rows; first_chunk += context.threads) {
    context.throw_if_cancelled();
    run_workers(context.threads, [&](std::size_t worker) {
      // Chunks are whole unless rows are selected: it may be known already that none is wanted.
      const bool selects = !conditions.empty() || !guard.empty();
      const std::uint64_t before = written + worker * source.rows;
      if (!selects && before >= options.rows) {
        records[worker] = EncodedBatch();
        return;
      }
      records[worker] = source.draw(first_chunk + worker);
      if (!conditions.empty()) {
        keep_meeting_rows(records[worker], conditions);
      }
      if (!guard.empty()) {
        keep_rows(records[worker], guard.lawful_rows(records[worker]));
      }
      if (!selects) {
        keep_first_rows(records[worker], options.rows - before);
      }
      tables[worker] = encoder.decode_and_settle(records[worker]);
    });
    for (std::size_t worker = 0; worker < context.threads && written < options.rows; ++worker) {
      drawn += source.rows;
      if (records[worker].rows > options.rows - written) {
        keep_first_rows(records[worker], options.rows - written);
        tables[worker] = encoder.decode_and_settle(records[worker]);
      }
      written += records[worker].rows;
      if (static_cast<double>(drawn) > static_cast<double>(written + 5) / kRarest) {
        throw Error(
            ErrorCode::kInvalidArgument,
            conditions.empty()
                ? "fewer than one record in 20,000 has none of the combinations that by the "
                  "schema never occur; loosen \"never\""
                : "the conditions are too rare: fewer than one record in 20,000 meets "
                  "them; loosen them");
      }
      if (records[worker].rows > 0) {
        sink(tables[worker], records[worker]);
      }
    }
    if (context.progress) {
      context.progress({written, static_cast<double>(written) / static_cast<double>(options.rows)});
    }
  }
}

}  // namespace mehler

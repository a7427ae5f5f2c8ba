#include "mehler/generator/fitted_table/table_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/structural_zeros.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Rows that are decoded at once.
constexpr std::size_t kDecodedRows = 16'384;
/// Rows that are drawn at once under conditions, at least.
constexpr std::size_t kConditionalRows = 65'536;
/// Times that a record with a combination which never occurs is drawn anew: within its cells, and
/// in all.
constexpr std::size_t kRedrawsInCells = 20;
constexpr std::size_t kRedraws = 60;
/// Rows that are drawn under conditions, at least, so that there are others to take such a
/// record's place.
constexpr std::size_t kFewestToChooseFrom = 256;

}  // namespace

FitInputs::FitInputs(const Release& release, const Context& context) {
  const MarginalMeasurements measurements(release);
  columns = estimate_columns(measurements);
  cells = joint_cells(measurements, columns);
  targets =
      make_clique_targets(measurements, columns, estimate_tables(measurements, columns, context));
  forbid_never_cells(release.encoder(), NeverRules(release.schema()), cells, targets);
  forbid_half_missing(release.encoder(), targets);
}

TableGenerator::TableGenerator(Release release, const Context& context)
    : release_(std::move(release)),
      estimates_(release_, context),
      decoder_(estimates_.columns, estimates_.cells),
      guard_(release_.encoder()) {}

TableGenerator::TableGenerator(Release release, const TableFitOptions& options,
                               const Context& context)
    : TableGenerator(std::move(release), context) {
  fit_ = fit_table(estimates_.targets, options, context);
}

std::vector<CodeCondition> TableGenerator::cells_of(
    const std::vector<ColumnCondition>& conditions) const {
  std::vector<CodeCondition> result;
  for (const ColumnCondition& condition : conditions) {
    const ColumnPartition& cells = *estimates_.cells[condition.column];
    const std::uint32_t leaf = cells.column().is_number()
                                   ? cells.leaves().leaf_of_coordinate(condition.coordinate)
                                   : static_cast<std::uint32_t>(condition.code);
    result.push_back({condition.column, {static_cast<std::uint16_t>(cells.cell_of(leaf))}});
  }
  return result;
}

EncodedBatch TableGenerator::decode(const CodedRows& rows, std::size_t first, std::size_t count,
                                    const std::vector<ColumnCondition>& conditions,
                                    SeededRandom& random) const {
  EncodedBatch batch = decoder_.decode(rows, first, count, random);
  for (const ColumnCondition& condition : conditions) {
    EncodedColumn& column = batch.columns[condition.column];
    if (estimates_.cells[condition.column]->column().is_number()) {
      std::fill(column.numbers.begin(), column.numbers.end(), condition.coordinate);
    } else {
      std::fill(column.codes.begin(), column.codes.end(), condition.code);
    }
  }
  return batch;
}

void TableGenerator::hand_over(const CodedRows& rows, std::size_t wanted, std::uint64_t first_row,
                               std::uint64_t seed, const std::vector<ColumnCondition>& conditions,
                               const Context& context, const RecordSink& sink) const {
  // Rows that meet the conditions, to take the place of others.
  const CodedRows& pool = conditions.empty() ? fit_.polished : rows;
  for (std::size_t begin = 0; begin < wanted; begin += kDecodedRows * context.threads) {
    context.throw_if_cancelled();
    std::vector<Table> tables(context.threads);
    std::vector<EncodedBatch> batches(context.threads);
    run_workers(context.threads, [&](std::size_t worker) {
      const std::size_t first = begin + worker * kDecodedRows;
      if (first >= wanted) {
        return;
      }
      const std::size_t count = std::min(kDecodedRows, wanted - first);
      SeededRandom random = SeededRandom::of_piece(seed, first_row + first);
      EncodedBatch& batch = batches[worker];
      batch = decode(rows, first, count, conditions, random);
      if (!guard_.empty()) {
        const auto redraw = [&](const std::vector<std::size_t>& broken, std::size_t attempt) {
          CodedRows again(broken.size(), rows.columns);
          for (std::size_t i = 0; i < broken.size(); ++i) {
            const auto row = attempt < kRedrawsInCells ? rows.row(first + broken[i])
                                                       : pool.row(uniform_below(random, pool.rows));
            std::copy(row.begin(), row.end(), again.row(i).begin());
          }
          return decode(again, 0, broken.size(), conditions, random);
        };
        guard_.repair(batch, kRedraws, redraw);
      }
      tables[worker] = release_.encoder().decode_and_settle(batch);
    });
    for (std::size_t worker = 0; worker < context.threads; ++worker) {
      if (tables[worker].rows() > 0) {
        sink(tables[worker], batches[worker]);
      }
    }
  }
}

void TableGenerator::draw(const SampleOptions& options, const Context& context,
                          const RecordSink& sink) const {
  options.validate();
  const std::vector<ColumnCondition> conditions =
      resolve_conditions(release_.encoder(), options.where, ConditionedColumns::kAll);
  guard_.refuse_contradictions(conditions);
  const std::size_t fitted = fit_.polished.rows;
  if (conditions.empty() && options.rows <= fitted) {
    const bool is_whole = options.rows == fitted;
    if (is_whole && options.seed == 1) {
      hand_over(fit_.polished, fitted, 0, options.seed, {}, context, sink);
      return;
    }
    if (!is_whole) {
      hand_over(shrink_rows(estimates_.targets, fit_, static_cast<std::size_t>(options.rows),
                            options.seed),
                static_cast<std::size_t>(options.rows), 0, options.seed, {}, context, sink);
      return;
    }
  }
  const std::vector<CodeCondition> codes = cells_of(conditions);
  PairwiseModelOptions model_options;
  model_options.seed = options.seed;
  const PairwiseModel model = PairwiseModel::fit(estimates_.targets, fit_, model_options, context);
  DrawOptions draw;
  draw.seed = options.seed;
  draw.total_rows = static_cast<std::size_t>(options.rows);
  const std::uint64_t at_once =
      conditions.empty() ? fitted : std::max<std::uint64_t>(fitted, kConditionalRows);
  for (std::uint64_t first = 0; first < options.rows; first += at_once) {
    const auto count = static_cast<std::size_t>(std::min(at_once, options.rows - first));
    CodedRows rows;
    if (conditions.empty()) {
      rows = draw_rows(model, fit_, static_cast<std::size_t>(first), count, draw, context);
    } else {
      const std::size_t drawn_rows = guard_.empty() ? count : std::max(count, kFewestToChooseFrom);
      ConditionalRows drawn = draw_where(model, fit_, codes, drawn_rows,
                                         SeededRandom::seed_of_piece(options.seed, first), context);
      if (drawn.unlikely) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("by the release hardly any record meets the conditions (a share of "
                                "about {:.1g}); loosen them",
                                drawn.probability));
      }
      rows = std::move(drawn.rows);
    }
    hand_over(rows, count, first, options.seed, conditions, context, sink);
    if (context.progress) {
      const std::uint64_t done = first + count;
      context.progress({done, static_cast<double>(done) / static_cast<double>(options.rows)});
    }
  }
}

}  // namespace mehler

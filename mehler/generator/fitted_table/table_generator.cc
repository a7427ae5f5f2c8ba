#include "mehler/generator/fitted_table/table_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/structural_zeros.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Rows that are decoded at once; with images, each of which takes as much as hundreds of columns.
constexpr std::size_t kDecodedRows = 16'384;
constexpr std::size_t kDecodedImages = 1000;
/// Rows that are drawn at once under conditions, at least.
constexpr std::size_t kConditionalRows = 65'536;
/// Times that a record with a combination which never occurs is drawn anew: within its cells, and
/// in all.
constexpr std::size_t kRedrawsInCells = 20;
constexpr std::size_t kRedraws = 60;
/// Rows that are drawn under conditions, at least, so that there are others to take such a
/// record's place.
constexpr std::size_t kFewestToChooseFrom = 256;

/// Rows among which one is chosen, where some meet conditions better than others.
constexpr std::size_t kCandidates = 16;

/// Rows that the model is fitted to, which stand for all of a long table: a sixteenth, but enough
/// to know rare cells.
constexpr std::size_t kModelRows = 8192;
constexpr std::size_t kModelPart = 16;
/// The same of rows that stand for more records.
constexpr std::size_t kModelPartOfFew = 8;
constexpr int kModelIterations = 40;

/// Bytes of codes that are drawn at once, at most, where a block has fewer.
constexpr std::size_t kDrawnBytes = std::size_t{1} << 27;

void report_drawn(std::uint64_t done, const SampleOptions& options, const Context& context) {
  if (context.progress) {
    context.progress({done, static_cast<double>(done) / static_cast<double>(options.rows)});
  }
}

/// Rows chosen in proportion to weights, no more often than these say; in the order of the rows.
CodedRows choose_rows(const CodedRows& rows, const std::vector<double>& weights, std::size_t count,
                      std::uint64_t seed) {
  const double step =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(count);
  CodedRows result(0, rows.columns);
  double next = step * SeededRandom(seed).uniform();
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    sum += weights[r];
    const bool is_last = r + 1 == rows.rows;
    for (; result.rows < count && (next < sum || is_last); next += step) {
      const auto row = rows.row(r);
      result.codes.insert(result.codes.end(), row.begin(), row.end());
      ++result.rows;
    }
  }
  return result;
}

/// The codes that are left of a column's cells.
CodeCondition cells_left(const CellDecoder::Restriction& restriction) {
  CodeCondition result;
  result.column = restriction.condition.column;
  for (std::size_t cell = 0; cell < restriction.shares.size(); ++cell) {
    if (restriction.shares[cell] > 0.0) {
      result.codes.push_back(static_cast<std::uint16_t>(cell));
      result.shares.push_back(restriction.shares[cell]);
    }
  }
  return result;
}

}  // namespace

FitInputs::FitInputs(const Release& release, const Context& context) {
  const MarginalMeasurements measurements(release);
  rows_as_good_as_noise = mehler::rows_as_good_as_noise(measurements);
  columns = estimate_columns(measurements);
  cells = joint_cells(measurements, columns);
  std::vector<MarginalEstimate> tables = estimate_tables(measurements, columns, context);
  finer_tables = estimate_finer_tables(measurements, columns, cells, tables, context);
  links = link_values(columns, cells, tables);
  targets = make_clique_targets(measurements, columns, std::move(tables));
  forbid_never_cells(release.encoder(), NeverRules(release.schema()), cells, targets);
  forbid_half_missing(release.encoder(), targets);
}

TableGenerator::TableGenerator(Release release, const Context& context, ImageFiller images)
    : release_(std::move(release)),
      estimates_(release_, context),
      records_(estimates_.targets.rows),
      decoder_(estimates_.columns,
               FinerForest(estimates_.cells, std::move(estimates_.finer_tables)), estimates_.links),
      guard_(release_.encoder()),
      images_(std::move(images)) {
  MEHLER_ASSERT(images_ || release_.schema().image() == nullptr);
}

TableGenerator::TableGenerator(Release release, const TableFitOptions& options,
                               const Context& context, ImageFiller images)
    : TableGenerator(std::move(release), context, std::move(images)) {
  const FitSize size = fit_size(records_, estimates_.rows_as_good_as_noise);
  stand_for_all(size.rows);
  fit_ = fit_table(estimates_.targets, size.applied_to(options), context);
  labels_ = TeacherLabels::of(release_, estimates_.columns, estimates_.cells, fit_.polished);
  label(fit_.chain);
  label(fit_.polished);
  searchable_.emplace(fit_, records_);
  if (keeps_potentials()) {
    model(context);
  }
}

void TableGenerator::stand_for_all(std::size_t rows) {
  if (rows < estimates_.targets.rows) {
    estimates_.targets = scaled_targets(std::move(estimates_.targets), rows);
  }
}

bool TableGenerator::keeps_potentials() const {
  return estimates_.targets.rows >= kModelPart * kModelRows;
}

const PairwiseModel& TableGenerator::model(const Context& context) const {
  const std::lock_guard lock(model_mutex_);
  if (!model_) {
    if (context.progress) {
      context.progress({0, -1.0, "learning how columns go together"});
    }
    PairwiseModelOptions options;  // not the sample's seed: the model is the same for all samples
    const std::size_t rows = estimates_.targets.rows;
    options.rows = std::max(kModelRows, rows / (rows < records_ ? kModelPartOfFew : kModelPart));
    options.iterations = kModelIterations;
    model_.emplace(PairwiseModel::fit(estimates_.targets, fit_, options, context));
  }
  return *model_;
}

std::vector<ColumnCondition> TableGenerator::resolve(
    const std::vector<SampleCondition>& where) const {
  std::vector<ColumnCondition> conditions =
      resolve_conditions(release_.encoder(), where, ConditionedColumns::kAll);
  guard_.refuse_contradictions(conditions);
  return conditions;
}

void TableGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  resolve(where);
}

void TableGenerator::hand_over(const CodedRows& rows, std::size_t from, std::size_t wanted,
                               std::uint64_t first_row, std::uint64_t seed,
                               const Restrictions& restrictions, const Context& context,
                               const RecordSink& sink) const {
  // Rows that meet the conditions, to take the place of others.
  const CodedRows& pool = restrictions.empty() ? fit_.polished : rows;
  const std::size_t at_once = images_ ? kDecodedImages : kDecodedRows;
  for (std::size_t begin = 0; begin < wanted; begin += at_once * context.threads) {
    context.throw_if_cancelled();
    std::vector<Table> tables(context.threads);
    std::vector<EncodedBatch> batches(context.threads);
    run_workers(context.threads, [&](std::size_t worker) {
      const std::size_t first = begin + worker * at_once;
      if (first >= wanted) {
        return;
      }
      const std::size_t count = std::min(at_once, wanted - first);
      SeededRandom random = SeededRandom::of_piece(seed, first_row + first);
      EncodedBatch& batch = batches[worker];
      batch = decoder_.decode(rows, from + first, count, random, restrictions);
      if (!guard_.empty()) {
        const auto redraw = [&](const std::vector<std::size_t>& broken, std::size_t attempt) {
          CodedRows again(broken.size(), rows.columns);
          for (std::size_t i = 0; i < broken.size(); ++i) {
            const auto row = attempt < kRedrawsInCells ? rows.row(from + first + broken[i])
                                                       : pool.row(uniform_below(random, pool.rows));
            std::copy(row.begin(), row.end(), again.row(i).begin());
          }
          return decoder_.decode(again, 0, broken.size(), random, restrictions);
        };
        guard_.repair(batch, kRedraws, redraw);
      }
      if (images_) {
        images_(batch, first_row + first, seed);
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

CodedRows TableGenerator::rows_where(const Restrictions& restrictions, const SampleOptions& options,
                                     std::uint64_t first, std::size_t count,
                                     const Context& context) const {
  std::vector<CodeCondition> conditions;
  for (const CellDecoder::Restriction& restriction : restrictions) {
    conditions.push_back(cells_left(restriction));
  }
  const bool chooses = decoder_.tells_rows_apart(restrictions);
  const std::uint64_t seed = SeededRandom::seed_of_piece(options.seed, first);
  ConditionalRows drawn = draw_where(
      estimates_.targets, *searchable_, [&]() -> const PairwiseModel& { return model(context); },
      conditions, chooses ? kCandidates* count : count, seed, context, first == 0);
  if (chooses) {
    drawn.rows = choose_rows(drawn.rows, decoder_.likelihoods(drawn.rows, restrictions), count,
                             SeededRandom::seed_of_piece(seed, 1));
  }
  if (drawn.unlikely && options.on_unlikely) {
    options.on_unlikely();
  } else if (drawn.unlikely) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("by the release hardly any record meets the conditions (a share of "
                            "about {:.1g}); loosen them",
                            drawn.probability));
  }
  // Where the label is held, rows of the fitted table come first, and others keep what they hold.
  const bool holds_label =
      labels_ && std::any_of(conditions.begin(), conditions.end(), [&](const CodeCondition& held) {
        return held.column == labels_->target();
      });
  if (labels_ && !holds_label) {
    labels_->label(drawn.rows);
  }
  return std::move(drawn.rows);
}

void TableGenerator::label(CodedRows& rows) const {
  if (labels_) {
    labels_->label(rows);
  }
}

void TableGenerator::draw(const SampleOptions& options, const Context& context,
                          const RecordSink& sink) const {
  options.validate();
  Restrictions restrictions;
  for (const ColumnCondition& condition : resolve(options.where)) {
    restrictions.push_back(decoder_.restrict(condition));
  }
  const std::size_t fitted = fit_.polished.rows;
  if (!restrictions.empty()) {
    draw_under(restrictions, options, context, sink);
  } else if (options.rows < fitted) {
    const auto rows = static_cast<std::size_t>(options.rows);
    CodedRows fewer = shrink_rows(estimates_.targets, fit_, rows, options.seed);
    label(fewer);
    hand_over(fewer, 0, rows, 0, options.seed, {}, context, sink);
  } else if (options.rows == fitted && options.seed == 1) {
    hand_over(fit_.polished, 0, fitted, 0, options.seed, {}, context, sink);
  } else {
    draw_more(options, context, sink);
  }
}

void TableGenerator::draw_under(const Restrictions& restrictions, const SampleOptions& options,
                                const Context& context, const RecordSink& sink) const {
  std::uint64_t at_once = std::max<std::uint64_t>(fit_.polished.rows, kConditionalRows);
  if (decoder_.tells_rows_apart(restrictions)) {
    at_once = std::max<std::uint64_t>(at_once / kCandidates, 1);
  }
  for (std::uint64_t first = 0; first < options.rows; first += at_once) {
    const auto count = static_cast<std::size_t>(std::min(at_once, options.rows - first));
    // More than are wanted where some may have to take the place of others.
    const std::size_t drawn = guard_.empty() ? count : std::max(count, kFewestToChooseFrom);
    hand_over(rows_where(restrictions, options, first, drawn, context), 0, count, first,
              options.seed, restrictions, context, sink);
    report_drawn(first + count, options, context);
  }
}

void TableGenerator::draw_more(const SampleOptions& options, const Context& context,
                               const RecordSink& sink) const {
  DrawOptions draw;
  draw.seed = options.seed;
  draw.total_rows = static_cast<std::size_t>(options.rows);
  const CodedRows& polished = fit_.polished;
  const RowBlocks blocks(polished.rows, draw.total_rows);
  const std::size_t bytes = polished.codes.size() * sizeof(polished.codes[0]);
  const std::size_t at_once = std::clamp(kDrawnBytes / bytes, std::size_t{1}, context.threads);
  // What is handed over at once must not depend on the threads, as what is drawn at once does:
  // records are decoded in pieces of it.
  CodedRows ready(0, polished.columns);
  std::uint64_t first = 0;
  for (std::size_t block = 0; block < blocks.count(); block += at_once) {
    const std::size_t begin = blocks.begin(block);
    const std::size_t end = blocks.begin(std::min(block + at_once, blocks.count()));
    CodedRows drawn = draw_rows(model(context), fit_, begin, end - begin, draw, context);
    label(drawn);
    append_rows(drawn, ready);
    const bool is_last = end == draw.total_rows;
    std::size_t from = 0;
    while (ready.rows - from >= polished.rows || (is_last && ready.rows > from)) {
      const std::size_t count = std::min(polished.rows, ready.rows - from);
      hand_over(ready, from, count, first, options.seed, {}, context, sink);
      from += count;
      first += count;
      report_drawn(first, options, context);
    }
    ready.codes.erase(ready.codes.begin(),
                      ready.codes.begin() + static_cast<std::ptrdiff_t>(from * ready.columns));
    ready.rows -= from;
  }
}

}  // namespace mehler

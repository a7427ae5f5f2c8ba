#include "mehler/generator/neural/network_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

constexpr std::size_t kChunkRows = 8192;
/// A condition that is met less often than this is refused as too rare.
constexpr double kRarest = 1.0 / 20'000.0;

/// A class that has a probability above 0.
std::size_t draw_class(const std::vector<double>& probabilities, SeededRandom& random) {
  double left = random.uniform();
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0.0) {
      chosen = i;
      if (left < probabilities[i]) {
        break;
      }
      left -= probabilities[i];
    }
  }
  return chosen;
}

void keep_first_rows(EncodedBatch& batch, std::uint64_t rows) {
  if (rows >= batch.rows) {
    return;
  }
  batch.rows = static_cast<std::size_t>(rows);
  for (EncodedColumn& column : batch.columns) {
    column.codes.resize(std::min(column.codes.size(), batch.rows));
    column.numbers.resize(std::min(column.numbers.size(), batch.rows));
  }
}

void keep_rows(EncodedBatch& batch, const std::vector<std::size_t>& rows) {
  for (EncodedColumn& column : batch.columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!column.codes.empty()) {
        column.codes[i] = column.codes[rows[i]];
      } else {
        column.numbers[i] = column.numbers[rows[i]];
      }
    }
  }
  keep_first_rows(batch, rows.size());
}

}  // namespace

NetworkGenerator::NetworkGenerator(Release release, Network network, std::size_t noise_inputs,
                                   std::vector<double> class_probabilities)
    : release_(std::move(release)),
      network_(std::move(network)),
      noise_inputs_(noise_inputs),
      class_probabilities_(std::move(class_probabilities)),
      heads_(release_.encoder()),
      guard_(release_.encoder()) {
  if (class_probabilities_.size() != release_.sums().features.classes() ||
      network_.shape().inputs != noise_inputs_ + class_probabilities_.size() ||
      network_.shape().outputs != heads_.outputs()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the model's network does not fit the schema of its release");
  }
}

Matrix NetworkGenerator::make_inputs(const std::vector<std::size_t>& classes,
                                     std::size_t class_count, std::size_t noise_inputs,
                                     SeededRandom& random, WorkerPool& pool) {
  Matrix inputs(classes.size(), noise_inputs + class_count);
  // Some rows have a seed of their own, so that the threads do not matter.
  constexpr std::size_t kRowsPerSeed = 512;
  std::vector<std::uint64_t> seeds(ceil_divide(classes.size(), kRowsPerSeed));
  for (std::uint64_t& seed : seeds) {
    seed = random.next_word();
  }
  pool.run(seeds.size(), [&](std::size_t task) {
    SeededRandom of_task(seeds[task]);
    const std::size_t last = std::min(classes.size(), (task + 1) * kRowsPerSeed);
    for (std::size_t i = task * kRowsPerSeed; i < last; ++i) {
      const auto row = inputs.row(i);
      of_task.fill_normal(row.first(noise_inputs));
      row[noise_inputs + classes[i]] = 1.0F;
    }
  });
  return inputs;
}

std::vector<ColumnCondition> NetworkGenerator::resolve(const std::vector<SampleCondition>& where,
                                                       std::vector<double>& probabilities) const {
  const Encoder& encoder = release_.encoder();
  std::vector<ColumnCondition> conditions =
      resolve_conditions(encoder, where, ConditionedColumns::kCategories);
  guard_.refuse_contradictions(conditions);
  const auto of_label =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const ColumnCondition& c) { return c.column == encoder.label(); });
  if (of_label == conditions.end()) {
    return conditions;
  }
  double left = 0.0;
  for (std::size_t code = 0; code < probabilities.size(); ++code) {
    probabilities[code] = of_label->codes[code] ? probabilities[code] : 0.0;
    left += probabilities[code];
  }
  if (!(left > 0.0)) {
    const Column& column = encoder.columns()[of_label->column];
    std::vector<std::string> asked = column.labels();
    asked.push_back("missing");
    for (std::size_t code = asked.size(); code-- > 0;) {
      if (code >= of_label->codes.size() || !of_label->codes[code]) {
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(code));
      }
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("no record meets the condition on '{}': by the release there are none "
                            "with '{}'; ask for another value",
                            shown(column.name), list_names(asked)));
  }
  for (double& probability : probabilities) {
    probability /= left;
  }
  conditions.erase(of_label);
  return conditions;
}

void NetworkGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  std::vector<double> probabilities = class_probabilities_;
  resolve(where, probabilities);
}

void NetworkGenerator::draw(const SampleOptions& options, const Context& context,
                            const RecordSink& sink) const {
  options.validate();
  std::vector<double> probabilities = class_probabilities_;
  const std::vector<ColumnCondition> conditions = resolve(options.where, probabilities);
  std::uint64_t written = 0;
  std::uint64_t drawn = 0;
  std::vector<EncodedBatch> records(context.threads);
  std::vector<Table> tables(context.threads);
  for (std::uint64_t first_chunk = 0; written < options.rows; first_chunk += context.threads) {
    context.throw_if_cancelled();
    run_workers(context.threads, [&](std::size_t worker) {
      records[worker] = draw_chunk(first_chunk + worker, options.seed, probabilities, conditions);
      if (conditions.empty() && guard_.empty()) {
        // Chunks are whole, so it is known already how much of this one is wanted.
        const std::uint64_t before = written + worker * kChunkRows;
        keep_first_rows(records[worker], options.rows - std::min(before, options.rows));
      }
      tables[worker] = release_.encoder().decode_and_settle(records[worker]);
    });
    for (std::size_t worker = 0; worker < context.threads && written < options.rows; ++worker) {
      drawn += kChunkRows;
      if (records[worker].rows > options.rows - written) {
        keep_first_rows(records[worker], options.rows - written);
        tables[worker] = release_.encoder().decode_and_settle(records[worker]);
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

EncodedBatch NetworkGenerator::draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                                          const std::vector<double>& probabilities,
                                          const std::vector<ColumnCondition>& conditions) const {
  SeededRandom random = SeededRandom::of_piece(seed, chunk);
  std::vector<std::size_t> classes(kChunkRows);
  for (std::size_t& value : classes) {
    value = draw_class(probabilities, random);
  }
  WorkerPool alone(1);
  const Matrix inputs = make_inputs(classes, probabilities.size(), noise_inputs_, random, alone);
  EncodedBatch records = heads_.draw(heads_.apply(network_.infer(inputs)), random);
  if (release_.encoder().label()) {
    records.columns[*release_.encoder().label()].codes.assign(classes.begin(), classes.end());
  }
  if (!conditions.empty()) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < kChunkRows; ++row) {
      if (std::all_of(conditions.begin(), conditions.end(), [&](const ColumnCondition& condition) {
            const std::int32_t code = records.columns[condition.column].codes[row];
            return condition.codes[static_cast<std::size_t>(code)];
          })) {
        kept.push_back(row);
      }
    }
    keep_rows(records, kept);
  }
  if (!guard_.empty()) {
    keep_rows(records, guard_.lawful_rows(records));
  }
  return records;
}

}  // namespace mehler

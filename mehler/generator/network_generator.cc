#include "mehler/generator/generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/near_names.h"

namespace mehler {
namespace {

constexpr std::size_t kChunkRows = 8192;
/// A condition that is met less often than this is refused as too rare.
constexpr double kRarest = 1.0 / 20'000.0;

std::size_t draw_class(const std::vector<double>& probabilities, SeededRandom& random) {
  double left = random.uniform();
  std::size_t chosen = 0;
  while (chosen + 1 < probabilities.size() && left >= probabilities[chosen]) {
    left -= probabilities[chosen];
    ++chosen;
  }
  return chosen;
}

/// The seed of a chunk: chunks are independent, and each is the same however many there are.
std::uint64_t chunk_seed(std::uint64_t seed, std::uint64_t chunk) {
  SeededRandom mixed(seed);
  return mixed.next_word() ^ (chunk * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL);
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

/// The column of categories that a condition names, among encoder.columns().
std::size_t conditioned_column(const Encoder& encoder, const std::string& name) {
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (encoder.columns()[i].is_category()) {
      if (encoder.columns()[i].name == name) {
        return i;
      }
      categories.push_back(encoder.columns()[i].name);
    }
  }
  const auto fail = [](const std::string& what) -> std::size_t {
    throw Error(ErrorCode::kInvalidArgument, what);
  };
  const Column* column = encoder.schema().find(name);
  if (column == nullptr) {
    return fail(fmt::format("a condition names '{}', which is not a column of the release{}", name,
                            suggest_names(name, categories)));
  }
  const std::string_view values = column->kind == ColumnKind::kDate       ? "dates"
                                  : column->kind == ColumnKind::kDatetime ? "times"
                                                                          : "numbers";
  const std::string what = column->is_number() ? fmt::format("is a column of {}", values)
                                               : fmt::format("is of kind {} and not synthesised",
                                                             kind_name(column->kind));
  return fail(fmt::format(
      "a condition names '{}', which {}; conditions are for columns of categories{}", name, what,
      categories.empty() ? ", and this release has none" : ": " + list_names(categories)));
}

/// The code of the value that a condition asks for; of a missing one if it is empty.
std::int32_t conditioned_code(const Column& column, const std::string& value) {
  const std::vector<std::string> labels = column.labels();
  const auto place = std::find(labels.begin(), labels.end(), value);
  if (place == labels.end() && !(value.empty() && column.missing)) {
    throw Error(ErrorCode::kInvalidArgument,
                value.empty()
                    ? fmt::format("column '{}' is never missing, which is what an empty value asks "
                                  "for; ask for one of its categories: {}",
                                  column.name, list_names(labels))
                    : fmt::format("column '{}' has no category '{}'{}", column.name, value,
                                  suggest_names(value, labels)));
  }
  return static_cast<std::int32_t>(place - labels.begin());  // a missing value's is after the last
}

}  // namespace

Generator::Generator(Release release, Network network, std::size_t noise_inputs,
                     std::vector<double> class_probabilities)
    : release_(std::move(release)),
      network_(std::move(network)),
      noise_inputs_(noise_inputs),
      class_probabilities_(std::move(class_probabilities)),
      heads_(release_.encoder()) {
  if (class_probabilities_.size() != release_.features().classes() ||
      network_.shape().inputs != noise_inputs_ + class_probabilities_.size() ||
      network_.shape().outputs != heads_.outputs()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the model's network does not fit the schema of its release");
  }
}

Matrix Generator::make_inputs(const std::vector<std::size_t>& classes, std::size_t class_count,
                              std::size_t noise_inputs, SeededRandom& random, WorkerPool& pool) {
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

std::vector<Generator::Filter> Generator::resolve(const std::vector<SampleCondition>& where,
                                                  std::vector<double>& probabilities) const {
  const Encoder& encoder = release_.encoder();
  std::vector<Filter> filters;
  for (const SampleCondition& condition : where) {
    const std::size_t index = conditioned_column(encoder, condition.column);
    const std::int32_t code = conditioned_code(encoder.columns()[index], condition.value);
    if (encoder.label() != index) {
      if (std::any_of(filters.begin(), filters.end(), [&](const Filter& filter) {
            return filter.column == index && filter.code != code;
          })) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("the conditions on '{}' contradict each other; leave one out",
                                condition.column));
      }
      filters.push_back({index, code});
      continue;
    }
    const double kept = probabilities[static_cast<std::size_t>(code)];
    std::fill(probabilities.begin(), probabilities.end(), 0.0);
    if (!(kept > 0.0)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "no record can have '{}' = '{}': by the release there are none, or the conditions "
              "contradict each other; leave one out",
              condition.column, condition.value));
    }
    probabilities[static_cast<std::size_t>(code)] = 1.0;
  }
  return filters;
}

void Generator::sample(const SampleOptions& options, const Context& context,
                       const std::function<void(const Table&)>& sink) const {
  if (options.rows < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                "the number of rows to sample must be at least 1, but is 0");
  }
  std::vector<double> probabilities = class_probabilities_;
  const std::vector<Filter> filters = resolve(options.where, probabilities);
  std::uint64_t written = 0;
  std::uint64_t drawn = 0;
  std::vector<EncodedBatch> records(context.threads);
  std::vector<Table> tables(context.threads);
  for (std::uint64_t first_chunk = 0; written < options.rows; first_chunk += context.threads) {
    context.throw_if_cancelled();
    run_workers(context.threads, [&](std::size_t worker) {
      records[worker] = draw_chunk(first_chunk + worker, options.seed, probabilities, filters);
      if (filters.empty()) {
        // Chunks are whole, so it is known already how much of this one is wanted.
        const std::uint64_t before = written + worker * kChunkRows;
        keep_first_rows(records[worker], options.rows - std::min(before, options.rows));
      }
      tables[worker] = release_.encoder().decode(records[worker]);
    });
    for (std::size_t worker = 0; worker < context.threads && written < options.rows; ++worker) {
      drawn += kChunkRows;
      if (records[worker].rows > options.rows - written) {
        keep_first_rows(records[worker], options.rows - written);
        tables[worker] = release_.encoder().decode(records[worker]);
      }
      written += records[worker].rows;
      if (static_cast<double>(drawn) > static_cast<double>(written + 5) / kRarest) {
        throw Error(
            ErrorCode::kInvalidArgument,
            "the conditions are too rare: fewer than one record in 20,000 meets them; loosen them");
      }
      if (records[worker].rows > 0) {
        sink(tables[worker]);
      }
    }
    if (context.progress) {
      context.progress({written, static_cast<double>(written) / static_cast<double>(options.rows)});
    }
  }
}

EncodedBatch Generator::draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                                   const std::vector<double>& probabilities,
                                   const std::vector<Filter>& filters) const {
  SeededRandom random(chunk_seed(seed, chunk));
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
  if (!filters.empty()) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < kChunkRows; ++row) {
      if (std::all_of(filters.begin(), filters.end(), [&](const Filter& filter) {
            return records.columns[filter.column].codes[row] == filter.code;
          })) {
        kept.push_back(row);
      }
    }
    keep_rows(records, kept);
  }
  return records;
}

}  // namespace mehler

#include "mehler/generator/partial_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/seeded_random.h"
#include "mehler/encoding/copy_row.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/findings.h"
#include "mehler/generator/made_identifiers.h"
#include "mehler/generator/number_conditions.h"
#include "mehler/generator/stored_records.h"
#include "mehler/table/column_view.h"

namespace mehler {
namespace {

/// Records that are handed over at once.
constexpr std::size_t kCompletedRows = 16'384;

/// The values of a column that are given, as conditions write them; nothing where one is missing.
std::vector<std::optional<std::string>> given_texts(const Column& column, const ColumnView& view) {
  std::vector<std::optional<std::string>> texts(view.rows());
  std::vector<double> numbers;
  const bool is_text = view.type() == ColumnType::kText;
  if (column.is_number() && !is_text) {
    numbers.resize(view.rows());
    NumberCoding(column).read_values(view, numbers.data());
  }
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (view.type() == ColumnType::kNull || (view.may_miss() && view.is_missing(row))) {
      continue;
    }
    if (is_text) {
      texts[row] = view.text(row).empty() ? "\"\"" : std::string(view.text(row));
    } else if (column.is_category()) {
      if (view.is_nan(row)) {
        continue;
      }
      texts[row] = view.whole_text(row);
      if (!texts[row]) {
        throw Error(ErrorCode::kInvalidTable, describe_refusal(column, Finding::kNotWhole));
      }
    } else if (!std::isnan(numbers[row])) {
      texts[row] = column.format_value(numbers[row]);
    }
  }
  return texts;
}

/// Whether a model can hold the column to a value by itself.
bool can_be_given(const Column& column) {
  return (column.is_number() || column.is_category()) && column.rules == ColumnRules{};
}

/// Rows with the same given values.
struct Group {
  std::vector<SampleCondition> where;
  std::vector<std::size_t> rows;
};

std::vector<Group> group_rows(const PartialRows& partial,
                              const std::vector<SampleCondition>& where) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t row = 0; row < partial.rows.size(); ++row) {
    std::string key;
    for (const SampleCondition& given : partial.rows[row]) {
      for (const std::string& text : {given.column, given.values.at(0)}) {
        key += fmt::format("{}:{}", text.size(), text);
      }
    }
    const auto [place, is_new] = places.emplace(std::move(key), groups.size());
    if (is_new) {
      groups.push_back({partial.rows[row], {}});
      groups.back().where.insert(groups.back().where.end(), where.begin(), where.end());
    }
    groups[place->second].rows.push_back(row);
  }
  return groups;
}

/// A value that the column can have, as conditions write it, and what others there are.
std::pair<std::string, std::string> allowed_values(const Column& column) {
  if (column.is_number()) {
    const std::string low = column.format_value(column.bounds->low);
    const bool is_whole = column.kind == ColumnKind::kInteger;
    return {low, fmt::format("{} from {} to {}{}", is_whole ? "whole numbers" : value_words(column),
                             low, column.format_value(column.bounds->high),
                             column.step && !(is_whole && *column.step == 1.0)
                                 ? fmt::format(" in steps of {}", *column.step)
                             : column.decimals ? fmt::format(" with {} decimals", *column.decimals)
                                               : "")};
  }
  const std::vector<std::string> labels = column.labels();
  return {labels[0].empty() ? "\"\"" : labels[0], list_names(labels)};
}

/// Refuses a value that its column cannot have. The row and the column are told, never the value:
/// rows to complete may be those of people.
void refuse_impossible_value(const Generator& generator, const PartialRows& partial,
                             const Group& group) {
  for (const SampleCondition& given : partial.rows[group.rows[0]]) {
    const auto [possible, allowed] =
        allowed_values(*generator.release().schema().find(given.column));
    generator.check_conditions({{given.column, possible}});  // the column can be held at all
    try {
      generator.check_conditions({given});
    } catch (const Error&) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("column '{}' holds a value that it cannot have; it has {}. Or "
                              "leave it out there, and it is drawn",
                              shown(given.column), allowed));
    }
  }
}

/// Runs work that is for one group; what it throws for its conditions names the first of its rows.
void with_row_named(const PartialRows& partial, const Group& group, const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) {
      throw;
    }
    throw Error(error.code(),
                fmt::format("{}, row {}: {}", partial.what, group.rows[0] + 1, error.what()));
  }
}

EncodedBatch empty_batch(const Encoder& encoder, std::size_t rows) {
  EncodedBatch batch;
  batch.rows = rows;
  batch.columns.resize(encoder.columns().size());
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    if (encoder.columns()[c].is_image()) {
      batch.columns[c].pixels.resize(rows * encoder.columns()[c].shape->size());
    } else if (encoder.columns()[c].is_category()) {
      batch.columns[c].codes.resize(rows);
    } else {
      batch.columns[c].numbers.resize(rows);
    }
  }
  return batch;
}

}  // namespace

Schema partial_schema(const Schema& schema, const std::vector<std::string>& columns,
                      const std::string& what) {
  std::vector<std::string> used;
  for (const Column& column : schema.columns()) {
    if (can_be_given(column)) {
      used.push_back(column.name);
    }
  }
  std::vector<Column> result;
  for (const std::string& name : columns) {
    const Column* column = schema.find(name);
    if (column == nullptr) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} has the column '{}', which is not a column of the release{}",
                              what, shown(name), suggest_names(name, used)));
    }
    if (!column->is_used()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} has the column '{}', which is of kind {} and not synthesised; "
                              "leave it out: the columns that can be given are {}",
                              what, shown(name), kind_name(column->kind), list_names(used)));
    }
    if (column->is_image()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} has the column '{}', which holds images and cannot be given; "
                              "leave it out: the columns that can be given are {}",
                              what, shown(name), list_names(used)));
    }
    if (!can_be_given(*column)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} has the column '{}', which by a rule of the schema follows from "
                              "others and cannot be given; leave it out",
                              what, shown(name)));
    }
    result.push_back(*column);
    result.back().missing = true;
  }
  Dialect dialect = schema.dialect();
  dialect.header = true;  // which columns are given differs from file to file
  return Schema(std::move(result)).in_dialect(std::move(dialect));
}

void add_partial_rows(const Schema& partial, RecordStream& records, PartialRows& rows) {
  const Encoder encoder(partial);
  const EncoderBinding binding = encoder.bind(records.schema());  // checks the types
  RecordBatch batch;
  while (records.next(batch)) {
    const std::size_t first = rows.rows.size();
    rows.rows.resize(first + batch.rows());
    for (std::size_t c = 0; c < encoder.columns().size(); ++c) {
      const Column& column = encoder.columns()[c];
      const ColumnView view(records.schema(), batch.value(), binding.children[c]);
      const std::vector<std::optional<std::string>> texts = given_texts(column, view);
      for (std::size_t row = 0; row < texts.size(); ++row) {
        if (texts[row]) {
          rows.rows[first + row].emplace_back(column.name, *texts[row]);
        }
      }
    }
  }
}

std::uint64_t complete_rows(const Generator& generator, const PartialRows& partial,
                            const SampleOptions& options, const Context& context,
                            const Generator::RecordSink& sink) {
  const std::size_t rows = partial.rows.size();
  if (rows == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has no rows; give at least one to complete", partial.what));
  }
  const std::vector<Group> groups = group_rows(partial, options.where);
  for (const Group& group : groups) {
    context.throw_if_cancelled();
    with_row_named(partial, group, [&] {
      try {
        generator.check_conditions(group.where);
      } catch (const Error&) {
        refuse_impossible_value(generator, partial, group);
        throw;
      }
    });
  }
  const Encoder& encoder = generator.release().encoder();
  EncodedBatch all = empty_batch(encoder, rows);
  Context quiet{context.threads, nullptr, context.cancelled};
  quiet.progress = context.progress ? [&](const Progress& progress) {
    if (!progress.words.empty()) {
      context.progress(progress);  // work that is not part of the rows
    }
  } : ProgressCallback();
  std::uint64_t done = 0;
  std::uint64_t unlikely = 0;
  for (const Group& group : groups) {
    context.throw_if_cancelled();
    with_row_named(partial, group, [&] {
      const SampleOptions of_group{.rows = group.rows.size(),
                                   .seed = SeededRandom::seed_of_piece(options.seed, group.rows[0]),
                                   .where = group.where,
                                   .on_unlikely = [&] { unlikely += group.rows.size(); }};
      std::size_t next = 0;
      generator.draw(of_group, quiet, [&](const Table&, const EncodedBatch& drawn) {
        for (std::size_t row = 0; row < drawn.rows; ++row) {
          copy_row(drawn, row, all, group.rows[next++]);
        }
      });
    });
    const std::uint64_t hundredths = 100 * done / rows;
    done += group.rows.size();
    if (context.progress && 100 * done / rows > hundredths) {
      context.progress({done, static_cast<double>(done) / static_cast<double>(rows)});
    }
  }
  for (std::size_t first = 0; first < rows; first += kCompletedRows) {
    context.throw_if_cancelled();
    EncodedBatch part = empty_batch(encoder, std::min(kCompletedRows, rows - first));
    for (std::size_t row = 0; row < part.rows; ++row) {
      copy_row(all, first + row, part, row);
    }
    const Table completed = encoder.decode_and_settle(part);
    sink(completed, part);
  }
  return unlikely;
}

CompletedRows completed_rows(const Generator& generator, const PartialRows& rows,
                             const SampleOptions& options, const Context& context,
                             const std::optional<Schema>& types) {
  const Schema& schema = generator.release().schema();
  MadeIdentifiers identifiers(schema, rows.rows.size(), options.seed);
  CompletedRows result;
  result.unlikely = complete_rows(
      generator, rows, options, context, [&](const Table& completed, const EncodedBatch&) {
        result.batches.push_back(
            stored_records(identifiers.with(completed), types ? *types : schema));
      });
  return result;
}

}  // namespace mehler

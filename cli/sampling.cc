#include "sampling.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/made_identifiers.h"
#include "mehler/table/readers/table_reader.h"
#include "terminal.h"

namespace mehler {

std::vector<SampleCondition> parse_conditions(const std::vector<std::string>& texts,
                                              const Generator& generator) {
  const std::vector<std::string> columns = generator.condition_columns();
  std::vector<SampleCondition> conditions;
  for (const std::string& text : texts) {
    try {
      conditions.push_back(parse_condition(text, columns));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("--where: {}", error.what()));
    }
  }
  return conditions;
}

PartialRows read_partial_file(const std::string& path, const Schema& schema, std::size_t threads) {
  PartialRows result;
  result.what = fmt::format("--where-file '{}'", shown(path));
  TableReadOptions options;
  options.threads = threads;
  options.given_for = OptionsFor::kSeveralTables;  // for a CSV; others have no use for them
  options.delimiter = schema.dialect().delimiter;
  options.encoding = schema.dialect().encoding;
  options.skip_lines = schema.dialect().skip_lines;
  const TableReader names({path}, options);
  if (!names.can_be_read_again()) {
    throw Error(ErrorCode::kInvalidArgument,
                "--where-file must name a file, as it is read twice; save the rows to one first");
  }
  const Schema partial =
      partial_schema(schema, names.parts().front()().column_names(), result.what);
  for (const RecordStreamFactory& open : TableReader({path}, options, &partial).parts()) {
    RecordStream records = open();
    add_partial_rows(partial, records, result);
  }
  return result;
}

namespace {

/// Calls draw(context, sink), writes what comes, with identifiers made up, and finishes the file.
void draw_to_file(const RecordSampler& sampler, const SampleOptions& options, TableWriter& file,
                  std::size_t threads, bool quiet, const auto& draw) {
  MadeIdentifiers identifiers(sampler.encoder().schema(), options.rows, options.seed);
  ProgressLine line("sampling", quiet);
  draw(Context{threads, line.callback(), &interrupted},
       [&](const Table& rows) { file.write(identifiers.any() ? identifiers.with(rows) : rows); });
  file.finish();
}

}  // namespace

void sample_to_file(const RecordSampler& sampler, const SampleOptions& options, TableWriter& file,
                    std::size_t threads, bool quiet, ReleaseComparison* comparison) {
  draw_to_file(
      sampler, options, file, threads, quiet, [&](const Context& context, const auto& write) {
        sampler.draw(options, context, [&](const Table& rows, const EncodedBatch& encoded) {
          write(rows);
          if (comparison != nullptr) {
            comparison->add(encoded);
          }
        });
      });
}

std::uint64_t complete_to_file(const Generator& generator, const PartialRows& rows,
                               const SampleOptions& options, TableWriter& file, std::size_t threads,
                               bool quiet) {
  std::uint64_t unlikely = 0;
  draw_to_file(
      generator, options, file, threads, quiet, [&](const Context& context, const auto& write) {
        unlikely = complete_rows(generator, rows, options, context,
                                 [&](const Table& table, const EncodedBatch&) { write(table); });
      });
  return unlikely;
}

}  // namespace mehler

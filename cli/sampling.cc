#include "sampling.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/table_stream.h"
#include "terminal.h"

namespace mehler {

std::vector<SampleCondition> parse_conditions(const std::vector<std::string>& texts) {
  std::vector<SampleCondition> conditions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--where takes COLUMN=VALUE, as in --where outcome=ill, but got '{}'",
                              shown(text)));
    }
    conditions.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return conditions;
}

void sample_to_file(const Generator& generator, const SampleOptions& options, TableWriter& file,
                    std::size_t threads, bool quiet, ReleaseComparison* comparison) {
  ProgressLine line("sampling", quiet);
  const Context context{threads, line.callback(), &interrupted};
  generator.sample(options, context, [&](const Table& rows) {
    file.write(rows);
    if (comparison != nullptr) {
      add_records(rows, *comparison);
    }
  });
  file.finish();
}

void add_records(const Table& rows, ReleaseComparison& comparison) {
  ArrowArrayStream stream = arrow_stream_of({rows});
  comparison.add(RecordStream(&stream));
}

}  // namespace mehler

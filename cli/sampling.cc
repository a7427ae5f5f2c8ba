#include "sampling.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "terminal.h"

namespace mehler {

std::vector<SampleCondition> parse_conditions(const std::vector<std::string>& texts,
                                              const Schema& schema) {
  const std::vector<std::string> columns = schema.column_names();
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

void sample_to_file(const Generator& generator, const SampleOptions& options, TableWriter& file,
                    std::size_t threads, bool quiet, ReleaseComparison* comparison) {
  ProgressLine line("sampling", quiet);
  const Context context{threads, line.callback(), &interrupted};
  generator.draw(options, context, [&](const Table& rows, const EncodedBatch& encoded) {
    file.write(rows);
    if (comparison != nullptr) {
      comparison->add(encoded);
    }
  });
  file.finish();
}

}  // namespace mehler

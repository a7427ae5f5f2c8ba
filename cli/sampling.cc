#include "sampling.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/made_identifiers.h"
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
  MadeIdentifiers identifiers(generator.release().schema(), options.rows, options.seed);
  ProgressLine line("sampling", quiet);
  const Context context{threads, line.callback(), &interrupted};
  generator.draw(options, context, [&](const Table& rows, const EncodedBatch& encoded) {
    file.write(identifiers.any() ? identifiers.with(rows) : rows);
    if (comparison != nullptr) {
      comparison->add(encoded);
    }
  });
  file.finish();
}

}  // namespace mehler

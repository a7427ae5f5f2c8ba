#include "mehler/generator/record_sampler.h"

#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/generator/made_identifiers.h"

namespace mehler {

void SampleOptions::validate() const {
  if (rows < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                "the number of rows to sample must be at least 1, but is 0");
  }
}

void RecordSampler::sample(const SampleOptions& options, const Context& context,
                           const std::function<void(const Table&)>& sink) const {
  MadeIdentifiers identifiers(encoder().schema(), options.rows, options.seed);
  draw(options, context, [&](const Table& table, const EncodedBatch&) {
    sink(identifiers.any() ? identifiers.with(table) : table);
  });
}

Table RecordSampler::sample(std::uint64_t rows, std::uint64_t seed, const Context& context) const {
  SampleOptions options;
  options.rows = rows;
  options.seed = seed;
  Table result;
  sample(options, context, [&](const Table& drawn) { result.append(drawn); });
  return result;
}

std::vector<std::string> RecordSampler::condition_columns() const {
  std::vector<std::string> names = encoder().schema().column_names();
  for (const Column& modelled : encoder().columns()) {
    names.push_back(modelled.name);
  }
  return names;
}

}  // namespace mehler

#include "mehler/generator/neural/network_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/chunked_draw.h"
#include "mehler/record_networks/network_inputs.h"

namespace mehler {
namespace {

constexpr std::size_t kChunkRows = 8192;
/// Of images, each of which takes as long as hundreds of other records.
constexpr std::size_t kChunkImages = 512;

}  // namespace

NetworkSampler::NetworkSampler(const Encoder& encoder, TrainedNetwork trained)
    : encoder_(encoder),
      trained_(std::move(trained)),
      chunk_rows_(encoder.schema().image() != nullptr ? kChunkImages : kChunkRows),
      heads_(encoder),
      guard_(encoder) {}

bool NetworkSampler::fits() const {
  const std::size_t classes =
      encoder_.label() ? encoder_.columns()[*encoder_.label()].code_count() : 1;
  const Network& network = trained_.networks.networks()[0];
  return trained_.class_probabilities.size() == classes &&
         network.inputs() ==
             trained_.networks.design().noise_inputs + trained_.networks.class_inputs() &&
         network.outputs() == heads_.outputs();
}

std::vector<ColumnCondition> NetworkSampler::resolve(const std::vector<SampleCondition>& where,
                                                     std::vector<double>& probabilities) const {
  std::vector<ColumnCondition> conditions =
      resolve_conditions(encoder_, where, ConditionedColumns::kCategories);
  guard_.refuse_contradictions(conditions);
  const auto of_label =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const ColumnCondition& c) { return c.column == encoder_.label(); });
  if (of_label == conditions.end()) {
    return conditions;
  }
  double left = 0.0;
  for (std::size_t code = 0; code < probabilities.size(); ++code) {
    probabilities[code] = of_label->codes[code] ? probabilities[code] : 0.0;
    left += probabilities[code];
  }
  if (!(left > 0.0)) {
    const Column& column = encoder_.columns()[of_label->column];
    std::vector<std::string> asked = column.labels();
    asked.push_back("missing");
    for (std::size_t code = asked.size(); code-- > 0;) {
      if (code >= of_label->codes.size() || !of_label->codes[code]) {
        asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(code));
      }
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("no record meets the condition on '{}': by what the model was made "
                            "from there are none with '{}'; ask for another value",
                            shown(column.name), list_names(asked)));
  }
  for (double& probability : probabilities) {
    probability /= left;
  }
  conditions.erase(of_label);
  return conditions;
}

void NetworkSampler::check_conditions(const std::vector<SampleCondition>& where) const {
  std::vector<double> probabilities = trained_.class_probabilities;
  resolve(where, probabilities);
}

void NetworkSampler::draw(const SampleOptions& options, const Context& context,
                          const RecordSink& sink) const {
  options.validate();
  std::vector<double> probabilities = trained_.class_probabilities;
  const std::vector<ColumnCondition> conditions = resolve(options.where, probabilities);
  const ChunkSource source{chunk_rows_, [&](std::uint64_t chunk) {
                             return draw_chunk(chunk, options.seed, probabilities);
                           }};
  draw_in_chunks(options, conditions, encoder_, guard_, source, context, sink);
}

EncodedBatch NetworkSampler::draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                                        const std::vector<double>& probabilities) const {
  SeededRandom random = SeededRandom::of_piece(seed, chunk);
  std::vector<std::size_t> classes(chunk_rows_);
  for (std::size_t& value : classes) {
    value = draw_class(probabilities, random);
  }
  const Matrix outputs = trained_.networks.draw_outputs(classes, random);
  if (!std::all_of(outputs.values.begin(), outputs.values.end(),
                   [](float value) { return std::isfinite(value); })) {
    throw Error(ErrorCode::kInvalidRelease,
                "the networks give what is no number: a weight of theirs is far too large; train "
                "again, or ask whoever made the file");
  }
  EncodedBatch records = heads_.draw(heads_.apply(outputs), random);
  if (encoder_.label()) {
    records.columns[*encoder_.label()].codes.assign(classes.begin(), classes.end());
  }
  return records;
}

}  // namespace mehler

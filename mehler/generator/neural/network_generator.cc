#include "mehler/generator/neural/network_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/chunked_draw.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

constexpr std::size_t kChunkRows = 8192;
/// Of images, each of which takes as long as hundreds of other records.
constexpr std::size_t kChunkImages = 512;
[[noreturn]] void refuse_network() {
  throw Error(ErrorCode::kInvalidRelease,
              "the model's network does not fit the schema of its release");
}

}  // namespace

NetworkGenerator::NetworkGenerator(Release release, NetworkDesign design, Network network,
                                   std::vector<double> class_probabilities)
    : NetworkGenerator(std::move(release), GeneratorNetworks(std::move(design), std::move(network)),
                       std::move(class_probabilities)) {
  if (class_probabilities_.size() != release_.sums().features.classes() ||
      class_probabilities_.size() != networks_.class_inputs()) {
    refuse_network();
  }
}

NetworkGenerator NetworkGenerator::of_weights(const Release& release) {
  const TrainedWeights& weights = release.weights();
  return NetworkGenerator(
      release, GeneratorNetworks::from_json(weights.networks, release.encoder(), weights.values),
      weights.class_shares());
}

NetworkGenerator::NetworkGenerator(Release release, GeneratorNetworks networks,
                                   std::vector<double> class_probabilities)
    : release_(std::move(release)),
      networks_(std::move(networks)),
      class_probabilities_(std::move(class_probabilities)),
      chunk_rows_(release_.schema().image() != nullptr ? kChunkImages : kChunkRows),
      heads_(release_.encoder()),
      guard_(release_.encoder()) {
  const std::optional<std::size_t> label = release_.encoder().label();
  if (class_probabilities_.size() !=
          (label ? release_.encoder().columns()[*label].code_count() : 1) ||
      networks_.networks()[0].inputs() !=
          networks_.design().noise_inputs + networks_.class_inputs() ||
      networks_.networks()[0].outputs() != heads_.outputs()) {
    refuse_network();
  }
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
  const ChunkSource source{chunk_rows_, [&](std::uint64_t chunk) {
                             return draw_chunk(chunk, options.seed, probabilities);
                           }};
  draw_in_chunks(options, conditions, release_.encoder(), guard_, source, context, sink);
}

EncodedBatch NetworkGenerator::draw_chunk(std::uint64_t chunk, std::uint64_t seed,
                                          const std::vector<double>& probabilities) const {
  SeededRandom random = SeededRandom::of_piece(seed, chunk);
  std::vector<std::size_t> classes(chunk_rows_);
  for (std::size_t& value : classes) {
    value = draw_class(probabilities, random);
  }
  EncodedBatch records = heads_.draw(heads_.apply(networks_.draw_outputs(classes, random)), random);
  if (release_.encoder().label()) {
    records.columns[*release_.encoder().label()].codes.assign(classes.begin(), classes.end());
  }
  return records;
}

}  // namespace mehler

#include "mehler/record_networks/generator_networks.h"

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/worker_pool.h"
#include "mehler/record_networks/network_design_json.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {
namespace {

constexpr const char* kOne = "one";
constexpr const char* kOnePerClass = "one-per-class";

}  // namespace

std::size_t label_classes(const Encoder& encoder) {
  return encoder.label() ? encoder.columns()[*encoder.label()].code_count() : 0;
}

GeneratorNetworks::GeneratorNetworks(NetworkDesign design, Network network)
    : design_(std::move(design)),
      class_inputs_(network.inputs() - std::min(network.inputs(), design_.noise_inputs)) {
  networks_.push_back(std::move(network));
}

GeneratorNetworks::GeneratorNetworks(const Encoder& encoder, NetworkDesign design,
                                     bool one_per_class, std::uint64_t seed)
    : design_(std::move(design)), class_inputs_(one_per_class ? 0 : label_classes(encoder)) {
  const std::size_t count = one_per_class ? label_classes(encoder) : 1;
  MEHLER_ASSERT(count >= 1);
  const std::size_t outputs = OutputHeads(encoder).outputs();
  for (std::size_t i = 0; i < count; ++i) {
    networks_.push_back(
        design_.network(encoder, class_inputs_, outputs, SeededRandom::seed_of_piece(seed, i)));
  }
}

std::string GeneratorNetworks::to_json() const {
  Json json;
  json["generators"] = one_per_class() ? kOnePerClass : kOne;
  json["generator"] = design_json(design_);
  return json.dump();
}

GeneratorNetworks GeneratorNetworks::from_json(const std::string& text, const Encoder& encoder,
                                               std::span<const float> values) {
  const Json json =
      parse_strict_json(text, ErrorCode::kInvalidRelease, "its description of networks");
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease, "its description of networks");
  const std::string generators = reader.text("generators");
  const std::size_t classes = label_classes(encoder);
  if (generators != kOne && (generators != kOnePerClass || classes < 2)) {
    reader.fail("describes neither one generator nor one for each class of its target");
  }
  JsonObjectReader of_design(reader.object("generator"), ErrorCode::kInvalidRelease,
                             "its description of a generator");
  NetworkDesign design = read_design(of_design, encoder.schema());
  of_design.finish();
  reader.finish();
  const bool one_per_class = generators == kOnePerClass;
  const std::size_t of_network = number_count(
      design.layers(encoder, one_per_class ? 0 : classes, OutputHeads(encoder).outputs()));
  if (multiply_saturating(of_network, one_per_class ? classes : 1) != values.size()) {
    reader.fail("describes networks of another size than the file holds");
  }
  GeneratorNetworks result(encoder, std::move(design), one_per_class, 0);
  for (Network& network : result.networks_) {
    for (const std::span<float> numbers : {network.parameters(), network.statistics()}) {
      std::copy_n(values.begin(), numbers.size(), numbers.begin());
      values = values.subspan(numbers.size());
    }
  }
  return result;
}

std::vector<float> GeneratorNetworks::values() const {
  std::vector<float> values;
  for (const Network& network : networks_) {
    values.insert(values.end(), network.parameters().begin(), network.parameters().end());
    values.insert(values.end(), network.statistics().begin(), network.statistics().end());
  }
  return values;
}

Matrix GeneratorNetworks::draw_outputs(std::span<const std::size_t> classes,
                                       SeededRandom& random) const {
  WorkerPool alone(1);
  if (!one_per_class()) {
    return networks_[0].infer(make_inputs(design_, classes, class_inputs_, random, alone));
  }
  Matrix outputs(classes.size(), networks_[0].outputs());
  for (std::size_t c = 0; c < networks_.size(); ++c) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] == c) {
        rows.push_back(i);
      }
    }
    const Matrix own = networks_[c].infer(make_inputs(design_, rows, 0, random, alone));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(own.row(i).begin(), own.row(i).end(), outputs.row(rows[i]).begin());
    }
  }
  return outputs;
}

}  // namespace mehler

// Takes training steps and draws samples, and says how long they took.
//
//   training_step_benchmark FOLDER ROWS COLUMNS ORDER LENGTH_SCALE THREADS REPEATS SAMPLE_ROWS
//
// A release of random records of COLUMNS numbers, no label; a network 5-200-200-COLUMNS. FOLDER
// receives, for the first step, raw float32: inputs [ROWS][5], parameters and parameters_after,
// parameter_gradient, values and value_gradient [COLUMNS][ROWS], targets [COLUMNS][ORDER + 1].
// Prints a JSON object: what else the loss is made of, the loss, and the shortest seconds of
// REPEATS steps, of their parts, and of SAMPLE_ROWS sampled rows.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/networks/adam.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/release/payload.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace {

constexpr std::size_t kRecords = 20'000;
/// And one input for the only class.
const NetworkDesign kDesign = {.noise_inputs = 4};
constexpr double kLearningRate = 0.01;

/// The shortest time of each part of the work.
class Stopwatch {
 public:
  /// Runs a part and keeps its seconds, if they are the fewest so far.
  void time(const std::string& part, const auto& work) {
    const double seconds = seconds_of(work);
    const auto place = shortest_.try_emplace(part, std::numeric_limits<double>::infinity()).first;
    place->second = std::min(place->second, seconds);
  }

  std::string to_json() const {
    std::string text;
    for (const auto& [part, seconds] : shortest_) {
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", part, seconds);
    }
    return "{" + text + "}";
  }

 private:
  std::map<std::string, double> shortest_;
};

class Dump {
 public:
  explicit Dump(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const std::string& name, std::span<const float> values) const {
    append_raw(folder_ / name, values);
  }

  void write(const std::string& name, const SoftBatch& batch) const {
    for (const SoftColumn& column : batch.columns) {
      write(name, column.numbers);
    }
  }

 private:
  std::filesystem::path folder_;
};

Release random_release(std::size_t columns, const EmbeddingOptions& options,
                       const Context& context) {
  SeededRandom random(1);
  std::vector<Column> described(columns);
  Table table;
  for (std::size_t i = 0; i < columns; ++i) {
    described[i].name = fmt::format("number_{}", i);
    described[i].bounds = Interval{-1.0, 1.0};
    std::vector<double> values(kRecords);
    for (double& value : values) {
      value = std::clamp(0.3 * random.normal(), -1.0, 1.0);
    }
    table.columns.push_back({described[i].name, ColumnKind::kNumeric, std::move(values), {}});
  }
  ArrowArrayStream records = arrow_stream_of({std::move(table)});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  return release_dp_hp(PrivateTable(&records, Schema(std::move(described))), {options, {}, 0.2},
                       accountant, context);
}

/// The release's own sums, and the noise of one of them.
std::pair<EmbeddingTarget, double> target_of(const Release& release) {
  EmbeddingTarget target;
  target.class_counts = {release.record_count()};
  double sigma = 0.0;
  for (std::size_t b = 0; b < release.sums().blocks.size(); ++b) {
    const FeatureBlock& block = release.sums().features.blocks()[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    sigma = release.statement().noise_of(b).sigma / block.maps[0].weight;
    target.sigmas.push_back(release.statement().noise_of(b).sigma);
    target.sums.emplace_back();
    for (std::size_t i = 0; i < block.dimension(); ++i) {
      target.sums.back().push_back(release.sums().blocks[b].at(0, i));
    }
  }
  return {target, sigma};
}

void run(char** arguments) {
  const Dump dump(arguments[1]);
  const auto rows = std::strtoull(arguments[2], nullptr, 10);
  const auto columns = std::strtoull(arguments[3], nullptr, 10);
  EmbeddingOptions options;
  options.order = std::strtoull(arguments[4], nullptr, 10);
  options.length_scale = std::strtod(arguments[5], nullptr);
  Context context;
  context.threads = std::strtoull(arguments[6], nullptr, 10);
  const auto repeats = std::strtoull(arguments[7], nullptr, 10);
  const auto sample_rows = std::strtoull(arguments[8], nullptr, 10);
  WorkerPool pool(context.threads);

  const Release release = random_release(columns, options, context);
  const auto [target, sigma] = target_of(release);
  const EmbeddingLoss loss(release.sums().features, target);
  const OutputHeads heads(release.encoder());
  Network network({kDesign.noise_inputs + 1, kDesign.hidden, heads.outputs()}, 2);
  Adam adam(network.parameters().size());
  const std::vector<std::size_t> class_rows = {rows};
  const std::vector<std::size_t> classes(rows, 0);
  SeededRandom random(3);
  for (const double sum : target.sums[0]) {
    const auto rounded = static_cast<float>(sum);
    dump.write("targets", {&rounded, 1});
  }

  Stopwatch watch;
  double first_loss = 0.0;
  for (unsigned long long repeat = 0; repeat < repeats; ++repeat) {
    Matrix inputs;
    SoftBatch batch;
    SoftBatch gradient;
    double value = 0.0;
    if (repeat == 0) {
      dump.write("parameters", network.parameters());
    }
    watch.time("step", [&] {
      watch.time("inputs", [&] { inputs = make_inputs(kDesign, classes, 1, random, pool); });
      watch.time("forward", [&] { batch = heads.apply(network.forward(inputs, pool), pool); });
      watch.time("loss", [&] { value = loss.evaluate(batch, class_rows, gradient, pool); });
      watch.time("backward",
                 [&] { network.backward(heads.backward(batch, gradient, pool), pool); });
      watch.time("adam",
                 [&] { adam.step(network.parameters(), network.gradient(), kLearningRate, pool); });
    });
    if (repeat == 0) {
      first_loss = value;
      dump.write("inputs", inputs.values);
      dump.write("values", batch);
      dump.write("value_gradient", gradient);
      dump.write("parameter_gradient", network.gradient());
      dump.write("parameters_after", network.parameters());
    }
  }

  const NetworkGenerator generator(release, {GeneratorNetworks(kDesign, network), {1.0}});
  for (unsigned long long repeat = 0; sample_rows > 0 && repeat < 5; ++repeat) {
    std::size_t drawn = 0;
    watch.time("sample", [&] {
      generator.sample({.rows = sample_rows, .seed = repeat, .where = {}}, context,
                       [&](const Table& table) { drawn += table.rows(); });
    });
    if (drawn != sample_rows) {
      throw Error(ErrorCode::kInvalidArgument, "the sample has the wrong number of rows");
    }
  }

  const HermiteFeatures& features = release.sums().features.blocks().back().maps[0].map.hermite();
  fmt::print(
      "{{\"rho\": {}, \"scale\": {}, \"sigma\": {}, \"records\": {}, \"learning_rate\": {}, "
      "\"loss\": {}, \"seconds\": {}, \"instruction_set\": \"{}\"}}\n",
      features.rho(), features.scale(), sigma, release.record_count(), kLearningRate, first_loss,
      watch.to_json(), active_instruction_set());
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 8, mehler::run); }

// Takes private steps of a critic, and says how long they took.
//
//   private_step_benchmark FOLDER RECORDS COLUMNS HIDDEN_1 HIDDEN_2 CLIP_NORM THREADS STEPS
//
// Random records of COLUMNS numbers, all of them in every batch; a critic
// COLUMNS-HIDDEN_1-HIDDEN_2-1 with leaky rectifiers, a Wasserstein loss. FOLDER receives raw
// float32: records [RECORDS][COLUMNS], parameters (of each layer the weights [inputs][outputs],
// then the bias) and sums, those of the clipped gradients without noise. Prints a JSON object: the
// seconds of STEPS steps with noise.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/seeded_random.h"
#include "mehler/measurement/private_batches.h"
#include "mehler/table/table_stream.h"
#include "tests/support/private_batches_test_peer.h"

namespace mehler {
namespace {

/// Records within [-1, 1], which is what a critic takes of them.
Table random_records(std::size_t rows, std::size_t columns) {
  SeededRandom random(1);
  Table table;
  for (std::size_t i = 0; i < columns; ++i) {
    std::vector<double> values(rows);
    for (double& value : values) {
      value = static_cast<double>(static_cast<float>(2.0 * random.uniform() - 1.0));
    }
    table.columns.push_back(
        {fmt::format("number_{}", i), ColumnKind::kNumeric, std::move(values), {}});
  }
  return table;
}

Schema schema_of(std::size_t columns) {
  std::vector<Column> described(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    described[i].name = fmt::format("number_{}", i);
    described[i].bounds = Interval{-1.0, 1.0};
  }
  return Schema(std::move(described));
}

void dump_records(const std::filesystem::path& path, const Table& table) {
  std::vector<float> rows;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (const TableColumn& column : table.columns) {
      rows.push_back(static_cast<float>(std::get<std::vector<double>>(column.values)[r]));
    }
  }
  append_raw(path, std::span<const float>(rows));
}

void run(char** arguments) {
  const std::filesystem::path folder(arguments[1]);
  const auto number = [&](int place) { return std::strtoull(arguments[place], nullptr, 10); };
  const std::size_t columns = number(3);
  const double clip_norm = std::strtod(arguments[6], nullptr);
  const std::uint64_t steps = number(8);
  const Table table = random_records(number(2), columns);
  dump_records(folder / "records", table);
  ArrowArrayStream stream = arrow_stream_of({table});
  const Schema schema = schema_of(columns);
  const Encoder encoder(schema);
  PrivateBatches records(PrivateTable(&stream, schema), encoder, {RecordInputs::Label::kLeftOut},
                         Context{});
  constexpr auto kLeaky = ActivationLayer::Function::kLeakyRectifier;
  const Network critic({DenseLayer{columns, number(4)}, ActivationLayer{number(4), kLeaky},
                        DenseLayer{number(4), number(5)}, ActivationLayer{number(5), kLeaky},
                        DenseLayer{number(5), 1}},
                       2);
  append_raw(folder / "parameters", critic.parameters());
  std::vector<float> sums;
  for (const double sum :
       PrivateBatchesTestPeer::exact_sums(records, critic, CriticLoss::kWasserstein, clip_norm)) {
    sums.push_back(static_cast<float>(clip_norm * sum));
  }
  append_raw(folder / "sums", std::span<const float>(sums));

  Accountant accountant({1e6, 0.5});
  const TrainingPlan plan{.rate_numerator = TrainingPlan::kFullRate,
                          .noise_multiplier = 10.0,
                          .steps = steps + 1,
                          .clip_norm = clip_norm};
  SubsampledMechanism paid(accountant, "training", plan, 1, schema);
  WorkerPool pool(number(7));
  const auto step = [&] {
    records.noisy_gradient(critic, CriticLoss::kWasserstein, paid, 0, pool);
  };
  step();
  const double seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < steps; ++i) {
      step();
    }
  });
  fmt::print("{{\"seconds\": {}}}\n", seconds);
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 8, mehler::run); }

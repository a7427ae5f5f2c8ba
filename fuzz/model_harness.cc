// Model files, of fitted tables and of networks. The bytes are tried as they are and, past the
// checksums, as the header and as the numbers of a model whose other parts are sound.

#include <array>
#include <cstdlib>

#include "fuzz/harness.h"
#include "mehler/core/error.h"
#include "mehler/generator/bayes_network/bayes_network_generator.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/model_file.h"
#include "mehler/generator/neural/training.h"
#include "mehler/release/checked_file.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/synthesis/privbayes/release_privbayes.h"
#include "mehler/table/table_stream.h"

namespace {

/// A model that is accepted is written as it was read, and draws records.
void read(std::string_view bytes) {
  try {
    const auto model = mehler::Generator::from_bytes(bytes, "input");
    if (mehler::Generator::from_bytes(model->to_bytes(), "copy")->to_bytes() != model->to_bytes()) {
      std::abort();
    }
    for (const std::uint64_t rows : {7U, 100U}) {
      std::size_t drawn = 0;
      model->sample({.rows = rows, .seed = 2, .where = {}}, mehler::Context{},
                    [&](const mehler::Table& table) { drawn += table.rows(); });
      if (drawn != rows) {
        std::abort();
      }
    }
  } catch (const mehler::Error& error) {
    if (error.code() != mehler::ErrorCode::kInvalidRelease) {
      std::abort();
    }
  }
}

mehler::PrivateTable fifty_records() {
  const auto schema = mehler::Schema::from_json(R"({"mehler_schema": 1, "target": "c", "columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 9], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["a", "b", "d"]},
      {"name": "b", "kind": "boolean"}]})");
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::int64_t> truths;
  for (std::int64_t i = 0; i < 50; ++i) {
    numbers.push_back(i % 10);
    texts.emplace_back(1, "abd"[i % 3]);
    truths.push_back(i % 2);
  }
  mehler::Table table;
  table.columns.push_back({"x", mehler::ColumnKind::kInteger, std::move(numbers), {}});
  table.columns.push_back({"c", mehler::ColumnKind::kCategorical, std::move(texts), {}});
  table.columns.push_back({"b", mehler::ColumnKind::kBoolean, std::move(truths), {}});
  ArrowArrayStream stream = mehler::arrow_stream_of({table});
  return mehler::PrivateTable(&stream, schema);
}

std::string fitted_table() {
  mehler::Accountant accountant({.epsilon = 10.0, .delta = 1e-6});
  return mehler::TableGenerator(
             mehler::release_marginals(fifty_records(), {}, accountant, mehler::Context{}), {},
             mehler::Context{})
      .to_bytes();
}

std::string bayes_network() {
  mehler::Accountant accountant({.epsilon = 10.0, .delta = 1e-6});
  return mehler::BayesNetworkGenerator(
             mehler::release_privbayes(fifty_records(), {}, accountant, mehler::Context{}))
      .to_bytes();
}

std::string network() {
  mehler::Accountant accountant({.epsilon = 10.0, .delta = 1e-6});
  mehler::DpHpOptions options;
  options.features.order = 3;
  mehler::TrainingOptions training;
  training.epochs = 1;
  training.steps_per_epoch = 1;
  training.batch_rows = 16;
  training.hidden = {4, 3};
  training.noise_inputs = 2;
  const mehler::Release release =
      mehler::release_dp_hp(fifty_records(), options, accountant, mehler::Context{});
  mehler::Trainer trainer(release, training, mehler::Context{});
  trainer.run_epoch();
  return trainer.best().to_bytes();
}

const std::array<std::string, 3>& sample_models() {
  static const std::array<std::string, 3> models = {fitted_table(), network(), bayes_network()};
  return models;
}

mehler::CheckedFile parts_of(std::string_view model) {
  return mehler::parse_checked_file(model, mehler::CheckedFileKind::kModel, 1, "sample");
}

/// Where a model's numbers begin in its payload: after the release.
std::size_t release_bytes(std::string_view model) {
  return mehler::Generator::from_bytes(model, "sample")->release().to_bytes().size();
}

void read_as_part(const mehler::CheckedFile& file) {
  read(mehler::serialize_checked_file(mehler::CheckedFileKind::kModel, 1, file));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  for (const std::string& model : sample_models()) {
    static const std::array<std::size_t, 3> sizes = {release_bytes(sample_models()[0]),
                                                     release_bytes(sample_models()[1]),
                                                     release_bytes(sample_models()[2])};
    const std::size_t release = sizes[&model - sample_models().data()];
    const mehler::CheckedFile parts = parts_of(model);
    read_as_part({bytes, parts.payload});
    read_as_part({parts.header, parts.payload.substr(0, release) + bytes});
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const std::string& model : sample_models()) {
    const mehler::CheckedFile parts = parts_of(model);
    result.push_back(model);
    result.push_back(parts.header);
    result.push_back(parts.payload.substr(release_bytes(model)));
  }
  return result;
}

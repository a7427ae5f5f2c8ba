// The network, its heads and the loss against LibTorch: the same values in float64, gradients by
// its autograd. Only this file sees LibTorch's headers, which take long to compile.

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>

#include "mehler/demo/people.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/output_heads.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace generator_torch_test {

using torch::Tensor;

/// Of an error, relative to the largest entry of the part that is compared. Single precision has
/// 6e-8, and sums and products of some dozen such errors are expected; the largest seen is 1.5e-6.
constexpr double kTolerance = 1e-5;

std::int64_t size_of(std::size_t size) { return static_cast<std::int64_t>(size); }

/// The same numbers in float64, as a leaf that autograd can differentiate by.
Tensor leaf(std::span<const float> values, std::vector<std::int64_t> sizes) {
  Tensor tensor = torch::empty(sizes, torch::kFloat64);
  std::copy(values.begin(), values.end(), tensor.data_ptr<double>());
  return tensor.set_requires_grad(true);
}

Tensor leaf(const Matrix& matrix) {
  return leaf(matrix.values, {size_of(matrix.rows), size_of(matrix.columns)});
}

/// Each entry of `found` is the one of `expected`, up to kTolerance.
void expect_agrees(std::span<const float> found, const Tensor& expected, const std::string& what) {
  const Tensor flat = expected.detach().contiguous().view(-1);
  ASSERT_EQ(size_of(found.size()), flat.numel()) << what;
  ASSERT_GT(flat.numel(), 0) << what;
  const double largest = flat.abs().max().item<double>();
  ASSERT_GT(largest, 0.0) << what << ": zeros would agree with anything";
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(found[i]), flat.data_ptr<double>()[i], kTolerance * largest)
        << what << ", entry " << i;
  }
}

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix matrix(rows, columns);
  SeededRandom random(seed);
  for (float& value : matrix.values) {
    value = static_cast<float>(random.normal());
  }
  return matrix;
}

/// A network whose scales, shifts and biases are not the ones and zeros that they start as.
Network random_network(std::vector<Layer> layers) {
  Network network(std::move(layers), 3);
  SeededRandom random(4);
  for (float& parameter : network.parameters()) {
    parameter += static_cast<float>(0.1 * random.normal());
  }
  return network;
}

/// The network's parameters one by one, in the order of the flat vector.
struct ParameterPart {
  std::string name;
  std::vector<std::int64_t> sizes;
};

/// The convolution of a layer that has one.
std::optional<ConvolutionLayer> convolution_of(const Layer& layer) {
  if (const auto* upsampled = std::get_if<UpsampledConvolutionLayer>(&layer)) {
    const ImageShape& shape = upsampled->below;
    return ConvolutionLayer{{2 * shape.rows, 2 * shape.columns, shape.channels},
                            upsampled->channels,
                            upsampled->kernel};
  }
  const auto* plain = std::get_if<ConvolutionLayer>(&layer);
  return plain == nullptr ? std::nullopt : std::optional(*plain);
}

std::vector<ParameterPart> parts_of(const Network& network) {
  std::vector<ParameterPart> parts;
  for (const Layer& layer : network.layers()) {
    const std::string of = " of layer " + std::to_string(parts.size());
    if (const auto* dense = std::get_if<DenseLayer>(&layer)) {
      parts.push_back({"weight" + of, {size_of(dense->inputs), size_of(dense->outputs)}});
      if (dense->bias) {
        parts.push_back({"bias" + of, {size_of(dense->outputs)}});
      }
    } else if (const auto* normalization = std::get_if<NormalizationLayer>(&layer)) {
      parts.push_back({"scale" + of, {size_of(normalization->features)}});
      parts.push_back({"shift" + of, {size_of(normalization->features)}});
    } else if (const auto convolution = convolution_of(layer)) {
      const std::int64_t kernel = size_of(convolution->kernel);
      const std::int64_t channels = size_of(convolution->channels);
      parts.push_back(
          {"kernels" + of, {size_of(convolution->below.channels), kernel, kernel, channels}});
      parts.push_back({"bias" + of, {channels}});
    }
  }
  return parts;
}

std::vector<Tensor> torch_parameters(const Network& network) {
  std::vector<Tensor> tensors;
  std::size_t place = 0;
  for (const ParameterPart& part : parts_of(network)) {
    const auto count = static_cast<std::size_t>(torch::empty(part.sizes).numel());
    tensors.push_back(leaf(network.parameters().subspan(place, count), part.sizes));
    place += count;
  }
  EXPECT_EQ(place, network.parameters().size());
  return tensors;
}

/// A batch of images, [rows][channels][rows of an image][columns].
Tensor images_of(const Tensor& rows, const ImageShape& shape) {
  return rows.view({-1, size_of(shape.channels), size_of(shape.rows), size_of(shape.columns)});
}

/// The outputs of the network. With running statistics as in sampling, without as in training.
Tensor torch_outputs(const Network& network, const std::vector<Tensor>& parameters,
                     const Tensor& inputs, bool training = true) {
  Tensor values = inputs;
  std::size_t next = 0;
  std::size_t place = 0;  // in the statistics
  for (const Layer& layer : network.layers()) {
    if (const auto* dense = std::get_if<DenseLayer>(&layer)) {
      values = values.matmul(parameters[next++]);
      if (dense->bias) {
        values = values + parameters[next++];
      }
    } else if (const auto* normalization = std::get_if<NormalizationLayer>(&layer)) {
      const auto statistic = [&] {  // the mean, then the variance
        const Tensor tensor = leaf(network.statistics().subspan(place, normalization->features),
                                   {size_of(normalization->features)})
                                  .detach();
        place += normalization->features;
        return training ? Tensor() : tensor;
      };
      const Tensor mean = statistic();
      const Tensor variance = statistic();
      values = torch::batch_norm(values.view({-1, size_of(normalization->features),
                                              size_of(normalization->positions)}),
                                 parameters[next], parameters[next + 1], mean, variance, training,
                                 /*momentum=*/0.1, /*eps=*/1e-5, /*cudnn_enabled=*/false)
                   .flatten(1);
      values = normalization->rectified ? torch::relu(values) : values;
      next += 2;
    } else if (const auto* activation = std::get_if<ActivationLayer>(&layer)) {
      values = activation->function == ActivationLayer::Function::kRectifier
                   ? torch::relu(values)
                   : torch::sigmoid(values);
    } else if (const auto convolution = convolution_of(layer)) {
      if (const auto* upsampled = std::get_if<UpsampledConvolutionLayer>(&layer)) {
        values = torch::upsample_bilinear2d(
            images_of(values, upsampled->below),
            {size_of(convolution->below.rows), size_of(convolution->below.columns)},
            /*align_corners=*/true);
      }
      values = torch::conv2d(images_of(values, convolution->below),
                             parameters[next].permute({3, 0, 1, 2}), parameters[next + 1],
                             /*stride=*/1, size_of(convolution->kernel / 2))
                   .flatten(1);
      next += 2;
    }
  }
  return values;
}

void expect_parameter_gradients_agree(const Network& network, const std::vector<Tensor>& expected) {
  std::size_t place = 0;
  const std::vector<ParameterPart> parts = parts_of(network);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto count = static_cast<std::size_t>(expected[i].numel());
    expect_agrees(network.gradient().subspan(place, count), expected[i].grad(), parts[i].name);
    place += count;
  }
}

/// A SoftColumn of LibTorch; tensors that do not apply are undefined.
struct TorchColumn {
  Tensor numbers;        ///< [rows]
  Tensor presence;       ///< [rows]
  Tensor probabilities;  ///< [rows][codes]
};

/// The records that the heads make of a network's outputs.
std::vector<TorchColumn> torch_records(const Encoder& encoder, const Tensor& outputs) {
  std::vector<TorchColumn> records(encoder.columns().size());
  std::int64_t place = 0;
  for (std::size_t c = 0; c < records.size(); ++c) {
    const Column& column = encoder.columns()[c];
    if (encoder.label() == c) {
      continue;
    }
    if (column.is_category()) {
      const std::int64_t codes = size_of(column.code_count());
      records[c].probabilities = torch::softmax(outputs.narrow(1, place, codes), 1);
      place += codes;
      continue;
    }
    records[c].numbers = torch::tanh(outputs.select(1, place++));
    if (column.missing) {
      records[c].presence = torch::sigmoid(outputs.select(1, place++));
    }
  }
  return records;
}

/// Records as leaves.
std::vector<TorchColumn> torch_records(const SoftBatch& batch) {
  std::vector<TorchColumn> records(batch.columns.size());
  for (std::size_t c = 0; c < records.size(); ++c) {
    const SoftColumn& column = batch.columns[c];
    if (!column.numbers.empty()) {
      records[c].numbers = leaf(column.numbers, {size_of(batch.rows)});
    }
    if (!column.presence.empty()) {
      records[c].presence = leaf(column.presence, {size_of(batch.rows)});
    }
    if (!column.probabilities.values.empty()) {
      records[c].probabilities = leaf(column.probabilities);
    }
  }
  return records;
}

/// Hermite features [rows][order + 1] of numbers [rows], by the recursion of hermite_features.h.
Tensor torch_hermite(const HermiteFeatures& features, const Tensor& numbers) {
  const double rho = features.rho();
  const Tensor z = features.scale() * numbers;
  std::vector<Tensor> phi = {std::pow(1.0 - rho * rho, 0.25) *
                             torch::exp(-rho / (1.0 + rho) * z * z)};
  for (std::size_t k = 0; k < features.order(); ++k) {
    const auto order = static_cast<double>(k);
    Tensor next = std::sqrt(2.0 * rho / (order + 1.0)) * z * phi[k];
    if (k > 0) {
      next = next - rho * std::sqrt(order / (order + 1.0)) * phi[k - 1];
    }
    phi.push_back(next);
  }
  return torch::stack(phi, 1);
}

/// Features [rows][dimension] of a generated column.
Tensor torch_features(const FeatureMap& map, const TorchColumn& column) {
  if (map.kind() == FeatureMap::Kind::kOneHot) {
    return column.probabilities;
  }
  const Tensor phi = torch_hermite(map.hermite(), column.numbers);
  if (!map.may_miss()) {
    return phi;
  }
  const Tensor presence = column.presence.unsqueeze(1);
  return torch::cat({presence * phi, 1.0 - presence}, 1);
}

/// The unweighted features [rows][dimension] of a block.
Tensor torch_features(const FeatureBlock& block, const std::vector<TorchColumn>& records) {
  Tensor result;
  for (const WeightedMap& member : block.maps) {
    const Tensor phi = torch_features(member.map, records[member.map.column()]);
    if (!result.defined()) {
      result = phi;
    } else if (block.combination == Combination::kSum) {
      result = torch::cat({result, phi}, 1);
    } else {
      result = (result.unsqueeze(2) * phi.unsqueeze(1)).flatten(1);
    }
  }
  return result;
}

/// The noise of the target over that of the release.
constexpr double kNoiseFactor = 1.25;

/// The loss of embedding_loss.h, from its definition.
Tensor torch_loss(const Release& release, const EmbeddingTarget& target,
                  const std::vector<TorchColumn>& records,
                  const std::vector<std::size_t>& class_rows) {
  Tensor loss = torch::zeros({}, torch::kFloat64);
  double numbers = 0.0;
  std::size_t used_block = 0;
  for (std::size_t b = 0; b < release.sums().blocks.size(); ++b) {
    const FeatureBlock& block = release.sums().features.blocks()[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    std::vector<double> sums = target.sums[used_block++];
    const Tensor released = torch::from_blob(
        sums.data(), {size_of(class_rows.size()), size_of(block.dimension())}, torch::kFloat64);
    numbers += static_cast<double>(sums.size());
    const Tensor all_features = torch_features(block, records);
    for (const FeatureSegment& segment : block.segments()) {
      const std::int64_t place = size_of(segment.first);
      const std::int64_t dimension = size_of(segment.count);
      const Tensor features = all_features.narrow(1, place, dimension);
      const double sigma = kNoiseFactor * release.statement().noise_of(b).sigma / segment.weight;
      std::int64_t first = 0;
      for (std::size_t c = 0; c < class_rows.size(); ++c) {
        const std::int64_t half = size_of(class_rows[c] / 2);
        if (half > 0) {
          const Tensor sum = released.select(0, size_of(c)).narrow(0, place, dimension);
          const auto residual = [&](std::int64_t start) {
            return sum - target.class_counts[c] * features.narrow(0, start, half).mean(0);
          };
          loss = loss + (residual(first) * residual(first + half)).sum() / (sigma * sigma);
        }
        first += 2 * half;
      }
    }
  }
  return loss / numbers;
}

/// The clinic of the demo: every kind of column. `labelled`: with its diagnosis as the label.
Release people_release(bool labelled) {
  ArrowArrayStream stream = arrow_stream_of({simulate_people(2000, 1)});
  Accountant accountant({1.0, 1e-6});
  DpHpOptions options;
  options.features.column_weights["hours"] = 2.0;
  options.features.product.named = {{"age", "region", "hours"}, {"income", "pressure"}};
  const Schema schema =
      labelled ? people_schema()
               : Schema(people_schema().columns(), std::nullopt, NeighbourRelation::kAddRemoveOne);
  return release_dp_hp(PrivateTable(&stream, schema), options, accountant, Context{});
}

/// A batch with a class of no rows, if there are classes.
std::vector<std::size_t> class_rows_of(const Release& release) {
  return release.sums().features.classes() == 1 ? std::vector<std::size_t>{64}
                                                : std::vector<std::size_t>{40, 0, 24};
}

/// A target with noise of its own, so that the test is the same at every run.
EmbeddingTarget seeded_target(const Release& release) {
  EmbeddingTarget target;
  SeededRandom random(7);
  for (std::size_t c = 0; c < release.sums().features.classes(); ++c) {
    target.class_counts.push_back(500.0 + 100.0 * static_cast<double>(c));
  }
  for (std::size_t b = 0; b < release.sums().blocks.size(); ++b) {
    const FeatureBlock& block = release.sums().features.blocks()[b];
    if (block.maps[0].map.kind() != FeatureMap::Kind::kConstant) {
      target.sigmas.push_back(kNoiseFactor * release.statement().noise_of(b).sigma);
      target.sums.emplace_back();
      for (std::size_t i = 0; i < release.sums().blocks[b].rows * block.dimension(); ++i) {
        target.sums.back().push_back(100.0 * random.normal());
      }
    }
  }
  return target;
}

TEST(AgainstTorch, OutputsOfTheNetworkAgreeInTrainingAndInSampling) {
  WorkerPool pool(2);
  for (const float size : {1.0F, 0.01F}) {  // small inputs: the floor of the variance is seen
    Network network = random_network(NetworkShape{7, {24, 16}, 5}.layers());
    Matrix inputs = random_matrix(64, 7, 5);
    for (float& value : inputs.values) {
      value *= size;
    }
    const std::vector<Tensor> parameters = torch_parameters(network);
    expect_agrees(network.forward(inputs, pool).values,
                  torch_outputs(network, parameters, leaf(inputs)), "outputs in training");
    expect_agrees(network.infer(inputs).values,
                  torch_outputs(network, parameters, leaf(inputs), /*training=*/false),
                  "outputs in sampling");
  }
}

TEST(AgainstTorch, LayersOfImagesAgreeInTheirOutputsAndGradients) {
  WorkerPool pool(2);
  Network network = random_network(
      {DenseLayer{7, 20, false, StartingWeights::kRectified}, NormalizationLayer{20, 1, true},
       DenseLayer{20, 16 * 7 * 7, false}, NormalizationLayer{16 * 7 * 7, 1, false},
       UpsampledConvolutionLayer{{7, 7, 16}, 8, 5},
       ActivationLayer{8 * 14 * 14, ActivationLayer::Function::kRectifier},
       NormalizationLayer{8, 14 * 14, true}, UpsampledConvolutionLayer{{14, 14, 8}, 3, 3},
       ActivationLayer{3 * 28 * 28, ActivationLayer::Function::kLogistic}});
  const Matrix inputs = random_matrix(40, 7, 5);
  const Matrix weights = random_matrix(40, network.outputs(), 6);
  const std::vector<Tensor> parameters = torch_parameters(network);
  const Tensor torch_inputs = leaf(inputs);
  const Tensor expected = torch_outputs(network, parameters, torch_inputs);
  expect_agrees(network.forward(inputs, pool).values, expected, "outputs in training");
  Matrix input_gradient;
  network.backward(weights, pool, &input_gradient);
  (expected * leaf(weights).detach()).sum().backward();
  expect_parameter_gradients_agree(network, parameters);
  expect_agrees(input_gradient.values, torch_inputs.grad(), "inputs");
  expect_agrees(network.infer(inputs).values,
                torch_outputs(network, parameters, leaf(inputs), /*training=*/false),
                "outputs in sampling");
}

TEST(AgainstTorch, GradientThroughTheHeadsByTheParametersAgrees) {
  WorkerPool pool(2);
  const Release release = people_release(true);
  const OutputHeads heads(release.encoder());
  Network network = random_network(NetworkShape{7, {24, 16}, heads.outputs()}.layers());
  const Matrix inputs = random_matrix(64, 7, 5);
  const std::vector<Tensor> parameters = torch_parameters(network);
  const SoftBatch batch = heads.apply(network.forward(inputs, pool));
  // The loss is <weights, records>, and the weights any numbers of the records' shape.
  const SoftBatch weights = heads.apply(random_matrix(64, heads.outputs(), 6));
  network.backward(heads.backward(batch, weights, pool), pool);

  const std::vector<TorchColumn> records =
      torch_records(release.encoder(), torch_outputs(network, parameters, leaf(inputs)));
  const std::vector<TorchColumn> slopes = torch_records(weights);
  Tensor loss = torch::zeros({}, torch::kFloat64);
  for (std::size_t c = 0; c < records.size(); ++c) {
    for (const auto part :
         {&TorchColumn::numbers, &TorchColumn::presence, &TorchColumn::probabilities}) {
      ASSERT_EQ((records[c].*part).defined(), (slopes[c].*part).defined());
      if ((records[c].*part).defined()) {
        loss = loss + (records[c].*part * (slopes[c].*part)).sum();
      }
    }
  }
  loss.backward();
  expect_parameter_gradients_agree(network, parameters);
}

class LossAgainstTorch : public testing::TestWithParam<bool> {
 protected:
  const Release release_ = people_release(GetParam());
  const EmbeddingTarget target_ = seeded_target(release_);
  const std::vector<std::size_t> class_rows_ = class_rows_of(release_);
  const EmbeddingLoss loss_{release_.sums().features, target_};
  const OutputHeads heads_{release_.encoder()};
  WorkerPool pool_{2};
};

TEST_P(LossAgainstTorch, ValueAndGradientByTheRecordsAgree) {
  const SoftBatch batch = heads_.apply(random_matrix(64, heads_.outputs(), 8));
  SoftBatch gradient;
  const double found = loss_.evaluate(batch, class_rows_, gradient, pool_);

  const std::vector<TorchColumn> records = torch_records(batch);
  const Tensor loss = torch_loss(release_, target_, records, class_rows_);
  loss.backward();
  EXPECT_NEAR(found / loss.item<double>(), 1.0, kTolerance);
  for (std::size_t c = 0; c < records.size(); ++c) {
    const std::string& name = release_.encoder().columns()[c].name;
    if (records[c].numbers.defined()) {
      expect_agrees(gradient.columns[c].numbers, records[c].numbers.grad(), name);
    }
    if (records[c].presence.defined()) {
      expect_agrees(gradient.columns[c].presence, records[c].presence.grad(), name + ", presence");
    }
    if (records[c].probabilities.defined()) {
      expect_agrees(gradient.columns[c].probabilities.values, records[c].probabilities.grad(),
                    name);
    }
  }
}

TEST_P(LossAgainstTorch, GradientOfAWholeStepByTheParametersAgrees) {
  Network network = random_network(NetworkShape{7, {24, 16}, heads_.outputs()}.layers());
  const Matrix inputs = random_matrix(64, 7, 9);
  const std::vector<Tensor> parameters = torch_parameters(network);
  const SoftBatch batch = heads_.apply(network.forward(inputs, pool_));
  SoftBatch gradient;
  const double found = loss_.evaluate(batch, class_rows_, gradient, pool_);
  network.backward(heads_.backward(batch, gradient, pool_), pool_);

  const std::vector<TorchColumn> records =
      torch_records(release_.encoder(), torch_outputs(network, parameters, leaf(inputs)));
  const Tensor loss = torch_loss(release_, target_, records, class_rows_);
  loss.backward();
  EXPECT_NEAR(found / loss.item<double>(), 1.0, kTolerance);
  expect_parameter_gradients_agree(network, parameters);
}

INSTANTIATE_TEST_SUITE_P(People, LossAgainstTorch, testing::Bool(),
                         [](const auto& test) { return test.param ? "Labelled" : "Unlabelled"; });

}  // namespace generator_torch_test
}  // namespace mehler

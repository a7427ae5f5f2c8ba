#include "mehler/networks/layers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/networks/network.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace layers_test {

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix matrix(rows, columns);
  SeededRandom random(seed);
  for (float& value : matrix.values) {
    value = static_cast<float>(random.normal());
  }
  return matrix;
}

using Numbers = std::vector<double>;

// The layers again, in double and from their definitions: [rows][size] to [rows][size].

Numbers outputs_of(const DenseLayer& layer, const Numbers& parameters, const Numbers& inputs,
                   std::size_t rows) {
  Numbers result(rows * layer.outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      double sum = layer.bias ? parameters[layer.inputs * layer.outputs + j] : 0.0;
      for (std::size_t k = 0; k < layer.inputs; ++k) {
        sum += inputs[i * layer.inputs + k] * parameters[k * layer.outputs + j];
      }
      result[i * layer.outputs + j] = sum;
    }
  }
  return result;
}

Numbers outputs_of(const NormalizationLayer& layer, const Numbers& parameters,
                   const Numbers& inputs, std::size_t rows) {
  Numbers result(inputs.size());
  const std::size_t width = layer.input_size();
  for (std::size_t f = 0; f < layer.features; ++f) {
    const auto for_all = [&](const auto& work) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t p = 0; p < layer.positions; ++p) {
          work(i * width + f * layer.positions + p);
        }
      }
    };
    const auto count = static_cast<double>(rows * layer.positions);
    double mean = 0.0;
    double variance = 0.0;
    for_all([&](std::size_t place) { mean += inputs[place] / count; });
    for_all([&](std::size_t place) { variance += std::pow(inputs[place] - mean, 2) / count; });
    for_all([&](std::size_t place) {
      result[place] =
          parameters[f] * (inputs[place] - mean) / std::sqrt(variance + layer.variance_floor) +
          parameters[layer.features + f];
      if (layer.rectified) {
        result[place] = std::max(0.0, result[place]);
      }
    });
  }
  return result;
}

Numbers outputs_of(const ActivationLayer& layer, const Numbers& /*parameters*/,
                   const Numbers& inputs, std::size_t /*rows*/) {
  Numbers result = inputs;
  for (double& value : result) {
    switch (layer.function) {
      case ActivationLayer::Function::kRectifier:
        value = std::max(0.0, value);
        break;
      case ActivationLayer::Function::kLeakyRectifier:
        value = std::max(0.2 * value, value);
        break;
      case ActivationLayer::Function::kLogistic:
        value = 1.0 / (1.0 + std::exp(-value));
        break;
    }
  }
  return result;
}

Numbers outputs_of(const ConvolutionLayer& layer, const Numbers& parameters, const Numbers& inputs,
                   std::size_t rows) {
  const ImageShape& shape = layer.below;
  const auto height = static_cast<std::ptrdiff_t>(shape.rows);
  const auto width = static_cast<std::ptrdiff_t>(shape.columns);
  const auto before = static_cast<std::ptrdiff_t>((layer.kernel - 1) / 2);
  Numbers result;
  for (std::size_t n = 0; n < rows; ++n) {
    for (std::size_t o = 0; o < layer.channels; ++o) {
      for (std::ptrdiff_t y = 0; y < height; ++y) {
        for (std::ptrdiff_t x = 0; x < width; ++x) {
          double sum = parameters[parameters.size() - layer.channels + o];
          for (std::size_t c = 0; c < shape.channels; ++c) {
            for (std::size_t i = 0; i < layer.kernel; ++i) {
              for (std::size_t j = 0; j < layer.kernel; ++j) {
                const std::ptrdiff_t row = y + static_cast<std::ptrdiff_t>(i) - before;
                const std::ptrdiff_t column = x + static_cast<std::ptrdiff_t>(j) - before;
                if (row >= 0 && row < height && column >= 0 && column < width) {
                  sum +=
                      parameters[((c * layer.kernel + i) * layer.kernel + j) * layer.channels + o] *
                      inputs[n * shape.size() + c * shape.rows * shape.columns +
                             static_cast<std::size_t>(row * width + column)];
                }
              }
            }
          }
          result.push_back(sum);
        }
      }
    }
  }
  return result;
}

Numbers upsampled(const ImageShape& shape, const Numbers& inputs, std::size_t rows) {
  // The place of pixel i of a doubled line in the line itself: the corners are corners of both.
  const auto place_of = [](std::size_t i, std::size_t length) {
    return static_cast<double>(i) * static_cast<double>(length - 1) /
           static_cast<double>(2 * length - 1);
  };
  Numbers result;
  for (std::size_t plane = 0; plane < rows * shape.channels; ++plane) {
    const double* image = &inputs[plane * shape.rows * shape.columns];
    for (std::size_t y = 0; y < 2 * shape.rows; ++y) {
      for (std::size_t x = 0; x < 2 * shape.columns; ++x) {
        double sum = 0.0;
        for (std::size_t r = 0; r < shape.rows; ++r) {
          for (std::size_t c = 0; c < shape.columns; ++c) {
            const auto share = [](double place, std::size_t pixel) {
              return std::max(0.0, 1.0 - std::fabs(place - static_cast<double>(pixel)));
            };
            sum += share(place_of(y, shape.rows), r) * share(place_of(x, shape.columns), c) *
                   image[r * shape.columns + c];
          }
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

Numbers outputs_of(const UpsampledConvolutionLayer& layer, const Numbers& parameters,
                   const Numbers& inputs, std::size_t rows) {
  const ImageShape& shape = layer.below;
  return outputs_of(
      ConvolutionLayer{
          {2 * shape.rows, 2 * shape.columns, shape.channels}, layer.channels, layer.kernel},
      parameters, upsampled(shape, inputs, rows), rows);
}

Numbers outputs_of(const PoolingLayer& layer, const Numbers& /*parameters*/, const Numbers& inputs,
                   std::size_t rows) {
  const ImageShape& shape = layer.below;
  Numbers result;
  for (std::size_t plane = 0; plane < rows * shape.channels; ++plane) {
    const double* image = &inputs[plane * shape.rows * shape.columns];
    for (std::size_t y = 0; y + 1 < shape.rows; y += 2) {
      for (std::size_t x = 0; x + 1 < shape.columns; x += 2) {
        const double* first = image + y * shape.columns + x;
        const double* below = first + shape.columns;
        result.push_back(std::max({first[0], first[1], below[0], below[1]}));
      }
    }
  }
  return result;
}

Numbers outputs_of(const std::vector<Layer>& layers, const Numbers& parameters, Numbers values,
                   std::size_t rows) {
  std::size_t place = 0;
  for (const Layer& layer : layers) {
    std::visit(
        [&](const auto& of_kind) {
          const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(place);
          const std::size_t count = of_kind.parameter_count();
          values = outputs_of(of_kind, Numbers(first, first + static_cast<std::ptrdiff_t>(count)),
                              values, rows);
          place += count;
        },
        layer);
  }
  return values;
}

/// A network with every kind of layer, in all the orders that matter to what it keeps.
std::vector<Layer> every_kind() {
  return {DenseLayer{3, 5, false, StartingWeights::kRectified},
          NormalizationLayer{5, 1, true},
          DenseLayer{5, 2 * 3 * 2},
          NormalizationLayer{2 * 3 * 2, 1, false},
          UpsampledConvolutionLayer{{3, 2, 2}, 3, 5},
          ActivationLayer{6 * 4 * 3, ActivationLayer::Function::kRectifier},
          NormalizationLayer{3, 6 * 4, false},
          ConvolutionLayer{{6, 4, 3}, 2, 2},
          NormalizationLayer{2, 6 * 4, true},
          UpsampledConvolutionLayer{{6, 4, 2}, 1, 3},
          ActivationLayer{12 * 8, ActivationLayer::Function::kLogistic}};
}

Network random_network(std::vector<Layer> layers) {
  Network network(std::move(layers), 3);
  SeededRandom random(4);
  for (float& parameter : network.parameters()) {  // scales and biases away from 1 and 0
    parameter += static_cast<float>(0.2 * random.normal());
  }
  return network;
}

/// Outputs, and gradients by parameters and inputs of <weights, outputs>, against the definitions
/// in double and their differences.
void expect_agrees_with_definitions(const std::vector<Layer>& layers, std::size_t rows) {
  WorkerPool pool(2);
  Network network = random_network(layers);
  const Matrix inputs = random_matrix(rows, network.inputs(), 5);
  const Matrix weights = random_matrix(rows, network.outputs(), 6);
  const Matrix outputs = network.forward(inputs, pool);
  Matrix input_gradient;
  network.backward(weights, pool, &input_gradient);

  Numbers parameters(network.parameters().begin(), network.parameters().end());
  Numbers numbers(inputs.values.begin(), inputs.values.end());
  const Numbers expected = outputs_of(layers, parameters, numbers, rows);
  ASSERT_EQ(outputs.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(outputs.values[i]), expected[i],
                2e-5 * (1.0 + std::fabs(expected[i])));
  }
  const auto loss = [&] {
    const Numbers found = outputs_of(layers, parameters, numbers, rows);
    double sum = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      sum += found[i] * static_cast<double>(weights.values[i]);
    }
    return sum;
  };
  const auto expect_slopes = [&](Numbers& of, std::span<const float> found, const char* what) {
    ASSERT_EQ(of.size(), found.size());
    const std::size_t stride = std::max<std::size_t>(1, of.size() / 200);
    for (std::size_t i = 0; i < of.size(); i += stride) {
      const double kept = of[i];
      constexpr double kStep = 1e-6;
      of[i] = kept + kStep;
      const double above = loss();
      of[i] = kept - kStep;
      const double below = loss();
      of[i] = kept;
      const double slope = (above - below) / (2 * kStep);
      ASSERT_NEAR(static_cast<double>(found[i]), slope, 1e-3 * (1.0 + std::fabs(slope)))
          << what << " " << i;
    }
  };
  expect_slopes(parameters, network.gradient(), "parameter");
  expect_slopes(numbers, input_gradient.values, "input");
}

TEST(Layers, EveryKindAgreesWithItsDefinitionAndFiniteDifferences) {
  expect_agrees_with_definitions(every_kind(), 12);
}

TEST(Layers, LeakyRectifiersAgreeWithTheirDefinitionAlsoBehindANormalisation) {
  constexpr auto kLeaky = ActivationLayer::Function::kLeakyRectifier;
  expect_agrees_with_definitions(
      {DenseLayer{3, 7}, ActivationLayer{7, kLeaky}, DenseLayer{7, 5},
       NormalizationLayer{5, 1, false, 0.8F}, ActivationLayer{5, kLeaky}, DenseLayer{5, 2}},
      12);
}

TEST(Layers, ConvolutionsOfAllSizesAgreeWithTheirDefinitions) {
  // 1 x 1 kernels and images, kernels larger than the image, odd numbers of channels, a kernel with
  // no centre.
  for (const ConvolutionLayer& layer :
       {ConvolutionLayer{{1, 1, 1}, 1, 1}, ConvolutionLayer{{4, 5, 3}, 7, 1},
        ConvolutionLayer{{3, 2, 2}, 5, 7}, ConvolutionLayer{{7, 7, 4}, 13, 5},
        ConvolutionLayer{{9, 17, 2}, 3, 4}, ConvolutionLayer{{28, 28, 1}, 2, 3},
        ConvolutionLayer{{1, 40, 1}, 1, 6}}) {
    SCOPED_TRACE(layer.kernel);
    expect_agrees_with_definitions({layer}, 3);
  }
}

TEST(Layers, ConvolutionsToAndFromOneChannelAgreeWithTheirDefinitions) {
  // Rows with one vector more than a column, with two vectors, with more and a rest; images of
  // fewer rows than a kernel and of a tile's and one.
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    for (const ConvolutionLayer& layer :
         {ConvolutionLayer{{9, 17, 3}, 1, 3}, ConvolutionLayer{{9, 17, 2}, 1, 5},
          ConvolutionLayer{{13, 28, 2}, 1, 5}, ConvolutionLayer{{9, 28, 1}, 9, 3},
          ConvolutionLayer{{2, 37, 1}, 2, 5}, ConvolutionLayer{{1, 64, 2}, 1, 3}}) {
      SCOPED_TRACE(
          fmt::format("{}: {} columns, kernel {}", name, layer.below.columns, layer.kernel));
      expect_agrees_with_definitions({layer}, 2);
    }
  }
}

TEST(Layers, UpsampledConvolutionsOfAllSizesAgreeWithTheirDefinitions) {
  // Single pixels and lines, a kernel with no centre and one larger than the image.
  for (const UpsampledConvolutionLayer& layer :
       {UpsampledConvolutionLayer{{1, 1, 1}, 1, 1}, UpsampledConvolutionLayer{{1, 3, 2}, 2, 3},
        UpsampledConvolutionLayer{{4, 1, 1}, 3, 5}, UpsampledConvolutionLayer{{2, 2, 2}, 5, 7},
        UpsampledConvolutionLayer{{5, 9, 3}, 2, 4}, UpsampledConvolutionLayer{{3, 20, 1}, 1, 5}}) {
    SCOPED_TRACE(layer.kernel);
    expect_agrees_with_definitions({layer}, 3);
  }
}

TEST(Layers, PoolingsOfAllSizesAgreeWithTheirDefinition) {
  // One result, rows and columns without a partner, rows shorter and longer than vectors; and with
  // what lies around it in a network that classifies images.
  for (const ImageShape& shape : {ImageShape{2, 2, 1}, ImageShape{3, 5, 2}, ImageShape{7, 14, 3},
                                  ImageShape{4, 17, 1}, ImageShape{28, 28, 2}}) {
    SCOPED_TRACE(shape.columns);
    expect_agrees_with_definitions({PoolingLayer{shape}}, 3);
  }
  expect_agrees_with_definitions(
      {ConvolutionLayer{{6, 9, 1}, 4, 3}, PoolingLayer{{6, 9, 4}},
       ActivationLayer{48, ActivationLayer::Function::kRectifier}, PoolingLayer{{3, 4, 4}},
       NormalizationLayer{8, 1, false}, DenseLayer{8, 3}},
      5);
}

TEST(Layers, PoolingGivesTheGradientToTheFirstOfEqualPixels) {
  WorkerPool pool(1);
  Network network({PoolingLayer{{2, 4, 1}}}, 1);
  Matrix images(2, 8);
  images.values = {1, 1, 0,  2,  //
                   1, 1, 2,  2,  //
                   0, 0, -1, 0,  //
                   3, 3, 0,  0};
  Matrix slopes(2, 2);
  slopes.values = {5, 6, 7, 8};
  network.forward(images, pool);
  Matrix gradient;
  network.backward(slopes, pool, &gradient);
  const std::vector<float> expected = {5, 0, 0, 6,  //
                                       0, 0, 0, 0,  //
                                       0, 0, 0, 8,  //
                                       7, 0, 0, 0};
  EXPECT_EQ(gradient.values, expected);
}

TEST(Layers, UpsamplingKeepsCornersAndConstants) {
  WorkerPool pool(1);
  Network network({UpsampledConvolutionLayer{{7, 5, 1}, 1, 1}}, 1);
  network.parameters()[0] = 1.0F;  // of a kernel of one pixel; and the bias is 0
  const Matrix images = random_matrix(3, 35, 2);
  const Matrix& large = network.forward(images, pool);
  for (std::size_t n = 0; n < 3; ++n) {
    const float* small = &images.values[n * 35];
    const float* result = &large.values[n * 140];
    EXPECT_EQ(result[0], small[0]);
    EXPECT_EQ(result[9], small[4]);
    EXPECT_EQ(result[130], small[30]);
    EXPECT_EQ(result[139], small[34]);
  }
  Matrix ones(2, 35);
  std::fill(ones.values.begin(), ones.values.end(), 1.0F);
  for (const float value : network.forward(ones, pool).values) {
    EXPECT_NEAR(value, 1.0F, 1e-6F);
  }
}

TEST(Layers, AreTheSameForAnyNumberOfThreads) {
  const Matrix inputs = random_matrix(150, 3, 2);
  const Matrix weights = random_matrix(150, 96, 6);
  std::vector<float> outputs;
  std::vector<float> gradient;
  std::vector<float> by_inputs;
  std::vector<float> inferred;
  for (const std::size_t threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    Network network = random_network(every_kind());
    const std::vector<float> found = network.forward(inputs, pool).values;
    Matrix input_gradient;
    network.backward(weights, pool, &input_gradient);
    const std::vector<float> sampled = network.infer(inputs, pool).values;
    if (threads == 1) {
      outputs = found;
      gradient.assign(network.gradient().begin(), network.gradient().end());
      by_inputs = input_gradient.values;
      inferred = sampled;
      EXPECT_EQ(inferred, network.infer(inputs).values);
    }
    EXPECT_EQ(found, outputs);
    EXPECT_TRUE(std::equal(gradient.begin(), gradient.end(), network.gradient().begin()));
    EXPECT_EQ(input_gradient.values, by_inputs);
    EXPECT_EQ(sampled, inferred);
  }
}

TEST(Layers, AgreeOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(force_instruction_set(name));
    // Rows shorter than a vector, and longer ones that are no multiple of it.
    expect_agrees_with_definitions({ConvolutionLayer{{7, 6, 3}, 13, 5}}, 3);
    expect_agrees_with_definitions({ConvolutionLayer{{3, 21, 1}, 15, 3}}, 2);
    expect_agrees_with_definitions({PoolingLayer{{5, 37, 2}}}, 2);
    expect_agrees_with_definitions(every_kind(), 4);
  }
}

TEST(Layers, InferenceMatchesTrainingOnceStatisticsHaveSettled) {
  WorkerPool pool(2);
  Network network = random_network(every_kind());
  const Matrix inputs = random_matrix(300, 3, 8);
  Matrix trained;
  for (int i = 0; i < 300; ++i) {
    trained = network.forward(inputs, pool);
  }
  const Matrix inferred = network.infer(inputs);
  for (std::size_t i = 0; i < inferred.values.size(); ++i) {
    ASSERT_NEAR(inferred.values[i], trained.values[i], 1e-3);
  }
}

TEST(Layers, AnImageDependsOnItsOwnRowAlone) {
  const std::vector<Layer> layers = {ConvolutionLayer{{5, 6, 2}, 9, 3},
                                     UpsampledConvolutionLayer{{5, 6, 9}, 3, 5}};
  const Network network(layers, 1);
  const Matrix images = random_matrix(70, 60, 3);
  const Matrix all = network.infer(images);
  Matrix one(1, 60);
  for (const std::size_t row : {0, 37, 69}) {
    std::copy(images.row(row).begin(), images.row(row).end(), one.values.begin());
    const Matrix alone = network.infer(one);
    EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), all.row(row).begin()));
  }
}

}  // namespace layers_test
}  // namespace mehler

// Convolutions of images on one thread, beside matrix products of the same shapes.
//
//   convolution_benchmark IMAGES REPEATS SHAPE...
//
// A shape is ROWSxCOLUMNS:INPUTSxOUTPUTSxKERNEL, such as 28x28:8x1x5: channels of the image, of the
// result, and the side of a kernel. The products are those of one image at a time whose pixels are
// laid out ready for them, the layout not counted: by the results [outputs][inputs kernel^2] times
// [inputs kernel^2][positions], and the two of its gradients. Prints a JSON object: for each shape
// and direction the shortest seconds for all images, of the convolution and of the products, and
// the median of their ratios, turn by turn. Some results are compared with sums in double before
// anything is timed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mehler/core/seeded_random.h"
#include "mehler/simd/convolution.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  SeededRandom random(seed);
  for (float& value : values) {
    value = static_cast<float>(random.uniform() - 0.5);
  }
  return values;
}

ConvolutionSize size_of(const char* text) {
  ConvolutionSize size;
  if (std::sscanf(text, "%zux%zu:%zux%zux%zu", &size.rows, &size.columns, &size.inputs,
                  &size.outputs, &size.kernel) != 5) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a shape is written 28x28:8x1x5, not {}", text));
  }
  size.before = (size.kernel - 1) / 2;
  return size;
}

/// Compares results of the first image with their definition.
void check(const ConvolutionSize& size, const std::vector<float>& images,
           const std::vector<float>& weights, const std::vector<float>& results) {
  SeededRandom random(9);
  const auto draw = [&](std::size_t below) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(below));
  };
  for (int i = 0; i < 500; ++i) {
    const std::size_t o = draw(size.outputs);
    const std::size_t y = draw(size.rows);
    const std::size_t x = draw(size.columns);
    double sum = 0.0;
    for (std::size_t c = 0; c < size.inputs; ++c) {
      for (std::size_t a = 0; a < size.kernel; ++a) {
        for (std::size_t b = 0; b < size.kernel; ++b) {
          const std::size_t row = y + a - size.before;  // wraps where it is outside
          const std::size_t column = x + b - size.before;
          if (row < size.rows && column < size.columns) {
            sum += static_cast<double>(
                       weights[((c * size.kernel + a) * size.kernel + b) * size.outputs + o]) *
                   static_cast<double>(images[(c * size.rows + row) * size.columns + column]);
          }
        }
      }
    }
    const auto found = static_cast<double>(results[(o * size.rows + y) * size.columns + x]);
    if (!(std::fabs(found - sum) <= 1e-4)) {
      throw Error(ErrorCode::kInternal, fmt::format("a result is {} and not {}", found, sum));
    }
  }
}

/// Both take turns, so both of a ratio find the same clock rate.
std::string times_of(const char* name, std::size_t repeats, const auto& convolution,
                     const auto& products) {
  std::vector<double> ratios;
  double best = std::numeric_limits<double>::infinity();
  double best_of_products = best;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const double seconds = seconds_of(convolution);
    const double of_products = seconds_of(products);
    ratios.push_back(of_products / seconds);
    best = std::min(best, seconds);
    best_of_products = std::min(best_of_products, of_products);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(repeats / 2),
                   ratios.end());
  return fmt::format(
      "\"{}\": {{\"seconds\": {:.6g}, \"product_seconds\": {:.6g}, \"ratio\": {:.4g}}}", name, best,
      best_of_products, ratios[repeats / 2]);
}

std::string times_of(const char* text, std::size_t images, std::size_t repeats) {
  const ConvolutionSize size = size_of(text);
  ConvolutionSize turned = size;
  std::swap(turned.inputs, turned.outputs);
  turned.before = size.kernel - 1 - size.before;
  const std::size_t positions = size.rows * size.columns;
  const std::size_t patch = size.inputs * size.kernel * size.kernel;
  const std::vector<float> input = random_floats(images * size.input_floats(), 1);
  const std::vector<float> slopes = random_floats(images * size.output_floats(), 2);
  const std::vector<float> weights = random_floats(size.weights(), 3);
  const std::vector<float> patches = random_floats(patch * positions, 4);
  std::vector<float> results(images * size.output_floats());
  std::vector<float> by_input(images * size.input_floats());
  std::vector<float> by_weights(size.weights());
  std::vector<float> by_patches(patch * positions);
  convolve(size, input.data(), images, weights.data(), nullptr, results.data());
  check(size, input, weights, results);

  const auto for_images = [&](const auto& work) {
    return [&work, images] {
      for (std::size_t n = 0; n < images; ++n) {
        work(n);
      }
    };
  };
  const auto product = [&](std::size_t n) {
    multiply(Transpose::kNo, Transpose::kNo, size.outputs, positions, patch, weights.data(),
             patches.data(), &results[n * size.output_floats()], false);
  };
  const auto product_by_input = [&](std::size_t n) {
    multiply(Transpose::kYes, Transpose::kNo, patch, positions, size.outputs, weights.data(),
             &slopes[n * size.output_floats()], by_patches.data(), false);
  };
  const auto product_by_weights = [&](std::size_t n) {
    multiply(Transpose::kNo, Transpose::kYes, size.outputs, patch, positions,
             &slopes[n * size.output_floats()], patches.data(), by_weights.data(), n > 0);
  };
  return fmt::format(
      "\"{}\": {{{}, {}, {}}}", text,
      times_of(
          "forward", repeats,
          [&] { convolve(size, input.data(), images, weights.data(), nullptr, results.data()); },
          for_images(product)),
      times_of(
          "by input", repeats,
          [&] {
            convolve(turned, slopes.data(), images, weights.data(), nullptr, by_input.data());
          },
          for_images(product_by_input)),
      times_of(
          "by weights", repeats,
          [&] {
            convolution_weight_gradient(size, input.data(), slopes.data(), images,
                                        by_weights.data());
          },
          for_images(product_by_weights)));
}

void run(int argc, char** argv) {
  const std::size_t images = std::strtoull(argv[1], nullptr, 10);
  const std::size_t repeats = std::strtoull(argv[2], nullptr, 10);
  fmt::print("{{\"instruction_set\": \"{}\", \"images\": {}, \"shapes\": {{",
             active_instruction_set(), images);
  for (int i = 3; i < argc; ++i) {
    fmt::print("{}\n  {}", i == 3 ? "" : ",", times_of(argv[i], images, repeats));
  }
  fmt::print("}}}}\n");
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "numbers of images and repeats, and shapes are needed; see the head of the "
               "source\n");
    return 2;
  }
  mehler::run(argc, argv);
  return 0;
}

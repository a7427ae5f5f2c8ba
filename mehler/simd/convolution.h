#pragma once

#include <cstddef>

namespace mehler {

/// A convolution of small images in single precision, with as many positions in the result as in
/// the image ("same"): outside of it there are zeros. Images are planar: [channels][rows][columns].
struct ConvolutionSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inputs = 0;   ///< channels of the image
  std::size_t outputs = 0;  ///< channels of the result
  std::size_t kernel = 1;   ///< rows and columns of a kernel
  std::size_t before = 0;   ///< those of them before the centre; below `kernel`
  bool flat = false;        ///< whether a kernel has one row only, that of its centre

  std::size_t kernel_rows() const { return flat ? 1 : kernel; }
  std::size_t rows_before() const { return flat ? 0 : before; }
  std::size_t input_floats() const { return inputs * rows * columns; }
  std::size_t output_floats() const { return outputs * rows * columns; }
  std::size_t weights() const { return inputs * kernel_rows() * kernel * outputs; }
};

// Both functions run on the calling thread and are thread-safe. On one instruction set the result
// of an image depends on that image alone; a gradient depends on its images and their order.

/// results[o][y][x] = bias[o] + sum over c, i, j of weights[c][i][j][o] image[c][y + i - before]
/// [x + j - before], for `count` images one behind the other. Without a bias (null) it is 0. Each
/// result is one chain of multiply-adds in the order of c, i and j, beginning with the bias.
void convolve(const ConvolutionSize& size, const float* images, std::size_t count,
              const float* weights, const float* bias, float* results);

/// gradient[c][i][j][o] = sum over the images and over y, x of slopes[o][y][x] image[c][y + i -
/// before][x + j - before]: the gradient by the weights, given that by the results.
void convolution_weight_gradient(const ConvolutionSize& size, const float* images,
                                 const float* slopes, std::size_t count, float* gradient);

}  // namespace mehler

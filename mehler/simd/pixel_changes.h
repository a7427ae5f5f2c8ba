#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// A picture, [rows][columns][channels], with black around it: a pixel before each side and two
/// behind it.
struct BorderedPicture {
  const float* pixels = nullptr;  ///< [rows + 3][columns + 3][channels]
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t channels = 1;
};

/// image[r][c] = the picture at row r + down[r][c] and column c + across[r][c], between pixels
/// interpolated; places further outside than the black pixels next to the picture are as black as
/// those. Steps are finite. The same bits on every instruction set.
void warp_picture(const BorderedPicture& from, const float* down, const float* across,
                  float* image);

/// x becomes min(1, factor x^exponent) where x > 0, and 0 elsewhere. For x in (0, 1], exponents in
/// [1/64, 64]: the power's relative error is below 1e-6 (1 + exponent |ln x|), powers below 1e-36
/// are anything below that. The same bits on every instruction set.
void raise_pixels(float exponent, float factor, std::span<float> pixels);

}  // namespace mehler

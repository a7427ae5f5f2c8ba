#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/image_shape.h"

namespace mehler {

/// The most bytes that a PNG of an image that is read can have: many times what 64 x 64 pixels
/// need.
inline constexpr std::size_t kMostPngBytes = std::size_t{1} << 20;

/// Whether bytes begin as a PNG does.
bool begins_as_png(std::string_view bytes);

/// The shape of the image that a PNG holds: 1 channel for grey, 3 for colour and for a palette.
///
/// Read are 8 bits a channel, grey of fewer bits (which is spread exactly to 0 to 255) and palettes
/// (whose colours are taken). Throws Error(kInvalidTable) with a message that begins with `what`
/// for another file, for 16 bits, for transparency, and for sides beyond kLongestImageSide: before
/// anything is allocated for them.
ImageShape png_shape(std::string_view bytes, const std::string& what);

/// The pixels of a PNG, in `shape`. Grey is also read where colour is wanted; colour where grey is
/// wanted, another size, and damaged bytes throw Error(kInvalidTable).
std::vector<std::uint8_t> decode_png(std::string_view bytes, const ImageShape& shape,
                                     const std::string& what);

/// "28 x 28 pixels in grey".
std::string shape_words(const ImageShape& shape);

/// A PNG of an image of any size, 8 bits a channel, grey or in colour. Throws std::bad_alloc.
std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels);

}  // namespace mehler

#include "mehler/table/readers/png_image.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <new>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kHeaderBytes = 33;  // signature, and the chunk that comes first

[[noreturn]] void refuse_png(const std::string& what, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidTable, what + " " + complaint);
}

[[noreturn]] void refuse_damaged_png(const std::string& what) {
  refuse_png(
      what,
      "is a damaged or incomplete PNG image, or has more bytes than one; copy or write it again");
}

std::uint32_t big_endian(std::string_view bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<std::uint8_t>(bytes[place + i]);
  }
  return value;
}

/// What libpng reads from or writes to, and where errors jump to. Nothing between the jump and its
/// target has a destructor.
struct PngBytes {
  std::string_view left;
  std::string written;
  bool is_out_of_memory = false;
  bool has_bad_data = false;  ///< that libpng only warns of
};

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto& bytes = *static_cast<PngBytes*>(png_get_io_ptr(png));
  if (count > bytes.left.size()) {
    png_error(png, "end");
  }
  std::memcpy(out, bytes.left.data(), count);
  bytes.left.remove_prefix(count);
}

void write_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto& bytes = *static_cast<PngBytes*>(png_get_io_ptr(png));
  try {
    bytes.written.append(reinterpret_cast<const char*>(data), count);
  } catch (const std::bad_alloc&) {
    bytes.is_out_of_memory = true;
  }
  if (bytes.is_out_of_memory) {
    png_error(png, "memory");
  }
}

void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

/// Of what libpng warns of, chunks beside the pixels may be wrong; the pixels' own ("IDAT: Too much
/// image data") may not, although the image could be read.
void on_read_warning(png_structp png, png_const_charp message) {
  if (std::strstr(message, "IDAT") != nullptr) {
    static_cast<PngBytes*>(png_get_error_ptr(png))->has_bad_data = true;
  }
}

/// Turns palette indices, which are the last third of the room, into colours; false if one is
/// beyond the palette.
bool look_up_colours(png_const_colorp palette, int colours, const ImageShape& shape,
                     std::uint8_t* pixels) {
  const std::size_t count = shape.rows * shape.columns;
  for (std::size_t i = 0; i < count; ++i) {  // colours never overtake the indices
    const int index = pixels[2 * count + i];
    if (index >= colours) {
      return false;
    }
    pixels[3 * i] = palette[index].red;
    pixels[3 * i + 1] = palette[index].green;
    pixels[3 * i + 2] = palette[index].blue;
  }
  return true;
}

/// Decodes into `pixels`, which has room for the shape; false if the file is damaged, has more data
/// or bytes than its pixels, or has transparency.
bool read_png(PngBytes& bytes, const ImageShape& shape, bool& has_transparency,
              std::uint8_t* pixels) {
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &bytes, on_error, on_read_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_set_read_fn(png, &bytes, read_bytes);
  png_set_user_limits(png, kLongestImageSide, kLongestImageSide);
  png_set_chunk_malloc_max(png, kMostPngBytes);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);
  has_transparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  // libpng makes an index beyond the palette black without a word, so palettes are looked up here.
  const bool has_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  if (has_palette) {
    png_set_packing(png);  // an index a byte
  } else {
    png_set_expand(png);  // few bits to 8
    if (shape.channels == 3) {
      png_set_gray_to_rgb(png);
    }
  }
  const std::size_t row_bytes = shape.columns * (has_palette ? 1 : shape.channels);
  std::uint8_t* const room = has_palette ? pixels + 2 * shape.rows * shape.columns : pixels;
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (!has_transparency && png_get_rowbytes(png, info) != row_bytes) {
    png_error(png, "size");
  }
  for (int pass = 0; pass < passes && !has_transparency; ++pass) {
    for (std::size_t row = 0; row < shape.rows; ++row) {
      png_read_row(png, room + row * row_bytes, nullptr);
    }
  }
  if (!has_transparency) {
    png_read_end(png, nullptr);
  }
  if (has_palette && !has_transparency) {
    png_colorp palette = nullptr;
    int colours = 0;
    png_get_PLTE(png, info, &palette, &colours);
    bytes.has_bad_data |= !look_up_colours(palette, colours, shape, pixels);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  // Bytes behind the end are no part of the image, as those of IDX files and arrays are refused.
  return !has_transparency && !bytes.has_bad_data && bytes.left.empty();
}

bool write_png(PngBytes& bytes, const ImageShape& shape, const std::uint8_t* pixels) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &bytes, write_bytes, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(shape.columns),
               static_cast<png_uint_32>(shape.rows), 8,
               shape.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    png_write_row(png, pixels + row * shape.columns * shape.channels);
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

bool begins_as_png(std::string_view bytes) { return bytes.starts_with(kSignature); }

std::string shape_words(const ImageShape& shape) {
  return fmt::format("{} x {} pixels in {}", shape.rows, shape.columns,
                     shape.channels == 1 ? "grey" : "colour");
}

ImageShape png_shape(std::string_view bytes, const std::string& what) {
  if (!begins_as_png(bytes)) {
    refuse_png(what, "is no PNG image; convert it to PNG, or take it out");
  }
  if (bytes.size() < kHeaderBytes || bytes.substr(12, 4) != "IHDR") {
    refuse_damaged_png(what);
  }
  const std::uint32_t columns = big_endian(bytes, 16);
  const std::uint32_t rows = big_endian(bytes, 20);
  const int bits = static_cast<std::uint8_t>(bytes[24]);
  const int colour_type = static_cast<std::uint8_t>(bytes[25]);
  if (columns == 0 || rows == 0) {
    refuse_damaged_png(what);
  }
  if (rows > kLongestImageSide || columns > kLongestImageSide) {
    refuse_png(what,
               fmt::format("is an image with a side of more than {0} pixels; each side may have at "
                           "most {0}: scale the images down",
                           kLongestImageSide));
  }
  if (bits == 16) {
    refuse_png(
        what,
        "is an image of 16 bits a channel; images have 8: convert them, so that it is you who "
        "decides what is lost");
  }
  if ((colour_type & PNG_COLOR_MASK_ALPHA) != 0) {
    refuse_png(
        what,
        "is an image with transparency; images are grey or red, green and blue: put them on a "
        "background");
  }
  return {rows, columns, (colour_type & PNG_COLOR_MASK_COLOR) != 0 ? 3U : 1U};
}

std::vector<std::uint8_t> decode_png(std::string_view bytes, const ImageShape& shape,
                                     const std::string& what) {
  const ImageShape found = png_shape(bytes, what);
  const bool is_of_other_size = found.rows != shape.rows || found.columns != shape.columns;
  if (is_of_other_size || found.channels > shape.channels) {
    refuse_png(what,
               fmt::format("is an image {}, where one of {} is expected; all images have one "
                           "shape: convert it, or correct the schema",
                           is_of_other_size ? "of another size" : "in colour", shape_words(shape)));
  }
  std::vector<std::uint8_t> pixels(shape.size());
  PngBytes source;
  source.left = bytes;
  bool has_transparency = false;
  if (!read_png(source, shape, has_transparency, pixels.data())) {
    if (has_transparency) {
      refuse_png(
          what,
          "is an image with a transparent colour; images are grey or red, green and blue: put "
          "them on a background");
    }
    refuse_damaged_png(what);
  }
  return pixels;
}

std::string encode_png(const ImageShape& shape, std::span<const std::uint8_t> pixels) {
  MEHLER_ASSERT(pixels.size() == shape.size() && shape.size() > 0);
  PngBytes bytes;
  if (!write_png(bytes, shape, pixels.data())) {
    throw std::bad_alloc();  // nothing else can fail
  }
  return std::move(bytes.written);
}

}  // namespace mehler

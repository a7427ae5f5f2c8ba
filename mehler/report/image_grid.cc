#include "mehler/report/image_grid.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::size_t kGap = 2;  // pixels between images
constexpr std::size_t kGlyphColumns = 3;
constexpr std::size_t kGlyphRows = 5;
constexpr std::size_t kMostLetters = 10;
constexpr std::uint8_t kPaper = 255;
constexpr std::uint8_t kInk = 0;

/// A letter: rows from the top, the left square is the highest of three bits.
struct Glyph {
  char letter;
  std::array<std::uint8_t, kGlyphRows> rows;
};

constexpr std::array kGlyphs = {
    Glyph{'0', {7, 5, 5, 5, 7}}, Glyph{'1', {2, 6, 2, 2, 7}}, Glyph{'2', {7, 1, 7, 4, 7}},
    Glyph{'3', {7, 1, 7, 1, 7}}, Glyph{'4', {5, 5, 7, 1, 1}}, Glyph{'5', {7, 4, 7, 1, 7}},
    Glyph{'6', {7, 4, 7, 5, 7}}, Glyph{'7', {7, 1, 1, 1, 1}}, Glyph{'8', {7, 5, 7, 5, 7}},
    Glyph{'9', {7, 5, 7, 1, 7}}, Glyph{'A', {2, 5, 7, 5, 5}}, Glyph{'B', {6, 5, 6, 5, 6}},
    Glyph{'C', {3, 4, 4, 4, 3}}, Glyph{'D', {6, 5, 5, 5, 6}}, Glyph{'E', {7, 4, 6, 4, 7}},
    Glyph{'F', {7, 4, 6, 4, 4}}, Glyph{'G', {3, 4, 5, 5, 3}}, Glyph{'H', {5, 5, 7, 5, 5}},
    Glyph{'I', {7, 2, 2, 2, 7}}, Glyph{'J', {1, 1, 1, 5, 2}}, Glyph{'K', {5, 5, 6, 5, 5}},
    Glyph{'L', {4, 4, 4, 4, 7}}, Glyph{'M', {5, 7, 7, 5, 5}}, Glyph{'N', {6, 5, 5, 5, 5}},
    Glyph{'O', {2, 5, 5, 5, 2}}, Glyph{'P', {6, 5, 6, 4, 4}}, Glyph{'Q', {2, 5, 5, 6, 3}},
    Glyph{'R', {6, 5, 6, 5, 5}}, Glyph{'S', {3, 4, 2, 1, 6}}, Glyph{'T', {7, 2, 2, 2, 2}},
    Glyph{'U', {5, 5, 5, 5, 7}}, Glyph{'V', {5, 5, 5, 5, 2}}, Glyph{'W', {5, 5, 7, 7, 5}},
    Glyph{'X', {5, 5, 2, 5, 5}}, Glyph{'Y', {5, 5, 2, 2, 2}}, Glyph{'Z', {7, 1, 2, 4, 7}},
    Glyph{'-', {0, 0, 7, 0, 0}}, Glyph{'.', {0, 0, 0, 0, 2}}, Glyph{'/', {1, 1, 2, 4, 4}},
};

/// The letters that are drawn of a label; the others have no glyph and are spaces.
std::string drawn_letters(const std::string& label) {
  std::string text = label.substr(0, kMostLetters);
  std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  });
  return text;
}

class Picture {
 public:
  explicit Picture(const ImageShape& shape) : values_{shape, {}} {
    values_.pixels.assign(shape.size(), kPaper);
  }

  /// An image of which each pixel becomes a square of so many.
  void put(const ImageValues& images, std::size_t image, std::size_t factor, std::size_t top,
           std::size_t left) {
    const std::size_t channels = images.shape.channels;
    const std::uint8_t* from = images.pixels.data() + image * images.shape.size();
    for (std::size_t row = 0; row < factor * images.shape.rows; ++row) {
      auto to = pixel(top + row, left);
      for (std::size_t column = 0; column < factor * images.shape.columns; ++column) {
        const std::size_t place = row / factor * images.shape.columns + column / factor;
        to = std::copy_n(from + place * channels, channels, to);
      }
    }
  }

  void put(const std::string& text, std::size_t square, std::size_t top, std::size_t left) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto* glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                       [&](const Glyph& one) { return one.letter == text[i]; });
      const std::size_t start = left + i * (kGlyphColumns + 1) * square;
      for (std::size_t cell = 0; glyph != kGlyphs.end() && cell < kGlyphRows * kGlyphColumns;
           ++cell) {
        const std::size_t row = cell / kGlyphColumns;
        const std::size_t column = cell % kGlyphColumns;
        if (((glyph->rows[row] >> (kGlyphColumns - 1 - column)) & 1) != 0) {
          fill(top + row * square, start + column * square, square);
        }
      }
    }
  }

  ImageValues take() { return std::move(values_); }

 private:
  std::vector<std::uint8_t>::iterator pixel(std::size_t row, std::size_t column) {
    return values_.pixels.begin() +
           static_cast<std::ptrdiff_t>((row * values_.shape.columns + column) *
                                       values_.shape.channels);
  }

  void fill(std::size_t top, std::size_t left, std::size_t square) {
    for (std::size_t row = top; row < top + square; ++row) {
      std::fill_n(pixel(row, left), square * values_.shape.channels, kInk);
    }
  }

  ImageValues values_;
};

}  // namespace

ImageValues image_grid(const std::vector<ImageGridRow>& rows) {
  MEHLER_ASSERT(!rows.empty());
  const ImageShape shape = rows.front().images.shape;
  std::size_t most_images = 0;
  std::size_t letters = 0;
  for (const ImageGridRow& row : rows) {
    MEHLER_ASSERT(row.images.shape == shape);
    most_images = std::max(most_images, row.images.size());
    letters = std::max(letters, drawn_letters(row.label).size());
  }
  MEHLER_ASSERT(most_images > 0);
  const std::size_t factor =
      std::max<std::size_t>(1, kGridSide / std::max(shape.rows, shape.columns));
  const std::size_t height = factor * shape.rows;
  const std::size_t width = factor * shape.columns;
  // Letters of about half the height of an image, and rows with room for them.
  const std::size_t square = std::max<std::size_t>(1, height / (2 * kGlyphRows));
  const std::size_t line = std::max(height, kGlyphRows * square) + kGap;
  const std::size_t margin =
      kGap + (letters == 0 ? 0 : letters * (kGlyphColumns + 1) * square + kGap);
  Picture picture(
      {kGap + rows.size() * line, margin + most_images * (width + kGap), shape.channels});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t top = kGap + i * line;
    picture.put(drawn_letters(rows[i].label), square, top + (line - kGap - kGlyphRows * square) / 2,
                kGap);
    for (std::size_t image = 0; image < rows[i].images.size(); ++image) {
      picture.put(rows[i].images, image, factor, top, margin + image * (width + kGap));
    }
  }
  return picture.take();
}

}  // namespace mehler

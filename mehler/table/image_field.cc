#include "mehler/table/image_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "mehler/table/column_view.h"

namespace mehler {
namespace {

void add_text(std::string_view text, std::string& out) {
  const auto length = static_cast<std::int32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&length), sizeof(length));
  out += text;
}

/// Reads a length or a count and moves past it.
std::int32_t take_number(const char*& place) {
  std::int32_t number = 0;
  std::memcpy(&number, place, sizeof(number));
  place += sizeof(number);
  return number;
}

std::string_view take_text(const char*& place) {
  const auto length = static_cast<std::size_t>(take_number(place));
  const std::string_view text(place, length);
  place += length;
  return text;
}

std::optional<ImageShape> shape_of_text(std::string_view text) {
  std::array<std::size_t, 3> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string_view part = text.substr(0, text.find(','));
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), sizes[i]);
    const bool is_last = i + 1 == sizes.size();
    if (error != std::errc() || end != part.data() + part.size() ||
        is_last != (part.size() == text.size()) || sizes[i] > kLongestImageSide) {
      return std::nullopt;
    }
    text.remove_prefix(is_last ? part.size() : part.size() + 1);
  }
  return ImageShape{sizes[0], sizes[1], sizes[2]};
}

/// The value of a key in a field's metadata; nothing if it is not there.
std::optional<std::string_view> metadata_value(const char* metadata, std::string_view wanted) {
  const std::int32_t pairs = metadata == nullptr ? 0 : take_number(metadata);
  for (std::int32_t i = 0; i < pairs; ++i) {
    const std::string_view key = take_text(metadata);
    const std::string_view value = take_text(metadata);
    if (key == wanted) {
      return value;
    }
  }
  return std::nullopt;
}

bool is_binary(std::string_view format) { return format == "z" || format == "Z"; }

}  // namespace

std::string image_shape_text(const ImageShape& shape) {
  return fmt::format("{},{},{}", shape.rows, shape.columns, shape.channels);
}

std::string image_metadata(const ImageShape& shape) {
  const std::int32_t pairs = 1;
  std::string metadata(reinterpret_cast<const char*>(&pairs), sizeof(pairs));
  add_text(kImageShapeKey, metadata);
  add_text(image_shape_text(shape), metadata);
  return metadata;
}

std::optional<ImageShape> image_shape_of(const ArrowSchema& field) {
  const std::size_t bytes = bytes_of_lists(field);
  if (bytes == 0) {
    return std::nullopt;
  }
  const std::optional<ImageShape> declared =
      shape_of_text(metadata_value(field.metadata, kImageShapeKey).value_or(""));
  if (declared && declared->size() == bytes) {
    return declared;
  }
  for (std::size_t side = 1; side <= kLongestImageSide; ++side) {
    for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
      const ImageShape square{side, side, channels};
      if (square.size() == bytes) {
        return square;
      }
    }
  }
  return std::nullopt;
}

std::string_view image_hint(const ArrowSchema& field) {
  const std::string_view format = field.format;
  if (is_binary(format) ||
      (format == "+s" &&
       std::any_of(field.children, field.children + field.n_children, [](const ArrowSchema* child) {
         return child->name != nullptr && std::string_view(child->name) == "bytes" &&
                is_binary(child->format);
       }))) {
    return "of binary values, PNG files are read as images, and none gave a shape; if they are "
           "images, convert them to PNG, or make its kind image and give its shape";
  }
  const bool is_list = format == "+l" || format == "+L" || format.starts_with("+w:");
  if (!is_list || field.n_children != 1) {
    return "";
  }
  return std::string_view(field.children[0]->format) == "C"
             ? "lists of uint8 are read as images, and nothing says their shape; if they are "
               "images, make its kind image and give its shape: rows, columns, channels"
             : "of lists, those of uint8 are read as images (one an image, or fixed-size lists in "
               "one another); if they are images, convert them";
}

bool image_shape_is_guessed(const ArrowSchema& field) {
  return metadata_value(field.metadata, kImageShapeGuessedKey).has_value();
}

}  // namespace mehler

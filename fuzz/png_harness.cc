// PNG images: as a table of encoded images has them.

#include "fuzz/harness.h"
#include "fuzz/read_table.h"
#include "mehler/table/readers/png_image.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    try {
      mehler::ImageShape shape = mehler::png_shape(bytes, "the image");
      shape.channels = channels;
      if (mehler::decode_png(bytes, shape, "the image").size() != shape.size()) {
        std::abort();
      }
    } catch (const mehler::Error& error) {
      mehler::abort_if_ours(error);
    }
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const mehler::ImageShape shape :
       {mehler::ImageShape{1, 1, 1}, mehler::ImageShape{28, 28, 1}, mehler::ImageShape{9, 16, 3}}) {
    std::vector<std::uint8_t> pixels(shape.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<std::uint8_t>(i * 31);
    }
    result.push_back(mehler::encode_png(shape, pixels));
  }
  return result;
}

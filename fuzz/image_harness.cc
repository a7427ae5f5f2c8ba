// Sets of images, IDX and NumPy files, through the readers and the encoder.

#include "fuzz/harness.h"
#include "fuzz/read_table.h"
#include "mehler/core/atomic_file.h"
#include "mehler/table/readers/table_writer.h"

namespace {

constexpr std::size_t kImages = 3;

mehler::Table some_images(std::size_t channels) {
  const mehler::ImageShape shape{4, 5, channels};
  mehler::Table table;
  table.columns.push_back(
      {"image",
       mehler::ColumnKind::kImage,
       mehler::ImageValues{shape, std::vector<std::uint8_t>(kImages * shape.size(), 7)},
       {}});
  table.columns.push_back(
      {"label", mehler::ColumnKind::kInteger, std::vector<std::int64_t>{0, 1, 2}, {}});
  return table;
}

/// As the file of that ending has it.
std::string bytes_of(const mehler::Table& table, std::string_view ending) {
  const mehler::TemporaryFile file(ending);
  mehler::TableWriter writer(file.path());
  writer.write(table);
  writer.finish();
  return mehler::read_whole_file(file.path(), "the seed", std::size_t{1} << 20);
}

mehler::Schema image_schema() {
  return mehler::Schema::from_json(
      R"({"mehler_schema": 1, "others": "ignored", "columns": [
          {"name": "image", "kind": "image", "shape": [4, 5, 1]}]})");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mehler::Schema schema = image_schema();
  for (const char* ending : {".idx", ".npy", ".npz"}) {
    const mehler::TemporaryFile file(ending);
    file.write({reinterpret_cast<const char*>(data), size});
    mehler::read_table(file.path(), {}, &schema);
    mehler::read_table(file.path(), {}, nullptr);
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const std::size_t channels : {std::size_t{1}, std::size_t{3}}) {
    for (const char* ending : {".idx", "-ubyte.gz", ".npy", ".npz"}) {
      result.push_back(bytes_of(some_images(channels), ending));
    }
  }
  return result;
}

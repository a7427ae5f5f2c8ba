// Writing .npz files.

#include <fmt/format.h>
#include <zlib.h>

#include <string_view>

#include "mehler/core/atomic_file.h"
#include "mehler/table/readers/array_columns.h"
#include "mehler/table/readers/array_file.h"
#include "mehler/table/readers/image_sinks.h"

namespace mehler {
namespace {

/// An archive of arrays that are stored as they are: the images as they come, the others when all
/// are there.
class NpzSink : public TableSink {
 public:
  NpzSink(const std::filesystem::path& path, const Schema* schema) : path_(path), file_(path) {
    if (schema != nullptr) {
      require_arrays(path, *schema);
    }
  }

  void write(const Table& rows) override {
    const ImageTable table = image_table(path_, rows);
    if (others_.empty() && image_.name.empty()) {
      image_.name = table.name + ".npy";
      shape_ = table.images->shape;
      others_.resize(table.others.size());
      for (std::size_t i = 0; i < others_.size(); ++i) {
        others_[i].first = table.others[i]->name + ".npy";
      }
      file_.write(local_header(image_) + array_header());
    }
    const std::string_view pixels(reinterpret_cast<const char*>(table.images->pixels.data()),
                                  table.images->pixels.size());
    file_.write(pixels);
    image_.crc = checksum(image_.crc, pixels);
    image_.bytes += pixels.size();
    images_ += table.images->size();
    for (std::size_t i = 0; i < others_.size(); ++i) {
      others_[i].second.add(*table.others[i]);
    }
  }

  void finish() override {
    // The checksum of the header, which is known now, and of the pixels behind it.
    const std::string header = array_header();
    image_.crc = static_cast<std::uint32_t>(
        crc32_combine(checksum(0, header), image_.crc, static_cast<z_off_t>(image_.bytes)));
    image_.bytes += header.size();
    require_small(image_.bytes);
    file_.write_over(0, local_header(image_) + header);
    std::uint64_t place = local_header(image_).size() + image_.bytes;
    std::string directory = directory_entry(image_, 0);
    for (const auto& [name, array] : others_) {
      const std::string file = array.file(images_);
      const Entry entry{name, checksum(0, file), file.size()};
      directory += directory_entry(entry, place);
      file_.write(local_header(entry) + file);
      place += local_header(entry).size() + file.size();
      require_small(place);
    }
    std::string end = "PK\x05\x06";
    end.append(4, '\0');
    append_number(static_cast<std::uint16_t>(others_.size() + 1), end);
    append_number(static_cast<std::uint16_t>(others_.size() + 1), end);
    append_number(static_cast<std::uint32_t>(directory.size()), end);
    append_number(static_cast<std::uint32_t>(place), end);
    end.append(2, '\0');
    file_.write(directory + end);
    file_.commit();
  }

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t bytes = 0;
  };

  void require_small(std::uint64_t bytes) const {
    if (bytes > UINT32_MAX) {
      refuse_output(path_,
                    "would be an .npz file of more than 4 GiB; write fewer records, or .parquet");
    }
  }

  static std::uint32_t checksum(std::uint32_t so_far, std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  }

  std::string array_header() const { return npy_header("|u1", array_shape(shape_, images_)); }

  /// What a file's own header and its entry in the directory have in common.
  static std::string facts(const Entry& entry) {
    std::string text;
    append_number(std::uint16_t{20}, text);    // the version that reads it
    text.append(2, '\0');                      // no flags
    text.append(2, '\0');                      // stored as it is
    append_number(std::uint16_t{0}, text);     // time
    append_number(std::uint16_t{0x21}, text);  // date: the first that there is
    append_number(entry.crc, text);
    append_number(static_cast<std::uint32_t>(entry.bytes), text);
    append_number(static_cast<std::uint32_t>(entry.bytes), text);
    append_number(static_cast<std::uint16_t>(entry.name.size()), text);
    text.append(2, '\0');
    return text;
  }

  static std::string local_header(const Entry& entry) {
    return "PK\x03\x04" + facts(entry) + entry.name;
  }

  static std::string directory_entry(const Entry& entry, std::uint64_t place) {
    std::string text = "PK\x01\x02";
    append_number(std::uint16_t{20}, text);
    text += facts(entry);
    text.append(10, '\0');
    append_number(static_cast<std::uint32_t>(place), text);
    return text + entry.name;
  }

  std::filesystem::path path_;
  AtomicFile file_;
  ImageShape shape_;
  Entry image_;
  std::uint64_t images_ = 0;
  std::vector<std::pair<std::string, GrowingArray>> others_;
};

}  // namespace

std::unique_ptr<TableSink> make_npz_sink(const std::filesystem::path& path, const Schema* schema) {
  return std::make_unique<NpzSink>(path, schema);
}

}  // namespace mehler

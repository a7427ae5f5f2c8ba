#include "mehler/generator/generator.h"

#include "mehler/core/atomic_file.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{4} << 30;

}  // namespace

void Generator::save(const std::filesystem::path& path) const {
  AtomicFile file(path);
  write(file);
}

void Generator::write(AtomicFile& file) const {
  file.write(to_bytes());
  file.commit();
}

std::unique_ptr<Generator> Generator::from_file(const std::filesystem::path& path) {
  return from_bytes(read_whole_file(path, "the model", kMaxModelBytes), path.string());
}

}  // namespace mehler

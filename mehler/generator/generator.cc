#include "mehler/generator/generator.h"

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{4} << 30;

}  // namespace

void SampleOptions::validate() const {
  if (rows < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                "the number of rows to sample must be at least 1, but is 0");
  }
}

void Generator::write(AtomicFile& file) const {
  file.write(to_bytes());
  file.commit();
}

std::unique_ptr<Generator> Generator::from_file(const std::filesystem::path& path) {
  return from_bytes(read_whole_file(path, "the model", kMaxModelBytes), path.string());
}

}  // namespace mehler

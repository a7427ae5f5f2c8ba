#include "mehler/generator/generator.h"

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/generator/made_identifiers.h"

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

void Generator::sample(const SampleOptions& options, const Context& context,
                       const std::function<void(const Table&)>& sink) const {
  MadeIdentifiers identifiers(release().schema(), options.rows, options.seed);
  draw(options, context, [&](const Table& table, const EncodedBatch&) {
    sink(identifiers.any() ? identifiers.with(table) : table);
  });
}

std::vector<std::string> Generator::condition_columns() const {
  std::vector<std::string> names = release().schema().column_names();
  for (const Column& modelled : release().encoder().columns()) {
    names.push_back(modelled.name);
  }
  return names;
}

Table Generator::sample(std::uint64_t rows, std::uint64_t seed, const Context& context) const {
  SampleOptions options;
  options.rows = rows;
  options.seed = seed;
  Table result;
  sample(options, context, [&](const Table& drawn) { result.append(drawn); });
  return result;
}

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

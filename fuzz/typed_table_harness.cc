// Parquet and Arrow, files and streams, through the readers and the encoder. Their first bytes tell
// which.

#include "fuzz/harness.h"
#include "fuzz/read_table.h"
#include "mehler/core/atomic_file.h"
#include "mehler/demo/people.h"
#include "mehler/table/readers/table_writer.h"
#include "mehler/table/table_stream.h"

namespace {

/// The people with every type of column that tables of ours can have.
mehler::Schema typed_schema() {
  std::vector<mehler::Column> columns = mehler::people_schema().columns();
  for (mehler::Column& column : columns) {
    if (column.kind == mehler::ColumnKind::kInteger) {
      column.type = mehler::StoredType::kInt16;
    } else if (column.name == "pressure") {
      column.type = mehler::StoredType::kFloat32;
    } else if (column.categories) {
      column.type = mehler::StoredType::kDictionary;
    }
  }
  return mehler::Schema(std::move(columns));
}

/// As the file of that ending has it.
std::string bytes_of(const mehler::Table& table, std::string_view ending) {
  const mehler::TemporaryFile file(ending);
  mehler::TableWriter writer(file.path());
  writer.write(table);
  writer.write(table);
  writer.finish();
  return mehler::read_whole_file(file.path(), "the seed", std::size_t{1} << 24);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mehler::Schema schema = typed_schema();
  static const mehler::TemporaryFile file(".table");
  file.write({reinterpret_cast<const char*>(data), size});
  mehler::read_table(file.path(), {}, &schema);
  mehler::read_table(file.path(), {}, nullptr);
  return 0;
}

std::vector<std::string> seeds() {
  const mehler::Table plain = mehler::simulate_people(20, 1);
  const mehler::Encoder encoder(typed_schema());
  ArrowArrayStream exported = mehler::arrow_stream_of({plain});
  mehler::RecordStream stream(&exported);
  mehler::RecordBatch batch;
  stream.next(batch);
  mehler::EncodedBatch encoded;
  encoder.encode(encoder.bind(stream.schema()), stream.schema(), batch.value(), encoded);
  const mehler::Table typed = encoder.decode(encoded);
  std::vector<std::string> result;
  for (const mehler::Table& table : {plain, typed}) {
    result.push_back(bytes_of(table, ".parquet"));
    const std::string file = bytes_of(table, ".arrow");
    result.push_back(file);
    result.push_back(file.substr(8));  // behind its magic bytes a file is a stream
  }
  return result;
}

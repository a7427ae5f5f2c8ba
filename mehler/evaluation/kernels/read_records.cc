#include "mehler/evaluation/kernels/read_records.h"

#include "mehler/core/error.h"
#include "mehler/encoding/for_each_batch.h"
#include "mehler/table/table_stream.h"

namespace mehler {

EncodedBatch read_records(const Encoder& encoder, const std::vector<RecordStreamFactory>& parts,
                          const Context& context) {
  EncodedBatch all;
  all.columns.resize(encoder.columns().size());
  EncodedBatch encoded;
  for_each_batch(
      parts, encoder, context,
      [&](const EncoderBinding& binding, const ArrowSchema& schema, const ArrowArray& batch) {
        encoder.encode(binding, schema, batch, encoded);
        all.rows += encoded.rows;
        for (std::size_t i = 0; i < all.columns.size(); ++i) {
          EncodedColumn& to = all.columns[i];
          const EncodedColumn& from = encoded.columns[i];
          to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
          to.codes.insert(to.codes.end(), from.codes.begin(), from.codes.end());
          to.pixels.insert(to.pixels.end(), from.pixels.begin(), from.pixels.end());
        }
      });
  if (all.rows == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
  return all;
}

EncodedBatch read_records(const Encoder& encoder, const Table& table) {
  return read_records(encoder, {[&table] {
                        ArrowArrayStream stream = arrow_stream_of({table});
                        return RecordStream(&stream);
                      }},
                      Context{});
}

}  // namespace mehler

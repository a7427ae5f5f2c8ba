#include "mehler/record_networks/record_kind.h"

namespace mehler {

RecordKind record_kind(const Schema& schema) {
  if (schema.image() != nullptr) {
    return RecordKind::kImage;
  }
  std::size_t numbers = 0;
  for (const Column& column : schema.columns()) {
    if (&column == schema.label() || !column.is_used()) {
      continue;
    }
    if (column.kind != ColumnKind::kNumeric || column.is_computed()) {
      return RecordKind::kTable;
    }
    ++numbers;
  }
  return numbers == 2 ? RecordKind::kPoint : RecordKind::kTable;
}

}  // namespace mehler

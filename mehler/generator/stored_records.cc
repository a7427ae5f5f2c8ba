#include "mehler/generator/stored_records.h"

namespace mehler {

Table stored_records(Table table, const Schema& types) {
  for (TableColumn& column : table.columns) {
    if (column.kind == ColumnKind::kIdentifier) {
      continue;
    }
    const Column& declared = *types.find(column.name);
    const bool is_listed = declared.is_category() && declared.kind != ColumnKind::kBoolean;
    const bool is_untyped = declared.type == StoredType::kUsual;
    column.type = is_listed && is_untyped ? StoredType::kDictionary : declared.type;
    column.decimal_digits = declared.decimal_digits;
    column.timezone = declared.timezone;
    if (column.type == StoredType::kDictionary) {
      column.labels = declared.labels();
    }
  }
  return table;
}

}  // namespace mehler

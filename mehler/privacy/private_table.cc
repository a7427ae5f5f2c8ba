#include "mehler/privacy/private_table.h"

#include <memory>

namespace mehler {

PrivateTable::PrivateTable(std::vector<RecordStreamFactory> parts, Schema schema, Parts kind)
    : parts_(std::move(parts)), schema_(std::move(schema)), kind_(kind) {
  schema_.require_declared_or_bought();
}

PrivateTable::PrivateTable(ArrowArrayStream* stream, Schema schema)
    : PrivateTable(std::vector<RecordStreamFactory>(), std::move(schema)) {
  auto held = std::make_shared<RecordStream>(stream);
  parts_.emplace_back([held] { return std::move(*held); });
}

}  // namespace mehler

#include "mehler/table/table_stream.h"

#include <cerrno>
#include <memory>

#include "mehler/core/error.h"

namespace mehler {
namespace {

struct Storage {
  std::vector<Table> batches;
  std::size_t next = 0;
};

Storage& storage_of(ArrowArrayStream* stream) {
  return *static_cast<Storage*>(stream->private_data);
}

/// Exports throw only when memory runs out; the interface knows error numbers.
template <typename Export>
int guarded(const Export& call) {
  try {
    call();
    return 0;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

}  // namespace

ArrowArrayStream arrow_stream_of(std::vector<Table> batches) {
  if (batches.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "a stream of tables needs at least one table, for its columns");
  }
  ArrowArrayStream stream{};
  stream.private_data = std::make_unique<Storage>(Storage{std::move(batches)}).release();
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return guarded([&] {
      ArrowArray unused{};
      storage_of(self).batches.front().export_to_arrow(out, &unused);
      unused.release(&unused);
    });
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return guarded([&] {
      Storage& storage = storage_of(self);
      *out = ArrowArray{};
      if (storage.next < storage.batches.size()) {
        ArrowSchema unused{};
        storage.batches[storage.next++].export_to_arrow(&unused, out);
        unused.release(&unused);
      }
    });
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "not enough memory"; };
  stream.release = [](ArrowArrayStream* self) {
    delete &storage_of(self);
    self->release = nullptr;
  };
  return stream;
}

}  // namespace mehler

#include "arrow.h"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <utility>

#include "errors.h"
#include "mehler/core/error.h"
#include "shared_arrow.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

constexpr const char* kStreamName = "arrow_array_stream";
constexpr const char* kSchemaName = "arrow_schema";

/// The stream, moved out of its capsule.
ArrowArrayStream take_stream(nb::handle capsule) {
  auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStreamName));
  if (held == nullptr) {
    PyErr_Clear();
    throw Error(ErrorCode::kInvalidTable,
                "__arrow_c_stream__ of the table did not return a capsule with an Arrow stream; "
                "use a newer version of the library that the table comes from");
  }
  if (held->release == nullptr) {
    throw Error(ErrorCode::kInvalidTable,
                "the Arrow stream of the table was read already; make a new one");
  }
  return std::exchange(*held, ArrowArrayStream{});
}

ArrowArrayStream open_stream(const nb::object& open) {
  try {
    return take_stream(open());
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) {
      throw;  // Ctrl-C
    }
    if (is_own(error)) {
      throw Error(ErrorCode::kInvalidTable, nb::str(error.value()).c_str());
    }
    throw Error(ErrorCode::kInvalidTable,
                "the table could not be handed over as Arrow columns; the message of its library "
                "is withheld because it could quote a record");
  }
}

template <typename Struct>
nb::object capsule_with(Struct content, const char* name) {
  return nb::capsule(new Struct(content), name, [](void* pointer) noexcept {
    auto* held = static_cast<Struct*>(pointer);
    if (held->release != nullptr) {
      held->release(held);
    }
    delete held;
  });
}

/// A stream that can be read once is in error where it ends without a record: it cannot be told
/// from one that was read already. A table without records is read like any other; whether it may
/// be released is for the engine to say. What a producer says of errors is withheld, as it could
/// quote a record.
struct WithRecords {
  ArrowArrayStream records{};
  bool may_be_empty = false;
  bool any = false;
  bool was_empty = false;
};

WithRecords& with_records_of(ArrowArrayStream* stream) {
  return *static_cast<WithRecords*>(stream->private_data);
}

ArrowArrayStream with_records(ArrowArrayStream records, bool may_be_empty) {
  ArrowArrayStream stream{};
  stream.private_data = new WithRecords{records, may_be_empty};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    ArrowArrayStream& of = with_records_of(self).records;
    return of.get_schema(&of, out);
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    WithRecords& held = with_records_of(self);
    const int code = held.records.get_next(&held.records, out);
    if (code == 0) {
      held.any = held.any || (out->release != nullptr && out->length > 0);
      held.was_empty = out->release == nullptr && !held.any && !held.may_be_empty;
    }
    return held.was_empty ? EINVAL : code;
  };
  stream.get_last_error = [](ArrowArrayStream* self) {
    return with_records_of(self).was_empty
               ? "the stream or reader has no records, or was read already: make a new one; a "
                 "table, "
                 "which can be read again, may have none"
               : "the library that the table comes from reported an error while it was read; its "
                 "message is withheld because it could quote a record";
  };
  stream.release = [](ArrowArrayStream* self) {
    WithRecords& held = with_records_of(self);
    held.records.release(&held.records);
    delete &held;
    self->release = nullptr;
  };
  return stream;
}

/// What a stream over batches in memory holds.
struct Reader {
  std::shared_ptr<ArrowSchemaOwner> schema;
  std::vector<std::shared_ptr<RecordBatch>> batches;
  std::size_t next = 0;
};

Reader& reader_of(ArrowArrayStream* stream) { return *static_cast<Reader*>(stream->private_data); }

int guarded(const auto& call) {
  try {
    call();
    return 0;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

}  // namespace

namespace {

/// Opens the source on any thread.
std::function<ArrowArrayStream()> stream_factory(const TableSource& source) {
  // The engine may copy and drop it on any thread.
  const std::shared_ptr<nb::object> open(new nb::object(source.open), [](nb::object* held) {
    const nb::gil_scoped_acquire gil;
    delete held;
  });
  return [open] {
    const nb::gil_scoped_acquire gil;
    return open_stream(*open);
  };
}

}  // namespace

RecordStreamFactory factory_of(const TableSource& source) {
  return [open = stream_factory(source)] {
    ArrowArrayStream stream = open();
    return RecordStream(&stream);
  };
}

RecordStream open_source(const TableSource& source) {
  ArrowArrayStream stream = open_stream(source.open);
  return RecordStream(&stream);
}

PrivateTable private_table(const TableSource& source, const Schema& schema) {
  return {{[open = stream_factory(source), again = source.can_be_read_again] {
            ArrowArrayStream stream = with_records(open(), again);
            return RecordStream(&stream, RecordStream::Messages::kTrusted);
          }},
          schema,
          source.can_be_read_again ? PrivateTable::Parts::kForManyPasses
                                   : PrivateTable::Parts::kForOnePass};
}

nb::object capsule_of(ArrowArrayStream stream) { return capsule_with(stream, kStreamName); }

Batches::Batches(std::shared_ptr<ArrowSchemaOwner> schema,
                 std::vector<std::shared_ptr<RecordBatch>> batches)
    : schema_(std::move(schema)), batches_(std::move(batches)) {
  for (const auto& batch : batches_) {
    rows_ += batch->rows();
  }
}

Batches Batches::of(ArrowArrayStream stream, const std::function<void()>& after_each) {
  auto schema = std::make_shared<ArrowSchemaOwner>();
  if (stream.get_schema(&stream, schema->get()) != 0) {
    const std::string message = stream.get_last_error(&stream);
    stream.release(&stream);
    throw Error(ErrorCode::kInvalidArgument, message);
  }
  RecordStream records(&stream, RecordStream::Messages::kTrusted);
  std::vector<std::shared_ptr<RecordBatch>> batches;
  auto batch = std::make_shared<RecordBatch>();
  while (records.next(*batch)) {
    batches.push_back(std::exchange(batch, std::make_shared<RecordBatch>()));
    after_each();
  }
  return {std::move(schema), std::move(batches)};
}

nb::object Batches::schema_capsule() const {
  ArrowSchema schema{};
  share(schema_->value(), schema_, &schema);
  return capsule_with(schema, kSchemaName);
}

ArrowArrayStream Batches::stream() const {
  ArrowArrayStream stream{};
  stream.private_data = new Reader{schema_, batches_};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return guarded([&] {
      const auto& schema = reader_of(self).schema;
      share(schema->value(), schema, out);
    });
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return guarded([&] {
      Reader& reader = reader_of(self);
      *out = ArrowArray{};
      if (reader.next < reader.batches.size()) {
        // Given away: a batch lives as long as somebody reads it.
        const auto batch = std::exchange(reader.batches[reader.next++], nullptr);
        share(batch->value(), batch, out);
      }
    });
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "not enough memory"; };
  stream.release = [](ArrowArrayStream* self) {
    delete &reader_of(self);
    self->release = nullptr;
  };
  return stream;
}

void bind_arrow(nb::module_& module) {
  nb::class_<TableSource>(module, "TableSource", "A table that is handed over to the engine.")
      .def(
          "__init__",
          [](TableSource* self, nb::callable open, bool can_be_read_again) {
            new (self) TableSource{std::move(open), can_be_read_again};
          },
          nb::arg("open"), nb::arg("can_be_read_again"));
  nb::class_<Batches>(module, "Batches", "Record batches in memory.")
      .def("__arrow_c_schema__", &Batches::schema_capsule)
      .def(
          "__arrow_c_stream__",
          [](const Batches& self, const nb::object&) { return self.stream_capsule(); },
          nb::arg("requested_schema") = nb::none())
      .def("__len__", &Batches::rows);
}

}  // namespace mehler::python

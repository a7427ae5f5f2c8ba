#include "sampled_stream.h"

#include <atomic>
#include <cerrno>
#include <string>

#include "interrupt.h"
#include "mehler/core/error.h"

namespace mehler::python {
namespace {

struct Sampled {
  ~Sampled() {
    if (records.release != nullptr) {
      records.release(&records);  // ends the drawing thread, which reads what is below
    }
  }

  std::shared_ptr<const Generator> generator;
  std::atomic<bool> cancelled{false};
  ArrowArrayStream records{};
  bool was_interrupted = false;
};

Sampled& sampled_of(ArrowArrayStream* stream) {
  return *static_cast<Sampled*>(stream->private_data);
}

}  // namespace

ArrowArrayStream sampled_stream(const std::shared_ptr<const Generator>& generator,
                                const SampleOptions& options, std::optional<Schema> types,
                                std::size_t threads) {
  auto sampled = std::make_unique<Sampled>();
  sampled->generator = generator;
  note_main_thread();
  run_watched(
      Watch{.threads = threads},
      [&](const Context& context) {
        ArrowArrayStream& records = sampled->records;
        records = generator->sample_stream(options, context, std::move(types));
        ArrowSchema schema{};  // is known when there are records
        if (records.get_schema(&records, &schema) != 0) {
          throw Error(ErrorCode::kInvalidArgument, records.get_last_error(&records));
        }
        schema.release(&schema);
      },
      &sampled->cancelled);
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    ArrowArrayStream& records = sampled_of(self).records;
    return records.get_schema(&records, out);
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    Sampled& of = sampled_of(self);
    if (of.was_interrupted || signal_wants_to_stop()) {
      of.was_interrupted = true;
      of.cancelled = true;
      return ECANCELED;
    }
    return of.records.get_next(&of.records, out);
  };
  stream.get_last_error = [](ArrowArrayStream* self) -> const char* {
    Sampled& of = sampled_of(self);
    return of.was_interrupted ? "interrupted" : of.records.get_last_error(&of.records);
  };
  stream.release = [](ArrowArrayStream* self) {
    delete &sampled_of(self);
    self->release = nullptr;
  };
  stream.private_data = sampled.release();
  return stream;
}

}  // namespace mehler::python

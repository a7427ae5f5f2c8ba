#include "images.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow.h"
#include "mehler/table/table.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

using Pixels = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

/// What a batch of images owns: the labels, exported, and the caller's array of pixels.
struct ImageBatch {
  Pixels pixels;
  ArrowSchema label_schema{};
  ArrowArray label_array{};
  std::string list_format;
  std::string image_name;
  ArrowSchema byte_schema{};
  ArrowArray byte_array{};
  ArrowSchema list_schema{};
  ArrowArray list_array{};
  ArrowSchema* byte_schemas[1] = {};
  ArrowArray* byte_arrays[1] = {};
  std::vector<ArrowSchema*> schemas;
  std::vector<ArrowArray*> arrays;
  const void* byte_buffers[2] = {};
  const void* no_buffers[1] = {};

  ImageBatch() = default;
  ImageBatch(const ImageBatch&) = delete;
  ImageBatch& operator=(const ImageBatch&) = delete;
  ~ImageBatch() {
    if (label_schema.release != nullptr) {
      label_schema.release(&label_schema);
      label_array.release(&label_array);
    }
  }
};

template <typename Struct>
void keep(Struct* exported, const std::shared_ptr<const ImageBatch>& owner) {
  exported->private_data = new std::shared_ptr<const ImageBatch>(owner);
  exported->release = [](Struct* self) {
    delete static_cast<std::shared_ptr<const ImageBatch>*>(self->private_data);
    self->release = nullptr;
  };
}

void add_images(ImageBatch& batch, std::int64_t rows, const std::string& name) {
  const auto bytes = static_cast<std::int64_t>(batch.pixels.size());
  batch.image_name = name;
  batch.list_format = "+w:" + std::to_string(rows == 0 ? 0 : bytes / rows);
  batch.byte_schema.format = "C";
  batch.byte_schema.name = "item";
  batch.byte_buffers[1] = batch.pixels.data();
  batch.byte_array.length = bytes;
  batch.byte_array.n_buffers = 2;
  batch.byte_array.buffers = batch.byte_buffers;
  batch.byte_schemas[0] = &batch.byte_schema;
  batch.byte_arrays[0] = &batch.byte_array;
  batch.list_schema.format = batch.list_format.c_str();
  batch.list_schema.name = batch.image_name.c_str();
  batch.list_schema.n_children = 1;
  batch.list_schema.children = batch.byte_schemas;
  batch.list_array.length = rows;
  batch.list_array.n_buffers = 1;
  batch.list_array.buffers = batch.no_buffers;
  batch.list_array.n_children = 1;
  batch.list_array.children = batch.byte_arrays;
  batch.schemas.push_back(&batch.list_schema);
  batch.arrays.push_back(&batch.list_array);
}

void add_labels(ImageBatch& batch, std::vector<std::string> labels, const std::string& name) {
  TableColumn column;
  column.name = name;
  column.kind = ColumnKind::kCategorical;
  column.values = std::move(labels);
  Table table;
  table.columns.push_back(std::move(column));
  table.export_to_arrow(&batch.label_schema, &batch.label_array);
  batch.schemas.push_back(batch.label_schema.children[0]);
  batch.arrays.push_back(batch.label_array.children[0]);
}

/// Images [n][...] and, where there are any, their labels, one batch.
Batches image_table(const Pixels& pixels, const std::string& image_name,
                    std::optional<std::vector<std::string>> labels, const std::string& label_name) {
  const auto rows = static_cast<std::int64_t>(pixels.shape(0));
  const auto held = std::make_shared<ImageBatch>();
  held->pixels = pixels;
  add_images(*held, rows, image_name);
  if (labels) {
    add_labels(*held, std::move(*labels), label_name);
  }
  auto schema = std::make_shared<ArrowSchemaOwner>();
  schema->get()->format = "+s";
  schema->get()->name = "";
  schema->get()->n_children = static_cast<std::int64_t>(held->schemas.size());
  schema->get()->children = held->schemas.data();
  keep(schema->get(), held);
  auto batch = std::make_shared<RecordBatch>();
  batch->get()->length = rows;
  batch->get()->n_buffers = 1;
  batch->get()->buffers = held->no_buffers;
  batch->get()->n_children = static_cast<std::int64_t>(held->arrays.size());
  batch->get()->children = held->arrays.data();
  keep(batch->get(), held);
  return {std::move(schema), {std::move(batch)}};
}

}  // namespace

void bind_images(nb::module_& module) {
  module.def("image_table", &image_table, nb::arg("pixels"), nb::arg("image_name"),
             nb::arg("labels").none(), nb::arg("label_name"));
}

}  // namespace mehler::python

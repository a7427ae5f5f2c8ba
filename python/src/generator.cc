#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "interrupt.h"
#include "mehler/mehler.h"
#include "sampled_stream.h"
#include "stages.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

/// A condition: its text, or a column and the values that are allowed.
using Condition =
    std::pair<std::optional<std::string>, std::pair<std::string, std::vector<std::string>>>;

std::vector<SampleCondition> conditions_of(const Generator& generator,
                                           const std::vector<Condition>& where) {
  const std::vector<std::string> columns = generator.condition_columns();
  std::vector<SampleCondition> conditions;
  for (const auto& [text, parts] : where) {
    conditions.push_back(text ? parse_condition(*text, columns)
                              : SampleCondition(parts.first, ConditionRelation::kIn, parts.second));
  }
  return conditions;
}

/// Checked as far as that can be done before records are drawn.
SampleOptions sample_options(const Model& model, std::uint64_t rows, std::uint64_t seed,
                             const std::vector<Condition>& where) {
  SampleOptions options{.rows = rows,
                        .seed = seed,
                        .where = conditions_of(*model.generator, where),
                        .on_unlikely = {}};
  model.generator->check_conditions(options.where);
  return options;
}

Model fit_model(const Release& release, const OptionPairs& options, std::uint64_t seed,
                const std::string& checkpoint, bool resume, const Watch& watch) {
  FitRequest request;
  request.options = option_values(options);
  request.seed = seed;
  request.resume = resume;
  if (method_of(release).has_checkpoints) {
    request.checkpoint = checkpoint;
  }
  return watched(watch, [&](const Context& context) {
    return Model{std::shared_ptr<const Generator>(fit(release, request, context))};
  });
}

/// The completed rows, and how many of them hardly any record is like.
std::pair<Batches, std::uint64_t> complete(const Model& model, const TableSource& known,
                                           std::uint64_t seed, const std::vector<Condition>& where,
                                           const std::optional<Schema>& types, const Watch& watch) {
  const Schema& schema = model.generator->release().schema();
  PartialRows rows;
  rows.what = "the table of rows to complete";
  RecordStream stream = open_source(known);
  const Schema partial = partial_schema(schema, stream.column_names(), rows.what);
  const SampleOptions options = sample_options(model, 0, seed, where);
  return watched(watch, [&](const Context& context) {
    add_partial_rows(partial, stream, rows);
    CompletedRows completed = completed_rows(*model.generator, rows, options, context, types);
    return std::pair(Batches::of(arrow_stream_of(std::move(completed.batches)), [] {}),
                     completed.unlikely);
  });
}

}  // namespace

void bind_generator(nb::module_& module) {
  nb::class_<Model>(module, "Model", "What draws synthetic records.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return Model{Generator::from_bytes(view_of(bytes), "the bytes")};
          },
          nb::arg("bytes"))
      .def_static(
          "from_file",
          [](const std::filesystem::path& path) { return Model{Generator::from_file(path)}; },
          nb::arg("path"))
      .def("to_bytes", [](const Model& self) { return bytes_of(self.generator->to_bytes()); })
      .def(
          "save",
          [](const Model& self, const std::filesystem::path& path) { self.generator->save(path); },
          nb::arg("path"))
      .def_prop_ro("release", [](const Model& self) { return self.generator->release(); })
      .def_prop_ro("has_settled", [](const Model& self) { return self.generator->has_settled(); })
      .def(
          "check_conditions",
          [](const Model& self, const std::vector<Condition>& where) {
            (void)sample_options(self, 1, 1, where);
          },
          nb::arg("where"))
      .def(
          "stream",
          [](const Model& self, std::uint64_t rows, std::uint64_t seed,
             const std::vector<Condition>& where, std::optional<Schema> types,
             std::size_t threads) {
            return capsule_of(sampled_stream(self.generator,
                                             sample_options(self, rows, seed, where),
                                             std::move(types), threads));
          },
          nb::arg("rows"), nb::arg("seed"), nb::arg("where"), nb::arg("types").none(),
          nb::arg("threads") = 0)
      .def(
          "batches",
          [](const Model& self, std::uint64_t rows, std::uint64_t seed,
             const std::vector<Condition>& where, const std::optional<Schema>& types,
             const Watch& watch) {
            const SampleOptions options = sample_options(self, rows, seed, where);
            return watched(watch, [&](const Context& context) {
              return Batches::of(self.generator->sample_stream(options, context, types),
                                 [&] { context.throw_if_cancelled(); });
            });
          },
          nb::arg("rows"), nb::arg("seed"), nb::arg("where"), nb::arg("types").none(),
          nb::arg("watch"))
      .def("complete", &complete, nb::arg("known"), nb::arg("seed"), nb::arg("where"),
           nb::arg("types").none(), nb::arg("watch"));
  module.def("fit", &fit_model, nb::arg("release"), nb::arg("options"), nb::arg("seed"),
             nb::arg("checkpoint"), nb::arg("resume"), nb::arg("watch"));
}

}  // namespace mehler::python

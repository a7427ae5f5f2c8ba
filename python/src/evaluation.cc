#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "interrupt.h"
#include "mehler/mehler.h"
#include "mehler/report/html_report.h"
#include "stages.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

/// A vector as an array of numpy, which owns it from now on.
template <typename Value>
nb::object array_of(std::vector<Value> values) {
  auto* held = new std::vector<Value>(std::move(values));
  const nb::capsule owner(
      held, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(held->data(), {held->size()}, owner));
}

/// (rows, columns, pixels): of each column (codes, numbers, missing), of which numbers are empty
/// for categories.
nb::tuple read_coded(const Schema& schema, const TableSource& table, const std::string& name,
                     const Watch& watch) {
  CodedTable coded = watched(watch, [&](const Context& context) {
    return read_for_evaluation(schema, {name, {factory_of(table)}}, context);
  });
  nb::list columns;
  for (CodedColumn& column : coded.columns) {
    columns.append(nb::make_tuple(array_of(std::move(column.codes)),
                                  array_of(std::move(column.numbers)), column.missing));
  }
  return nb::make_tuple(coded.rows, columns, array_of(std::move(coded.pixels)));
}

/// In words, as JSON and as a page.
using Reports = std::tuple<std::string, std::string, std::string>;

Reports evaluate_table(const Schema& schema, const TableSource& real, const TableSource& synthetic,
                       const std::optional<TableSource>& training, const std::string& target,
                       const std::string& positive, std::size_t bins,
                       const std::vector<std::size_t>& ways, std::size_t max_subsets,
                       std::uint64_t seed, std::size_t epochs, bool image_classifiers,
                       const Watch& watch) {
  EvaluationRequest request;
  request.target = target;
  request.positive = positive;
  request.bins = bins;
  request.ways = ways;
  request.max_subsets = max_subsets;
  request.seed = seed;
  request.epochs = epochs;
  request.image_classifiers = image_classifiers;
  request.keeps_drawn = true;
  request.validate(schema);
  return watched(watch, [&](const Context& context) {
    const Evaluation evaluation = evaluate(
        schema, {"the real table", {factory_of(real)}},
        {"the synthetic table", {factory_of(synthetic)}},
        training ? EvaluatedTable{"the training table", {factory_of(*training)}} : EvaluatedTable{},
        request, context);
    const std::string text = text_of(evaluation);
    const PageOrigin origin{.command = "mehler.evaluate()",
                            .subtitle = "A synthetic table beside real records",
                            .texts = {{"All figures in words", text}}};
    return Reports(text, json_of(evaluation),
                   html_of(schema.without_privacy_unit(), evaluation, origin));
  });
}

/// (name, edges, labels)
using Axis = std::tuple<std::string, std::vector<double>, std::vector<std::string>>;
/// (axes, released, sigma, synthetic)
using CountTable = std::tuple<std::vector<Axis>, std::vector<double>, double, std::vector<double>>;

std::vector<CountTable> tables_of(std::vector<ComparedCounts> compared) {
  std::vector<CountTable> tables;
  for (ComparedCounts& table : compared) {
    std::vector<Axis> axes;
    for (CellAxis& axis : table.axes) {
      axes.emplace_back(std::move(axis.column), std::move(axis.edges), std::move(axis.labels));
    }
    tables.emplace_back(std::move(axes), std::move(table.released), table.sigma,
                        std::move(table.synthetic));
  }
  return tables;
}

/// How close synthetic records are to a release, and counts.
using Compared = std::pair<Reports, std::vector<CountTable>>;

Compared compare(const Release& release, const TableSource& synthetic, const Watch& watch) {
  return watched(watch, [&](const Context& context) {
    ReleaseComparison comparison(release, context);
    comparison.add(factory_of(synthetic)());
    const ReleaseAgreement agreement = comparison.agreement();
    std::vector<ComparedCounts> tables = comparison.tables();
    const std::string text = text_of(release, agreement);
    const PageOrigin origin{
        .command = "Release.compare() of mehler in Python",
        .subtitle = "A synthetic table beside a release",
        .texts = {{"The release in words", text_of(release, "the release", false)},
                  {"All figures in words", text}}};
    std::string page = html_of(release, &agreement, tables, origin);
    return Compared({text, json_of(release, agreement), std::move(page)},
                    tables_of(std::move(tables)));
  });
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  const EvaluationRequest usual;
  module.def("read_coded", &read_coded, nb::arg("schema"), nb::arg("table"), nb::arg("name"),
             nb::arg("watch"));
  module.def("evaluate", &evaluate_table, nb::arg("schema"), nb::arg("real"), nb::arg("synthetic"),
             nb::arg("training").none(), nb::arg("target"), nb::arg("positive"),
             nb::arg("bins") = usual.bins, nb::arg("ways") = usual.ways,
             nb::arg("max_subsets") = usual.max_subsets, nb::arg("seed") = usual.seed,
             nb::arg("epochs") = usual.epochs,
             nb::arg("image_classifiers") = usual.image_classifiers, nb::arg("watch"));
  module.def("compare", &compare, nb::arg("release"), nb::arg("synthetic"), nb::arg("watch"));
  module.def(
      "released_tables",
      [](const Release& release) {
        return ReleaseComparison::is_possible(release)
                   ? tables_of(ReleaseComparison(release, Context{.threads = 1}).tables())
                   : std::vector<CountTable>();
      },
      nb::arg("release"));
}

}  // namespace mehler::python

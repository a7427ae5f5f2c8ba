#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "interrupt.h"
#include "mehler/encoding/table_check.h"
#include "mehler/mehler.h"
#include "mehler/table/schema_draft.h"
#include "mehler/table/type_in_table.h"
#include "stages.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

/// A used column as evaluation reads it: (name, kind, bounds, labels, shape).
using PlainColumn = std::tuple<std::string, std::string, std::optional<std::pair<double, double>>,
                               std::vector<std::string>, std::optional<std::tuple<int, int, int>>>;

std::vector<PlainColumn> plain_columns(const Schema& schema) {
  schema.require_declared();
  std::vector<PlainColumn> columns;
  const Schema plain = schema.without_privacy_unit().without_rules();
  for (const Column& column : plain.columns()) {
    if (!column.is_used()) {
      continue;
    }
    PlainColumn entry;
    std::get<0>(entry) = column.name;
    std::get<1>(entry) = kind_name(column.kind);
    if (column.is_number()) {
      std::get<2>(entry) = std::pair(column.bounds->low, column.bounds->high);
    } else if (column.is_image()) {
      std::get<4>(entry) =
          std::tuple(column.shape->rows, column.shape->columns, column.shape->channels);
    } else {
      std::get<3>(entry) = column.labels();
    }
    columns.push_back(std::move(entry));
  }
  return columns;
}

std::vector<std::string> names_where(const Schema& schema, bool (Column::*is_such)() const) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns()) {
    if ((column.*is_such)()) {
      names.push_back(column.name);
    }
  }
  return names;
}

/// Columns of which no release reads a value: they need not be handed over.
std::vector<std::string> unread(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns()) {
    const bool is_unit = schema.privacy_unit() && schema.privacy_unit()->column == column.name;
    if (!is_unit && (!column.is_used() || column.is_computed())) {
      names.push_back(column.name);
    }
  }
  return names;
}

std::pair<Schema, std::vector<std::string>> parts_of(SchemaDraft draft) {
  return {std::move(draft.schema), std::move(draft.notes)};
}

auto draft(const TableSource& table, const std::optional<std::string>& target, bool is_guessed) {
  const RecordStream stream = open_source(table);
  return parts_of(
      draft_schema(stream.schema(), target, is_guessed ? TypesFrom::kRecords : TypesFrom::kFile));
}

auto read_public(const TableSource& table, const std::optional<std::string>& target) {
  return watched(Watch{}, [&](const Context& context) {
    PublicSchemaReader reader(target);
    reader.read(factory_of(table)(), context);
    return parts_of(reader.finish());
  });
}

}  // namespace

void bind_schema(nb::module_& module) {
  nb::class_<TableCheck>(module, "TableCheck", "What records were found to be beside a schema.")
      .def_ro("clamped", &TableCheck::clamped)
      .def_ro("grouped", &TableCheck::grouped)
      .def_ro("broken_rules", &TableCheck::broken_rules);
  nb::class_<Schema>(module, "Schema", "The public description of a table.")
      .def_static(
          "from_json",
          [](const std::string& text, const std::string& name) {
            return Schema::from_json(text, name);
          },
          nb::arg("text"), nb::arg("name") = "the schema")
      .def_static("from_file", &Schema::from_file, nb::arg("path"))
      .def_static("draft", &draft, nb::arg("table"), nb::arg("target"), nb::arg("is_guessed"))
      .def_static("read_public", &read_public, nb::arg("table"), nb::arg("target"))
      .def("to_json", &Schema::to_json)
      .def("__eq__", [](const Schema& a, const Schema& b) { return a == b; })
      .def_prop_ro("names", &Schema::column_names)
      .def_prop_ro("target", &Schema::target)
      .def_prop_ro("undeclared",
                   [](const Schema& self) { return names_where(self, &Column::is_undeclared); })
      .def_prop_ro("bought",
                   [](const Schema& self) { return names_where(self, &Column::is_to_be_bought); })
      .def_prop_ro("unread", &unread)
      .def_prop_ro("plain_columns", &plain_columns)
      .def(
          "stored_like",
          [](const Schema& self, const TableSource& table) {
            return stored_like(self, open_source(table).schema());
          },
          nb::arg("table"))
      .def(
          "check",
          [](const Schema& self, const TableSource& table) {
            const TableCheck check = watched(Watch{}, [&](const Context& context) {
              return check_table(self, {factory_of(table)}, context);
            });
            require_fit(check);
            return check;
          },
          nb::arg("table"));
  module.def("people_schema", &people_schema);
  module.def(
      "simulate_people",
      [](std::size_t rows, std::uint64_t seed) {
        if (rows == 0) {
          throw Error(ErrorCode::kInvalidArgument, "the number of rows must be at least 1");
        }
        return Batches::of(arrow_stream_of({simulate_people(rows, seed)}), [] {});
      },
      nb::arg("rows"), nb::arg("seed"));
}

}  // namespace mehler::python

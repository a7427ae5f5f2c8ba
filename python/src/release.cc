#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "interrupt.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/mehler.h"
#include "stages.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

/// (name, stands for the value, help, group, may be repeated, what it means alone)
using OptionFacts =
    std::tuple<std::string, std::string, std::string, std::string, bool, std::string>;

std::vector<OptionFacts> facts_of(const std::vector<Option>& options) {
  std::vector<OptionFacts> facts;
  for (const Option& option : options) {
    facts.emplace_back(option.name, option.value, option.help, option.group, option.repeatable,
                       option.alone);
  }
  return facts;
}

Release make_release(const TableSource& table, const Schema& schema, double epsilon, double delta,
                     const std::string& method, const OptionPairs& options,
                     std::optional<double> buy_share, const Watch& watch) {
  ReleaseRequest request{method, option_values(options), {}};
  if (buy_share) {
    if (!schema.is_to_be_bought()) {
      throw Error(ErrorCode::kInvalidArgument,
                  "buy_share is for bounds and categories that the schema leaves to be bought, and "
                  "it leaves none; leave it out, or say which with Schema.buy()");
    }
    request.domains.share = *buy_share;
  }
  request.domains.validate();
  schema.require_declared_or_bought();
  request.method_for(schema).check(schema, request.options, {});
  Accountant accountant({epsilon, delta});
  PrivateTable records = private_table(table, schema);
  return watched(watch, [&](const Context& context) {
    return release(std::move(records), accountant, request, context);
  });
}

/// Forecasts in words and as JSON.
std::pair<std::string, std::string> plan(const Schema& schema, std::uint64_t rows,
                                         const std::vector<double>& epsilons, double delta,
                                         const std::string& method, const OptionPairs& options,
                                         const Watch& watch) {
  for (const double epsilon : epsilons) {
    PrivacyBudget{epsilon, delta}.validate();
  }
  const ReleaseRequest request{method, option_values(options), {}};
  return watched(watch, [&](const Context& context) {
    std::vector<Forecast> forecasts;
    for (const double epsilon : epsilons) {
      context.throw_if_cancelled();
      forecasts.push_back(forecast(schema, rows, {epsilon, delta}, request, context));
    }
    return std::pair(text_of(forecasts), json_of(forecasts));
  });
}

}  // namespace

OptionValues option_values(const OptionPairs& options) {
  OptionValues values;
  for (const auto& [name, text] : options) {
    values.add(name, text);
  }
  return values;
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

void bind_release(nb::module_& module) {
  nb::class_<Watch>(module, "Watch", "Who is told of a long call, and on how many threads it runs.")
      .def(
          "__init__",
          [](Watch* self, nb::object progress, bool is_private,
             std::optional<std::uint64_t> private_rows, std::size_t threads) {
            new (self) Watch{std::move(progress), private_rows, is_private, threads};
          },
          nb::arg("progress").none(), nb::arg("is_private") = false,
          nb::arg("private_rows") = nb::none(), nb::arg("threads") = 0)
      .def_prop_ro("has_measured", [](const Watch& self) { return self.has_measured.load(); });
  module.attr("BUDGET_IS_SPENT") = nb::str(kBudgetIsSpent.data(), kBudgetIsSpent.size());
  nb::class_<Method>(module, "Method", "A way to make synthetic tables.")
      .def_ro("name", &Method::name)
      .def_ro("summary", &Method::summary)
      .def_ro("page", &Method::page)
      .def_prop_ro("release_options",
                   [](const Method& self) { return facts_of(self.release_options); })
      .def_prop_ro("fit_options", [](const Method& self) { return facts_of(self.fit_options); });
  module.def("methods", [] { return methods(); });
  module.def(
      "method_for",
      [](const std::string& name, const Schema& schema) {
        return ReleaseRequest{name, {}, {}}.method_for(schema);
      },
      nb::arg("name"), nb::arg("schema"));

  nb::class_<Release>(module, "Release", "Everything that leaves the private side.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) { return Release::from_bytes(view_of(bytes), "the bytes"); },
          nb::arg("bytes"))
      .def_static("from_file", &Release::from_file, nb::arg("path"))
      .def("to_bytes", [](const Release& self) { return bytes_of(self.to_bytes()); })
      .def("save", &Release::save, nb::arg("path"))
      .def_prop_ro("method", &Release::method)
      .def_prop_ro("schema", [](const Release& self) { return self.schema(); })
      .def_prop_ro("in_words", &Release::in_words)
      .def_prop_ro("record_count", &Release::record_count)
      .def_prop_ro("record_count_error", &Release::record_count_error)
      .def_prop_ro("usual_rows", &Release::usual_rows)
      .def("to_json", [](const Release& self) { return json_of(self, "the release"); })
      .def("to_text", [](const Release& self) { return text_of(self, "the release", false); });
  module.def("release", &make_release, nb::arg("table"), nb::arg("schema"), nb::arg("epsilon"),
             nb::arg("delta"), nb::arg("method"), nb::arg("options"), nb::arg("buy_share").none(),
             nb::arg("watch"));
  module.def(
      "check_options",
      [](const Schema& schema, const std::string& method, const OptionPairs& of_release,
         const OptionPairs& of_fit) {
        ReleaseRequest{method, {}, {}}.method_for(schema).check(schema, option_values(of_release),
                                                                option_values(of_fit));
      },
      nb::arg("schema"), nb::arg("method"), nb::arg("of_release"), nb::arg("of_fit"),
      "Refuses what release or fit would refuse, before anything is read or spent.");
  module.def("plan", &plan, nb::arg("schema"), nb::arg("rows"), nb::arg("epsilons"),
             nb::arg("delta"), nb::arg("method"), nb::arg("options"), nb::arg("watch"));
}

}  // namespace mehler::python

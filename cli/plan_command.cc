#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "commands.h"
#include "figure_output.h"
#include "mehler/core/error.h"
#include "mehler/synthesis/forecast_report.h"
#include "method_options.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct PlanOptions {
  std::string schema;
  std::string rows;
  std::string epsilons = "0.1,0.3,1,3,10";
  std::string delta;
  std::string method;
  std::string threads;
  MethodFlags method_flags;
  FigureOutput output;
};

/// "0.3,1,3": several budgets, each checked before any is forecast.
std::vector<PrivacyBudget> parse_budgets(const PlanOptions& options) {
  std::vector<PrivacyBudget> budgets;
  std::istringstream list(options.epsilons);
  const double delta = parse_number(options.delta, "--delta");
  for (std::string text; std::getline(list, text, ',');) {
    budgets.push_back({parse_number(text, "--epsilon"), delta});
    budgets.back().validate();
  }
  if (budgets.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "--epsilon is empty; give a number, or several: 0.3,1,3");
  }
  return budgets;
}

void run_plan(PlanOptions& options) {
  options.output.open({options.schema});
  const std::vector<PrivacyBudget> budgets = parse_budgets(options);
  const std::uint64_t rows = parse_count(options.rows, "--rows", 1, std::uint64_t{1} << 40);
  const Schema schema = Schema::from_file(options.schema);
  const Method& method = ReleaseRequest{.method = options.method}.method_for(schema);
  ReleaseRequest request{method.name, options.method_flags.release_values(method)};
  const Context context{threads_or_all(options.threads), nullptr, &interrupted};
  std::vector<Forecast> forecasts;
  for (const PrivacyBudget& budget : budgets) {
    forecasts.push_back(forecast(schema, rows, budget, request, context));
  }
  if (schema.is_to_be_bought()) {
    say(
        fmt::format("note: bounds and categories that are to be bought take {} of the budget here; "
                    "a column whose categories are bought is taken to have 20\n",
                    percent_words(request.domains.share)));
  }
  options.output.write(options.output.style() == FigureOutput::Style::kJson
                           ? json_of(forecasts)
                           : with_flags(text_of(forecasts)));
}

}  // namespace

void add_plan_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "plan",
      "What would an epsilon buy? The noise of a release, from the schema alone: no table "
      "is read, nothing is spent");
  auto options = std::make_shared<PlanOptions>();
  command
      ->add_option("SCHEMA", options->schema,
                   "The table's schema; what it leaves to be bought may stay so")
      ->required()
      ->type_name("");
  command->add_option("--rows", options->rows, "The number of records; an estimate will do")
      ->required()
      ->type_name("N");
  command
      ->add_option(
          "--epsilon", options->epsilons,
          fmt::format("One budget or several, separated by commas; default {}", options->epsilons))
      ->type_name("E[,E...]");
  command
      ->add_option("--delta", options->delta,
                   "Of every budget; well below 1 in the number of records")
      ->required()
      ->type_name("D");
  command
      ->add_option("--method", options->method,
                   fmt::format("A method that counts; default {}. 'mehler methods' lists all",
                               methods().front().name))
      ->type_name("NAME");
  options->method_flags.add_release_options(*command);
  command
      ->add_option("--threads", options->threads,
                   "Worker threads; default all. The figures do not depend on it")
      ->type_name("N");
  options->output.add_to(*command, true, false);
  command->callback([options] { run_plan(*options); });
}

}  // namespace mehler

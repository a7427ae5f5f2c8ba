#include <fmt/format.h>

#include <cmath>

#include "figure_output.h"
#include "fitting.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/strict_json.h"
#include "mehler/evaluation/kernels/kernel_comparison.h"
#include "mehler/evaluation/kernels/median_heuristic.h"
#include "mehler/features/length_scale.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

using Cells = std::vector<std::vector<std::string>>;

/// The options that say which kernel: a length scale or rho.
struct KernelChoice {
  std::string length_scale;
  std::string rho;

  void add_to(CLI::App& command, const std::string& words) {
    CLI::Option* option = command.add_option("--length-scale", length_scale, words)->type_name("L");
    command.add_option("--rho", rho, "The same said by rho, between 0 and 1")
        ->type_name("R")
        ->excludes(option);
  }
};

struct ErrorOptions {
  KernelChoice kernel;
  std::string orders = "0-12";
  std::string entries = "2,4,8,16,32,64,128,250,500,1000";
  std::string points = "100";
  std::string shift = "1";
  std::string draws = "100";
  std::string seed;
  std::string threads;
  FigureOutput output;
};

/// rho of the options; 1/3, where the paper's bound holds, if they are silent.
double chosen_rho(const KernelChoice& kernel, const KernelComparison& comparison) {
  if (!kernel.rho.empty()) {
    const double rho = parse_number(kernel.rho, "--rho");
    require_rho(rho);
    return rho;
  }
  if (kernel.length_scale.empty()) {
    return 1.0 / 3.0;
  }
  if (kernel.length_scale != "median") {
    return rho_of_length_scale(parse_number(kernel.length_scale, "--length-scale"));
  }
  // The points are simulated, so their median is nobody's secret.
  SimulatedPoints points = simulate_points(comparison);
  points.x.insert(points.x.end(), points.y.begin(), points.y.end());
  return rho_of_length_scale(median_distance(points.x));
}

std::string optional_text(const std::optional<double>& value, bool exact) {
  return !value  ? (exact ? "" : "-")
         : exact ? fmt::format("{}", *value)
                 : fmt::format("{:.3g}", *value);
}

Cells cells_of(const std::vector<ComparisonRow>& rows, bool exact) {
  Cells cells = {{"features", "order", "entries", exact ? "mean_error" : "mean error",
                  exact ? "largest_error" : "largest error", "spread",
                  exact ? "upper_bound" : "upper bound", exact ? "lower_bound" : "lower bound"}};
  for (const ComparisonRow& row : rows) {
    cells.push_back({row.order ? "hermite" : "random",
                     row.order ? fmt::format("{}", *row.order)
                     : exact   ? ""
                               : "-",
                     fmt::format("{}", row.entries), optional_text(row.error.mean, exact),
                     optional_text(row.error.largest, exact), optional_text(row.spread, exact),
                     optional_text(row.upper_bound, exact), optional_text(row.lower_bound, exact)});
  }
  return cells;
}

Json json_of(const KernelComparison& comparison, double rho,
             const std::vector<ComparisonRow>& rows) {
  Json json{{"rho", rho},
            {"length_scale", length_scale_of_rho(rho)},
            {"points", comparison.points},
            {"shift", comparison.shift},
            {"draws", comparison.draws},
            {"seed", comparison.seed},
            {"rows", Json::array()}};
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  for (const ComparisonRow& row : rows) {
    json["rows"].push_back(Json{{"features", row.order ? "hermite" : "random"},
                                {"order", row.order ? Json(*row.order) : Json()},
                                {"entries", row.entries},
                                {"mean_error", row.error.mean},
                                {"largest_error", row.error.largest},
                                {"spread", number(row.spread)},
                                {"upper_bound", number(row.upper_bound)},
                                {"lower_bound", number(row.lower_bound)}});
  }
  return json;
}

void run_error(ErrorOptions& options) {
  KernelComparison comparison;
  comparison.points = parse_count(options.points, "--points", 1, KernelComparison::kMaxPoints);
  comparison.shift = parse_number(options.shift, "--shift");
  comparison.draws = parse_count(options.draws, "--draws", 1, KernelComparison::kMaxDraws);
  comparison.seed = parse_seed(options.seed);
  comparison.orders = parse_count_list(options.orders, "--order", 0, HermiteFeatures::kMaxOrder);
  comparison.entries =
      parse_count_list(options.entries, "--features", 2, KernelComparison::kMaxEntries);
  const double rho = chosen_rho(options.kernel, comparison);
  const Context context{threads_or_all(options.threads), nullptr, &interrupted};
  options.output.open();
  const std::vector<ComparisonRow> rows = compare_kernel_features(comparison, rho, context);
  switch (options.output.style()) {
    case FigureOutput::Style::kJson:
      options.output.write(json_of(comparison, rho, rows).dump(2) + "\n");
      return;
    case FigureOutput::Style::kCsv:
      options.output.write(csv_text(cells_of(rows, true)));
      return;
    case FigureOutput::Style::kText:
      break;
  }
  const bool bounded = !rows.empty() && (rows.front().upper_bound || rows.front().lower_bound);
  options.output.write(fmt::format(
      "Error of <phi(x), phi(y)> against the Gaussian kernel of length scale {:.6g} (rho {:.6g})\n"
      "over {} x {} pairs, x ~ N(0, 1), y ~ N({:g}, 1); random features: {} draws, seed "
      "{}\n\n{}\n{}",
      length_scale_of_rho(rho), rho, comparison.points, comparison.points, comparison.shift,
      comparison.draws, comparison.seed, align_columns(cells_of(rows, false), 2),
      wrap(bounded
               ? "Bounds on the expected error, from the paper: (1/3)^order / (3 sqrt 2) above, "
                 "1 / (8 entries) below."
               : "The paper proves its bounds for rho 1/3 and both sides N(0, 1): --shift 0.",
           0)));
}

struct FeatureValueOptions {
  KernelChoice kernel;
  std::string order = "20";
  std::string entries = "100";
  std::string points = "4";
  std::string seed;
  FigureOutput output;
};

void run_features(FeatureValueOptions& options) {
  KernelComparison comparison;
  comparison.points = parse_count(options.points, "--points", 1, KernelComparison::kMaxPoints);
  comparison.shift = 0.0;
  comparison.seed = parse_seed(options.seed);
  const std::size_t order = parse_count(options.order, "--order", 1, HermiteFeatures::kMaxOrder);
  comparison.entries = {
      parse_count(options.entries, "--features", 2, KernelComparison::kMaxEntries)};
  const double rho = chosen_rho(options.kernel, comparison);
  const double length_scale = length_scale_of_rho(rho);
  options.output.open();
  const std::vector<double> points = simulate_points(comparison).x;
  double largest = 1.0;
  for (const double point : points) {
    largest = std::max(largest, std::fabs(point));
  }
  const HermiteFeatures hermite(order, length_scale / largest, rho);
  // Not the seed itself: the frequencies would be the points.
  const RandomFourierFeatures random(1, comparison.entries.front() / 2, length_scale,
                                     SeededRandom(~comparison.seed).next_word());
  Cells cells = {{"features", "point", "x", "entry", "value"}};
  const auto add = [&](const char* name, std::size_t i, const std::vector<double>& phi) {
    for (std::size_t k = 0; k < phi.size(); ++k) {
      cells.push_back({name, fmt::format("{}", i), fmt::format("{}", points[i]),
                       fmt::format("{}", k), fmt::format("{}", phi[k])});
    }
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> phi(hermite.dimension());
    hermite.evaluate(points[i] / largest, phi.data());
    add("hermite", i, phi);
    phi.resize(random.dimension());
    random.evaluate(&points[i], phi.data());
    add("random", i, phi);
  }
  options.output.write(csv_text(cells));
}

constexpr const char* kLengthScaleWords =
    "Length scale of the Gaussian kernel, in the units of the points; by default the one of rho "
    "1/3. 'median' takes the points' median distance";

}  // namespace

void add_kernel_error_command(CLI::App& kernel) {
  CLI::App* command = kernel.add_subcommand(
      "error",
      "How well Hermite and random Fourier features approximate the Gaussian kernel, on simulated "
      "normal points (Figure 1 of the paper)");
  auto options = std::make_shared<ErrorOptions>();
  options->kernel.add_to(*command, kLengthScaleWords);
  command
      ->add_option("--order", options->orders,
                   "Orders of the Hermite features, such as 0-5,10; default " + options->orders)
      ->type_name("LIST");
  command
      ->add_option("--features", options->entries,
                   "Numbers of random features, cosines and sines counted, so even; default " +
                       options->entries)
      ->type_name("LIST");
  command
      ->add_option("--points", options->points,
                   fmt::format("Points of either side, 1 to {}; default {}",
                               KernelComparison::kMaxPoints, options->points))
      ->type_name("N");
  command
      ->add_option("--shift", options->shift,
                   "Mean of the second side's points; the first side's is 0. Default 1")
      ->type_name("M");
  command
      ->add_option("--draws", options->draws,
                   "Draws of random features whose errors are averaged; default " + options->draws)
      ->type_name("N");
  command
      ->add_option("--seed", options->seed, "Another seed gives other points and draws; default 1")
      ->type_name("S");
  command
      ->add_option("--threads", options->threads,
                   "Worker threads; by default all cores. Never changes the figures")
      ->type_name("T");
  options->output.add_to(*command, true, true);
  command->callback([options] { run_error(*options); });
}

void add_kernel_features_command(CLI::App& kernel) {
  CLI::App* command = kernel.add_subcommand(
      "features",
      "The feature vectors of a few simulated normal points as CSV (the paper's figure on length "
      "scales)");
  auto options = std::make_shared<FeatureValueOptions>();
  options->kernel.add_to(*command, kLengthScaleWords);
  command
      ->add_option("--order", options->order,
                   "Order of the Hermite features; default " + options->order)
      ->type_name("C");
  command
      ->add_option("--features", options->entries,
                   "Number of random features, even; default " + options->entries)
      ->type_name("N");
  command->add_option("--points", options->points, "Points; default " + options->points)
      ->type_name("N");
  command
      ->add_option("--seed", options->seed,
                   "Another seed gives other points and frequencies; default 1")
      ->type_name("S");
  options->output.add_to(*command, false, false);
  command->callback([options] { run_features(*options); });
}

}  // namespace mehler

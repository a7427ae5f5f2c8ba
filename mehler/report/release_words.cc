#include "mehler/report/release_words.h"

#include <fmt/format.h>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/overloaded.h"
#include "mehler/report/text.h"

namespace mehler {

std::string declared_values(const Column& column) {
  if (column.rules.derived) {
    return *column.rules.derived;
  }
  if (column.rules.determined_by) {
    return fmt::format("determined by {}", column.rules.determined_by->column);
  }
  const std::string bought = column.bought ? "bought: " : "";
  if (column.is_number()) {
    std::string words = fmt::format("{}{} to {}", bought, column.format_value(column.bounds->low),
                                    column.format_value(column.bounds->high));
    if (column.decimals) {
      words += fmt::format(", {} decimal{}", *column.decimals, *column.decimals == 1 ? "" : "s");
    } else if (column.step && column.step != default_step(column.kind)) {
      words += fmt::format(", step {}", *column.step);
    }
    if (column.transform != NumberTransform::kNone) {
      words +=
          fmt::format(", {} of scale {}", transform_name(column.transform), column.transform_scale);
    }
    return words;
  }
  if (column.is_image()) {
    return fmt::format("{} x {} pixels, {}", column.shape->rows, column.shape->columns,
                       column.shape->channels == 1 ? "grey" : "colour");
  }
  if (!column.is_category()) {
    return "not released";
  }
  const std::vector<std::string> labels = column.labels();
  constexpr std::size_t kWidth = 40;
  std::string words = bought;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && words.size() + 2 + labels[i].size() > kWidth) {
      return fmt::format("{}, ... ({} in all)", words, labels.size());
    }
    words += (i > 0 ? ", " : "") + labels[i];
  }
  return words;
}

std::string charge_words(const Charge& charge) {
  const std::string words = std::visit(
      Overloaded{
          [](const GaussianSums& sums) {
            return fmt::format("sensitivity {:.6g}, noise sigma {:.6g}", sums.sensitivity,
                               sums.sigma);
          },
          [](const SubsampledGaussian& steps) {
            return fmt::format(
                "{} steps, each with a random {:.4g}% of the records and "
                "noise of {:.6g} times the largest gradient",
                group_digits(steps.steps), 100.0 * steps.sampling_rate, steps.noise_multiplier);
          },
          [](const ReplacedGaussian& queries) {
            return fmt::format(
                "{} queries, each of a random {:.4g}% of the records and with noise of {:.6g} "
                "times the largest difference of two answers",
                group_digits(queries.steps), 100.0 * queries.sampling_rate,
                queries.noise_multiplier);
          },
          [](const PureMechanism& pure) {
            return fmt::format("({}, 0)-differentially private", pure.epsilon);
          },
          [](const RareDisclosure& rare) {
            return fmt::format("(0, {})-differentially private", rare.delta);
          },
          [](const Selection& selection) {
            return fmt::format(
                "chosen among {} by the exponential mechanism with epsilon {:.6g} (mu^2 "
                "{:.4g})",
                group_digits(selection.candidates), selection.epsilon, selection.mu_squared());
          },
          [](const LaplaceSums& sums) {
            return fmt::format("sensitivity {:.6g}, Laplace noise of scale {:.6g}",
                               sums.sensitivity, sums.scale);
          }},
      charge);
  return fmt::format("{}: {}", shown(name_of(charge)), words);
}

}  // namespace mehler

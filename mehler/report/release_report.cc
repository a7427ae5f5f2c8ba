#include "mehler/report/release_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>

#include "mehler/report/release_lines.h"
#include "mehler/report/release_words.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

/// What was bought besides the noise of blocks, a line each.
std::string other_charges(const PrivacyStatement& statement, std::size_t blocks) {
  std::string text;
  for (std::size_t i = blocks; i < statement.charges.size(); ++i) {
    text += wrap(charge_words(statement.charges[i]), 2);
  }
  return text;
}

/// A private training, as far as it was charged for.
std::string training_words(const TrainingPlan& plan) {
  const std::string steps = group_digits(plan.steps);
  std::string words;
  if (plan.critics == TrainingCritics::kShards) {
    words = fmt::format(
        "Records were dealt out at random to {} critics. In {} steps a generator made {} records "
        "each; {}, and the gradient of a record, shortened to a norm of {:g}, got noise of {:.6g} "
        "times twice that norm on every number.",
        group_digits(plan.shards), steps, group_digits(plan.queries),
        plan.drawn_jointly ? "one critic, drawn at random, judged all of a step"
                           : "each was judged by a critic that was drawn for it at random",
        plan.clip_norm, plan.noise_multiplier);
  } else {
    words = fmt::format(
        "{} In each of {} steps every {} was in the batch with probability {}/2^{} ({:.4g}%), its "
        "gradient was shortened to a norm of {:g}, and their sum got noise of {:.6g} times that "
        "norm on every number.",
        plan.critics == TrainingCritics::kOne
            ? "One critic."
            : "A critic for each class, which met records of that class alone.",
        steps, plan.critics == TrainingCritics::kOne ? "record" : "record of its class",
        plan.rate_numerator, TrainingPlan::kRateExponent, 100.0 * plan.rate(), plan.clip_norm,
        plan.noise_multiplier);
  }
  if (plan.published) {
    words += fmt::format(
        " The published protocol was asked for: {} are its authors' where no "
        "option said otherwise.",
        plan.critics == TrainingCritics::kShards ? "noise and schedule"
                                                 : "noise, schedule and networks");
  }
  return words +
         " Epsilon follows from these numbers. That the training did this and no more cannot be "
         "checked from the file: it is what the program that wrote it says.";
}

/// Shares where everything that was charged adds up as mu squared.
std::string parts_table(const Release& release) {
  const std::vector<ReleasePart> parts = parts_of(release);
  const bool has_shares = is_gaussian(release.statement().charges);
  std::vector<std::vector<std::string>> lines = {
      {"part", "blocks", "numbers", "mu^2", "share of mu^2"}};
  for (const ReleasePart& part : parts) {
    lines.push_back({part.name, group_digits(part.blocks), group_digits(part.numbers),
                     fmt::format("{:.6g}", part.mu_squared),
                     has_shares && part.mu_squared > 0.0
                         ? fmt::format("{:.2f}%", 100.0 * part.mu_squared / parts.back().mu_squared)
                         : "-"});
  }
  return align_columns(lines, 2);
}

/// `mu_squared`: of everything that was bought; nothing where other charges do not add up so.
std::string blocks_table(std::span<const BlockLine> lines, std::optional<double> mu_squared) {
  std::vector<std::vector<std::string>> rows = {
      {"block", "classes x features", "sensitivity", "noise sigma", "share of mu^2", "of"}};
  for (const BlockLine& line : lines) {
    rows.push_back({line.stated.name, fmt::format("{} x {}", line.noisy.rows, line.noisy.columns),
                    fmt::format("{:.6g}", line.stated.sensitivity), sigma_words(line.stated.sigma),
                    line.stated.epsilon > 0.0 || !mu_squared
                        ? "-"
                        : fmt::format("{:.2f}%", 100.0 * line.stated.mu_squared() / *mu_squared),
                    line.of + (line.stated.epsilon > 0.0
                                   ? fmt::format("; Laplace, epsilon {:.4g}", line.stated.epsilon)
                                   : "")});
  }
  return align_columns(rows, 2);
}

}  // namespace

std::string text_of(const Release& release, const std::string& shown_name, bool all_blocks) {
  std::string text;
  const PrivacyStatement& statement = release.statement();
  const Schema& schema = release.schema();
  text += fmt::format("Release {}\n\nGuarantee\n{}", shown_name, wrap(release.in_words(), 2));
  text += fmt::format(
      "  Re-derived from this file: epsilon {} at delta {}{}. {}\n",
      rounded_up(statement.epsilon_spent(), 10), statement.budget.delta,
      statement.mu() ? fmt::format(" (mu {}{})", rounded_up(*statement.mu(), 10),
                                   statement.disclosure_delta() > 0.0
                                       ? fmt::format(", and a delta of {} beside it",
                                                     rounded_up(statement.disclosure_delta(), 4))
                                       : "")
                     : "",
      !statement.mu() ? "It is an upper bound, and within what is stated."
      : statement.rules.accounting == AccountingRule::kExact
          ? "It matches."
          : "It is within what is stated: the published accounting adds more noise than needed.");
  if (statement.rules.sensitivity == SensitivityRule::kPublished) {
    text += fmt::format(
        "  Sensitivities are the published bounds, which are not below the certified ones.\n");
  }

  text += fmt::format("\nMethod\n  {}\n", release.method());
  if (const Column* label = only_link_of_images(release)) {
    text += wrap(fmt::format("Images were measured by '{}' alone, and the other columns by counts: "
                             "given '{}', images go with no other column.",
                             label->name, label->name),
                 2);
  }
  text += fmt::format("\nRecords\n  {}{}\n", record_count_words(release),
                      statement.public_rows ? " (public)"
                                            : fmt::format(" (noisy; standard error {:.3g})",
                                                          release.record_count_error()));

  if (release.has_counts()) {
    text += fmt::format("\nParts\n{}", parts_table(release));
  }
  const std::vector<BlockLine> lines = block_lines(release);
  if (const auto* weights = std::get_if<TrainedWeights>(&release.payload())) {
    text += fmt::format("\nWeights\n  {} numbers\n", group_digits(weights->values.size()));
    text += fmt::format(
        "\nTraining\n{}",
        wrap(weights->training ? training_words(*weights->training)
                               : "The file does not say how the weights were trained, and nothing "
                                 "was charged for it: the guarantee is that of the counts alone.",
             2));
  }
  if (all_blocks || lines.size() <= kFewBlocks) {
    text += lines.empty()
                ? ""
                : fmt::format("\nBlocks\n{}",
                              blocks_table(
                                  lines, is_gaussian(statement.charges)
                                             ? std::optional(gaussian_mu_squared(statement.charges))
                                             : std::nullopt));
  } else {
    text += fmt::format(
        "\nBlocks\n  {} blocks, each with a sensitivity and a noise of its own; option "
        "'blocks' lists them\n",
        lines.size());
  }
  if (const std::string others = other_charges(statement, lines.size()); !others.empty()) {
    text += fmt::format("\nBesides\n{}", others);
  }

  std::vector<std::vector<std::string>> columns = {
      {"column", "kind", "values", "missing", "features", "noise sigma"}};
  for (const Column& column : described_columns(release)) {
    const ColumnLine line = column_line(release, column);
    columns.push_back({column.name, std::string(kind_name(column.kind)), declared_values(column),
                       !column.is_used() ? "-"
                       : column.missing  ? "yes"
                                         : "no",
                       line.features, line.sigma});
  }
  text += fmt::format("\nSchema (relation {})\n{}", relation_name(schema.relation()),
                      align_columns(columns, 2));
  return text;
}

std::string text_of(const std::vector<NamedRelease>& releases) {
  std::vector<std::vector<std::string>> lines = {
      {"release", "method", "records", "epsilon", "delta"}};
  double sum = 0.0;
  for (const auto& [name, release] : releases) {
    const PrivacyBudget& budget = release.statement().budget;
    lines.push_back({name, release.method(), record_count_words(release),
                     fmt::format("{}", budget.epsilon), fmt::format("{}", budget.delta)});
    sum += budget.epsilon;
  }
  const PrivacyBudget spent = spent_by(releases);
  return fmt::format(
      "Releases\n{}\nTogether\n{}", align_columns(lines, 2),
      wrap(fmt::format("If they are of the same records, whoever has all of them has "
                       "an ({}, {})-differentially private view: re-derived from "
                       "what all of them spent, and less than the {} that their "
                       "epsilons add up to. Of releases of different people each "
                       "holds by itself.",
                       rounded_up(spent.epsilon, 6), spent.delta, rounded_up(sum, 6)),
           2));
}

}  // namespace mehler

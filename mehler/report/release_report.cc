#include "mehler/report/release_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/overloaded.h"
#include "mehler/core/strict_json.h"
#include "mehler/encoding/encoder.h"
#include "mehler/release/charge_json.h"
#include "mehler/release/payload.h"
#include "mehler/release/spent_together.h"
#include "mehler/report/text.h"

namespace mehler {
namespace {

std::string value_words(const Column& column) {
  if (column.is_number()) {
    std::string words = fmt::format("{} to {}", column.format_value(column.bounds->low),
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
  if (!column.is_category()) {
    return "not released";
  }
  const std::vector<std::string> labels = column.labels();
  constexpr std::size_t kWidth = 40;
  std::string words;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && words.size() + 2 + labels[i].size() > kWidth) {
      return fmt::format("{}, ... ({} in all)", words, labels.size());
    }
    words += (i > 0 ? ", " : "") + labels[i];
  }
  return words;
}

std::string map_words(const FeatureMap& map) {
  switch (map.kind()) {
    case FeatureMap::Kind::kConstant:
      return "constant 1";
    case FeatureMap::Kind::kOneHot:
      return "one-hot";
    case FeatureMap::Kind::kFourier:
      return fmt::format("Fourier, {} frequencies, length scale {}",
                         map.random_fourier().frequencies(), map.random_fourier().length_scale());
    case FeatureMap::Kind::kHermite:
      return fmt::format("Hermite, order {}, length scale {}", map.hermite().order(),
                         map.hermite().length_scale());
  }
  return "";
}

/// "age", or "0.5 age - 0.5 hours" for a direction.
std::string input_words(const Encoder& encoder, const FeatureMap& map) {
  std::string words;
  for (const MapInput& input : map.inputs()) {
    const std::string& name = encoder.columns()[input.column].name;
    if (map.is_of_one_column()) {
      return name;
    }
    const char* sign = input.coefficient < 0.0 ? "-" : "+";
    words += words.empty() ? (input.coefficient < 0.0 ? "-" : "") : fmt::format(" {} ", sign);
    words += fmt::format("{:.3g} {}", std::fabs(input.coefficient), name);
  }
  return "(" + words + ")";
}

/// "counts of 16 cells x counts of 3 cells".
std::string counted_words(const CountBlock& block) {
  return std::visit(
      Overloaded{[](const RecordCount&) { return std::string("all records"); },
                 [](const Marginal& marginal) {
                   std::string words;
                   for (const std::size_t cells : marginal.shape()) {
                     words +=
                         fmt::format("{}counts of {} cells", words.empty() ? "" : " x ", cells);
                   }
                   return words;
                 },
                 [](const HalvedRanges& ranges) {
                   return fmt::format("halves of {} ranges", ranges.halves->ranges.size());
                 }},
      block.counted);
}

std::string product_words(const Encoder& encoder, const FeatureBlock& block) {
  std::string words;
  for (const WeightedMap& member : block.maps) {
    words += words.empty() ? "" : " x ";
    words += input_words(encoder, member.map);
    if (member.map.kind() == FeatureMap::Kind::kHermite) {
      words += fmt::format(" (order {})", member.map.hermite().order());
    }
  }
  return words;
}

std::string sum_words(const FeatureBlock& block) {
  if (block.maps.size() == 1 && block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
    return block.labelled ? "records of each class" : "all records";
  }
  return block.has_fourier() ? "all numbers together, every other column alone"
                             : "every column alone";
}

/// A block, as it is listed.
struct BlockLine {
  const GaussianSums& stated;
  const NoisyBlock& noisy;
  std::string of;  ///< what it is made of
};

std::vector<BlockLine> block_lines(const Release& release) {
  const PrivacyStatement& statement = release.statement();
  std::vector<BlockLine> lines;
  std::visit(Overloaded{[&](const NoisySums& sums) {
                          for (std::size_t i = 0; i < sums.blocks.size(); ++i) {
                            const FeatureBlock& block = sums.features.blocks()[i];
                            lines.push_back({statement.noise_of(i), sums.blocks[i],
                                             block.combination == Combination::kSum
                                                 ? sum_words(block)
                                                 : product_words(release.encoder(), block)});
                          }
                        },
                        [&](const NoisyCounts& counts) {
                          for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
                            lines.push_back({statement.noise_of(i), counts.blocks[i],
                                             counted_words(counts.counts.blocks()[i])});
                          }
                        },
                        [&](const TrainedWeights& weights) {
                          if (weights.count) {
                            lines.push_back({statement.noise_of(0), *weights.count,
                                             counted_words(CountBlock::records())});
                          }
                        }},
             release.payload());
  return lines;
}

/// What was bought besides the noise of blocks, a line each.
std::string other_charges(const PrivacyStatement& statement, std::size_t blocks) {
  std::string text;
  for (std::size_t i = blocks; i < statement.charges.size(); ++i) {
    const std::string words = std::visit(
        Overloaded{[](const GaussianSums& sums) {
                     return fmt::format("sensitivity {:.6g}, noise sigma {:.6g}", sums.sensitivity,
                                        sums.sigma);
                   },
                   [](const SubsampledGaussian& steps) {
                     return fmt::format(
                         "{} steps of training, each with a random {:.4g}% of the records and "
                         "noise of {:.6g} times the largest gradient",
                         group_digits(steps.steps), 100.0 * steps.sampling_rate,
                         steps.noise_multiplier);
                   },
                   [](const PureMechanism& pure) {
                     return fmt::format("({}, 0)-differentially private", pure.epsilon);
                   }},
        statement.charges[i]);
    text += wrap(fmt::format("{}: {}", shown(name_of(statement.charges[i])), words), 2);
  }
  return text;
}

/// What was measured of a column alone, and with how much noise.
struct ColumnLine {
  std::string features = "-";
  std::string sigma = "-";
};

std::string sigma_words(double sigma) { return fmt::format("{:.6g}", sigma); }

ColumnLine column_line(const NoisySums& sums, const PrivacyStatement& statement,
                       std::size_t column) {
  ColumnLine line;
  for (std::size_t b = 0; b < sums.blocks.size(); ++b) {
    const FeatureBlock& block = sums.features.blocks()[b];
    for (const WeightedMap& member : block.maps) {
      const std::vector<MapInput>& inputs = member.map.inputs();
      if (block.combination == Combination::kSum &&
          std::any_of(inputs.begin(), inputs.end(),
                      [&](const MapInput& input) { return input.column == column; })) {
        line = {map_words(member.map), sigma_words(statement.noise_of(b).sigma / member.weight)};
      }
    }
  }
  return line;
}

ColumnLine column_line(const NoisyCounts& counts, const PrivacyStatement& statement,
                       std::size_t column) {
  ColumnLine line;
  for (std::size_t b = 0; b < counts.blocks.size(); ++b) {
    const CountBlock& block = counts.counts.blocks()[b];
    const Marginal* marginal = block.marginal();
    if (marginal != nullptr && marginal->columns.size() == 1 &&
        marginal->columns[0].column == column) {
      line = {counted_words(block), sigma_words(statement.noise_of(b).sigma)};
    }
  }
  return line;
}

ColumnLine column_line(const TrainedWeights&, const PrivacyStatement&, std::size_t) {
  return {"trained on", "-"};
}

ColumnLine column_line(const Release& release, const Column& column) {
  const Encoder& encoder = release.encoder();
  if (!column.is_used()) {
    return {};
  }
  const std::size_t index = encoder.index_of(column.name);
  if (encoder.label() == index && std::holds_alternative<NoisySums>(release.payload())) {
    return {"label: splits every block into classes", "-"};
  }
  return std::visit([&](const auto& held) { return column_line(held, release.statement(), index); },
                    release.payload());
}

struct Part {
  std::string name;
  std::size_t blocks = 0;
  std::size_t numbers = 0;
  double mu_squared = 0.0;
};

/// The parts of a release of counts, and at the end all of them together.
std::vector<Part> parts_of(const Release& release) {
  std::vector<Part> parts;
  Part all{"all"};
  const NoisyCounts& counts = release.counts();
  for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
    const CountBlock& block = counts.counts.blocks()[i];
    const std::string name = what_is_counted(block) + (block.step.empty() ? "" : ", " + block.step);
    if (std::none_of(parts.begin(), parts.end(),
                     [&](const Part& part) { return part.name == name; })) {
      parts.push_back({name});
    }
    Part& own = *std::find_if(parts.begin(), parts.end(),
                              [&](const Part& part) { return part.name == name; });
    for (Part* part : {&own, &all}) {
      ++part->blocks;
      part->numbers += counts.blocks[i].columns;
      part->mu_squared += release.statement().noise_of(i).mu_squared();
    }
  }
  parts.push_back(all);
  return parts;
}

std::string parts_table(const Release& release) {
  const std::vector<Part> parts = parts_of(release);
  std::vector<std::vector<std::string>> lines = {
      {"part", "blocks", "numbers", "mu^2", "share of mu^2"}};
  for (const Part& part : parts) {
    lines.push_back({part.name, group_digits(part.blocks), group_digits(part.numbers),
                     fmt::format("{:.6g}", part.mu_squared),
                     fmt::format("{:.2f}%", 100.0 * part.mu_squared / parts.back().mu_squared)});
  }
  return align_columns(lines, 2);
}

double gaussian_mu_squared(const PrivacyStatement& statement) {
  double sum = 0.0;
  for (const Charge& charge : statement.charges) {
    if (const auto* sums = std::get_if<GaussianSums>(&charge)) {
      sum += sums->mu_squared();
    }
  }
  return sum;
}

std::string blocks_table(std::span<const BlockLine> lines, double mu_squared) {
  std::vector<std::vector<std::string>> rows = {
      {"block", "classes x features", "sensitivity", "noise sigma", "share of mu^2", "of"}};
  for (const BlockLine& line : lines) {
    rows.push_back({line.stated.name, fmt::format("{} x {}", line.noisy.rows, line.noisy.columns),
                    fmt::format("{:.6g}", line.stated.sensitivity), sigma_words(line.stated.sigma),
                    fmt::format("{:.2f}%", 100.0 * line.stated.mu_squared() / mu_squared),
                    line.of});
  }
  return align_columns(rows, 2);
}

/// How each block was specified, as a release file has it.
Json block_specifications(const Release& release) {
  const Encoder& encoder = release.encoder();
  return std::visit(
      Overloaded{
          [&](const NoisySums& sums) { return Json::parse(sums.features.to_json(encoder)); },
          [&](const NoisyCounts& counts) { return Json::parse(counts.counts.to_json(encoder)); },
          [](const TrainedWeights&) {
            return Json{{"blocks", {Json::object()}}};
          }},
      release.payload());
}

Json release_json(const Release& release, const std::string& shown_name) {
  const PrivacyStatement& statement = release.statement();
  Json json;
  json["file"] = shown_name;
  json["method"] = release.method();
  Json privacy;
  privacy["epsilon"] = statement.budget.epsilon;
  privacy["delta"] = statement.budget.delta;
  if (statement.mu()) {
    privacy["mu"] = *statement.mu();
  }
  privacy["rederived_epsilon"] = statement.epsilon_spent();
  privacy["relation"] = relation_name(release.schema().relation());
  if (const auto& unit = release.schema().privacy_unit()) {
    privacy["privacy_unit"] = Json{{"column", unit->column}, {"max_rows", unit->max_rows}};
  }
  const auto rule = [](bool published, const char* own) { return published ? "published" : own; };
  privacy["sensitivity_rule"] =
      rule(statement.rules.sensitivity == SensitivityRule::kPublished, "certified");
  privacy["accounting_rule"] =
      rule(statement.rules.accounting == AccountingRule::kPublished, "exact");
  privacy["charges"] = Json::array();
  for (const Charge& charge : statement.charges) {
    privacy["charges"].push_back(charge_json(charge));
  }
  privacy["in_words"] = release.in_words();
  json["privacy"] = std::move(privacy);
  json["records"] = Json{{"count", release.record_count()},
                         {"public", statement.public_rows.has_value()},
                         {"standard_error", release.record_count_error()}};
  if (release.has_counts()) {
    json["parts"] = Json::array();
    for (const Part& part : parts_of(release)) {
      json["parts"].push_back(Json{{"name", part.name},
                                   {"blocks", part.blocks},
                                   {"numbers", part.numbers},
                                   {"mu_squared", part.mu_squared}});
    }
  }
  json["blocks"] = Json::array();
  const Json specified = block_specifications(release);
  const std::vector<BlockLine> lines = block_lines(release);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const GaussianSums& stated = lines[i].stated;
    Json block{{"name", stated.name},
               {"classes", lines[i].noisy.rows},
               {"features", lines[i].noisy.columns},
               {"sensitivity", stated.sensitivity},
               {"sigma", stated.sigma},
               {"mu_squared", stated.mu_squared()},
               {"share", stated.mu_squared() / gaussian_mu_squared(statement)},
               {"of", lines[i].of}};
    if (std::holds_alternative<NoisySums>(release.payload())) {
      block["combination"] = "sum";  // where the specification does not say another
    }
    block.update(specified["blocks"][i]);
    json["blocks"].push_back(std::move(block));
  }
  if (specified.contains("cells")) {
    json["cells"] = specified["cells"];
  }
  json["schema"] = Json::parse(release.schema().to_json());
  return json;
}

PrivacyBudget together(const std::vector<NamedRelease>& releases) {
  std::vector<Release> all;
  for (const NamedRelease& named : releases) {
    all.push_back(named.release);
  }
  return spent_together(all);
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
      statement.mu() ? fmt::format(" (mu {})", rounded_up(*statement.mu(), 10)) : "",
      !statement.mu() ? "It is an upper bound, and within what is stated."
      : statement.rules.accounting == AccountingRule::kExact
          ? "It matches."
          : "It is within what is stated: the published accounting adds more noise than needed.");
  if (statement.rules.sensitivity == SensitivityRule::kPublished) {
    text += fmt::format(
        "  Sensitivities are the published bounds, which are not below the certified ones.\n");
  }

  text += fmt::format("\nMethod\n  {}\n", release.method());
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
  }
  if (all_blocks || lines.size() <= kFewBlocks) {
    text += lines.empty()
                ? ""
                : fmt::format("\nBlocks\n{}", blocks_table(lines, gaussian_mu_squared(statement)));
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
  for (const Column& column : schema.columns()) {
    const ColumnLine line = column_line(release, column);
    columns.push_back({column.name, std::string(kind_name(column.kind)), value_words(column),
                       !column.is_used() ? "-"
                       : column.missing  ? "yes"
                                         : "no",
                       line.features, line.sigma});
  }
  text += fmt::format("\nSchema (relation {})\n{}", relation_name(schema.relation()),
                      align_columns(columns, 2));
  return text;
}

std::string json_of(const Release& release, const std::string& shown_name) {
  return release_json(release, shown_name).dump(2) + "\n";
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
  const PrivacyBudget spent = together(releases);
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

std::string json_of(const std::vector<NamedRelease>& releases) {
  Json json;
  json["releases"] = Json::array();
  for (const auto& [name, release] : releases) {
    json["releases"].push_back(release_json(release, name));
  }
  const PrivacyBudget spent = together(releases);
  json["together"] = Json{{"epsilon", spent.epsilon}, {"delta", spent.delta}};
  return json.dump(2) + "\n";
}

}  // namespace mehler

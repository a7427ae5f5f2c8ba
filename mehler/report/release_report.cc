#include "mehler/report/release_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/strict_json.h"
#include "mehler/release/marginal_measurements.h"
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
    case FeatureMap::Kind::kContrast:
      return fmt::format("counts of {} cells", map.cells()->size());
    case FeatureMap::Kind::kDifferences:
      return fmt::format("halves of {} ranges", map.splits()->ranges.size());
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

/// What a block is made of.
std::string block_words(const Release& release, std::size_t index) {
  const FeatureBlock& block = release.features().blocks()[index];
  if (release.count_block() == index) {
    return block.labelled ? "records of each class" : "all records";
  }
  if (block.maps[0].map.kind() == FeatureMap::Kind::kDifferences || block.is_contrast()) {
    std::string words;
    for (const WeightedMap& member : block.maps) {
      words += (words.empty() ? "" : " x ") + map_words(member.map);
    }
    return words;
  }
  if (block.combination == Combination::kSum) {
    return block.has_fourier() ? "all numbers together, every other column alone"
                               : "every column alone";
  }
  std::string words;
  for (const WeightedMap& member : block.maps) {
    words += words.empty() ? "" : " x ";
    words += input_words(release.encoder(), member.map);
    if (member.map.kind() == FeatureMap::Kind::kHermite) {
      words += fmt::format(" (order {})", member.map.hermite().order());
    }
  }
  return words;
}

/// What a block of counts belongs to; the parts of a release are its kinds of measurements.
std::string part_of(const FeatureBlock& block) {
  const FeatureMap::Kind kind = block.maps[0].map.kind();
  if (kind == FeatureMap::Kind::kConstant) {
    return "number of records";
  }
  if (kind == FeatureMap::Kind::kDifferences) {
    return "values within ranges of numbers";
  }
  const std::size_t columns = block.maps.size();
  return fmt::format("{}{}{}",
                     columns == 1   ? "columns"
                     : columns == 2 ? "pairs of columns"
                                    : "triples of columns",
                     block.step.empty() ? "" : ", ", block.step);
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
  for (std::size_t i = 0; i < release.blocks().size(); ++i) {
    const std::string name = part_of(release.features().blocks()[i]);
    if (std::none_of(parts.begin(), parts.end(),
                     [&](const Part& part) { return part.name == name; })) {
      parts.push_back({name});
    }
    Part& own = *std::find_if(parts.begin(), parts.end(),
                              [&](const Part& part) { return part.name == name; });
    for (Part* part : {&own, &all}) {
      ++part->blocks;
      part->numbers += release.blocks()[i].columns;
      part->mu_squared += release.statement().blocks[i].mu_squared();
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

}  // namespace

std::string text_of(const Release& release, const std::string& shown_name, bool all_blocks) {
  std::string text;
  const PrivacyStatement& statement = release.statement();
  const Schema& schema = release.schema();
  text += fmt::format("Release {} (format version {})\n\nGuarantee\n{}", shown_name,
                      Release::kVersion, wrap(release.in_words(), 2));
  text += fmt::format(
      "  Re-derived from this file: epsilon {} at delta {} (mu {}). {}\n",
      rounded_up(epsilon_of_gaussian(statement.mu(), statement.budget.delta), 10),
      statement.budget.delta, rounded_up(statement.mu(), 10),
      statement.rules.accounting == AccountingRule::kExact
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

  if (has_counts(release)) {
    text += fmt::format("\nParts\n{}", parts_table(release));
  }
  std::vector<std::vector<std::string>> blocks = {
      {"block", "classes x features", "sensitivity", "noise sigma", "share of mu^2", "of"}};
  for (std::size_t i = 0; i < release.blocks().size(); ++i) {
    const BlockStatement& stated = statement.blocks[i];
    blocks.push_back(
        {stated.name, fmt::format("{} x {}", release.blocks()[i].rows, release.blocks()[i].columns),
         fmt::format("{:.6g}", stated.sensitivity), fmt::format("{:.6g}", stated.sigma),
         fmt::format("{:.2f}%", 100.0 * stated.mu_squared() / (statement.mu() * statement.mu())),
         block_words(release, i)});
  }
  if (all_blocks || release.blocks().size() <= kFewBlocks) {
    text += fmt::format("\nBlocks\n{}", align_columns(blocks, 2));
  } else {
    text += fmt::format(
        "\nBlocks\n  {} blocks, each with a sensitivity and a noise of its own; option "
        "'blocks' lists them\n",
        release.blocks().size());
  }

  std::vector<std::vector<std::string>> columns = {
      {"column", "kind", "values", "missing", "features", "noise sigma"}};
  for (const Column& column : schema.columns()) {
    std::string features = column.name == schema.target() ? "target" : "-";
    std::string sigma = "-";
    for (std::size_t b = 0; b < release.blocks().size(); ++b) {
      const FeatureBlock& block = release.features().blocks()[b];
      const bool is_column = block.is_contrast() && block.maps.size() == 1;
      if ((block.combination == Combination::kProduct && !is_column) ||
          block.maps[0].map.kind() == FeatureMap::Kind::kDifferences) {
        continue;  // listed with the blocks
      }
      for (const WeightedMap& member : release.features().blocks()[b].maps) {
        if (std::any_of(member.map.inputs().begin(), member.map.inputs().end(),
                        [&](const MapInput& input) {
                          return release.encoder().columns()[input.column].name == column.name;
                        })) {
          features = map_words(member.map);
          sigma = fmt::format("{:.6g}", statement.blocks[b].sigma / member.weight);
        }
      }
    }
    if (column.name == schema.target() && release.encoder().label() && !has_counts(release)) {
      features = "label: splits every block into classes";
    }
    columns.push_back({column.name, std::string(kind_name(column.kind)), value_words(column),
                       !column.is_used() ? "-"
                       : column.missing  ? "yes"
                                         : "no",
                       features, sigma});
  }
  text += fmt::format("\nSchema (relation {})\n{}", relation_name(schema.relation()),
                      align_columns(columns, 2));
  return text;
}

std::string json_of(const Release& release, const std::string& shown_name) {
  const PrivacyStatement& statement = release.statement();
  Json json;
  json["file"] = shown_name;
  json["format_version"] = Release::kVersion;
  json["method"] = release.method();
  Json privacy;
  privacy["epsilon"] = statement.budget.epsilon;
  privacy["delta"] = statement.budget.delta;
  privacy["mu"] = statement.mu();
  privacy["rederived_epsilon"] = epsilon_of_gaussian(statement.mu(), statement.budget.delta);
  privacy["relation"] = relation_name(release.schema().relation());
  if (const auto& unit = release.schema().privacy_unit()) {
    privacy["privacy_unit"] = Json{{"column", unit->column}, {"max_rows", unit->max_rows}};
  }
  const auto rule = [](bool published, const char* own) { return published ? "published" : own; };
  privacy["sensitivity_rule"] =
      rule(statement.rules.sensitivity == SensitivityRule::kPublished, "certified");
  privacy["accounting_rule"] =
      rule(statement.rules.accounting == AccountingRule::kPublished, "exact");
  privacy["in_words"] = release.in_words();
  json["privacy"] = std::move(privacy);
  json["records"] = Json{{"count", release.record_count()},
                         {"public", statement.public_rows.has_value()},
                         {"standard_error", release.record_count_error()}};
  if (has_counts(release)) {
    json["parts"] = Json::array();
    for (const Part& part : parts_of(release)) {
      json["parts"].push_back(Json{{"name", part.name},
                                   {"blocks", part.blocks},
                                   {"numbers", part.numbers},
                                   {"mu_squared", part.mu_squared}});
    }
  }
  json["blocks"] = Json::array();
  const Json features = Json::parse(release.features().to_json(release.encoder()));
  for (std::size_t i = 0; i < release.blocks().size(); ++i) {
    const BlockStatement& stated = statement.blocks[i];
    json["blocks"].push_back(Json{
        {"name", stated.name},
        {"classes", release.blocks()[i].rows},
        {"features", release.blocks()[i].columns},
        {"sensitivity", stated.sensitivity},
        {"sigma", stated.sigma},
        {"mu_squared", stated.mu_squared()},
        {"share", stated.mu_squared() / (statement.mu() * statement.mu())},
        {"combination",
         release.features().blocks()[i].combination == Combination::kProduct ? "product" : "sum"},
        {"maps", features["blocks"][i]["maps"]}});
  }
  json["schema"] = Json::parse(release.schema().to_json());
  return json.dump(2) + "\n";
}

}  // namespace mehler

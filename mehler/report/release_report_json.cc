#include "mehler/core/overloaded.h"
#include "mehler/core/strict_json.h"
#include "mehler/release/charge_json.h"
#include "mehler/release/training_json.h"
#include "mehler/report/release_lines.h"
#include "mehler/report/release_report.h"

namespace mehler {
namespace {

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
  if (const Column* label = only_link_of_images(release)) {
    json["images_go_with"] = Json::array({label->name});
  }
  Json privacy;
  privacy["epsilon"] = statement.budget.epsilon;
  privacy["delta"] = statement.budget.delta;
  if (statement.mu()) {
    privacy["mu"] = *statement.mu();
    if (statement.disclosure_delta() > 0.0) {
      privacy["disclosure_delta"] = statement.disclosure_delta();
    }
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
    for (const ReleasePart& part : parts_of(release)) {
      json["parts"].push_back(Json{{"name", part.name},
                                   {"blocks", part.blocks},
                                   {"numbers", part.numbers},
                                   {"mu_squared", part.mu_squared}});
    }
  }
  const auto* weights = std::get_if<TrainedWeights>(&release.payload());
  if (weights != nullptr && weights->training) {
    json["training"] = training_json(*weights->training);
  }
  json["blocks"] = Json::array();
  const Json specified = block_specifications(release);
  const std::vector<BlockLine> lines = block_lines(release);
  // Shares are of mu squared: where other charges do not add up so there are none.
  const std::optional<double> mu = statement.mu();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const BlockNoise& stated = lines[i].stated;
    Json block{{"name", stated.name},
               {"classes", lines[i].noisy.rows},
               {"features", lines[i].noisy.columns},
               {"sensitivity", stated.sensitivity},
               {"sigma", stated.sigma},
               {"mu_squared", stated.mu_squared()},
               {"of", lines[i].of}};
    if (mu) {
      block["share"] = stated.mu_squared() / (*mu * *mu);
    }
    if (stated.epsilon > 0.0) {
      block["epsilon"] = stated.epsilon;
    }
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

}  // namespace

std::string json_of(const Release& release, const std::string& shown_name) {
  return release_json(release, shown_name).dump(2) + "\n";
}

std::string json_of(const std::vector<NamedRelease>& releases) {
  Json json;
  json["releases"] = Json::array();
  for (const auto& [name, release] : releases) {
    json["releases"].push_back(release_json(release, name));
  }
  const PrivacyBudget spent = spent_by(releases);
  json["together"] = Json{{"epsilon", spent.epsilon}, {"delta", spent.delta}};
  return json.dump(2) + "\n";
}

}  // namespace mehler

#include <fmt/format.h>

#include "evaluation_report.h"
#include "terminal.h"

namespace mehler {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kSafeToShare =
    "These figures were computed from the release and the synthetic table alone; no private record "
    "was read. They are post-processing of the release, covered by its guarantee, and safe to "
    "share.";
constexpr const char* kHowToRead =
    "'noise': released sums less synthetic ones, in units of the released noise; about 1 and 95% "
    "when the synthetic table agrees as far as the noise lets one see. A table of drawn records "
    "cannot reach that where the noise is small beside the luck of the draw: 'draws' has both in "
    "its unit, and is about 1 and 95% when the records are draws of a distribution that agrees.";

std::vector<std::string> row_of(const PartAgreement& part) {
  const NoiseAgreement& agreement = part.agreement;
  return {part.name,
          group_digits(agreement.sums),
          fmt::format("{:.2f}", agreement.root_mean_square),
          fmt::format("{:.1f}%", 100.0 * agreement.within_two),
          fmt::format("{:.2f}", agreement.root_mean_square_of_draws),
          fmt::format("{:.1f}%", 100.0 * agreement.within_two_of_draws)};
}

std::string table_of(const char* heading, const std::vector<PartAgreement>& parts) {
  Rows rows = {{heading, "sums", "noise: rms", "within 2", "draws: rms", "within 2"}};
  for (const PartAgreement& part : parts) {
    rows.push_back(row_of(part));
  }
  return align_columns(rows, 2);
}

Json json_of_agreement(const NoiseAgreement& agreement) {
  return Json{{"sums", agreement.sums},
              {"root_mean_square", agreement.root_mean_square},
              {"within_two", agreement.within_two},
              {"root_mean_square_of_draws", agreement.root_mean_square_of_draws},
              {"within_two_of_draws", agreement.within_two_of_draws}};
}

Json json_of_parts(const char* key, const std::vector<PartAgreement>& parts) {
  Json json = Json::array();
  for (const PartAgreement& part : parts) {
    Json entry{{key, part.name}};
    entry.update(json_of_agreement(part.agreement));
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string text_of(const Release& release, const ReleaseAgreement& agreement) {
  std::vector<PartAgreement> blocks = agreement.blocks;
  blocks.push_back({"all", agreement.all});
  return fmt::format(
      "{} synthetic records against a release of {} records\n\n{}\nBlocks\n{}\nColumns\n{}\n{}",
      group_digits(agreement.synthetic_rows), record_count_words(release), wrap(kSafeToShare, 0),
      table_of("block", blocks), table_of("column", agreement.columns), wrap(kHowToRead, 0));
}

Json json_of(const Release& release, const ReleaseAgreement& agreement) {
  return Json{{"privacy", kSafeToShare},
              {"safe_to_share", true},
              {"released_records", release.record_count()},
              {"synthetic_records", agreement.synthetic_rows},
              {"factor", agreement.factor},
              {"all", json_of_agreement(agreement.all)},
              {"blocks", json_of_parts("block", agreement.blocks)},
              {"columns", json_of_parts("column", agreement.columns)}};
}

}  // namespace mehler

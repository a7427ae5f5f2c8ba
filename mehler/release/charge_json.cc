#include "mehler/release/charge_json.h"

#include <fmt/format.h>

#include "mehler/core/overloaded.h"

namespace mehler {
namespace {

constexpr const char* kGaussianSums = "gaussian-sums";
constexpr const char* kSubsampledGaussian = "subsampled-gaussian";
constexpr const char* kReplacedGaussian = "replaced-gaussian";
constexpr const char* kPureMechanism = "pure-mechanism";
constexpr const char* kRareDisclosure = "rare-disclosure";
constexpr const char* kSelection = "selection";
constexpr const char* kLaplaceSums = "laplace-sums";

template <typename Steps>
Steps read_steps(JsonObjectReader& reader) {
  Steps steps{reader.text("name"), reader.number("noise_multiplier"),
              reader.number("sampling_rate"), 0};
  const std::int64_t count = reader.integer("steps");
  steps.steps = count < 0 ? 0 : static_cast<std::uint64_t>(count);
  return steps;
}

Json steps_json(const char* kind, const auto& steps) {
  return Json{{"charge", kind},
              {"name", steps.name},
              {"noise_multiplier", steps.noise_multiplier},
              {"sampling_rate", steps.sampling_rate},
              {"steps", steps.steps}};
}

Charge read_charge_of_kind(const std::string& kind, JsonObjectReader& reader) {
  if (kind == kGaussianSums) {
    return GaussianSums{reader.text("name"), reader.number("sensitivity"), reader.number("sigma")};
  }
  if (kind == kSubsampledGaussian) {
    return read_steps<SubsampledGaussian>(reader);
  }
  if (kind == kReplacedGaussian) {
    return read_steps<ReplacedGaussian>(reader);
  }
  if (kind == kPureMechanism) {
    return PureMechanism{reader.text("name"), reader.number("epsilon")};
  }
  if (kind == kRareDisclosure) {
    return RareDisclosure{reader.text("name"), reader.number("delta")};
  }
  if (kind == kSelection) {
    const std::int64_t candidates = reader.integer("candidates");
    return Selection{reader.text("name"),
                     candidates < 0 ? 0 : static_cast<std::uint64_t>(candidates),
                     reader.number("epsilon")};
  }
  if (kind == kLaplaceSums) {
    return LaplaceSums{reader.text("name"), reader.number("sensitivity"), reader.number("scale")};
  }
  reader.fail(fmt::format(
      "is of a kind that this version does not know; it knows '{}', '{}', '{}', '{}', '{}', '{}' "
      "and '{}'",
      kGaussianSums, kSubsampledGaussian, kReplacedGaussian, kPureMechanism, kRareDisclosure,
      kSelection, kLaplaceSums));
}

}  // namespace

Json charge_json(const Charge& charge) {
  return std::visit(
      Overloaded{
          [](const GaussianSums& sums) {
            return Json{{"charge", kGaussianSums},
                        {"name", sums.name},
                        {"sensitivity", sums.sensitivity},
                        {"sigma", sums.sigma}};
          },
          [](const SubsampledGaussian& steps) { return steps_json(kSubsampledGaussian, steps); },
          [](const ReplacedGaussian& queries) { return steps_json(kReplacedGaussian, queries); },
          [](const PureMechanism& pure) {
            return Json{{"charge", kPureMechanism}, {"name", pure.name}, {"epsilon", pure.epsilon}};
          },
          [](const RareDisclosure& rare) {
            return Json{{"charge", kRareDisclosure}, {"name", rare.name}, {"delta", rare.delta}};
          },
          [](const Selection& selection) {
            return Json{{"charge", kSelection},
                        {"name", selection.name},
                        {"candidates", selection.candidates},
                        {"epsilon", selection.epsilon}};
          },
          [](const LaplaceSums& sums) {
            return Json{{"charge", kLaplaceSums},
                        {"name", sums.name},
                        {"sensitivity", sums.sensitivity},
                        {"scale", sums.scale}};
          }},
      charge);
}

Charge read_charge(const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease,
                          "a charge of the release's privacy statement");
  Charge charge = read_charge_of_kind(reader.text("charge"), reader);
  reader.finish();
  return charge;
}

}  // namespace mehler

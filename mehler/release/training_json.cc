#include "mehler/release/training_json.h"

namespace mehler {
namespace {

constexpr const char* kPoisson = "poisson";
constexpr const char* kShards = "shards";
constexpr const char* kOne = "one";
constexpr const char* kOnePerClass = "one-per-class";
constexpr const char* kEach = "each";
constexpr const char* kJointly = "jointly";
constexpr const char* kOwnProtocol = "own";
constexpr const char* kPublishedProtocol = "published";

/// A whole number that is not negative; what is too large for it is refused by whoever reads it.
std::uint64_t count_of(JsonObjectReader& reader, const char* key) {
  const std::int64_t value = reader.integer(key);
  if (value < 0) {
    reader.fail(std::string("has a negative '") + key + "'");
  }
  return static_cast<std::uint64_t>(value);
}

bool is_second_of(JsonObjectReader& reader, const char* key, const char* first,
                  const char* second) {
  const std::string text = reader.text(key);
  if (text != first && text != second) {
    reader.fail(std::string("has a '") + key + "' that is neither '" + first + "' nor '" + second +
                "'");
  }
  return text == second;
}

void read_shards(JsonObjectReader& reader, TrainingPlan& plan) {
  JsonObjectReader critics(reader.object("critics"), ErrorCode::kInvalidRelease,
                           "the critics of a training");
  plan.critics = TrainingCritics::kShards;
  plan.shards = count_of(critics, "shards");
  plan.queries = count_of(critics, "queries");
  plan.drawn_jointly = is_second_of(critics, "drawn", kEach, kJointly);
  critics.finish();
}

}  // namespace

Json training_json(const TrainingPlan& plan) {
  const bool shards = plan.critics == TrainingCritics::kShards;
  Json json;
  json["sampling"] = shards ? kShards : kPoisson;
  if (!shards) {
    json["rate_numerator"] = plan.rate_numerator;
  }
  json["noise_multiplier"] = plan.noise_multiplier;
  json["steps"] = plan.steps;
  json["clip_norm"] = plan.clip_norm;
  if (shards) {
    json["critics"] = {{"shards", plan.shards},
                       {"queries", plan.queries},
                       {"drawn", plan.drawn_jointly ? kJointly : kEach}};
  } else {
    json["critics"] = plan.critics == TrainingCritics::kOne ? kOne : kOnePerClass;
  }
  json["protocol"] = plan.published ? kPublishedProtocol : kOwnProtocol;
  return json;
}

TrainingPlan read_training(const Json& json) {
  JsonObjectReader reader(json, ErrorCode::kInvalidRelease,
                          "the training of the release's weights");
  TrainingPlan plan;
  if (is_second_of(reader, "sampling", kPoisson, kShards)) {
    read_shards(reader, plan);
  } else {
    plan.rate_numerator = count_of(reader, "rate_numerator");
    plan.critics = is_second_of(reader, "critics", kOne, kOnePerClass)
                       ? TrainingCritics::kOnePerClass
                       : TrainingCritics::kOne;
  }
  plan.noise_multiplier = reader.number("noise_multiplier");
  plan.steps = count_of(reader, "steps");
  plan.clip_norm = reader.number("clip_norm");
  plan.published = is_second_of(reader, "protocol", kOwnProtocol, kPublishedProtocol);
  reader.finish();
  return plan;
}

}  // namespace mehler

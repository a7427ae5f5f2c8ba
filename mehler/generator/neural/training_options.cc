#include "mehler/generator/neural/training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/record_networks/output_heads.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxStepsPerEpoch = 1'000'000;
constexpr std::size_t kMostHiddenUnits = 2000;

std::vector<std::string> network_names() { return {"convolutional", "fully-connected"}; }

}  // namespace

void TrainingOptions::validate() const {
  // Written so that NaN fails too.
  const auto require = [](bool holds, std::string_view allowed, const auto& value,
                          std::string_view remedy) {
    if (!holds) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the {}, but is {}; {}", allowed, value, remedy));
    }
  };
  require(epochs >= 1 && epochs <= 100'000, "number of epochs must lie in [1, 100000]", epochs,
          "60 is a good start");
  require(steps_per_epoch >= 1 && steps_per_epoch <= kMaxStepsPerEpoch,
          fmt::format("number of steps an epoch must lie in [1, {}]", kMaxStepsPerEpoch),
          steps_per_epoch, "25 is a good start");
  require(batch_rows >= 16 && batch_rows <= 1'000'000, "batch size must lie in [16, 1000000]",
          batch_rows, "2000 is a good start");
  require(learning_rate > 0.0 && learning_rate <= 1.0, "learning rate must lie in (0, 1]",
          learning_rate, "0.01 is a good start");
  const double decay = learning_rate_decay.value_or(1.0);
  require(decay > 0.0 && decay <= 1.0, "decay of the learning rate must lie in (0, 1]", decay,
          "0.95 is a good start");
  const double rate = batch_rate.value_or(1.0);
  require(rate > 0.0 && rate <= 1.0, "batch rate must lie in (0, 1]", rate,
          "it is a share of the released records, and 0.1 is a good start");
  require(weights.gamma > 0.0 && std::isfinite(weights.gamma),
          "weight gamma of products must be a finite number greater than 0", weights.gamma,
          "1 is a good start");
  for (const auto& [name, value] : class_rates) {
    require(value > 0.0 && value <= kMaxClassRate,
            fmt::format("rate of class '{}' must lie in (0, {}]", name, kMaxClassRate), value,
            "1 leaves the class as it is");
  }
  require(noise_inputs >= 1 && noise_inputs <= 10'000,
          "number of noise inputs must lie in [1, 10000]", noise_inputs, "10 is a good start");
  require(!hidden.empty(), "number of hidden layers must be at least 1", hidden.size(),
          "2 of 200 are a good start");
}

NetworkDesign TrainingOptions::design(const Schema& schema) const {
  if (schema.image() != nullptr) {
    return NetworkDesign::of_images(image_network.value_or(NetworkDesign::best_for(schema)));
  }
  NetworkDesign result;
  result.noise_inputs = noise_inputs;
  result.hidden = hidden;
  return result;
}

void TrainingOptions::validate(const Schema& schema) const {
  validate();
  if (image_network) {
    NetworkDesign::require_possible(schema, *image_network);
  }
  for (const auto& [name, rate] : class_rates) {
    if (schema.label() == nullptr) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a rate is given for the class '{}', but the schema has no target "
                              "with classes; leave the rate out, or declare a target and make a "
                              "new release",
                              name));
    }
    const std::vector<std::string> labels = schema.label()->labels();
    if (std::find(labels.begin(), labels.end(), name) == labels.end()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("a rate is given for '{}', which is no class of the target '{}'{}",
                              name, schema.label()->name, suggest_names(name, labels)));
    }
  }
}

std::vector<Option> TrainingOptions::list() {
  const TrainingOptions defaults;
  return {
      {"epochs", "N", fmt::format("Epochs; the best one is kept. Default {}", defaults.epochs),
       "training"},
      {"steps", "N", fmt::format("Steps an epoch; default {}", defaults.steps_per_epoch),
       "training"},
      {.name = "batch",
       .value = "N",
       .help = fmt::format("Generated records a step; default {}", defaults.batch_rows),
       .group = "training",
       .displaced_by = {{"batch-rate"}}},
      {.name = "batch-rate",
       .value = "P",
       .help = "Generated records a step as a share of the released number, in place of a batch "
               "size",
       .group = "training",
       .displaced_by = {{"batch"}}},
      {"learning-rate", "R", fmt::format("Of the first epoch; default {}", defaults.learning_rate),
       "training"},
      {"learning-rate-decay", "F",
       fmt::format("Factor after each epoch; by default the rate ends at {} of the first",
                   kLastLearningRate),
       "training"},
      {"gamma", "G",
       "The paper's loss: products count gamma times; by default residuals count by their noise",
       "training"},
      {"equal-classes", "",
       "With the paper's loss: the mean embeddings of all classes count the same, however few "
       "records a class has, as its authors train on tables",
       "training"},
      {"one-product-per-epoch", "",
       "Learn from one product block an epoch, in turn, as the paper does", "training"},
      {"generator", "NETWORK",
       "Of images: convolutional (the default where sides are multiples of 4 and there is no "
       "column besides the image and the target), or fully-connected",
       "training"},
      {"class-rate", "CLASS=R",
       "CLASS=R generates a class of the target R times as often as it was released; may be "
       "repeated",
       "training", true}};
}

std::vector<Option> TrainingOptions::list_without_products() {
  std::vector<Option> options = list();
  std::erase_if(options, [](const Option& option) {
    return option.name == "gamma" || option.name == "equal-classes" ||
           option.name == "one-product-per-epoch";
  });
  return options;
}

void TrainingOptions::train_as_dp_merf(const Encoder& encoder) {
  weights = {.rule = LossWeights::Rule::kGamma, .gamma = 1.0, .equal_classes = true};
  if (encoder.schema().image() == nullptr) {
    const std::size_t outputs = OutputHeads(encoder).outputs();
    hidden = {std::min(4 * outputs, kMostHiddenUnits), std::min(2 * outputs, kMostHiddenUnits)};
  }
}

TrainingOptions TrainingOptions::parse(const OptionValues& values, std::uint64_t seed) {
  values.require_known(list(), "training a network");
  TrainingOptions result;
  result.seed = seed;
  result.epochs = values.count("epochs", result.epochs, 1, 100'000);
  result.steps_per_epoch = values.count("steps", result.steps_per_epoch, 1, kMaxStepsPerEpoch);
  result.batch_rows = values.count("batch", result.batch_rows, 16, 1'000'000);
  result.learning_rate = values.number("learning-rate", result.learning_rate);
  if (values.has("batch-rate")) {
    if (values.has("batch")) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} and {} both say how many records a step has; give one of them",
                              option_words("batch"), option_words("batch-rate")));
    }
    result.batch_rate = values.number("batch-rate", 0.0);
  }
  if (values.has("learning-rate-decay")) {
    result.learning_rate_decay = values.number("learning-rate-decay", 1.0);
  }
  if (values.has("gamma")) {
    result.weights = {LossWeights::Rule::kGamma, values.number("gamma", 1.0)};
  }
  result.weights.equal_classes = values.has("equal-classes");
  if (result.weights.equal_classes && !values.has("gamma")) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} belongs to the loss of {}: without it residuals count by their "
                            "noise, and classes by their records; give {} too, or leave {} out",
                            option_words("equal-classes"), option_words("gamma"),
                            option_words("gamma"), option_words("equal-classes")));
  }
  result.one_product_per_epoch = values.has("one-product-per-epoch");
  if (values.has("generator")) {
    const bool is_convolutional = values.choice("generator", 0, network_names()) == 0;
    result.image_network =
        is_convolutional ? ImageNetwork::kConvolutional : ImageNetwork::kFullyConnected;
  }
  result.class_rates = values.numbers_by_name("class-rate");
  result.validate();
  return result;
}

OptionValues TrainingOptions::values() const {
  OptionValues values;
  const auto add = [&](const char* name, const auto& value) {
    values.add(name, fmt::format("{}", value));
  };
  add("epochs", epochs);
  if (batch_rate) {
    add("batch-rate", *batch_rate);
  } else {
    add("batch", batch_rows);
  }
  add("learning-rate", learning_rate);
  if (learning_rate_decay) {
    add("learning-rate-decay", *learning_rate_decay);
  }
  if (weights.rule == LossWeights::Rule::kGamma) {
    add("gamma", weights.gamma);
  }
  if (weights.equal_classes) {
    add("equal-classes", "");
  }
  if (one_product_per_epoch) {
    add("one-product-per-epoch", "");
  }
  if (steps_per_epoch != TrainingOptions().steps_per_epoch) {
    add("steps", steps_per_epoch);
  }
  if (image_network) {
    add("generator", network_names()[*image_network == ImageNetwork::kConvolutional ? 0 : 1]);
  }
  for (const auto& [name, rate] : class_rates) {
    add("class-rate", fmt::format("{}={}", name, rate));
  }
  return values;
}

OptionValues TrainingOptions::calmer(OptionValues values) {
  const double rate = values.number("learning-rate", TrainingOptions().learning_rate);
  values.replace("learning-rate", fmt::format("{:.3g}", rate / 10.0));
  return values;
}

}  // namespace mehler

#include "mehler/reference/full_mmd_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/features/hermite_features.h"
#include "mehler/reference/exact_embedding.h"
#include "mehler/reference/record_vectors.h"

namespace mehler {
namespace {

constexpr std::size_t kEpochs = 20;
/// About as many as 20 passes over the paper's images have.
constexpr std::size_t kFewestSteps = 2400;
constexpr std::size_t kBatchRows = 500;
constexpr double kDecay = 0.9;
/// The shortest length scale over the root of a record's dimension. Squared distances of records
/// are known to about 3e-7 of the dimension, which is a hundredth of the exponent's unit then.
constexpr double kShortestPerRoot = 0.005;
/// Hidden layers of tables have at least as many units.
constexpr std::size_t kFewestHiddenUnits = 200;
/// DP-MERF's convolutional generator has a smaller first layer than the paper's.
constexpr std::size_t kHiddenUnitsOfImages = 200;

/// Of those of training that say the same here.
const std::vector<std::string>& shared_names() {
  static const std::vector<std::string> kNames = {"generator", "class-rate"};
  return kNames;
}

}  // namespace

std::vector<Option> FullMmdOptions::list() {
  const TrainingOptions defaults;
  std::vector<Option> options = {
      {"length-scale", "L",
       "Length scale of the kernel of whole records, where the declared bounds are -1 and 1; by "
       "default the median distance of two records, of 1000 of them",
       "kernel"},
      {"epochs", "N",
       fmt::format("Passes over the records; default {}, and of small tables as many as {} steps "
                   "take",
                   kEpochs, kFewestSteps),
       "training"},
      {"batch", "N",
       fmt::format("Real records a step, and as many generated ones of the same classes; default "
                   "{}, or all of a smaller table",
                   kBatchRows),
       "training"},
      {"learning-rate", "R", fmt::format("Of the first epoch; default {}", defaults.learning_rate),
       "training"},
      {"learning-rate-decay", "F",
       fmt::format("Factor after each epoch; default {}, and nearer to 1 where the default epochs "
                   "are more than {}",
                   kDecay, kEpochs),
       "training"}};
  for (const Option& option : TrainingOptions::list()) {
    if (std::find(shared_names().begin(), shared_names().end(), option.name) !=
        shared_names().end()) {
      options.push_back(option);
    }
  }
  return options;
}

FullMmdOptions FullMmdOptions::parse(const OptionValues& values, std::uint64_t seed) {
  values.require_known(list(), "reference full-mmd");
  FullMmdOptions result;
  if (values.has("length-scale")) {
    result.length_scale = values.number("length-scale", 0.0);
    require_length_scale(*result.length_scale, "");
  }
  OptionValues of_training = values.only(TrainingOptions::list());
  result.batch_is_given = values.has("batch");
  if (!result.batch_is_given) {
    of_training.add("batch", fmt::format("{}", kBatchRows));
  }
  result.epochs_are_given = values.has("epochs");
  if (!result.epochs_are_given) {
    of_training.add("epochs", fmt::format("{}", kEpochs));
  }
  result.training = TrainingOptions::parse(of_training, seed);
  return result;
}

void FullMmdOptions::validate(const Encoder& encoder) const {
  training.validate(encoder.schema());
  const auto dimension = static_cast<double>(RecordVectors(encoder).dimension());
  const double shortest = kShortestPerRoot * std::sqrt(dimension);
  if (length_scale && *length_scale < shortest) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is {}, but records of {} numbers need at least {:.3g}: by a shorter "
                    "one every record is alone",
                    option_words("length-scale"), *length_scale, dimension, shortest));
  }
}

TrainingOptions FullMmdOptions::training_of(std::size_t batches) const {
  TrainingOptions result = training;
  if (!epochs_are_given) {
    result.epochs = std::max(kEpochs, ceil_divide(kFewestSteps, batches));
  }
  if (!result.learning_rate_decay) {
    const double epochs_of_one =
        epochs_are_given ? 1.0 : static_cast<double>(kEpochs) / static_cast<double>(result.epochs);
    result.learning_rate_decay = std::pow(kDecay, epochs_of_one);
  }
  return result;
}

NetworkDesign FullMmdOptions::design(const Encoder& encoder) const {
  TrainingOptions as_dp_merf = training;
  as_dp_merf.train_as_dp_merf(encoder);
  for (std::size_t& units : as_dp_merf.hidden) {
    units = std::max(units, kFewestHiddenUnits);
  }
  NetworkDesign design = as_dp_merf.design(encoder.schema());
  if (design.convolutions) {
    design.hidden = {kHiddenUnitsOfImages};
  }
  return design;
}

}  // namespace mehler

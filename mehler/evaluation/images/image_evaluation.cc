#include "mehler/evaluation/images/image_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace mehler {
namespace {

std::vector<std::size_t> class_counts(const EvaluatedImages& images) {
  std::vector<std::size_t> counts;
  for (const std::vector<std::size_t>& of_class : images.by_class()) {
    counts.push_back(of_class.size());
  }
  counts.pop_back();  // of no class
  return counts;
}

double exact_image_matches(const EvaluatedImages& synthetic, const EvaluatedImages& real) {
  const auto bytes = [](const EvaluatedImages& images, std::size_t i) {
    const auto image = images.image(i);
    return std::string_view(reinterpret_cast<const char*>(image.data()), image.size());
  };
  std::unordered_set<std::string_view> occurring;
  for (std::size_t i = 0; i < real.count; ++i) {
    occurring.insert(bytes(real, i));
  }
  std::size_t matches = 0;
  for (std::size_t i = 0; i < synthetic.count; ++i) {
    matches += occurring.contains(bytes(synthetic, i)) ? 1 : 0;
  }
  return static_cast<double>(matches) / static_cast<double>(synthetic.count);
}

/// Why there can be no network; empty if there can.
std::string reason_without_network(const ImageFigures& figures,
                                   const ImageEvaluationOptions& options) {
  if (!options.has_network) {
    return "left out on request";
  }
  if (figures.target.empty()) {
    return "the schema has no target that is a category; name a column with option 'target'";
  }
  if (figures.labels.size() < 2) {
    return "the target has one category; a classifier needs at least two";
  }
  if (std::min(figures.shape.rows, figures.shape.columns) < kSmallestNetworkSide) {
    return fmt::format("it takes images of at least {} x {} pixels", kSmallestNetworkSide,
                       kSmallestNetworkSide);
  }
  return "";
}

}  // namespace

void evaluate_images(const EvaluatedImages& real, const EvaluatedImages& synthetic,
                     const EvaluatedImages* training, const ImageEvaluationOptions& options,
                     const std::function<void(const std::string&)>& begin, const Context& context,
                     ImageFigures& figures) {
  figures.real_counts = class_counts(real);
  figures.synthetic_counts = class_counts(synthetic);
  begin("comparing images");
  figures.exact_matches = exact_image_matches(synthetic, real);
  figures.features = compare_features(real, synthetic, options.training.seed, context);
  figures.epochs = options.training.epochs;
  const auto classify = [&](const ImageClassifier& classifier, const std::string& what) {
    begin("training " + what);
    ImageFigures::Classification result{
        classifier.words,
        train_and_test(classifier, synthetic, real, options.training, context),
        {}};
    if (training != nullptr) {
      begin("training " + what + " on real images");
      result.training = train_and_test(classifier, *training, real, options.training, context);
    }
    return result;
  };
  const std::size_t classes = figures.labels.size();
  if (options.has_network && classes >= 2) {
    figures.linear = classify(linear_image_classifier(figures.shape, classes), "a regression");
  }
  figures.no_network = reason_without_network(figures, options);
  if (figures.no_network.empty()) {
    figures.network = classify(image_network(figures.shape, classes), "a network");
  }
}

}  // namespace mehler

#include "mehler/report/image_evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/report/text.h"

namespace mehler {
namespace {

constexpr std::size_t kClassesShown = 30;
constexpr const char* kFeatureDistance =
    "squared Euclidean distance between the means of public gradient features (of length 1); "
    "floor: the same between two random halves of the real images";

std::string share_or_nothing(const std::optional<double>& share) {
  return share ? fmt::format("{:.4f}", *share) : "";
}

std::string distance_or_nothing(const std::optional<double>& distance) {
  return distance ? fmt::format("{:.6f}", *distance) : "";
}

Json value_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string classifier_lines(const ImageFigures& figures) {
  std::vector<std::vector<std::string>> rows = {{"classifier", "trained on", "images", "accuracy"}};
  const auto add = [&](const char* name, const std::optional<ImageFigures::Classification>& found) {
    if (found) {
      rows.push_back({name, "synthetic", group_digits(found->synthetic.trained_on),
                      fmt::format("{:.4f}", found->synthetic.accuracy)});
      if (found->training) {
        rows.push_back({name, "real (training)", group_digits(found->training->trained_on),
                        fmt::format("{:.4f}", found->training->accuracy)});
      }
    }
  };
  add("network", figures.network);
  add("softmax regression", figures.linear);
  std::string text;
  if (rows.size() > 1) {
    text += fmt::format("\nPrediction of '{}' from the images, on the {} real ones (1 is best)\n{}",
                        figures.target, group_digits(figures.linear->synthetic.tested_on),
                        align_columns(rows, 2));
  }
  text += figures.network
              ? wrap(fmt::format("Network: {}; {} epoch{}, the last one.", figures.network->layers,
                                 figures.epochs, figures.epochs == 1 ? "" : "s"),
                     2)
              : wrap(fmt::format("No network: {}.", figures.no_network), 2);
  return text;
}

std::string class_lines(const ImageFigures& figures) {
  std::vector<std::vector<std::string>> rows = {
      {"class", "real", "synthetic", "accuracy (network)", "feature distance", "floor"}};
  const std::size_t shown = std::min(kClassesShown, figures.labels.size());
  for (std::size_t c = 0; c < shown; ++c) {
    const FeatureDistance& distance = figures.features.by_class[c];
    rows.push_back({figures.labels[c], group_digits(figures.real_counts[c]),
                    group_digits(figures.synthetic_counts[c]),
                    figures.network ? share_or_nothing(figures.network->synthetic.by_class[c]) : "",
                    distance_or_nothing(distance.distance), distance_or_nothing(distance.floor)});
  }
  if (figures.labels.empty()) {
    return "";
  }
  return fmt::format("\nClasses of images{}\n{}",
                     shown < figures.labels.size()
                         ? fmt::format(", the first {} of {} (all of them with option 'json')",
                                       shown, group_digits(figures.labels.size()))
                         : "",
                     align_columns(rows, 2));
}

Json by_class_json(const ImageFigures& figures, const auto& value_of) {
  Json json = Json::object();
  for (std::size_t c = 0; c < figures.labels.size(); ++c) {
    json[figures.labels[c]] = value_of(c);
  }
  return json;
}

Json score_json(const ImageFigures& figures, const ImageClassifierScore& score) {
  return Json{
      {"accuracy", score.accuracy},
      {"by_class",
       by_class_json(figures, [&](std::size_t c) { return value_or_null(score.by_class[c]); })},
      {"trained_on", score.trained_on},
      {"tested_on", score.tested_on}};
}

Json classifier_json(const ImageFigures& figures,
                     const std::optional<ImageFigures::Classification>& found) {
  if (!found) {
    return {};
  }
  Json json = score_json(figures, found->synthetic);
  json["layers"] = found->layers;
  json["epochs"] = figures.epochs;
  if (found->training) {
    json["training"] = score_json(figures, *found->training);
  }
  return json;
}

}  // namespace

std::string images_text(const ImageFigures& figures) {
  return fmt::format(
             "\nImages of column '{}': {} x {} pixels, {}\n"
             "  {:.3f}% of synthetic images occur among the real ones, pixel for pixel\n"
             "  feature distance {}, floor {}\n{}",
             figures.column, figures.shape.rows, figures.shape.columns,
             figures.shape.channels == 1 ? "grey" : "in colour", 100.0 * figures.exact_matches,
             distance_or_nothing(figures.features.total.distance),
             figures.features.total.floor ? distance_or_nothing(figures.features.total.floor)
                                          : "not defined",
             wrap(fmt::format("(The {}. 0 is best; {} features.)", kFeatureDistance,
                              figures.features.features),
                  2)) +
         classifier_lines(figures) + class_lines(figures);
}

Json images_json(const ImageFigures& figures) {
  Json json{{"column", figures.column},
            {"shape", {figures.shape.rows, figures.shape.columns, figures.shape.channels}},
            {"target", figures.target.empty() ? Json() : Json(figures.target)},
            {"network", classifier_json(figures, figures.network)}};
  if (!figures.network) {
    json["no_network"] = figures.no_network;
  }
  json["linear"] = classifier_json(figures, figures.linear);
  const FeatureDistances& features = figures.features;
  json["feature_distance"] = Json{
      {"total", value_or_null(features.total.distance)},
      {"floor", value_or_null(features.total.floor)},
      {"by_class", by_class_json(figures,
                                 [&](std::size_t c) {
                                   return Json{
                                       {"distance", value_or_null(features.by_class[c].distance)},
                                       {"floor", value_or_null(features.by_class[c].floor)}};
                                 })},
      {"features", features.features},
      {"what", kFeatureDistance}};
  json["counts"] = Json{
      {"real", by_class_json(figures, [&](std::size_t c) { return Json(figures.real_counts[c]); })},
      {"synthetic",
       by_class_json(figures, [&](std::size_t c) { return Json(figures.synthetic_counts[c]); })}};
  json["exact_matches"] = figures.exact_matches;
  return json;
}

}  // namespace mehler

#include "mehler/evaluation/images/feature_distance.h"

#include <algorithm>
#include <span>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/tables/propensity.h"
#include "mehler/images/brightness.h"
#include "mehler/images/gradient_features.h"

namespace mehler {
namespace {

/// Images whose features are in memory at once.
constexpr std::size_t kImagesAtOnce = 512;

/// A sum of features, in double and in the order of images.
struct FeatureSum {
  explicit FeatureSum(std::size_t features) : sum(features, 0.0) {}

  void add(std::span<const float> features) {
    ++count;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(features[i]);
    }
  }
  void add(const FeatureSum& other) {
    count += other.count;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += other.sum[i];
    }
  }

  std::size_t count = 0;
  std::vector<double> sum;
};

std::optional<double> distance_of_means(const FeatureSum& a, const FeatureSum& b) {
  if (a.count == 0 || b.count == 0) {
    return std::nullopt;
  }
  double result = 0.0;
  for (std::size_t i = 0; i < a.sum.size(); ++i) {
    const double difference =
        a.sum[i] / static_cast<double>(a.count) - b.sum[i] / static_cast<double>(b.count);
    result += difference * difference;
  }
  return result;
}

/// What is summed of the images of a class, or of all.
struct SetSums {
  explicit SetSums(std::size_t features)
      : halves{FeatureSum(features), FeatureSum(features)}, synthetic(features) {}

  void add(const SetSums& other) {
    halves[0].add(other.halves[0]);
    halves[1].add(other.halves[1]);
    synthetic.add(other.synthetic);
  }

  FeatureDistance distance() const {
    FeatureSum real = halves[0];
    real.add(halves[1]);
    return {distance_of_means(real, synthetic), distance_of_means(halves[0], halves[1])};
  }

  FeatureSum halves[2];  ///< of the real images
  FeatureSum synthetic;
};

/// Computes the features of images, and hands them on in order.
class FeatureReader {
 public:
  FeatureReader(const ImageShape& shape, std::size_t images, const Context& context)
      : features_(shape), pool_(context.threads), context_(context), images_(images) {}

  std::size_t dimension() const { return features_.dimension(); }

  void for_each(const EvaluatedImages& images, const std::vector<std::size_t>& chosen,
                const auto& work) {
    Matrix found(std::min(kImagesAtOnce, chosen.size()), dimension());
    for (std::size_t first = 0; first < chosen.size(); first += kImagesAtOnce) {
      context_.throw_if_cancelled();
      const std::size_t count = std::min(kImagesAtOnce, chosen.size() - first);
      pool_.run(count, [&](std::size_t i) {
        const auto bytes = images.image(chosen[first + i]);
        std::vector<float> pixels(bytes.size());
        image_of_bytes(bytes, pixels);
        features_.compute(pixels, found.row(i));
      });
      for (std::size_t i = 0; i < count; ++i) {
        work(chosen[first + i], found.row(i));
      }
      done_ += count;
      if (context_.progress) {
        context_.progress({done_, static_cast<double>(done_) / static_cast<double>(images_)});
      }
    }
  }

 private:
  GradientFeatures features_;
  WorkerPool pool_;
  const Context& context_;
  std::size_t images_;
  std::size_t done_ = 0;
};

}  // namespace

FeatureDistances compare_features(const EvaluatedImages& real, const EvaluatedImages& synthetic,
                                  std::uint64_t seed, const Context& context) {
  FeatureReader reader(real.shape, real.count + synthetic.count, context);
  std::vector<char> is_first(real.count, 0);
  for (const std::size_t i : sample_rows(real.count, real.count / 2, seed)) {
    is_first[i] = 1;
  }
  // One class after the other, so that the sums of one are in memory, however many there are.
  const auto real_of_class = real.by_class();
  const auto synthetic_of_class = synthetic.by_class();
  FeatureDistances result;
  result.features = reader.dimension();
  SetSums all(reader.dimension());
  for (std::size_t c = 0; c < real_of_class.size(); ++c) {
    SetSums of_class(reader.dimension());
    reader.for_each(real, real_of_class[c], [&](std::size_t i, std::span<const float> features) {
      of_class.halves[is_first[i] != 0 ? 0 : 1].add(features);
    });
    reader.for_each(
        synthetic, synthetic_of_class[c],
        [&](std::size_t, std::span<const float> features) { of_class.synthetic.add(features); });
    all.add(of_class);
    if (c < real.class_count) {
      result.by_class.push_back(of_class.distance());
    }
  }
  result.total = all.distance();
  return result;
}

}  // namespace mehler

#include "mehler/evaluation/images/image_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/networks/adam.h"
#include "mehler/networks/network.h"

namespace mehler {
namespace {

constexpr std::size_t kLargestBatch = 512;
constexpr std::size_t kSmallestBatch = 8;
constexpr std::size_t kStepsOfAnEpoch = 50;
constexpr double kHighestRate = 2e-3;
constexpr double kRising = 0.2;
constexpr double kFirstRate = kHighestRate / 25;
/// Images that are classified at once.
constexpr std::size_t kTestBatch = 1024;

/// The images of a set that have a class.
std::vector<std::size_t> with_class(const EvaluatedImages& images, const char* what) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < images.count; ++i) {
    if (images.class_of(i) < images.class_count) {
      result.push_back(i);
    }
  }
  if (result.empty()) {
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("the set of images to {} has no image with a label; give one with "
                            "labels, or leave the network out",
                            what));
  }
  return result;
}

/// A row of the network's inputs: the channels one behind the other, in [0, 1].
void planar_pixels(const ImageShape& shape, std::span<const std::uint8_t> image,
                   std::span<float> row) {
  const std::size_t pixels = shape.rows * shape.columns;
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (std::size_t i = 0; i < pixels; ++i) {
      row[channel * pixels + i] =
          static_cast<float>(image[i * shape.channels + channel]) * (1.0F / 255.0F);
    }
  }
}

/// Some of the images as inputs; `chosen` are their numbers.
Matrix inputs_of(const EvaluatedImages& images, std::span<const std::size_t> chosen) {
  Matrix inputs(chosen.size(), images.shape.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    planar_pixels(images.shape, images.image(chosen[i]), inputs.row(i));
  }
  return inputs;
}

/// Scores of the classes become the gradient of the mean cross-entropy by them.
void cross_entropy_gradient(std::span<float> scores, std::size_t truth, float share) {
  const float highest = *std::max_element(scores.begin(), scores.end());
  float sum = 0.0F;
  for (float& score : scores) {
    score = std::exp(score - highest);
    sum += score;
  }
  for (float& score : scores) {
    score *= share / sum;
  }
  scores[truth] -= share;
}

/// Half a wave of the cosine from one rate to another.
double between_rates(double from, double to, double fraction) {
  return to + (from - to) * 0.5 * (1.0 + std::cos(std::numbers::pi * fraction));
}

double rate_at(std::size_t step, std::size_t steps) {
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  return done < kRising ? between_rates(kFirstRate, kHighestRate, done / kRising)
                        : between_rates(kHighestRate, 0.0, (done - kRising) / (1.0 - kRising));
}

void shuffle(std::vector<std::size_t>& order, SeededRandom& random) {
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto other = static_cast<std::size_t>(random.uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[other]);
  }
}

/// Tells how far training is, a few times a second.
class EpochProgress {
 public:
  EpochProgress(std::size_t epochs, std::size_t steps, const Context& context)
      : epochs_(epochs), steps_(steps), context_(context) {}

  void at(std::size_t step) {
    context_.throw_if_cancelled();
    const auto now = std::chrono::steady_clock::now();
    if (context_.progress && now >= next_) {
      next_ = now + std::chrono::milliseconds(250);
      context_.progress({0, static_cast<double>(step) / static_cast<double>(steps_),
                         fmt::format("epoch {} of {}", step * epochs_ / steps_ + 1, epochs_)});
    }
  }

 private:
  std::size_t epochs_;
  std::size_t steps_;
  const Context& context_;
  std::chrono::steady_clock::time_point next_;
};

Network trained(const ImageClassifier& classifier, const EvaluatedImages& images,
                std::vector<std::size_t> order, const ImageTrainingOptions& options,
                WorkerPool& pool, const Context& context) {
  Network network(classifier.layers, SeededRandom::seed_of_piece(options.seed, 0));
  SeededRandom random = SeededRandom::of_piece(options.seed, 1);
  Adam adam(network.parameters().size());
  const std::size_t batch =
      std::clamp(order.size() / kStepsOfAnEpoch, kSmallestBatch, kLargestBatch);
  const std::size_t steps = std::max<std::size_t>(order.size() / batch, 1);
  EpochProgress progress(options.epochs, options.epochs * steps, context);
  std::vector<std::size_t> chosen(batch);
  for (std::size_t step = 0; step < options.epochs * steps; ++step) {
    progress.at(step);
    if (step % steps == 0) {
      shuffle(order, random);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      chosen[i] = order[(step % steps * batch + i) % order.size()];  // of few images, some twice
    }
    Matrix slopes = network.forward(inputs_of(images, chosen), pool);
    for (std::size_t i = 0; i < batch; ++i) {
      cross_entropy_gradient(slopes.row(i), images.class_of(chosen[i]),
                             1.0F / static_cast<float>(batch));
    }
    network.backward(slopes, pool);
    adam.step(network.parameters(), network.gradient(), rate_at(step, options.epochs * steps),
              pool);
  }
  return network;
}

}  // namespace

ImageClassifier image_network(const ImageShape& shape, std::size_t classes) {
  MEHLER_ASSERT(std::min(shape.rows, shape.columns) >= kSmallestNetworkSide && classes >= 1);
  constexpr std::size_t kKernel = 3;
  constexpr std::size_t kHidden = 128;
  ImageClassifier result;
  ImageShape below = shape;
  for (const std::size_t channels : {32, 64}) {
    const ImageShape convolved{below.rows, below.columns, channels};
    result.layers.push_back(ConvolutionLayer{below, channels, kKernel});
    result.layers.push_back(PoolingLayer{convolved});
    below = {below.rows / 2, below.columns / 2, channels};
    result.layers.push_back(ActivationLayer{below.size(), ActivationLayer::Function::kRectifier});
    result.words += fmt::format("convolution {} x {} to {} channels, max-pooling 2 x 2, ReLU; ",
                                kKernel, kKernel, channels);
  }
  result.layers.push_back(DenseLayer{below.size(), kHidden});
  result.layers.push_back(ActivationLayer{kHidden, ActivationLayer::Function::kRectifier});
  result.layers.push_back(DenseLayer{kHidden, classes});
  result.words +=
      fmt::format("dense {} to {}, ReLU; dense {} to {}", below.size(), kHidden, kHidden, classes);
  return result;
}

ImageClassifier linear_image_classifier(const ImageShape& shape, std::size_t classes) {
  return {{DenseLayer{shape.size(), classes}},
          fmt::format("dense {} to {}", shape.size(), classes)};
}

ImageClassifierScore train_and_test(const ImageClassifier& classifier,
                                    const EvaluatedImages& training, const EvaluatedImages& test,
                                    const ImageTrainingOptions& options, const Context& context) {
  MEHLER_ASSERT(training.shape == test.shape && training.class_count == test.class_count);
  MEHLER_ASSERT(options.epochs >= 1);
  const std::vector<std::size_t> tested = with_class(test, "test on");
  WorkerPool pool(context.threads);
  const std::vector<std::size_t> learnt = with_class(training, "train on");
  const Network network = trained(classifier, training, learnt, options, pool, context);

  std::vector<std::size_t> told(test.class_count, 0);
  std::vector<std::size_t> all(test.class_count, 0);
  for (std::size_t first = 0; first < tested.size(); first += kTestBatch) {
    context.throw_if_cancelled();
    const std::span<const std::size_t> chosen =
        std::span(tested).subspan(first, std::min(kTestBatch, tested.size() - first));
    const Matrix scores = network.infer(inputs_of(test, chosen), pool);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto row = scores.row(i);
      const auto likeliest =
          static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
      const std::size_t truth = test.class_of(chosen[i]);
      ++all[truth];
      told[truth] += likeliest == truth ? 1 : 0;
    }
  }
  ImageClassifierScore score;
  score.trained_on = learnt.size();
  score.tested_on = tested.size();
  std::size_t told_of_all = 0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    told_of_all += told[c];
    score.by_class.push_back(
        all[c] == 0 ? std::nullopt
                    : std::optional(static_cast<double>(told[c]) / static_cast<double>(all[c])));
  }
  score.accuracy = static_cast<double>(told_of_all) / static_cast<double>(tested.size());
  return score;
}

}  // namespace mehler

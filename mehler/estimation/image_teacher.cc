#include "mehler/estimation/image_teacher.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/vector_accumulator.h"
#include "mehler/estimation/image_candidates.h"
#include "mehler/estimation/symmetric_eigen.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

constexpr std::size_t kTileRows = 250;
constexpr std::size_t kParts = 4;  ///< of a sum over candidates: whatever the threads
constexpr std::size_t kQuantileRows = 10'000;
constexpr double kStartStep = 2e-2;
constexpr double kStartDecay = 1e-5;
constexpr double kStrengthRecords = 15'000.0;

std::size_t tiles_of(std::size_t rows) { return (rows + kTileRows - 1) / kTileRows; }

/// The scores of some images, [rows][scores].
std::vector<float> scores_of(const ImageScores& scores, std::span<const std::uint8_t> pixels) {
  const std::size_t bytes = scores.shape().size();
  std::vector<float> result(pixels.size() / bytes * scores.size());
  for (std::size_t r = 0; r < pixels.size() / bytes; ++r) {
    scores.evaluate(pixels.subspan(r * bytes, bytes),
                    std::span(result).subspan(r * scores.size(), scores.size()));
  }
  return result;
}

/// Calls work(tile, first, scores, rows) for all tiles of candidates, on the context's threads.
void for_tiles(const LabelledImages& images, const ImageScores& scores, std::size_t all,
               const Context& context, const auto& work) {
  const std::size_t bytes = scores.shape().size();
  WorkerPool pool(context.threads);
  pool.run(tiles_of(all), [&](std::size_t tile) {
    context.throw_if_cancelled();
    const std::size_t first = tile * kTileRows;
    const std::size_t rows = std::min(kTileRows, all - first);
    work(first, rows,
         scores_of(scores, std::span(images.pixels).subspan(first * bytes, rows * bytes)));
  });
}

/// Adds s^T s, [size][size], to `sums`, for the rows s, [rows][size]: what is in the lower
/// triangle, in blocks.
void add_lower_products(std::span<const float> values, std::size_t size, std::size_t rows,
                        std::vector<float>& products, std::span<double> sums) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t first = 0; first < size; first += kBlock) {
    const std::size_t height = std::min(kBlock, size - first);
    const std::size_t width = first + height;
    products.resize(height * width);
    multiply(Transpose::kYes, Transpose::kNo, height, width, rows, &values[first], size,
             values.data(), size, products.data(), width, false);
    for (std::size_t i = 0; i < height; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        sums[(first + i) * size + j] += products[i * width + j];
      }
    }
  }
}

struct FeatureMoments {
  std::vector<double> mean;
  std::vector<double> covariance;  ///< [feature][feature], the lower triangle
};

FeatureMoments moments_of(const LabelledImages& images, const ImageScores& scores,
                          const Context& context) {
  const std::size_t size = scores.size();
  const std::size_t bytes = scores.shape().size();
  const std::size_t all = images.classes.size();
  // About a mean of a few, lest large numbers cancel.
  const std::size_t few = std::min(all, kTileRows);
  const std::vector<float> first_scores =
      scores_of(scores, std::span(images.pixels).first(few * bytes));
  std::vector<float> origin(size, 0.0F);
  for (std::size_t i = 0; i < first_scores.size(); ++i) {
    origin[i % size] += first_scores[i] / static_cast<float>(few);
  }
  std::vector<FeatureMoments> parts(kParts);
  WorkerPool pool(context.threads);
  pool.run(kParts, [&](std::size_t part) {
    FeatureMoments& moments = parts[part];
    moments.mean.assign(size, 0.0);
    moments.covariance.assign(size * size, 0.0);
    std::vector<float> products;
    for (std::size_t tile = part; tile < tiles_of(all); tile += kParts) {
      context.throw_if_cancelled();
      const std::size_t first = tile * kTileRows;
      const std::size_t rows = std::min(kTileRows, all - first);
      std::vector<float> shifted =
          scores_of(scores, std::span(images.pixels).subspan(first * bytes, rows * bytes));
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < size; ++i) {
          shifted[r * size + i] -= origin[i];
          moments.mean[i] += shifted[r * size + i];
        }
      }
      add_lower_products(shifted, size, rows, products, moments.covariance);
    }
  });
  FeatureMoments result = std::move(parts.front());
  for (std::size_t part = 1; part < kParts; ++part) {
    for (std::size_t i = 0; i < size; ++i) {
      result.mean[i] += parts[part].mean[i];
    }
    for (std::size_t i = 0; i < result.covariance.size(); ++i) {
      result.covariance[i] += parts[part].covariance[i];
    }
  }
  for (double& value : result.mean) {
    value /= static_cast<double>(all);
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double& entry = result.covariance[i * size + j];
      entry = entry / static_cast<double>(all) - result.mean[i] * result.mean[j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    result.mean[i] += origin[i];
  }
  return result;
}

/// The quantile of the lengths that candidates have as vectors.
double length_of(const LabelledImages& images, const ImageVector& vector, double quantile,
                 const Context& context) {
  std::vector<double> lengths(std::min(images.classes.size(), kQuantileRows));
  for_tiles(images, *vector.scores, lengths.size(), context,
            [&](std::size_t first, std::size_t rows, const std::vector<float>& scores) {
              const std::size_t own = vector.dimension();
              std::vector<double> vectors(rows * own);
              vector.evaluate(scores, std::span(images.classes).subspan(first, rows), vectors, {});
              for (std::size_t r = 0; r < rows; ++r) {
                double squares = 0.0;
                for (std::size_t i = 0; i < own; ++i) {
                  squares += vectors[r * own + i] * vectors[r * own + i];
                }
                lengths[first + r] = std::sqrt(squares);
              }
            });
  const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(
                                           quantile * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), place, lengths.end());
  return *place;
}

/// One step of Adam, [entry] of all.
class AdamSteps {
 public:
  explicit AdamSteps(std::size_t size) : first_(size, 0.0), second_(size, 0.0) {}

  void step(std::span<const float> gradient, double rate, std::span<float> weights) {
    ++steps_;
    const double first_scale = 1.0 - std::pow(kFirst, static_cast<double>(steps_));
    const double second_scale = 1.0 - std::pow(kSecond, static_cast<double>(steps_));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double slope = gradient[i] + kStartDecay * weights[i];
      first_[i] = kFirst * first_[i] + (1.0 - kFirst) * slope;
      second_[i] = kSecond * second_[i] + (1.0 - kSecond) * slope * slope;
      weights[i] -= static_cast<float>(rate * (first_[i] / first_scale) /
                                       (std::sqrt(second_[i] / second_scale) + 1e-8));
    }
  }

 private:
  static constexpr double kFirst = 0.9;
  static constexpr double kSecond = 0.999;
  std::size_t steps_ = 0;
  std::vector<double> first_;
  std::vector<double> second_;
};

/// Softmax of each row of logits, less 1 at its class, over the rows.
void turn_into_slopes(std::span<float> logits, std::span<const std::uint32_t> classes,
                      std::size_t count) {
  for (std::size_t r = 0; r < classes.size(); ++r) {
    const std::span<float> row = logits.subspan(r * count, count);
    const float largest = *std::max_element(row.begin(), row.end());
    float all = 0.0F;
    for (float& logit : row) {
      logit = std::exp(logit - largest);
      all += logit;
    }
    for (std::size_t k = 0; k < count; ++k) {
      row[k] =
          (row[k] / all - (k == classes[r] ? 1.0F : 0.0F)) / static_cast<float>(classes.size());
    }
  }
}

}  // namespace

LabelledImages draw_labelled(const ImageModel& model, std::size_t rows, std::uint64_t seed,
                             const Context& context) {
  const ImageCandidates candidates(model, CandidateStyle::broad());
  const std::size_t bytes = model.codec.shape().size();
  LabelledImages images;
  images.pixels.resize(rows * bytes);
  for (std::size_t r = 0; r < rows; ++r) {
    images.classes.push_back(static_cast<std::uint32_t>(r % model.class_count()));
  }
  WorkerPool pool(context.threads);
  pool.run(tiles_of(rows), [&](std::size_t tile) {
    context.throw_if_cancelled();
    const std::size_t first = tile * kTileRows;
    const std::size_t count = std::min(kTileRows, rows - first);
    candidates.draw(seed, first, std::span(images.classes).subspan(first, count),
                    std::span(images.pixels).subspan(first * bytes, count * bytes));
  });
  return images;
}

std::shared_ptr<const ImageVector> teacher_features(const LabelledImages& candidates,
                                                    std::shared_ptr<const ImageScores> gradients,
                                                    const ImageTeacherOptions& options,
                                                    const Context& context) {
  const std::size_t size = gradients->size();
  const FeatureMoments moments = moments_of(candidates, *gradients, context);
  const std::size_t count = std::min(options.directions, size);
  const EigenPairs pairs = leading_eigen(moments.covariance, size, count);
  const double added = options.floor * std::max(pairs.values.front(), 1e-9);
  // Directions that are not told apart share their mean variance.
  double rest = 0.0;
  for (std::size_t i = count; i < size; ++i) {
    rest += std::max(pairs.values[i], 0.0) / static_cast<double>(size - count);
  }
  auto vector = std::make_shared<ImageVector>();
  vector->scores = std::move(gradients);
  for (const double mean : moments.mean) {
    vector->centre.push_back(on_parameter_grid(mean));
  }
  for (std::size_t i = 0; i < count; ++i) {
    vector->factors.push_back(
        std::pow((std::max(pairs.values[i], 0.0) + added) / (rest + added), -0.25));
    for (std::size_t j = 0; j < size; ++j) {
      vector->directions.push_back(on_parameter_grid(pairs.vector(i)[j]));
    }
  }
  vector->radius = ImageVector::kLargestRadius;
  vector->scale = 1.0 / std::max(length_of(candidates, *vector, options.quantile, context), 1e-6);
  vector->constant = on_parameter_grid(options.constant);
  vector->radius = std::sqrt(1.0 - vector->constant * vector->constant);
  return vector;
}

std::vector<double> start_weights(const LabelledImages& candidates, const ImageVector& features,
                                  std::size_t classes, const ImageTeacherOptions& options,
                                  std::uint64_t seed, const Context& context) {
  const std::size_t own = features.dimension();
  const std::size_t all = candidates.classes.size();
  // 16 bits each: of many candidates there are many.
  std::vector<std::int16_t> rounded(all * own);
  for_tiles(candidates, *features.scores, all, context,
            [&](std::size_t first, std::size_t rows, const std::vector<float>& scores) {
              round_vectors(features, scores, std::span(candidates.classes).subspan(first, rows),
                            std::span(rounded).subspan(first * own, rows * own));
            });
  constexpr float kUnit = 1.0F / (1 << VectorSum::kGradientExponent);
  SeededRandom random(seed);
  std::vector<float> weights(own * classes, 0.0F);
  std::vector<float> gradient(weights.size());
  AdamSteps adam(weights.size());
  std::vector<float> batch(options.batch_rows * own);
  std::vector<float> logits(options.batch_rows * classes);
  std::vector<std::uint32_t> of_batch(options.batch_rows);
  for (std::size_t step = 0; step < options.batches; ++step) {
    context.throw_if_cancelled();
    for (std::size_t r = 0; r < options.batch_rows; ++r) {
      const std::size_t row = random.next_word() % all;
      of_batch[r] = candidates.classes[row];
      for (std::size_t i = 0; i < own; ++i) {
        batch[r * own + i] = kUnit * static_cast<float>(rounded[row * own + i]);
      }
    }
    multiply(Transpose::kNo, Transpose::kNo, options.batch_rows, classes, own, batch.data(),
             weights.data(), logits.data(), false);
    turn_into_slopes(logits, of_batch, classes);
    multiply(Transpose::kYes, Transpose::kNo, own, classes, options.batch_rows, batch.data(),
             logits.data(), gradient.data(), false);
    const double left = 1.0 - static_cast<double>(step) / static_cast<double>(options.batches);
    adam.step(gradient, kStartStep * left, weights);
  }
  std::vector<double> result;
  for (const float weight : weights) {
    result.push_back(on_parameter_grid(weight));
  }
  return result;
}

double image_strength(double mu_squared, double records, double rows_of_unit) {
  return std::sqrt(mu_squared) * records / (kStrengthRecords * rows_of_unit);
}

std::size_t image_teacher_rounds(double strength) {
  return static_cast<std::size_t>(
      std::clamp(std::round(30.0 * std::pow(strength, 0.6)), 30.0, 100.0));
}

TeacherPlan image_teacher_plan(double strength, std::size_t rounds) {
  return {rounds, 5000.0 * std::pow(strength, 0.65) / static_cast<double>(rounds)};
}

LearntImageTeacher LearntImageTeacher::of(const Release& release, double records) {
  const std::vector<MeasuredSum> rounds = sums_of_step(release, image_steps::kTeacher);
  const bool is_one =
      !rounds.empty() && std::all_of(rounds.begin(), rounds.end(), [&](const MeasuredSum& round) {
        const VectorSum& first = rounds.front().sum;
        return round.sum.kind == SumKind::kRoundedGradient &&
               hold_the_same(round.sum.image, first.image) && round.sum.classes == first.classes;
      });
  // That of images and of the number of records, without further columns'.
  double mu_squared = 0.0;
  for (std::size_t i = 0; i < release.counts().blocks.size(); ++i) {
    const CountBlock& block = release.counts().counts.blocks()[i];
    const VectorSum* sum = block.vector_sum();
    if (std::holds_alternative<RecordCount>(block.counted) || (sum != nullptr && sum->image)) {
      mu_squared += release.statement().noise_of(i).mu_squared();
    }
  }
  const auto& unit = release.encoder().schema().privacy_unit();
  const double strength =
      image_strength(mu_squared, records, unit ? static_cast<double>(unit->max_rows) : 1.0);
  if (!is_one) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's rounds of a teacher of images are not those of one classifier");
  }
  Teacher teacher(*rounds.front().sum.weights, records,
                  image_teacher_plan(strength, rounds.size()));
  for (const MeasuredSum& round : rounds) {
    teacher.step(round.values);
  }
  const std::vector<double> learnt = teacher.learnt();
  return {rounds.front().sum.image, *rounds.front().sum.classes, {learnt.begin(), learnt.end()}};
}

std::vector<std::uint32_t> LearntImageTeacher::label(std::span<const std::uint8_t> pixels) const {
  const std::size_t rows = pixels.size() / features->scores->shape().size();
  const std::size_t own = features->dimension();
  const std::size_t count = classes.cells->size();
  std::vector<std::uint32_t> labels(rows, 0);
  std::vector<double> vectors(rows * own);
  features->evaluate(scores_of(*features->scores, pixels), labels, vectors, {});
  const std::vector<float> rounded(vectors.begin(), vectors.end());
  std::vector<float> logits(rows * count);
  multiply(Transpose::kNo, Transpose::kNo, rows, count, own, rounded.data(), weights.data(),
           logits.data(), false);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(r * count);
    labels[r] = static_cast<std::uint32_t>(
        std::max_element(row, row + static_cast<std::ptrdiff_t>(count)) - row);
  }
  return labels;
}

}  // namespace mehler

#include "mehler/estimation/image_teacher_start.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/vector_accumulator.h"
#include "mehler/estimation/image_candidates.h"
#include "mehler/estimation/symmetric_eigen.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/rounded_rows.h"

namespace mehler {
namespace {

constexpr std::size_t kTileRows = 500;
constexpr std::size_t kParts = 4;        ///< of a sum over candidates: whatever the threads
constexpr std::size_t kMomentTiles = 2;  ///< whose products are summed in single precision
constexpr std::size_t kCachedRows = 64;  ///< of a batch, that stay in a core's cache
constexpr std::size_t kQuantileRows = 10'000;
constexpr double kStartStep = 2e-2;
constexpr double kStartDecay = 1e-5;
constexpr float kFeatureUnit = 1.0F / 65536.0F;

std::size_t tiles_of(std::size_t rows) { return (rows + kTileRows - 1) / kTileRows; }

std::uint32_t class_of_row(std::size_t row, std::size_t classes) {
  return static_cast<std::uint32_t>(row % classes);
}

/// Of each candidate its features, and later its vector, in 16 bits: of many candidates there are
/// many, and drawing them again costs more than all else.
class KeptFeatures {
 public:
  KeptFeatures(std::size_t rows, std::size_t size, std::size_t stride)
      : size_(size), stride_(stride), values_(rows * stride) {}

  std::size_t stride() const { return stride_; }
  std::span<std::int16_t> rows(std::size_t first, std::size_t count) {
    return std::span(values_).subspan(first * stride_, count * stride_);
  }

  /// Features lie in [0, 1): the nearest multiples of 2^-16.
  void keep(std::size_t first, std::span<const float> features) {
    for (std::size_t r = 0; r < features.size() / size_; ++r) {
      for (std::size_t i = 0; i < size_; ++i) {
        const float units = features[r * size_ + i] / kFeatureUnit + 0.5F;
        values_[(first + r) * stride_ + i] =
            static_cast<std::int16_t>(static_cast<std::int32_t>(std::min(units, 65535.0F)) - 32768);
      }
    }
  }

  std::vector<float> features(std::size_t first, std::size_t count) const {
    std::vector<float> result(count * size_);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t i = 0; i < size_; ++i) {
        result[r * size_ + i] =
            kFeatureUnit * static_cast<float>(values_[(first + r) * stride_ + i] + 32768);
      }
    }
    return result;
  }

 private:
  std::size_t size_;
  std::size_t stride_;
  std::vector<std::int16_t> values_;  ///< [rows][stride]
};

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

/// Features of candidates less `origin`, added up.
class MomentSums {
 public:
  MomentSums(std::size_t size, std::span<const float> origin)
      : origin_(origin), sums_{std::vector<double>(size, 0.0), std::vector<double>(size * size)} {
    shifted_.reserve(kMomentTiles * kTileRows * size);
  }

  void add(std::span<const float> features) {
    const std::size_t size = sums_.mean.size();
    const std::size_t held = shifted_.size();
    shifted_.resize(held + features.size());
    for (std::size_t begin = 0; begin < features.size(); begin += size) {
      float* row = &shifted_[held + begin];
      for (std::size_t i = 0; i < size; ++i) {
        row[i] = features[begin + i] - origin_[i];
        sums_.mean[i] += row[i];
      }
    }
    if (shifted_.size() >= kMomentTiles * kTileRows * size) {
      add_products();
    }
  }

  FeatureMoments take() {
    add_products();
    return std::move(sums_);
  }

 private:
  void add_products() {
    const std::size_t size = sums_.mean.size();
    add_lower_products(shifted_, size, shifted_.size() / size, products_, sums_.covariance);
    shifted_.clear();
  }

  std::span<const float> origin_;
  FeatureMoments sums_;
  std::vector<float> shifted_;
  std::vector<float> products_;
};

/// The mean and the covariance of features of so many candidates by the sums of some parts of them.
FeatureMoments moments_of(std::vector<FeatureMoments> parts, std::span<const float> origin,
                          std::size_t all) {
  const std::size_t size = origin.size();
  FeatureMoments result = std::move(parts.front());
  for (std::size_t part = 1; part < parts.size(); ++part) {
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

/// One step of Adam, [entry] of all.
class AdamSteps {
 public:
  explicit AdamSteps(std::size_t size) : first_(size, 0.0), second_(size, 0.0) {}

  /// Weights are kept times `unit`, which their gradient is taken by.
  void step(std::span<const double> gradient, double rate, float unit, std::span<float> weights) {
    ++steps_;
    const double first_scale = 1.0 - std::pow(kFirst, static_cast<double>(steps_));
    const double second_scale = 1.0 - std::pow(kSecond, static_cast<double>(steps_));
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const float weight = weights[i] / unit;
      const double slope = unit * gradient[i] + kStartDecay * weight;
      first_[i] = kFirst * first_[i] + (1.0 - kFirst) * slope;
      second_[i] = kSecond * second_[i] + (1.0 - kSecond) * slope * slope;
      const auto change = static_cast<float>(rate * (first_[i] / first_scale) /
                                             (std::sqrt(second_[i] / second_scale) + 1e-8));
      weights[i] = unit * (weight - change);
    }
  }

 private:
  static constexpr double kFirst = 0.9;
  static constexpr double kSecond = 0.999;
  std::size_t steps_ = 0;
  std::vector<double> first_;
  std::vector<double> second_;
};

/// Softmax of each row of logits, less 1 at its class, over the rows of a batch.
void turn_into_slopes(std::span<const float> logits, std::uint32_t of_class, std::size_t count,
                      std::size_t rows, std::span<double> slopes) {
  const float largest = *std::max_element(logits.begin(), logits.begin() + count);
  float all = 0.0F;
  for (std::size_t k = 0; k < count; ++k) {
    const float value = std::exp(logits[k] - largest);
    slopes[k] = value;
    all += value;
  }
  for (std::size_t k = 0; k < count; ++k) {
    slopes[k] = (slopes[k] / all - (k == of_class ? 1.0 : 0.0)) / static_cast<double>(rows);
  }
}

/// What a teacher starts from, step by step.
class TeacherPreparation {
 public:
  TeacherPreparation(const ImageModel& model, std::size_t rows,
                     std::shared_ptr<const ImageScores> gradients,
                     const ImageTeacherOptions& options, const ImageTeacherSeeds& seeds,
                     const Context& context)
      : candidates_(model, CandidateStyle::broad()),
        rows_(rows),
        classes_(model.class_count()),
        scores_(std::move(gradients)),
        options_(options),
        seeds_(seeds),
        context_(context),
        kept_(rows, scores_->size(), rounded_stride(scores_->size() + 1)) {}

  ImageTeacherStart run() {
    find_features(draw_moments());
    round_all();
    return {features_, start_weights()};
  }

 private:
  std::size_t rows_of_tile(std::size_t tile) const {
    return std::min(kTileRows, rows_ - tile * kTileRows);
  }

  /// The features of a tile of candidates.
  std::vector<float> draw(std::size_t tile) const {
    const std::size_t first = tile * kTileRows;
    std::vector<std::uint32_t> classes;
    for (std::size_t r = 0; r < rows_of_tile(tile); ++r) {
      classes.push_back(class_of_row(first + r, classes_));
    }
    const std::size_t bytes = scores_->shape().size();
    std::vector<std::uint8_t> pixels(classes.size() * bytes);
    candidates_.draw(seeds_.candidates, first, classes, pixels);
    return scores_of(*scores_, pixels);
  }

  /// Draws all candidates and keeps their features.
  FeatureMoments draw_moments() {
    const std::size_t size = scores_->size();
    // About a mean of a few, lest large numbers cancel.
    std::vector<float> origin(size, 0.0F);
    const std::vector<float> few = draw(0);
    for (std::size_t i = 0; i < few.size(); ++i) {
      origin[i % size] += few[i] / static_cast<float>(few.size() / size);
    }
    std::vector<FeatureMoments> parts(kParts);
    WorkerPool pool(context_.threads);
    pool.run(kParts, [&](std::size_t part) {
      MomentSums sums(size, origin);
      for (std::size_t tile = part; tile < tiles_of(rows_); tile += kParts) {
        context_.throw_if_cancelled();
        const std::vector<float> features = draw(tile);
        kept_.keep(tile * kTileRows, features);
        sums.add(features);
      }
      parts[part] = sums.take();
    });
    return moments_of(std::move(parts), origin, rows_);
  }

  void find_features(const FeatureMoments& moments) {
    const std::size_t size = scores_->size();
    const std::size_t count = std::min(options_.directions, size);
    const EigenPairs pairs = leading_eigen(moments.covariance, size, count);
    const double added = options_.floor * std::max(pairs.values.front(), 1e-9);
    // Directions that are not told apart share their mean variance.
    double rest = 0.0;
    for (std::size_t i = count; i < size; ++i) {
      rest += std::max(pairs.values[i], 0.0) / static_cast<double>(size - count);
    }
    auto vector = std::make_shared<ImageVector>();
    vector->scores = scores_;
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
    vector->scale = 1.0 / std::max(length_of(*vector), 1e-6);
    vector->constant = on_parameter_grid(options_.constant);
    vector->radius = std::sqrt(1.0 - vector->constant * vector->constant);
    features_ = std::move(vector);
  }

  /// Calls work(first, features, classes) for tiles of candidates, on the context's threads.
  void for_tiles(std::size_t rows, const auto& work) {
    WorkerPool pool(context_.threads);
    pool.run(tiles_of(rows), [&](std::size_t tile) {
      context_.throw_if_cancelled();
      const std::size_t first = tile * kTileRows;
      const std::size_t count = std::min(kTileRows, rows - first);
      work(first, kept_.features(first, count), std::vector<std::uint32_t>(count, 0));
    });
  }

  /// The quantile of the lengths that candidates have as vectors.
  double length_of(const ImageVector& vector) {
    std::vector<double> lengths(std::min(rows_, kQuantileRows));
    for_tiles(lengths.size(), [&](std::size_t first, const std::vector<float>& features,
                                  const std::vector<std::uint32_t>& classes) {
      const std::size_t own = vector.dimension();
      std::vector<double> vectors(classes.size() * own);
      vector.evaluate(features, classes, vectors, {});
      for (std::size_t r = 0; r < classes.size(); ++r) {
        double squares = 0.0;
        for (std::size_t i = 0; i < own; ++i) {
          squares += vectors[r * own + i] * vectors[r * own + i];
        }
        lengths[first + r] = std::sqrt(squares);
      }
    });
    const auto place =
        lengths.begin() +
        static_cast<std::ptrdiff_t>(options_.quantile * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), place, lengths.end());
    return *place;
  }

  /// Vectors take the place of features.
  void round_all() {
    for_tiles(rows_, [&](std::size_t first, const std::vector<float>& features,
                         const std::vector<std::uint32_t>& classes) {
      round_vectors(*features_, features, classes, kept_.rows(first, classes.size()));
    });
  }

  std::vector<double> start_weights() {
    constexpr float kUnit = 1.0F / (1 << VectorSum::kGradientExponent);
    const std::size_t stride = kept_.stride();
    const std::size_t padded = (classes_ + kRoundedClasses - 1) / kRoundedClasses * kRoundedClasses;
    SeededRandom random(seeds_.start);
    std::vector<float> weights(padded * stride, 0.0F);  // of rounded entries, [class][entry]
    std::vector<double> gradient(weights.size());
    AdamSteps adam(classes_ * stride);
    std::vector<std::int16_t> rows(kCachedRows * stride);
    std::vector<float> logits(kCachedRows * padded);
    std::vector<double> slopes(logits.size(), 0.0);
    for (std::size_t step = 0; step < options_.batches; ++step) {
      context_.throw_if_cancelled();
      std::fill(gradient.begin(), gradient.end(), 0.0);
      for (std::size_t first = 0; first < options_.batch_rows; first += kCachedRows) {
        const std::size_t count = std::min(kCachedRows, options_.batch_rows - first);
        std::vector<std::uint32_t> classes;
        for (std::size_t r = 0; r < count; ++r) {
          const std::size_t row = random.next_word() % rows_;
          classes.push_back(class_of_row(row, classes_));
          std::copy_n(kept_.rows(row, 1).begin(), stride, &rows[r * stride]);
        }
        const RoundedRows batch{rows.data(), count, stride};
        multiply_rounded_rows(batch, weights.data(), padded, logits.data());
        for (std::size_t r = 0; r < count; ++r) {
          turn_into_slopes(std::span(logits).subspan(r * padded, padded), classes[r], classes_,
                           options_.batch_rows, std::span(slopes).subspan(r * padded, padded));
        }
        add_rounded_products(batch, slopes.data(), padded, gradient.data());
      }
      const double left = 1.0 - static_cast<double>(step) / static_cast<double>(options_.batches);
      adam.step(gradient, kStartStep * left, kUnit, weights);
    }
    std::vector<double> result;
    for (std::size_t i = 0; i < features_->dimension(); ++i) {
      for (std::size_t k = 0; k < classes_; ++k) {
        result.push_back(on_parameter_grid(weights[k * stride + i] / kUnit));
      }
    }
    return result;
  }

  ImageCandidates candidates_;
  std::size_t rows_;
  std::size_t classes_;
  std::shared_ptr<const ImageScores> scores_;
  const ImageTeacherOptions& options_;
  ImageTeacherSeeds seeds_;
  const Context& context_;
  KeptFeatures kept_;
  std::shared_ptr<const ImageVector> features_;
};

}  // namespace

ImageTeacherStart start_image_teacher(const ImageModel& model, std::size_t rows,
                                      std::shared_ptr<const ImageScores> gradients,
                                      const ImageTeacherOptions& options,
                                      const ImageTeacherSeeds& seeds, const Context& context) {
  return TeacherPreparation(model, rows, std::move(gradients), options, seeds, context).run();
}

}  // namespace mehler

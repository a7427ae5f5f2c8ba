#include "mehler/evaluation/release_agreement.h"

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"

namespace mehler {
namespace {

/// A run of released sums with one sigma: a map of a sum block, or a whole product block; and the
/// sums over the synthetic records beside them.
class Part {
 public:
  Part(const Release& release, std::size_t block, FeatureSegment segment, const FeatureMap* map)
      : block_(release.features().blocks()[block]),
        noisy_(release.blocks()[block]),
        index_(block),
        segment_(segment),
        map_(map),
        label_(block_.labelled ? release.encoder().label() : std::nullopt),
        sigma_(release.statement().blocks[block].sigma / segment.weight),
        sums_(noisy_.rows * segment.count, 0.0),
        squares_(sums_.size(), 0.0) {}

  std::size_t block() const { return index_; }
  std::size_t size() const { return sums_.size(); }
  double sigma() const { return sigma_; }
  bool has_map() const { return map_ != nullptr; }

  std::string name(const Encoder& encoder) const {
    std::string name;
    for (const MapInput& input : map_->inputs()) {
      name += (name.empty() ? "" : " + ") + encoder.columns()[input.column].name;
    }
    return name;
  }

  void add(const EncodedBatch& batch) {
    std::vector<double> features(segment_.count);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const std::size_t label =
          label_ ? static_cast<std::size_t>(batch.columns[*label_].codes[row]) : 0;
      double* const sums = &sums_[label * segment_.count];
      double* const squares = &squares_[label * segment_.count];
      if (map_ != nullptr && map_->kind() == FeatureMap::Kind::kOneHot) {
        const auto code = static_cast<std::size_t>(batch.columns[map_->column()].codes[row]);
        sums[code] += 1.0;
        squares[code] += 1.0;
        continue;
      }
      if (map_ != nullptr) {
        map_->evaluate(batch, row, features.data());
      } else {
        block_.evaluate(batch, row, features.data());
      }
      for (std::size_t i = 0; i < features.size(); ++i) {
        sums[i] += features[i];
        squares[i] += features[i] * features[i];
      }
    }
  }

  double sum(std::size_t i) const { return sums_[i]; }
  double released(std::size_t i) const {
    return noisy_.at(i / segment_.count, segment_.first + i % segment_.count);
  }
  /// The variance of a sum over as many records, drawn at random from these.
  double draw_variance(std::size_t i, double rows) const {
    return std::max(0.0, squares_[i] - sums_[i] * sums_[i] / rows);
  }

 private:
  const FeatureBlock& block_;
  const NoisyBlock& noisy_;
  std::size_t index_;
  FeatureSegment segment_;
  const FeatureMap* map_;
  std::optional<std::size_t> label_;
  double sigma_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

std::vector<Part> parts_of(const Release& release) {
  std::vector<Part> parts;
  for (std::size_t b = 0; b < release.blocks().size(); ++b) {
    const FeatureBlock& block = release.features().blocks()[b];
    const std::vector<FeatureSegment> segments = block.segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool is_sum = block.combination == Combination::kSum;
      parts.emplace_back(release, b, segments[i], is_sum ? &block.maps[i].map : nullptr);
    }
  }
  return parts;
}

/// What synthetic sums are multiplied by, and the standard deviation of that.
struct Factor {
  double value = 1.0;
  double error = 0.0;
};

Factor factor_of(const Release& release, double rows) {
  return {std::max(0.0, release.record_count()) / rows, release.record_count_error() / rows};
}

/// Gathers residuals into a NoiseAgreement.
class Tally {
 public:
  void add(const Part& part, Factor factor, double rows) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      const double residual = part.released(i) - factor.value * part.sum(i);
      const double of_factor = factor.error * part.sum(i);
      const double noise = part.sigma() * part.sigma() + of_factor * of_factor;
      const double draws = noise + factor.value * factor.value * part.draw_variance(i, rows);
      ++count_;
      of_noise_.add(residual * residual / noise);
      of_draws_.add(residual * residual / draws);
    }
  }

  NoiseAgreement agreement() const {
    const auto count = static_cast<double>(count_);
    return {count_, std::sqrt(of_noise_.sum / count), of_noise_.within / count,
            std::sqrt(of_draws_.sum / count), of_draws_.within / count};
  }

 private:
  struct Squares {
    double sum = 0.0;
    double within = 0.0;
    void add(double square) {
      sum += square;
      within += square <= 4.0 ? 1.0 : 0.0;
    }
  };
  std::size_t count_ = 0;
  Squares of_noise_;
  Squares of_draws_;
};

}  // namespace

ReleaseAgreement compare_with_release(const Release& release,
                                      const std::vector<RecordStreamFactory>& synthetic,
                                      const Context& context) {
  std::vector<Part> parts = parts_of(release);
  WorkerPool pool(context.threads);
  ReleaseAgreement result;
  EncodedBatch encoded;
  for (const RecordStreamFactory& open : synthetic) {
    RecordStream stream = open();
    const EncoderBinding binding = release.encoder().bind(stream.schema());
    RecordBatch batch;
    while (stream.next(batch)) {
      release.encoder().encode(binding, stream.schema(), batch.value(), encoded);
      result.synthetic_rows += encoded.rows;
      pool.run(parts.size(), [&](std::size_t i) {
        context.throw_if_cancelled();
        parts[i].add(encoded);
      });
    }
  }
  if (result.synthetic_rows == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the synthetic table has a header but no rows; give one with at least one record");
  }
  const auto rows = static_cast<double>(result.synthetic_rows);
  const Factor factor = factor_of(release, rows);
  result.factor = factor.value;
  Tally all;
  std::vector<Tally> blocks(release.blocks().size());
  for (const Part& part : parts) {
    Tally alone;
    for (Tally* tally : {&all, &blocks[part.block()], &alone}) {
      tally->add(part, factor, rows);
    }
    if (part.has_map() && !part.name(release.encoder()).empty()) {
      result.columns.push_back({part.name(release.encoder()), alone.agreement()});
    }
  }
  result.all = all.agreement();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    result.blocks.push_back({release.features().blocks()[b].name, blocks[b].agreement()});
  }
  return result;
}

}  // namespace mehler

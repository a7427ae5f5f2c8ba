#include "mehler/evaluation/release/release_agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "mehler/core/error.h"

namespace mehler {
namespace {

ScaleFactor factor_of(const Release& release, double rows) {
  return {std::max(0.0, release.record_count()) / rows, release.record_count_error() / rows};
}

/// Gathers residuals into a NoiseAgreement.
class Tally {
 public:
  void add(double squared_residual, double noise_variance, double draw_variance) {
    ++count_;
    of_noise_.add(squared_residual / noise_variance);
    of_draws_.add(squared_residual / (noise_variance + draw_variance));
  }
  void add(const Tally& other) {
    count_ += other.count_;
    of_noise_.add(other.of_noise_);
    of_draws_.add(other.of_draws_);
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
    void add(const Squares& other) {
      sum += other.sum;
      within += other.within;
    }
  };
  std::size_t count_ = 0;
  Squares of_noise_;
  Squares of_draws_;
};

/// Tallies by name, in the order in which the names come up.
class NamedTallies {
 public:
  void add(const std::string& name, const Tally& tally) {
    const auto [entry, is_new] = places_.try_emplace(name, tallies_.size());
    if (is_new) {
      tallies_.emplace_back(name, Tally());
    }
    tallies_[entry->second].second.add(tally);
  }
  std::vector<PartAgreement> agreements() const {
    std::vector<PartAgreement> result;
    for (const auto& [name, tally] : tallies_) {
      result.push_back({name, tally.agreement()});
    }
    return result;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, Tally>> tallies_;
};

/// The residuals of each of a block's segments; those of contrasts, which have one each, together.
std::vector<Tally> tallies_of(const FeatureBlock& block, const NoisyBlock& noisy, double sigma,
                              const BlockSums& sums, ScaleFactor factor, double rows) {
  std::vector<Tally> result;
  for (const FeatureSegment& segment : block.segments()) {
    if (result.empty() || !block.is_contrast()) {
      result.emplace_back();
    }
    const double noise = sigma / segment.weight;
    for (std::size_t row = 0; row < noisy.rows; ++row) {
      for (std::size_t i = segment.first; i < segment.first + segment.count; ++i) {
        const double sum = sums.sums[row * noisy.columns + i];
        const double square = sums.squares[row * noisy.columns + i];
        const double residual = noisy.at(row, i) - factor.value * sum;
        const double of_factor = factor.error * sum;
        // Of a sum over as many records, drawn at random from these.
        const double of_draws = std::max(0.0, square - sum * sum / rows);
        result.back().add(residual * residual, noise * noise + of_factor * of_factor,
                          factor.value * factor.value * of_draws);
      }
    }
  }
  return result;
}

/// "age", "age + hours" for a direction, "age x smoker" for counts of both.
std::string columns_name(const Encoder& encoder, const FeatureMap& map) {
  std::string name;
  for (const MapInput& input : map.inputs()) {
    name += (name.empty() ? "" : " + ") + encoder.columns()[input.column].name;
  }
  return name;
}
std::string columns_name(const Encoder& encoder, const FeatureBlock& block) {
  std::string name;
  for (const WeightedMap& member : block.maps) {
    name += (name.empty() ? "" : " x ") + columns_name(encoder, member.map);
  }
  return name;
}

/// What a block of a release of counts counts.
std::string kind_name(const FeatureBlock& block) {
  if (!block.is_contrast()) {
    return block.maps.front().map.kind() == FeatureMap::Kind::kDifferences ? "values within ranges"
                                                                           : "number of records";
  }
  const std::size_t columns = block.maps.size();
  return columns == 1 ? "columns" : columns == 2 ? "pairs of columns" : "triples of columns";
}

}  // namespace

ReleaseComparison::ReleaseComparison(const Release& release, const Context& context)
    : release_(release), context_(context), pool_(context.threads), features_(release) {
  const std::vector<FeatureBlock>& blocks = release.features().blocks();
  if (std::any_of(blocks.begin(), blocks.end(), CellTables::counts)) {
    measurements_.emplace(release);
    cells_.emplace(release, *measurements_);
  }
}

void ReleaseComparison::add(RecordStream&& stream) {
  const EncoderBinding binding = release_.encoder().bind_without_unit(stream.schema());
  RecordBatch batch;
  EncodedBatch encoded;
  while (stream.next(batch)) {
    context_.throw_if_cancelled();
    release_.encoder().encode(binding, stream.schema(), batch.value(), encoded);
    add(encoded);
  }
}

void ReleaseComparison::add(const EncodedBatch& records) {
  rows_ += records.rows;
  features_.add(records, pool_);
  if (cells_) {
    cells_->add(records, pool_);
  }
}

ReleaseAgreement ReleaseComparison::agreement() {
  if (rows_ == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the synthetic table has a header but no rows; give one with at least one record");
  }
  const auto rows = static_cast<double>(rows_);
  const ScaleFactor factor = factor_of(release_, rows);
  const std::vector<FeatureBlock>& blocks = release_.features().blocks();
  std::vector<std::vector<Tally>> tallies(blocks.size());
  pool_.run(blocks.size(), [&](std::size_t b) {
    context_.throw_if_cancelled();
    const BlockSums sums =
        CellTables::counts(blocks[b]) ? cells_->of_block(b) : features_.of_block(b);
    tallies[b] = tallies_of(blocks[b], release_.blocks()[b], release_.statement().blocks[b].sigma,
                            sums, factor, rows);
  });
  Tally all;
  NamedTallies parts;
  NamedTallies columns;
  NamedTallies joint;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const FeatureBlock& block = blocks[b];
    for (std::size_t i = 0; i < tallies[b].size(); ++i) {
      const Tally& tally = tallies[b][i];
      all.add(tally);
      parts.add(cells_ ? kind_name(block) : block.name, tally);
      if (block.is_contrast() && block.maps.size() > 1) {
        joint.add(columns_name(release_.encoder(), block), tally);
      } else if (block.is_contrast() || block.combination == Combination::kSum) {
        const std::string name = columns_name(release_.encoder(), block.maps[i].map);
        if (!name.empty()) {
          columns.add(name, tally);
        }
      }
    }
  }
  return {rows_,
          factor.value,
          all.agreement(),
          parts.agreements(),
          columns.agreements(),
          joint.agreements(),
          cells_ ? compare_counts(*measurements_, *cells_, factor, pool_, context_)
                 : std::vector<CountAgreement>()};
}

ReleaseAgreement compare_with_release(const Release& release,
                                      const std::vector<RecordStreamFactory>& synthetic,
                                      const Context& context) {
  ReleaseComparison comparison(release, context);
  for (const RecordStreamFactory& open : synthetic) {
    comparison.add(open());
  }
  return comparison.agreement();
}

}  // namespace mehler

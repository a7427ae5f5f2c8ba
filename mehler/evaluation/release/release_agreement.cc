#include "mehler/evaluation/release/release_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/for_each_batch.h"
#include "mehler/evaluation/release/cell_tables.h"
#include "mehler/evaluation/release/count_agreement.h"
#include "mehler/evaluation/release/feature_sums.h"
#include "mehler/evaluation/release/measured_tables.h"
#include "mehler/release/marginal_measurements.h"

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

/// Noisy numbers of a block beside sums over synthetic records.
class Residuals {
 public:
  Residuals(const NoisyBlock& noisy, const BlockSums& sums, ScaleFactor factor, double rows)
      : noisy_(noisy), sums_(sums), factor_(factor), rows_(rows) {}

  /// Those of one column, all rows.
  void add_to(Tally& tally, std::size_t column, double noise) const {
    for (std::size_t row = 0; row < noisy_.rows; ++row) {
      const double sum = sums_.sums[row * noisy_.columns + column];
      const double square = sums_.squares[row * noisy_.columns + column];
      const double residual = noisy_.at(row, column) - factor_.value * sum;
      const double of_factor = factor_.error * sum;
      // Of a sum over as many records, drawn at random from these.
      const double of_draws = std::max(0.0, square - sum * sum / rows_);
      tally.add(residual * residual, noise * noise + of_factor * of_factor,
                factor_.value * factor_.value * of_draws);
    }
  }

 private:
  const NoisyBlock& noisy_;
  const BlockSums& sums_;
  ScaleFactor factor_;
  double rows_;
};

/// The residuals of each of a block's segments.
std::vector<Tally> tallies_of(const FeatureBlock& block, double sigma, const Residuals& residuals) {
  std::vector<Tally> result;
  for (const FeatureSegment& segment : block.segments()) {
    result.emplace_back();
    for (std::size_t i = segment.first; i < segment.first + segment.count; ++i) {
      residuals.add_to(result.back(), i, sigma / segment.weight);
    }
  }
  return result;
}

/// All residuals of a block.
Tally tally_of(const CountBlock& block, double sigma, const Residuals& residuals) {
  Tally result;
  const std::vector<double> scales = block.noise_scales();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    residuals.add_to(result, i, sigma * scales[i]);
  }
  return result;
}

/// "age", "age + hours" for a direction.
std::string columns_name(const Encoder& encoder, const FeatureMap& map) {
  std::string name;
  for (const MapInput& input : map.inputs()) {
    name += (name.empty() ? "" : " + ") + encoder.columns()[input.column].name;
  }
  return name;
}

/// "age x smoker".
std::string columns_name(const Encoder& encoder, const std::vector<CountedColumn>& columns) {
  std::string name;
  for (const CountedColumn& counted : columns) {
    name += (name.empty() ? "" : " x ") + encoder.columns()[counted.column].name;
  }
  return name;
}

/// Tallies of everything, and of what belongs together.
struct Tallies {
  Tally all;
  NamedTallies parts;
  NamedTallies columns;
  NamedTallies joint;

  void add(const Encoder& encoder, const FeatureBlock& block, std::span<const Tally> segments) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      all.add(segments[i]);
      parts.add(block.name, segments[i]);
      if (block.combination == Combination::kSum && !block.maps[i].map.inputs().empty()) {
        columns.add(columns_name(encoder, block.maps[i].map), segments[i]);
      }
    }
  }

  void add(const Encoder& encoder, const CountBlock& block, const Tally& tally) {
    all.add(tally);
    parts.add(what_is_counted(block), tally);
    const auto add_table = [&](const std::vector<CountedColumn>& of_table) {
      (of_table.size() == 1 ? columns : joint).add(columns_name(encoder, of_table), tally);
    };
    if (const Marginal* marginal = block.marginal()) {
      add_table(marginal->columns);
    } else if (const CellCounts* cells = block.cell_counts()) {
      add_table(cells->columns);
    } else if (const auto* ranges = std::get_if<HalvedRanges>(&block.counted)) {
      columns.add(encoder.columns()[ranges->column].name, tally);
    }
  }
};

}  // namespace

/// Sums over synthetic records beside those of a release.
class ReleaseComparison::Sums {
 public:
  virtual ~Sums() = default;
  virtual void add(const EncodedBatch& records) = 0;
  virtual ReleaseAgreement compare(ScaleFactor factor, double rows, const Context& context) = 0;
  virtual std::vector<ComparedCounts> tables(std::size_t /*rows*/) const { return {}; }

 protected:
  Sums(const Release& release, std::size_t threads) : release_(release), pool_(threads) {}

  static ReleaseAgreement agreement_of(const Tallies& tallies) {
    ReleaseAgreement result;
    result.all = tallies.all.agreement();
    result.parts = tallies.parts.agreements();
    result.columns = tallies.columns.agreements();
    result.joint = tallies.joint.agreements();
    return result;
  }

  const Release& release_;
  WorkerPool pool_;
};

class ReleaseComparison::SumsOfFeatures : public Sums {
 public:
  SumsOfFeatures(const Release& release, std::size_t threads)
      : Sums(release, threads), sums_(release) {}

  void add(const EncodedBatch& records) override { sums_.add(records, pool_); }

  ReleaseAgreement compare(ScaleFactor factor, double rows, const Context& context) override {
    const NoisySums& released = release_.sums();
    std::vector<std::vector<Tally>> of_blocks(released.blocks.size());
    pool_.run(of_blocks.size(), [&](std::size_t b) {
      context.throw_if_cancelled();
      of_blocks[b] =
          tallies_of(released.features.blocks()[b], release_.statement().noise_of(b).sigma,
                     {released.blocks[b], sums_.of_block(b), factor, rows});
    });
    Tallies tallies;
    for (std::size_t b = 0; b < of_blocks.size(); ++b) {
      tallies.add(release_.encoder(), released.features.blocks()[b], of_blocks[b]);
    }
    return agreement_of(tallies);
  }

 private:
  FeatureSums sums_;
};

class ReleaseComparison::SumsOfCounts : public Sums {
 public:
  SumsOfCounts(const Release& release, std::size_t threads)
      : Sums(release, threads), measurements_(release), cells_(release, measurements_) {}

  void add(const EncodedBatch& records) override { cells_.add(records, pool_); }

  ReleaseAgreement compare(ScaleFactor factor, double rows, const Context& context) override {
    const NoisyCounts& released = release_.counts();
    std::vector<Tally> of_blocks(released.blocks.size());
    // Sums of vectors are left out: counts say the same of columns, and more plainly; of images
    // they are moments of codes, which a style changes on purpose.
    const auto is_compared = [&](std::size_t b) {
      return released.counts.blocks()[b].vector_sum() == nullptr;
    };
    pool_.run(of_blocks.size(), [&](std::size_t b) {
      context.throw_if_cancelled();
      if (!is_compared(b)) {
        return;
      }
      of_blocks[b] = tally_of(released.counts.blocks()[b], release_.statement().noise_of(b).sigma,
                              {released.blocks[b], cells_.of_block(b), factor, rows});
    });
    Tallies tallies;
    for (std::size_t b = 0; b < of_blocks.size(); ++b) {
      if (is_compared(b)) {
        tallies.add(release_.encoder(), released.counts.blocks()[b], of_blocks[b]);
      }
    }
    ReleaseAgreement result = agreement_of(tallies);
    result.counts = compare_counts(measurements_, cells_, factor, pool_, context);
    return result;
  }

  std::vector<ComparedCounts> tables(std::size_t rows) const override {
    return measured_tables(release_, measurements_, cells_, rows);
  }

 private:
  MarginalMeasurements measurements_;
  CellTables cells_;
};

bool ReleaseComparison::is_possible(const Release& release) {
  if (!release.has_counts()) {
    return std::holds_alternative<NoisySums>(release.payload());
  }
  const std::vector<CountBlock>& blocks = release.counts().counts.blocks();
  return std::any_of(blocks.begin(), blocks.end(), [](const CountBlock& block) {
    return block.marginal() != nullptr || block.cell_counts() != nullptr;
  });
}

ReleaseComparison::ReleaseComparison(const Release& release, const Context& context)
    : release_(release), context_(context) {
  if (!is_possible(release)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the release, of method {}, has no features and no counts of columns "
                            "to compare records with; compare them with real records instead",
                            release.method()));
  }
  if (release.has_counts()) {
    sums_ = std::make_unique<SumsOfCounts>(release, context.threads);
  } else {
    sums_ = std::make_unique<SumsOfFeatures>(release, context.threads);
  }
}

ReleaseComparison::~ReleaseComparison() = default;

void ReleaseComparison::add(RecordStream&& stream) {
  EncodedBatch encoded;
  for_each_batch(
      std::move(stream), release_.encoder(), context_,
      [&](const EncoderBinding& binding, const ArrowSchema& schema, const ArrowArray& batch) {
        release_.encoder().encode(binding, schema, batch, encoded);
        add(encoded);
      });
}

void ReleaseComparison::add(const EncodedBatch& records) {
  rows_ += records.rows;
  sums_->add(records);
}

ReleaseAgreement ReleaseComparison::agreement() {
  if (rows_ == 0) {
    throw Error(ErrorCode::kInvalidTable,
                "the synthetic table has a header but no rows; give one with at least one record");
  }
  const auto rows = static_cast<double>(rows_);
  const ScaleFactor factor = factor_of(release_, rows);
  ReleaseAgreement result = sums_->compare(factor, rows, context_);
  result.synthetic_rows = rows_;
  result.factor = factor.value;
  return result;
}

std::vector<ComparedCounts> ReleaseComparison::tables() const { return sums_->tables(rows_); }

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

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/demo/mixture.h"
#include "mehler/evaluation/classifiers/classification_score.h"
#include "mehler/evaluation/images/image_evaluation.h"
#include "mehler/evaluation/images/image_samples.h"
#include "mehler/evaluation/tables/binned_shares.h"
#include "mehler/evaluation/tables/table_evaluation.h"

namespace mehler {

/// What a synthetic table was measured to be beside real records.
struct EvaluationFigures {
  /// Of all columns but that of images. Where there are none, it has the numbers of records only.
  /// Beside images it says nothing of whole records.
  TableEvaluation evaluation;
  std::size_t bins = 0;
  std::uint64_t seed = 0;
  /// Missing and invalid values are counted in these; per used column.
  struct Validity {
    std::size_t real_missing = 0;
    std::size_t synthetic_missing = 0;
    std::size_t real_invalid = 0;
    std::size_t synthetic_invalid = 0;
  };
  std::vector<Validity> validity;
  /// With a target: trained on the synthetic records and, where there are any, on the training
  /// records; tested on the real ones.
  struct Classification {
    ClassificationTarget target;
    ClassificationScore synthetic;
    std::optional<ClassificationScore> training;
  };
  std::optional<Classification> classification;
  /// Where the schema has a column of images.
  std::optional<ImageFigures> images;
  /// Where the schema is that of the built-in mixture.
  std::optional<MixtureScore> real_mixture;
  std::optional<MixtureScore> synthetic_mixture;
  /// Where the request asks for what a page draws: shares of both tables, and synthetic images.
  std::optional<DrawnShares> drawn;
  std::vector<ImageSamples> samples;
};

}  // namespace mehler

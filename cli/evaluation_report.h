#pragma once

#include <optional>
#include <string>

#include "mehler/core/strict_json.h"
#include "mehler/demo/mixture.h"
#include "mehler/evaluation/classifiers/classification_score.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/evaluation/tables/table_evaluation.h"

namespace mehler {

/// What `mehler evaluate` has measured against real records.
struct EvaluationFigures {
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
  /// With --target: trained on the synthetic records and, where there are any, on the training
  /// records; tested on the real ones.
  struct Classification {
    ClassificationTarget target;
    ClassificationScore synthetic;
    std::optional<ClassificationScore> training;
  };
  std::optional<Classification> classification;
  /// Where the schema is that of the built-in mixture.
  std::optional<MixtureScore> real_mixture;
  std::optional<MixtureScore> synthetic_mixture;
};

/// Both begin with the words that no guarantee covers the figures.
std::string text_of(const Encoder& encoder, const EvaluationFigures& figures);
Json json_of(const Encoder& encoder, const EvaluationFigures& figures);

/// The part about the classifier; empty and null without one.
std::string classification_text(const Encoder& encoder, const EvaluationFigures& figures);
Json classification_json(const Encoder& encoder, const EvaluationFigures& figures);

/// Both begin with the words on which tables' figures may be shared.
std::string text_of(const Release& release, const ReleaseAgreement& agreement);
Json json_of(const Release& release, const ReleaseAgreement& agreement);

}  // namespace mehler

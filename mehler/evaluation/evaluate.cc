#include "mehler/evaluation/evaluate.h"

namespace mehler {
namespace {

MixtureScore mixture_score(const CodedTable& table) {
  return score_mixture(table.columns[0].numbers, table.columns[1].numbers, table.columns[2].codes);
}

EvaluationFigures::Classification classify(const Encoder& encoder, ClassificationTarget target,
                                           const CodedTable& real, const CodedTable& synthetic,
                                           const CodedTable* train, std::uint64_t seed,
                                           const Context& context) {
  target = decide_positive(std::move(target), real);
  ClassificationOptions options;
  options.seed = seed;
  const auto score = [&](const CodedTable& table) {
    return classification_score(encoder, target, table, real, options, context);
  };
  return {target, score(synthetic), train == nullptr ? std::nullopt : std::optional(score(*train))};
}

}  // namespace

EvaluationFigures evaluate(const Encoder& encoder, const CodedTable& real,
                           const CodedTable& synthetic, const CodedTable* train,
                           const EvaluationRequest& request, const Context& context) {
  const auto begin = [&](const char* part) {
    if (request.on_part) {
      request.on_part(part);
    }
  };
  EvaluationFigures figures;
  figures.bins = request.bins;
  figures.seed = request.settings.seed;
  begin("comparing");
  figures.evaluation = evaluate_tables(encoder, real, synthetic, train, request.settings, context);
  if (request.target) {
    begin("training a classifier");
    figures.classification =
        classify(encoder, *request.target, real, synthetic, train, request.settings.seed, context);
  }
  for (std::size_t i = 0; i < real.columns.size(); ++i) {
    figures.validity.push_back({real.columns[i].missing, synthetic.columns[i].missing,
                                real.columns[i].invalid, synthetic.columns[i].invalid});
  }
  if (encoder.schema().columns() == mixture_schema().columns()) {
    figures.real_mixture = mixture_score(real);
    figures.synthetic_mixture = mixture_score(synthetic);
  }
  return figures;
}

}  // namespace mehler

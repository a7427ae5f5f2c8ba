#include "mehler/evaluation/evaluate.h"

#include "mehler/evaluation/evaluation_figures.h"

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

EvaluationFigures measure(const Encoder& encoder, const CodedTable& real,
                          const CodedTable& synthetic, const CodedTable* train,
                          const EvaluationOptions& options, std::size_t bins,
                          const std::optional<ClassificationTarget>& target,
                          const std::function<void(const std::string&)>& begin,
                          const Context& context) {
  EvaluationFigures figures;
  figures.bins = bins;
  figures.seed = options.seed;
  begin("comparing");
  figures.evaluation = evaluate_tables(encoder, real, synthetic, train, options, context);
  if (target) {
    begin("training a classifier");
    figures.classification =
        classify(encoder, *target, real, synthetic, train, options.seed, context);
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

/// A request, worked out for a schema.
struct Prepared {
  std::shared_ptr<const Encoder> encoder;
  EvaluationOptions options;
  std::vector<ColumnBins> bins;
  std::optional<ClassificationTarget> target;
};

Prepared prepare(const Schema& schema, const EvaluationRequest& request) {
  schema.require_declared();
  auto encoder = std::make_shared<const Encoder>(schema.without_privacy_unit().without_rules());
  EvaluationOptions options{request.ways, request.max_subsets, request.seed};
  options.ways_of(*encoder);
  std::vector<ColumnBins> bins = column_bins(*encoder, request.bins);
  std::optional<ClassificationTarget> target;
  if (!request.target.empty()) {
    target = classification_target(*encoder, request.target, request.positive);
  }
  return {std::move(encoder), std::move(options), std::move(bins), std::move(target)};
}

}  // namespace

void EvaluationRequest::validate(const Schema& schema) const { (void)prepare(schema, *this); }

Evaluation evaluate(const Schema& schema, const EvaluatedTable& real,
                    const EvaluatedTable& synthetic, const EvaluatedTable& training,
                    const EvaluationRequest& request, const Context& context) {
  const Prepared prepared = prepare(schema, request);
  const Encoder& encoder = *prepared.encoder;
  const auto begin = [&](const std::string& part) {
    if (request.on_part) {
      request.on_part(part);
    }
  };
  const auto read = [&](const EvaluatedTable& table) {
    begin("reading " + table.name);
    return read_coded_table(encoder, prepared.bins, table.parts, context, table.name);
  };
  const CodedTable synthetic_records = read(synthetic);
  const CodedTable real_records = read(real);
  const std::optional<CodedTable> training_records =
      training.parts.empty() ? std::nullopt : std::optional(read(training));
  return {prepared.encoder, std::make_shared<const EvaluationFigures>(measure(
                                encoder, real_records, synthetic_records,
                                training_records ? &*training_records : nullptr, prepared.options,
                                request.bins, prepared.target, begin, context))};
}

}  // namespace mehler

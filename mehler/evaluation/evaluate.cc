#include "mehler/evaluation/evaluate.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/options.h"
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

/// A request, worked out for a schema.
struct Prepared {
  /// Of all columns.
  std::shared_ptr<const Encoder> reading;
  /// Of those that tables are compared by, all but that of images; null if there are none.
  std::shared_ptr<const Encoder> compared;
  EvaluationOptions options;
  std::vector<ColumnBins> bins;
  std::optional<ClassificationTarget> target;
  /// Of images: which of the compared columns has their classes.
  std::optional<std::size_t> image_classes;
};

/// Images and classes of a table.
EvaluatedImages images_of(const Prepared& prepared, const CodedTable& table) {
  EvaluatedImages images;
  images.shape = *prepared.reading->schema().image()->shape;
  images.count = table.rows;
  images.pixels = table.pixels;
  if (prepared.image_classes) {
    images.classes = table.columns[*prepared.image_classes].codes;
    images.class_count = prepared.bins[*prepared.image_classes].bins();
  }
  return images;
}

ImageFigures measure_images(const Prepared& prepared, const EvaluationRequest& request,
                            const CodedTable& real, const CodedTable& synthetic,
                            const CodedTable* train,
                            const std::function<void(const std::string&)>& begin,
                            const Context& context) {
  ImageFigures figures;
  figures.column = prepared.reading->schema().image()->name;
  figures.shape = *prepared.reading->schema().image()->shape;
  if (prepared.image_classes) {
    const Column& classes = prepared.compared->columns()[*prepared.image_classes];
    figures.target = classes.name;
    figures.labels = classes.labels();
  }
  const std::optional<EvaluatedImages> learnt =
      train == nullptr ? std::nullopt : std::optional(images_of(prepared, *train));
  evaluate_images(
      images_of(prepared, real), images_of(prepared, synthetic), learnt ? &*learnt : nullptr,
      {{request.epochs, request.seed}, request.image_classifiers}, begin, context, figures);
  return figures;
}

/// Adds what a page draws.
void keep_drawn(const Prepared& prepared, const CodedTable& real, const CodedTable& synthetic,
                const std::function<void(const std::string&)>& begin, const Context& context,
                EvaluationFigures& figures) {
  begin("counting what is drawn");
  if (prepared.compared) {
    figures.drawn = drawn_shares(*prepared.compared, prepared.bins, real, synthetic, {}, context);
  }
  if (figures.images) {
    figures.samples = first_images(images_of(prepared, synthetic), figures.images->labels);
  }
}

EvaluationFigures measure(const Prepared& prepared, const EvaluationRequest& request,
                          const CodedTable& real, const CodedTable& synthetic,
                          const CodedTable* train,
                          const std::function<void(const std::string&)>& begin,
                          const Context& context) {
  EvaluationFigures figures;
  figures.bins = request.bins;
  figures.seed = request.seed;
  figures.evaluation.real_rows = real.rows;
  figures.evaluation.synthetic_rows = synthetic.rows;
  const bool has_images = prepared.compared != prepared.reading;
  if (prepared.compared) {
    begin("comparing");
    // How near whole records lie to one another is not to be told without their images.
    figures.evaluation = evaluate_tables(*prepared.compared, real, synthetic,
                                         has_images ? nullptr : train, prepared.options, context);
  }
  if (prepared.target) {
    begin("training a classifier");
    figures.classification = classify(*prepared.compared, *prepared.target, real, synthetic, train,
                                      request.seed, context);
  }
  if (has_images) {
    figures.images = measure_images(prepared, request, real, synthetic, train, begin, context);
  }
  for (std::size_t i = 0; i < real.columns.size(); ++i) {
    figures.validity.push_back({real.columns[i].missing, synthetic.columns[i].missing,
                                real.columns[i].invalid, synthetic.columns[i].invalid});
  }
  if (request.keeps_drawn) {
    keep_drawn(prepared, real, synthetic, begin, context, figures);
  }
  if (prepared.reading->schema().columns() == mixture_schema().columns()) {
    figures.real_mixture = mixture_score(real);
    figures.synthetic_mixture = mixture_score(synthetic);
  }
  return figures;
}

[[noreturn]] void refuse_request(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

/// The same columns, but that of images ignored.
std::shared_ptr<const Encoder> encoder_without_images(const Schema& schema) {
  std::vector<Column> columns = schema.columns();
  bool is_any_left = false;
  for (Column& column : columns) {
    if (column.is_image()) {
      const std::string name = column.name;
      column = Column{};
      column.name = name;
      column.kind = ColumnKind::kIgnored;
    }
    is_any_left = is_any_left || column.is_used();
  }
  return is_any_left ? std::make_shared<const Encoder>(schema.with_columns(std::move(columns)))
                     : nullptr;
}

/// Which of the compared columns has the classes of images, if any has.
std::optional<std::size_t> find_image_classes(const Encoder& reading, const Encoder* compared,
                                              const std::string& target) {
  if (!target.empty()) {
    class_column(reading, target);
    return compared->index_of(target);
  }
  const Column* label = reading.schema().label();
  return label == nullptr ? std::nullopt : std::optional(compared->index_of(label->name));
}

Prepared prepare(const Schema& schema, const EvaluationRequest& request) {
  schema.require_declared();
  if (request.epochs < 1 || request.epochs > EvaluationRequest::kMostEpochs) {
    refuse_request(fmt::format("{} must lie in [1, {}], but is {}; the default is {}",
                               option_words("epochs"), EvaluationRequest::kMostEpochs,
                               request.epochs, EvaluationRequest{}.epochs));
  }
  Prepared result;
  result.reading = std::make_shared<const Encoder>(schema.without_privacy_unit().without_rules());
  result.compared = result.reading;
  if (schema.image() != nullptr) {
    result.compared = encoder_without_images(result.reading->schema());
    result.image_classes =
        find_image_classes(*result.reading, result.compared.get(), request.target);
  }
  result.options = {request.ways, request.max_subsets, request.seed};
  if (result.compared) {
    result.options.ways_of(*result.compared);
  } else if (!request.ways.empty()) {
    refuse_request(
        fmt::format("{} has no use where a column of images is the only one; leave it out",
                    option_words("marginals")));
  }
  result.bins = column_bins(*result.reading, request.bins);
  // Images alone are for the network; a regression on columns needs one beside the target.
  const bool is_for_images = schema.image() != nullptr && result.bins.size() < 2;
  if (!request.target.empty() && !is_for_images) {
    result.target = classification_target(*result.compared, request.target, request.positive);
  } else if (!request.positive.empty()) {
    refuse_request(fmt::format(
        "{} is for a regression on other columns than images, and there are none; leave it out",
        option_words("positive")));
  }
  return result;
}

/// A label that is not declared belongs to no class, and there is no figure to count it in.
void refuse_other_classes(const Prepared& prepared, const CodedTable& table,
                          const std::string& name) {
  if (prepared.image_classes && table.columns[*prepared.image_classes].invalid > 0) {
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("{}: the label in column '{}' is missing or not among the categories of the "
                    "schema in {} of {} records; give a set of the declared classes, or declare "
                    "the others too",
                    name, prepared.compared->columns()[*prepared.image_classes].name,
                    table.columns[*prepared.image_classes].invalid, table.rows));
  }
}

}  // namespace

CodedTable read_for_evaluation(const Schema& schema, const EvaluatedTable& table,
                               const Context& context) {
  const Encoder encoder(schema.without_privacy_unit().without_rules());
  return read_coded_table(encoder, column_bins(encoder), table.parts, context, table.name);
}

void EvaluationRequest::validate(const Schema& schema) const { (void)prepare(schema, *this); }

Evaluation evaluate(const Schema& schema, const EvaluatedTable& real,
                    const EvaluatedTable& synthetic, const EvaluatedTable& training,
                    const EvaluationRequest& request, const Context& context) {
  const Prepared prepared = prepare(schema, request);
  const auto begin = [&](const std::string& part) {
    if (request.on_part) {
      request.on_part(part);
    }
  };
  const auto read = [&](const EvaluatedTable& table) {
    begin("reading " + table.name);
    CodedTable records =
        read_coded_table(*prepared.reading, prepared.bins, table.parts, context, table.name);
    refuse_other_classes(prepared, records, table.name);
    return records;
  };
  const CodedTable synthetic_records = read(synthetic);
  const CodedTable real_records = read(real);
  const std::optional<CodedTable> training_records =
      training.parts.empty() ? std::nullopt : std::optional(read(training));
  return {prepared.compared ? prepared.compared : prepared.reading,
          std::make_shared<const EvaluationFigures>(
              measure(prepared, request, real_records, synthetic_records,
                      training_records ? &*training_records : nullptr, begin, context))};
}

}  // namespace mehler

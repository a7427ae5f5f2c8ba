#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/estimation/clique_targets.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/generator/fitted_table/cell_decoder.h"
#include "mehler/generator/fitted_table/conditional_rows.h"
#include "mehler/generator/fitted_table/fit_size.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/table_fit.h"
#include "mehler/generator/fitted_table/teacher_labels.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/model_file.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Everything that a release of counts tells, ready for a fit.
struct FitInputs {
  /// Throws Error(kInvalidRelease) for a release that holds no counts.
  FitInputs(const Release& release, const Context& context);

  std::vector<ColumnEstimate> columns;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;  ///< what codes mean
  std::vector<FinerTable> finer_tables;
  ValueLinks links;
  CliqueTargets targets;
  double rows_as_good_as_noise = 0.0;  ///< fit_size.h
};

/// Fills in the images of some records, which are drawn but for these: by their other columns, the
/// number of the first of them in the sample, and its seed. Called from several threads.
using ImageFiller =
    std::function<void(EncodedBatch& records, std::uint64_t first_row, std::uint64_t seed)>;

/// A table that was fitted to the counts of a release, and how to draw more like it.
///
/// With as many rows as were fitted and seed 1 the sample is the fitted table itself; fewer rows
/// are a part of it, brought back to its counts; under conditions they are rows of it as far as
/// there are enough. More, and another seed, are drawn from the model of its pairs
/// (docs/methods/marginals.md, "Sampling"). Long tables have the potentials of that model in their
/// file; of others it is fitted when it is first needed.
class TableGenerator final : public Generator {
 public:
  static constexpr std::string_view kKind = "fitted-table";

  /// Fits a table; `images` is needed where the schema has a column of images. Throws
  /// Error(kInvalidRelease) for a release that holds no counts, Error(kCancelled) on request.
  TableGenerator(Release release, const TableFitOptions& options, const Context& context,
                 ImageFiller images = {});

  static std::unique_ptr<Generator> read(ModelParts parts);

  /// What a model file has of the fit: keys of its header, and numbers. For models that a fitted
  /// table is a part of.
  void append_to(Json& keys, std::string& numbers) const;
  static std::unique_ptr<TableGenerator> read_part(ModelParts parts, ImageFiller images);

  const Release& release() const override { return release_; }
  const TableFit& fit() const { return fit_; }

  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;
  void check_conditions(const std::vector<SampleCondition>& where) const override;
  bool has_settled() const override { return !fit_.slow_mixing; }
  std::string to_bytes() const override;

 private:
  TableGenerator(Release release, const Context& context, ImageFiller images);

  using Restrictions = std::vector<CellDecoder::Restriction>;

  /// Throws Error(kInvalidArgument) for conditions that cannot be met.
  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where) const;

  /// Decodes rows [from, from + count), whose cells meet the restrictions, and hands them over as
  /// those from first_row on. Records with a combination that never occurs are drawn anew within
  /// their cells, then from other rows.
  void hand_over(const CodedRows& rows, std::size_t from, std::size_t count,
                 std::uint64_t first_row, std::uint64_t seed, const Restrictions& restrictions,
                 const Context& context, const RecordSink& sink) const;
  /// A sample under conditions.
  void draw_under(const Restrictions& restrictions, const SampleOptions& options,
                  const Context& context, const RecordSink& sink) const;
  /// A sample from the model of pairs.
  void draw_more(const SampleOptions& options, const Context& context,
                 const RecordSink& sink) const;
  /// Rows [first, first + count) of a sample under conditions.
  CodedRows rows_where(const Restrictions& restrictions, const SampleOptions& options,
                       std::uint64_t first, std::size_t count, const Context& context) const;
  /// Has so many rows stand for all records.
  void stand_for_all(std::size_t rows);
  /// Labels rows as the release's teacher would, if it has one.
  void label(CodedRows& rows) const;
  /// Whether the file keeps the potentials: where fitting them is a small part of the whole fit.
  bool keeps_potentials() const;
  /// The model of the fit's pairs; fitted when it is asked for, if it is not there yet.
  const PairwiseModel& model(const Context& context) const;

  Release release_;
  FitInputs estimates_;  ///< its targets are those of the fitted rows
  std::size_t records_;  ///< that the release counts; no fewer than the fitted rows
  CellDecoder decoder_;
  RuleGuard guard_;
  ImageFiller images_;  ///< may be empty
  TableFit fit_;
  std::optional<TeacherLabels> labels_;      ///< of releases with a teacher, when the fit is there
  std::optional<SearchableFit> searchable_;  ///< of fit_, when that is there
  mutable std::mutex model_mutex_;
  mutable std::optional<PairwiseModel> model_;
};

}  // namespace mehler

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/estimation/image_candidates.h"
#include "mehler/estimation/image_teacher.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/model_file.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// How images are drawn from a release of method images.
struct ImageFitOptions {
  enum class Style { kBroad, kPlain };
  enum class Labels { kUniform, kMeasured };

  Style style = Style::kBroad;
  /// By default as the release found them where there are further columns, else as many of each.
  std::optional<Labels> labels = {};

  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument), naming the option.
  static ImageFitOptions parse(const OptionValues& values);
};

/// Draws labelled images: candidates from the classes' laws, labelled by the teacher, as many of
/// each label as its share asks for. A shorter sample is the beginning of a longer one. Conditions
/// are met by selection among drawn records.
///
/// Where there are further columns, records are drawn from a table that is fitted to their counts
/// and the label's, as TableGenerator draws them, conditions included; each gets an image that the
/// teacher gives its label to. Given the label, images go with no other column.
class ImageGenerator final : public Generator {
 public:
  static constexpr std::string_view kKind = "images";

  /// `table_options` and `context` are for the table of further columns. Throws
  /// Error(kInvalidRelease) for a release that does not hold what method images measures,
  /// Error(kCancelled) on request.
  ImageGenerator(Release release, const ImageFitOptions& options,
                 const TableFitOptions& table_options = {}, const Context& context = {});
  ImageGenerator(const ImageGenerator&) = delete;
  ImageGenerator& operator=(const ImageGenerator&) = delete;

  /// The model of images follows from the release; a file adds how it is drawn from, and the fitted
  /// table.
  static std::unique_ptr<Generator> read(ModelParts parts);

  const Release& release() const override { return release_; }
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;
  void check_conditions(const std::vector<SampleCondition>& where) const override;
  bool has_settled() const override { return !table_ || table_->has_settled(); }
  std::string to_bytes() const override;

 private:
  /// Images, the classes that they were drawn for, and the labels that they are given.
  struct Labelled {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint32_t> drawn_for;
    std::vector<std::uint32_t> labels;
  };

  /// Without a table.
  ImageGenerator(Release release, const ImageFitOptions& options, const ImageSums& sums);

  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where) const;
  /// Which images of a class's label are taken, so many.
  static std::vector<std::size_t> take(const Labelled& images, std::size_t label,
                                       std::size_t wanted);
  /// Candidates of classes by their shares, until there are as many of each label as are wanted, or
  /// none is to be expected.
  Labelled draw_candidates(std::span<const std::size_t> wanted, std::span<const double> shares,
                           std::uint64_t piece, std::uint64_t seed, SeededRandom& random) const;
  EncodedBatch draw_chunk(std::uint64_t chunk, std::uint64_t seed) const;
  /// Gives records of the table images of their labels.
  void fill_images(EncodedBatch& records, std::uint64_t first_row, std::uint64_t seed) const;
  ImageFiller filler() const;
  /// Records of the table, as many of each label that the conditions allow.
  void draw_evenly(const SampleOptions& options, const Context& context,
                   const RecordSink& sink) const;

  Release release_;
  ImageFitOptions options_;
  ImageModel model_;
  LearntImageTeacher teacher_;
  ImageCandidates candidates_;
  std::vector<double> shares_;  ///< of each class
  RuleGuard guard_;
  std::unique_ptr<const TableGenerator> table_;  ///< where there are further columns
};

}  // namespace mehler

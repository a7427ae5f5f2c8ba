#include "mehler/synthesis/images/image_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/estimation/image_model.h"
#include "mehler/estimation/image_moments.h"
#include "mehler/estimation/image_teacher.h"
#include "mehler/estimation/image_teacher_start.h"
#include "mehler/estimation/measured_products.h"
#include "mehler/synthesis/images/image_subspace.h"

namespace mehler {
namespace {

constexpr std::size_t kLengthCells = 64;
constexpr double kLongestCode = 64.0;
/// Where the lengths do not stand out of their noise: what nine tenths of the codes of usual sets
/// are shorter than (21 for digits of 8 x 8 pixels, 25 for Fashion-MNIST, 27 in colour).
constexpr double kUsualLength = 25.0;
constexpr double kCountPart = 0.2;        ///< of the mean's share, for the number of records
constexpr double kLargestCentre = 100.0;  ///< of an entry: beyond what codes have
constexpr double kLeastWithin = 0.2;      ///< variance within classes, of all
constexpr double kCellSpread = 0.7;       ///< of the first centres of cells, over the deviation

// Of public randomness: the same for every table.
constexpr std::uint64_t kEdgeSeed = 1;
constexpr std::uint64_t kCellSeed = 2;
constexpr std::uint64_t kCandidateSeed = 3;
constexpr std::uint64_t kStartSeed = 4;

std::vector<double> on_grid(std::span<const double> values) {
  std::vector<double> result;
  for (const double value : values) {
    result.push_back(on_parameter_grid(value));
  }
  return result;
}

class ImageRounds {
 public:
  ImageRounds(MeasurementRounds& rounds, const Encoder& encoder, const ImagesOptions& options,
              const Context& context)
      : rounds_(rounds),
        options_(options),
        context_(context),
        rows_are_public_(encoder.schema().relation() == NeighbourRelation::kReplaceOne) {
    const Column& images = *encoder.schema().image();
    const std::size_t image = encoder.index_of(images.name);
    const std::size_t target = encoder.index_of(*encoder.schema().target());
    codes_ = std::make_shared<const ImageScores>(image, *images.shape, ImageScoreKind::kCode);
    gradients_ =
        std::make_shared<const ImageScores>(image, *images.shape, ImageScoreKind::kGradients);
    classes_ = {target, std::make_shared<const ColumnPartition>(
                            ColumnPartition::even(encoder.columns()[target], 1))};
    if (const auto& unit = encoder.schema().privacy_unit()) {
      rows_of_unit_ = static_cast<double>(unit->max_rows);
    }
    total_ = rounds.left();
    unit_ =
        total_ / (options.length_share + options.mean_share + options.scatter_share +
                  options.class_mean_share + options.class_scatter_share + options.teacher_share);
  }

  void run() {
    count_records();
    measure_mean();
    measure_scatter();
    measure_class_means();
    if (cell_count() > 1) {
      measure_cells();
    }
    measure_class_scatters();
    learn();
  }

 private:
  void say(std::string words) const {
    if (context_.progress) {
      context_.progress({.words = std::move(words)});
    }
  }

  MeasuredSum measure(SumKind kind, const ImageVector& vector, std::string_view step, double share,
                      bool by_class, const std::string& name = "") {
    say(std::string(step));
    VectorSum sum;
    sum.kind = kind;
    sum.image = std::make_shared<const ImageVector>(vector);
    if (by_class) {
      sum.classes = classes_;
    }
    if (kind == SumKind::kLengths) {
      sum.cells = kLengthCells;
      sum.cell_width = kLongestCode / static_cast<double>(kLengthCells);
    }
    return rounds_.measure_sum({name.empty() ? std::string(step) : name, sum, std::string(step)},
                               share * unit_, context_);
  }

  /// Codes less their mean, once that is known.
  ImageVector code(double radius) const {
    ImageVector vector;
    vector.scores = codes_;
    vector.centre = centre_;
    vector.radius = radius;
    return vector;
  }

  /// The length to which most codes need not be shortened; nothing where noise hides it.
  std::optional<double> measure_radius(std::string_view step) {
    const std::optional<double> radius =
        length_quantile(measure(SumKind::kLengths, code(ImageVector::kLargestRadius), step,
                                options_.length_share / 2.0, false),
                        options_.radius_quantile);
    if (!radius && !rows_are_public_ && !(records_ > 1.0)) {
      throw Error(ErrorCode::kInvalidTable,
                  "no record stands out of the noise of this budget; raise epsilon, or take more "
                  "records");
    }
    return radius;
  }

  void count_records() {
    if (!rows_are_public_) {
      rounds_.measure("the number of records", {CountBlock::records()}, {1.0},
                      kCountPart * options_.mean_share * unit_, context_);
    }
    records_ = sums_.records = rounds_.measurements().rows();
  }

  void measure_mean() {
    const std::optional<double> radius = measure_radius(image_steps::kLengths);
    const MeasuredSum mean =
        measure(SumKind::kMeans, code(radius.value_or(kUsualLength)), image_steps::kMean,
                (rows_are_public_ ? 1.0 : 1.0 - kCountPart) * options_.mean_share, false);
    // Of so few records noise may be most of the mean: codes less it would be longer, not shorter.
    const double factor = radius ? 1.0 : shrinkage(mean);
    for (const double sum : mean.values) {
      centre_.push_back(
          on_parameter_grid(std::clamp(factor * sum / records_, -kLargestCentre, kLargestCentre)));
    }
  }

  /// Of sums, towards 0: by what of their squares the noise makes up.
  static double shrinkage(const MeasuredSum& sums) {
    double squares = 0.0;
    for (const double sum : sums.values) {
      squares += sum * sum;
    }
    const double noise = static_cast<double>(sums.values.size()) * sums.sigma * sums.sigma;
    return squares > noise ? 1.0 - noise / squares : 0.0;
  }

  void measure_scatter() {
    radius_ = measure_radius(image_steps::kCentredLengths).value_or(kUsualLength);
    sums_.scatter = measure(SumKind::kProducts, code(radius_), image_steps::kScatter,
                            options_.scatter_share, false);
    const double noise = sums_.scatter.sigma / records_;
    const ShrunkScatter shrunk = shrink_by_groups(products_of(sums_.scatter, 0, records_), noise,
                                                  ImageCodec(codes_->shape()).coordinates());
    subspace_ = find_image_subspace(
        shrunk.matrix, noise_edge(shrunk.factors, noise, options_.edge_matrices, kEdgeSeed),
        options_);
  }

  std::size_t cell_count() const {
    const double cells = std::sqrt(total_) / rows_of_unit_ * records_ /
                         (options_.records_per_cell * static_cast<double>(classes_.cells->size()));
    const auto whole =
        static_cast<std::size_t>(std::min(cells, static_cast<double>(ImageVector::kMaxCells)));
    return whole < options_.fewest_cells ? 1 : whole;
  }

  void measure_class_means() {
    ImageVector vector = code(radius_);
    vector.constant = radius_ / 2.0;
    const double share = options_.class_mean_share - (cell_count() > 1 ? options_.cell_share : 0.0);
    sums_.class_means = measure(SumKind::kMeans, vector, image_steps::kClassMeans, share, true);
    const Dense means = class_means_of(sums_.class_means, class_counts(sums_.class_means));

    inside_ = code(0.0);
    inside_.inner_radius = radius_;
    inside_.keeps_scores = false;
    const std::size_t count = subspace_.count();
    const std::size_t size = codes_->size();
    for (std::size_t d = 0; d < count; ++d) {
      inside_.factors.push_back(std::pow(subspace_.variances[d], -0.25));
      for (std::size_t i = 0; i < size; ++i) {
        inside_.directions.push_back(on_parameter_grid(subspace_.pairs.vector(d)[i]));
      }
    }
    Dense along(means.rows, count);
    for (std::size_t k = 0; k < means.rows; ++k) {
      for (std::size_t d = 0; d < count; ++d) {
        double sum = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
          sum += subspace_.pairs.vector(d)[i] * means.at(k, i);
        }
        along.at(k, d) = inside_.factors[d] * sum;
      }
    }
    inside_.class_centres = on_grid(along.values);

    // The variance within classes, half-whitened.
    for (std::size_t d = 0; d < count; ++d) {
      double mean = 0.0;
      double squares = 0.0;
      for (std::size_t k = 0; k < means.rows; ++k) {
        mean += along.at(k, d) / static_cast<double>(means.rows);
        squares += along.at(k, d) * along.at(k, d) / static_cast<double>(means.rows);
      }
      const double all = std::sqrt(subspace_.variances[d]);
      within_.push_back(std::max(all - (squares - mean * mean), kLeastWithin * all));
      all_within_ += within_.back();
    }
    inside_.radius = options_.radius_factor * std::sqrt(all_within_);
  }

  /// Private rounds of Lloyd's algorithm, from public random centres.
  void measure_cells() {
    const std::size_t count = subspace_.count();
    const std::size_t classes = classes_.cells->size();
    inside_.cells = cell_count();
    SeededRandom random(kCellSeed);
    for (std::size_t c = 0; c < classes * inside_.cells; ++c) {
      for (std::size_t d = 0; d < count; ++d) {
        inside_.cell_centres.push_back(
            on_parameter_grid(kCellSpread * std::sqrt(within_[d]) * random.normal()));
      }
    }
    for (std::size_t round = 1; round <= options_.cell_rounds; ++round) {
      ImageVector vector = inside_;
      vector.constant = vector.radius / 2.0;
      sums_.cells.push_back(measure(SumKind::kMeans, vector, image_steps::kCells,
                                    options_.cell_share / static_cast<double>(options_.cell_rounds),
                                    true, fmt::format("{}, round {}", image_steps::kCells, round)));
      inside_.cell_centres = centres_of(sums_.cells.back());
    }
  }

  /// Means of cells, shrunk to 0 by what is noise in them.
  std::vector<double> centres_of(const MeasuredSum& cells) const {
    const std::size_t count = subspace_.count();
    const std::size_t blocks = cells.values.size() / (count + 1);
    const double constant = cells.sum.image->constant;
    Dense means(blocks, count);
    std::vector<double> noise(blocks);
    std::vector<double> variances(count, 0.0);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* of_block = &cells.values[b * (count + 1)];
      const double records = std::max(of_block[count] / constant, 2.0 * cells.sigma / constant);
      noise[b] = cells.sigma / records;
      for (std::size_t d = 0; d < count; ++d) {
        means.at(b, d) = of_block[d] / records;
        variances[d] += means.at(b, d) * means.at(b, d) / static_cast<double>(blocks);
      }
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t d = 0; d < count; ++d) {
        means.at(b, d) *= variances[d] / (variances[d] + noise[b] * noise[b]);
      }
    }
    return on_grid(means.values);
  }

  /// Variance between the cells of a class, half-whitened; mean over classes.
  double between_cells() const {
    const Dense shares = cell_shares(sums_.cells.back());
    const std::size_t count = subspace_.count();
    double between = 0.0;
    for (std::size_t k = 0; k < shares.rows; ++k) {
      for (std::size_t d = 0; d < count; ++d) {
        double mean = 0.0;
        double squares = 0.0;
        for (std::size_t c = 0; c < shares.columns; ++c) {
          const double centre = inside_.cell_centres[(k * shares.columns + c) * count + d];
          mean += shares.at(k, c) * centre;
          squares += shares.at(k, c) * centre * centre;
        }
        between += (squares - mean * mean) / static_cast<double>(shares.rows);
      }
    }
    return between;
  }

  void measure_class_scatters() {
    if (inside_.cells > 0) {
      inside_.from_cells = true;
      inside_.cell_radius =
          options_.radius_factor *
          std::sqrt(std::max(all_within_ - between_cells(), kLeastWithin * all_within_));
    }
    sums_.class_scatters = measure(SumKind::kProducts, inside_, image_steps::kClassScatters,
                                   options_.class_scatter_share, true);
  }

  void learn() {
    say("candidates for the teacher");
    const ImageModel model(sums_);
    ImageTeacherStart start =
        start_image_teacher(model, options_.candidates, gradients_, options_.teacher,
                            {.candidates = kCandidateSeed, .start = kStartSeed}, context_);
    const double strength = image_strength(total_, records_, rows_of_unit_);
    const std::size_t count = image_teacher_rounds(strength);
    Teacher teacher(std::move(start.weights), records_, image_teacher_plan(strength, count));
    VectorSum gradient;
    gradient.kind = SumKind::kRoundedGradient;
    gradient.image = std::move(start.features);
    gradient.classes = classes_;
    gradient.gradient_radius = options_.gradient_radius;
    for (std::size_t round = 1; round <= count; ++round) {
      gradient.weights = std::make_shared<const std::vector<double>>(teacher.weights());
      const std::string name =
          fmt::format("{}, round {} of {}", image_steps::kTeacher, round, count);
      say(name);
      // What comes last spends everything that is left.
      const double mu_squared = rounds_.left() / static_cast<double>(count - round + 1);
      teacher.step(rounds_
                       .measure_sum({name, gradient, std::string(image_steps::kTeacher)},
                                    mu_squared, context_)
                       .values);
    }
  }

  MeasurementRounds& rounds_;
  const ImagesOptions& options_;
  const Context& context_;
  bool rows_are_public_;
  std::shared_ptr<const ImageScores> codes_;
  std::shared_ptr<const ImageScores> gradients_;
  CountedColumn classes_;
  double rows_of_unit_ = 1.0;
  double total_ = 0.0;  ///< mu^2 of everything that is spent here
  double unit_ = 0.0;   ///< mu^2 of a share of 1
  ImageSums sums_;
  double records_ = 0.0;
  std::vector<double> centre_;
  double radius_ = 0.0;  ///< of centred codes
  ImageSubspace subspace_;
  ImageVector inside_;          ///< codes in the subspace, half-whitened, less their class's mean
  std::vector<double> within_;  ///< variances within classes, half-whitened
  double all_within_ = 0.0;
};

}  // namespace

void measure_images(MeasurementRounds& rounds, const Encoder& encoder, const ImagesOptions& options,
                    const Context& context) {
  ImageRounds(rounds, encoder, options, context).run();
}

}  // namespace mehler

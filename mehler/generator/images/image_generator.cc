#include "mehler/generator/images/image_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/chunked_draw.h"
#include "mehler/generator/partial_rows.h"

namespace mehler {
namespace {

constexpr std::size_t kImageChunkRows = 1000;
/// Candidates that are drawn until each label has its rows: at least at once, and at most over the
/// rows.
constexpr std::size_t kFewestCandidates = 64;
constexpr std::size_t kMostCandidates = 6;
/// Numbers of candidates that a piece of rows may use.
constexpr std::uint64_t kPieceCandidates = 2 * kMostCandidates * kImageChunkRows;
/// Bytes of images that are drawn at once where there are as many of each label, and records at
/// least.
constexpr std::size_t kEvenBytes = std::size_t{1} << 27;
constexpr std::size_t kEvenRows = 10'000;
/// A piece of the seed that no records are drawn with.
constexpr std::uint64_t kPieceOfImages = UINT64_MAX;

constexpr const char* kStyleNames[] = {"broad", "plain"};
constexpr const char* kLabelNames[] = {"uniform", "measured"};

/// The place of a word of a model's header among those that it can be.
std::size_t place_of(JsonObjectReader& header, const char* key,
                     std::span<const char* const> words) {
  const std::string word = header.text(key);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    header.fail(std::string("has '") + key + "' of a kind that this program does not know");
  }
  return static_cast<std::size_t>(found - words.begin());
}

/// Whole numbers of rows by these shares, which add up.
std::vector<std::size_t> rows_of(std::span<const double> shares, std::size_t rows,
                                 SeededRandom& random) {
  const double offset = random.uniform();
  std::vector<std::size_t> result;
  double below = 0.0;
  std::size_t given = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    below += shares[k] * static_cast<double>(rows);
    const auto up_to = k + 1 == shares.size()
                           ? rows
                           : std::min(rows, static_cast<std::size_t>(std::floor(below + offset)));
    result.push_back(up_to - given);
    given = up_to;
  }
  return result;
}

template <typename T>
void shuffle(std::vector<T>& values, SeededRandom& random) {
  for (std::size_t i = values.size(); i-- > 1;) {
    std::swap(values[i], values[random.next_word() % (i + 1)]);
  }
}

/// Candidates that labels which have not been found often enough are likely to need, by how often
/// they were found among those drawn so far; 0 if all were.
std::size_t still_needed(std::span<const std::size_t> wanted, std::span<const std::size_t> found,
                         std::size_t drawn) {
  constexpr double kMargin = 1.1;
  double most = 0.0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (found[k] < wanted[k]) {
      const double share =
          std::max(static_cast<double>(found[k]), 0.5) / static_cast<double>(drawn);
      most = std::max(most, kMargin * static_cast<double>(wanted[k] - found[k]) / share);
    }
  }
  return most > 0.0 ? std::max(static_cast<std::size_t>(most), kFewestCandidates) : 0;
}

bool has_further_columns(const Release& release) { return release.encoder().columns().size() > 2; }

ImageFitOptions with_default_labels(ImageFitOptions options, const Release& release) {
  if (!options.labels) {
    options.labels = has_further_columns(release) ? ImageFitOptions::Labels::kMeasured
                                                  : ImageFitOptions::Labels::kUniform;
  }
  return options;
}

}  // namespace

std::vector<Option> ImageFitOptions::list() {
  return {{"style", "STYLE",
           "broad (the default): spread and warped, for training networks, linear and boosted "
           "models; plain: the fitted law itself, for naive Bayes, support vectors, and to look "
           "at. Both are drawn from one release"},
          {"labels", "LABELS",
           "uniform: as many records of each class; measured: as the release found them. Default "
           "uniform; where there are further columns measured"}};
}

ImageFitOptions ImageFitOptions::parse(const OptionValues& values) {
  values.require_known(list(), "fitting by method images");
  ImageFitOptions result;
  result.style = static_cast<Style>(
      values.choice("style", 0, {std::begin(kStyleNames), std::end(kStyleNames)}));
  if (values.has("labels")) {
    result.labels = static_cast<Labels>(
        values.choice("labels", 0, {std::begin(kLabelNames), std::end(kLabelNames)}));
  }
  return result;
}

ImageGenerator::ImageGenerator(Release release, const ImageFitOptions& options,
                               const TableFitOptions& table_options, const Context& context)
    : ImageGenerator(release, options, ImageSums::of(release)) {
  if (has_further_columns(release_)) {
    table_ = std::make_unique<const TableGenerator>(release_, table_options, context, filler());
  }
}

ImageGenerator::ImageGenerator(Release release, const ImageFitOptions& options,
                               const ImageSums& sums)
    : release_(std::move(release)),
      options_(with_default_labels(options, release_)),
      model_(sums),
      teacher_(LearntImageTeacher::of(release_, sums.records)),
      candidates_(model_, options.style == ImageFitOptions::Style::kBroad
                              ? CandidateStyle::broad()
                              : CandidateStyle::plain()),
      guard_(release_.encoder()) {
  if (!(teacher_.classes() == *sums.class_means.sum.classes) ||
      teacher_.features().scores->column() != sums.scatter.sum.image->scores->column()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's teacher is of other images or classes than its moments");
  }
  double all = 0.0;
  for (const double count : model_.released_counts) {
    all += count;
  }
  // Of equal shares a missing label has none.
  const std::size_t values = teacher_.classes().cells->value_cells();
  for (std::size_t k = 0; k < model_.counts.size(); ++k) {
    const double equal = k < values ? 1.0 / static_cast<double>(values) : 0.0;
    const bool are_equal = options_.labels == ImageFitOptions::Labels::kUniform || !(all > 0.0);
    shares_.push_back(are_equal ? equal : model_.released_counts[k] / all);
  }
}

std::unique_ptr<Generator> ImageGenerator::read(ModelParts parts) {
  ImageFitOptions options;
  options.style = static_cast<ImageFitOptions::Style>(place_of(parts.header, "style", kStyleNames));
  options.labels =
      static_cast<ImageFitOptions::Labels>(place_of(parts.header, "labels", kLabelNames));
  const ImageSums sums = ImageSums::of(parts.release);
  // The constructor without a table is private.
  std::unique_ptr<ImageGenerator> result(new ImageGenerator(parts.release, options, sums));
  if (has_further_columns(result->release_)) {
    result->table_ = TableGenerator::read_part(std::move(parts), result->filler());
  } else if (!parts.numbers.empty()) {
    parts.header.fail("has numbers where the release says all");
  }
  return result;
}

std::string ImageGenerator::to_bytes() const {
  Json keys{{"style", kStyleNames[static_cast<std::size_t>(options_.style)]},
            {"labels", kLabelNames[static_cast<std::size_t>(*options_.labels)]}};
  std::string numbers;
  if (table_) {
    table_->append_to(keys, numbers);
  }
  return serialize_model(kKind, release_, keys, numbers);
}

std::vector<ColumnCondition> ImageGenerator::resolve(
    const std::vector<SampleCondition>& where) const {
  std::vector<ColumnCondition> conditions =
      resolve_conditions(release_.encoder(), where, ConditionedColumns::kAll);
  guard_.refuse_contradictions(conditions);
  return conditions;
}

void ImageGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  resolve(where);
}

void ImageGenerator::draw(const SampleOptions& options, const Context& context,
                          const RecordSink& sink) const {
  options.validate();
  if (table_ && options_.labels == ImageFitOptions::Labels::kUniform) {
    draw_evenly(options, context, sink);
    return;
  }
  if (table_) {
    table_->draw(options, context, sink);
    return;
  }
  const ChunkSource source{kImageChunkRows,
                           [&](std::uint64_t chunk) { return draw_chunk(chunk, options.seed); }};
  draw_in_chunks(options, resolve(options.where), release_.encoder(), guard_, source, context,
                 sink);
}

ImageGenerator::Labelled ImageGenerator::draw_candidates(std::span<const std::size_t> wanted,
                                                         std::span<const double> shares,
                                                         std::uint64_t piece, std::uint64_t seed,
                                                         SeededRandom& random) const {
  const std::size_t rows = std::accumulate(wanted.begin(), wanted.end(), std::size_t{0});
  const std::size_t most = kMostCandidates * std::max(rows, kFewestCandidates);
  const std::size_t bytes = model_.codec.shape().size();
  Labelled images;
  std::vector<std::size_t> found(wanted.size(), 0);
  std::size_t more = std::max(rows, kFewestCandidates);
  while (more > 0) {
    // Classes by their shares, at least one of each that is wanted, in any order.
    std::vector<std::uint32_t> classes;
    const std::vector<std::size_t> of_classes = rows_of(shares, more, random);
    for (std::size_t k = 0; k < of_classes.size(); ++k) {
      classes.insert(classes.end(), std::max(of_classes[k], std::min<std::size_t>(wanted[k], 1)),
                     static_cast<std::uint32_t>(k));
    }
    shuffle(classes, random);
    std::vector<std::uint8_t> pixels(classes.size() * bytes);
    candidates_.draw(seed, piece * kPieceCandidates + images.labels.size(), classes, pixels);
    const std::vector<std::uint32_t> labels = teacher_.label(pixels);
    for (const std::uint32_t label : labels) {
      ++found[label];
    }
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
    images.drawn_for.insert(images.drawn_for.end(), classes.begin(), classes.end());
    images.labels.insert(images.labels.end(), labels.begin(), labels.end());
    const std::size_t drawn = images.labels.size();
    more = std::min(still_needed(wanted, found, drawn), most - std::min(most, drawn));
  }
  return images;
}

/// Those with the label, in their order; repeated where there are fewer than wanted; those drawn
/// for its class where there is none.
std::vector<std::size_t> ImageGenerator::take(const Labelled& images, std::size_t label,
                                              std::size_t wanted) {
  std::vector<std::size_t> taken;
  for (const auto* of : {&images.labels, &images.drawn_for}) {
    for (std::size_t r = 0; r < of->size() && taken.size() < wanted; ++r) {
      if ((*of)[r] == label) {
        taken.push_back(r);
      }
    }
    if (!taken.empty()) {
      break;
    }
  }
  const std::size_t found = taken.size();
  for (std::size_t i = 0; found > 0 && taken.size() < wanted; ++i) {
    taken.push_back(taken[i % found]);
  }
  return taken;
}

EncodedBatch ImageGenerator::draw_chunk(std::uint64_t chunk, std::uint64_t seed) const {
  SeededRandom random = SeededRandom::of_piece(seed, chunk);
  const std::vector<std::size_t> wanted = rows_of(shares_, kImageChunkRows, random);
  const Labelled images = draw_candidates(wanted, shares_, chunk, seed, random);
  std::vector<std::pair<std::size_t, std::uint32_t>> rows;  ///< which image, and its label
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    for (const std::size_t image : take(images, k, wanted[k])) {
      rows.emplace_back(image, static_cast<std::uint32_t>(k));
    }
  }
  MEHLER_ASSERT(rows.size() == kImageChunkRows);
  shuffle(rows, random);
  const std::size_t bytes = model_.codec.shape().size();
  EncodedBatch batch;
  batch.rows = rows.size();
  batch.columns.resize(release_.encoder().columns().size());
  EncodedColumn& labels = batch.columns[teacher_.classes().column];
  EncodedColumn& pixels = batch.columns[teacher_.features().scores->column()];
  for (const auto& [image, label] : rows) {
    labels.codes.push_back(static_cast<std::int32_t>(label));
    const auto begin = images.pixels.begin() + static_cast<std::ptrdiff_t>(image * bytes);
    pixels.pixels.insert(pixels.pixels.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  return batch;
}

ImageFiller ImageGenerator::filler() const {
  return [this](EncodedBatch& records, std::uint64_t first_row, std::uint64_t seed) {
    fill_images(records, first_row, seed);
  };
}

void ImageGenerator::fill_images(EncodedBatch& records, std::uint64_t first_row,
                                 std::uint64_t seed) const {
  const std::uint64_t seed_of_images = SeededRandom::seed_of_piece(seed, kPieceOfImages);
  SeededRandom random = SeededRandom::of_piece(seed_of_images, first_row);
  std::vector<std::vector<std::size_t>> rows(shares_.size());  ///< of each label
  const auto& labels = records.columns[teacher_.classes().column].codes;
  for (std::size_t row = 0; row < records.rows; ++row) {
    rows[static_cast<std::size_t>(labels[row])].push_back(row);
  }
  std::vector<std::size_t> wanted;
  std::vector<double> shares;
  for (const std::vector<std::size_t>& of_label : rows) {
    wanted.push_back(of_label.size());
    shares.push_back(static_cast<double>(of_label.size()) / static_cast<double>(records.rows));
  }
  const Labelled images = draw_candidates(wanted, shares, first_row, seed_of_images, random);
  const std::size_t bytes = model_.codec.shape().size();
  auto& pixels = records.columns[teacher_.features().scores->column()].pixels;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::vector<std::size_t> taken = take(images, k, rows[k].size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
      std::copy_n(images.pixels.data() + taken[i] * bytes, bytes,
                  pixels.data() + rows[k][i] * bytes);
    }
  }
}

void ImageGenerator::draw_evenly(const SampleOptions& options, const Context& context,
                                 const RecordSink& sink) const {
  const std::size_t target = teacher_.classes().column;
  const Column& column = release_.encoder().columns()[target];
  std::vector<std::string> labels = column.labels();  // without the one that is missing
  for (const ColumnCondition& condition : resolve(options.where)) {
    if (condition.column == target) {
      std::size_t k = 0;
      std::erase_if(labels, [&](const std::string&) { return !condition.codes[k++]; });
    }
  }
  if (labels.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("of equal shares a missing '{}' has none, and the conditions ask for "
                            "it; train a model with {} measured",
                            shown(column.name), option_words("labels")));
  }
  const std::vector<double> shares(labels.size(), 1.0 / static_cast<double>(labels.size()));
  const std::uint64_t at_once = std::max(kEvenBytes / model_.codec.shape().size(), kEvenRows);
  for (std::uint64_t first = 0; first < options.rows; first += at_once) {
    const auto rows = static_cast<std::size_t>(std::min(at_once, options.rows - first));
    SampleOptions some = options;
    some.seed = SeededRandom::seed_of_piece(options.seed, first);
    SeededRandom random(some.seed);
    PartialRows given;
    const std::vector<std::size_t> of_labels = rows_of(shares, rows, random);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      given.rows.insert(given.rows.end(), of_labels[k], {{column.name, labels[k]}});
    }
    shuffle(given.rows, random);
    const std::uint64_t unlikely = complete_rows(*table_, given, some, context, sink);
    if (unlikely > 0 && options.on_unlikely) {
      options.on_unlikely();
    } else if (unlikely == rows) {
      throw Error(ErrorCode::kInvalidArgument,
                  "by the release hardly any record meets the conditions; loosen them");
    }
  }
}

}  // namespace mehler

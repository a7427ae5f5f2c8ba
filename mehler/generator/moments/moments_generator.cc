#include "mehler/generator/moments/moments_generator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/estimation/teacher.h"
#include "mehler/generator/chunked_draw.h"
#include "mehler/release/measured_sums.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

constexpr std::size_t kMomentChunkRows = 4096;

/// Row numbers by ascending value; equal ones by number.
std::vector<std::uint32_t> ranking(std::span<const float> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  });
  return order;
}

std::size_t draw_class(std::span<const double> shares, SeededRandom& random) {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < shares.size() && left >= shares[k]) {
    left -= shares[k++];
  }
  return k;
}

/// result += a b, or a b^T.
void add_product(const Matrix& a, const Matrix& b, Transpose transpose_b, Matrix& result) {
  multiply(Transpose::kNo, transpose_b, a.rows, result.columns, a.columns, a.values.data(),
           b.values.data(), result.values.data(), true);
}

}  // namespace

MomentsGenerator::Quantiles::Quantiles(const ColumnEstimate& column) {
  const bool may_miss = column.cells->column().missing;
  double all = 0.0;
  for (const double count : column.counts) {
    all += count;
  }
  missing = may_miss && all > 0.0 ? column.counts.back() / all : 0.0;
  const auto add = [&](std::uint32_t first, std::uint32_t second, double count) {
    const double below = pieces.empty() ? 0.0 : pieces.back().below;
    pieces.push_back({first, second, below + count});
  };
  if (column.values) {
    for (const ValueTree::Piece& piece : column.values->pieces()) {
      add(piece.first, piece.second, std::max(piece.count, 0.0));
    }
  } else {
    for (std::size_t code = 0; code < column.cells->value_cells(); ++code) {
      const auto leaf = static_cast<std::uint32_t>(code);
      add(leaf, leaf + 1, std::max(column.counts[code], 0.0));
    }
  }
  if (!(pieces.back().below > 0.0)) {  // no value was seen: all alike
    double below = 0.0;
    for (Piece& piece : pieces) {
      piece.below = below += static_cast<double>(piece.second - piece.first);
    }
  }
  const double sum = pieces.back().below;
  for (Piece& piece : pieces) {
    piece.below /= sum;
  }
}

bool MomentsGenerator::is_for(const Release& release) {
  return release.has_counts() && !sums_of_step(release, wide_steps::kScatter).empty();
}

MomentsGenerator::MomentsGenerator(Release release)
    : release_(std::move(release)), model_(release_), guard_(release_.encoder()) {
  for (const ColumnEstimate& column : model_.columns) {
    quantiles_.emplace_back(column);
  }
}

std::unique_ptr<Generator> MomentsGenerator::read(ModelParts parts) {
  parts.release.schema().refuse_images("a model of moments");
  if (!parts.numbers.empty()) {
    parts.header.fail("has numbers where the release says all");
  }
  return std::make_unique<MomentsGenerator>(std::move(parts.release));
}

std::string MomentsGenerator::to_bytes() const {
  return serialize_model(kKind, release_, Json::object(), "");
}

std::vector<ColumnCondition> MomentsGenerator::resolve(
    const std::vector<SampleCondition>& where) const {
  std::vector<ColumnCondition> conditions =
      resolve_conditions(release_.encoder(), where, ConditionedColumns::kAll);
  guard_.refuse_contradictions(conditions);
  return conditions;
}

void MomentsGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  resolve(where);
}

void MomentsGenerator::draw(const SampleOptions& options, const Context& context,
                            const RecordSink& sink) const {
  options.validate();
  const ChunkSource source{kMomentChunkRows,
                           [&](std::uint64_t chunk) { return draw_chunk(chunk, options.seed); }};
  draw_in_chunks(options, resolve(options.where), release_.encoder(), guard_, source, context,
                 sink);
}

Matrix MomentsGenerator::draw_scores(const std::vector<std::size_t>& classes,
                                     SeededRandom& random) const {
  const std::size_t size = model_.scores->size();
  const std::size_t directions = model_.inside.rows;
  Matrix normal(classes.size(), size);
  random.fill_normal(normal.values);
  for (std::size_t r = 0; r < classes.size(); ++r) {
    const auto row = normal.row(r);
    for (std::size_t f = 0; f < size; ++f) {
      row[f] *= model_.deviations[f];
    }
  }
  Matrix scores(classes.size(), size);
  add_product(normal, model_.order_basis, Transpose::kNo, scores);
  // The coordinates of the rest are replaced by those of the classes.
  Matrix coordinates(classes.size(), directions);
  add_product(scores, model_.inside, Transpose::kYes, coordinates);
  std::vector<float> drawn(directions);
  for (std::size_t r = 0; r < classes.size(); ++r) {
    random.fill_normal(drawn);
    const Matrix& root = model_.class_roots[classes[r]];
    for (std::size_t d = 0; d < directions; ++d) {
      float value = model_.class_means.row(classes[r])[d];
      for (std::size_t i = 0; i < directions; ++i) {
        value += root.row(d)[i] * drawn[i];
      }
      coordinates.row(r)[d] = value - coordinates.row(r)[d];
    }
  }
  add_product(coordinates, model_.loadings, Transpose::kNo, scores);
  for (std::size_t r = 0; r < classes.size(); ++r) {
    for (std::size_t j = 0; j < size; ++j) {
      float& score = scores.row(r)[j];
      score += model_.centre[j];
      if (!std::isfinite(score)) {  // a release may say anything; ranks need numbers
        score = 0.0F;
      }
    }
  }
  return scores;
}

void MomentsGenerator::set_lengths(const std::vector<std::size_t>& classes, SeededRandom& random,
                                   Matrix& scores) const {
  for (std::size_t k = 0; k < model_.class_count(); ++k) {
    std::vector<std::size_t> rows;
    std::vector<float> lengths;
    for (std::size_t r = 0; r < classes.size(); ++r) {
      if (classes[r] == k) {
        double squares = 0.0;
        for (const float value : scores.row(r)) {
          squares += static_cast<double>(value) * static_cast<double>(value);
        }
        rows.push_back(r);
        lengths.push_back(static_cast<float>(std::sqrt(squares)));
      }
    }
    const std::vector<double>& shares = model_.length_shares[k];
    const std::vector<std::uint32_t> order = ranking(lengths);
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
      const double level =
          (static_cast<double>(rank) + random.uniform()) / static_cast<double>(rows.size());
      const auto cell = std::min<std::size_t>(
          static_cast<std::size_t>(std::upper_bound(shares.begin(), shares.end(), level) -
                                   shares.begin()),
          shares.size() - 1);
      const double below = cell == 0 ? 0.0 : shares[cell - 1];
      const double share = shares[cell] - below;
      const double inside = share > 0.0 ? std::clamp((level - below) / share, 0.0, 1.0) : 0.5;
      const double wanted =
          std::max((static_cast<double>(cell) + inside) * model_.length_width, 0.05);
      const float factor = static_cast<float>(wanted) / std::max(lengths[order[rank]], 1e-6F);
      for (float& value : scores.row(rows[order[rank]])) {
        value *= factor;
      }
    }
  }
}

void MomentsGenerator::set_column(std::size_t column, std::span<const float> ranked,
                                  SeededRandom& random, EncodedColumn& out,
                                  std::vector<std::uint32_t>& leaves) const {
  const Quantiles& quantiles = quantiles_[column];
  const ValueGrid& grid = model_.columns[column].cells->leaves();
  const bool is_number = grid.column().is_number();
  const std::size_t rows = leaves.size();
  const std::vector<std::uint32_t> order = ranking(ranked);
  out.numbers.resize(is_number ? rows : 0);
  out.codes.resize(is_number ? 0 : rows);
  for (std::size_t rank = 0; rank < rows; ++rank) {
    const double level = (static_cast<double>(rank) + random.uniform()) / static_cast<double>(rows);
    auto piece = std::upper_bound(
        quantiles.pieces.begin(), quantiles.pieces.end(), level,
        [](double share, const Quantiles::Piece& other) { return share < other.below; });
    piece = piece == quantiles.pieces.end() ? piece - 1 : piece;
    const double below = piece == quantiles.pieces.begin() ? 0.0 : (piece - 1)->below;
    const double share = piece->below - below;
    const double inside = share > 0.0 ? std::clamp((level - below) / share, 0.0, 1.0) : 0.0;
    const auto width = static_cast<double>(piece->second - piece->first);
    const double place = std::min(inside * width, width * (1.0 - 1e-12));
    const std::size_t row = order[rank];
    leaves[row] = piece->first + static_cast<std::uint32_t>(place);
    const bool is_missing = quantiles.missing > 0.0 && random.flip(quantiles.missing);
    if (is_missing) {
      leaves[row] = static_cast<std::uint32_t>(grid.value_leaves());
    }
    if (!is_number) {
      out.codes[row] = static_cast<std::int32_t>(leaves[row]);
    } else {
      out.numbers[row] = is_missing ? std::numeric_limits<double>::quiet_NaN()
                                    : grid.coordinate(leaves[row], place - std::floor(place));
    }
  }
}

EncodedBatch MomentsGenerator::draw_chunk(std::uint64_t chunk, std::uint64_t seed) const {
  SeededRandom random = SeededRandom::of_piece(seed, chunk);
  std::vector<std::size_t> classes(kMomentChunkRows);
  for (std::size_t& of_row : classes) {
    of_row = draw_class(model_.class_shares, random);
  }
  Matrix scores = draw_scores(classes, random);
  set_lengths(classes, random, scores);
  EncodedBatch batch;
  batch.rows = kMomentChunkRows;
  batch.columns.resize(model_.columns.size());
  // Values, and from them the scores that they stand for, of which the teacher sees those.
  std::vector<std::vector<std::uint32_t>> leaves(model_.columns.size(),
                                                 std::vector<std::uint32_t>(kMomentChunkRows));
  std::vector<float> ranked(kMomentChunkRows);
  std::size_t next = 0;
  for (std::size_t c = 0; c < model_.columns.size(); ++c) {
    const bool is_scored =
        next < model_.scores->size() && model_.scores->columns[next].counted.column == c;
    for (std::size_t r = 0; r < kMomentChunkRows; ++r) {
      ranked[r] = is_scored ? scores.row(r)[next] : static_cast<float>(random.uniform());
    }
    next += is_scored ? 1 : 0;
    set_column(c, ranked, random, batch.columns[c], leaves[c]);
  }
  if (model_.target) {
    const std::size_t count = model_.class_count();
    std::vector<double> logits(kMomentChunkRows * count, 0.0);
    std::vector<std::uint32_t> record(leaves.size());
    std::vector<double> of_record(model_.scores->size());
    std::vector<double> features(model_.features->dimension());
    for (std::size_t r = 0; r < kMomentChunkRows; ++r) {
      for (std::size_t c = 0; c < record.size(); ++c) {
        record[c] = leaves[c][r];
      }
      model_.scores->evaluate(record, of_record.data());
      model_.features->evaluate(of_record.data(), features.data());
      add_logits(features, model_.weights, std::span(logits).subspan(r * count, count));
    }
    const std::vector<std::uint16_t> labels =
        label_rows(logits, label_offsets(logits, model_.class_shares));
    batch.columns[*model_.target].codes.assign(labels.begin(), labels.end());
  }
  return batch;
}

}  // namespace mehler

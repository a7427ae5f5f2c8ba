#include "mehler/report/release_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/overloaded.h"
#include "mehler/encoding/encoder.h"
#include "mehler/release/spent_together.h"

namespace mehler {
namespace {

std::string map_words(const FeatureMap& map) {
  switch (map.kind()) {
    case FeatureMap::Kind::kConstant:
      return "constant 1";
    case FeatureMap::Kind::kOneHot:
      return "one-hot";
    case FeatureMap::Kind::kMissing:
      return "whether it is missing";
    case FeatureMap::Kind::kFourier:
    case FeatureMap::Kind::kFourierOfPixels:
      return fmt::format("Fourier, {} frequencies, length scale {}",
                         map.random_fourier().frequencies(), map.random_fourier().length_scale());
    case FeatureMap::Kind::kPixels:
    case FeatureMap::Kind::kHermite:
      return fmt::format("Hermite, order {}, length scale {}", map.hermite().order(),
                         map.hermite().length_scale());
  }
  return "";
}

/// "age", or "0.5 age - 0.5 hours" for a direction.
std::string input_words(const Encoder& encoder, const FeatureMap& map) {
  std::string words;
  for (const MapInput& input : map.inputs()) {
    const std::string& name = encoder.columns()[input.column].name;
    if (map.is_of_one_column()) {
      return input.element ? fmt::format("{}[{}]", name, *input.element) : name;
    }
    const char* sign = input.coefficient < 0.0 ? "-" : "+";
    words += words.empty() ? (input.coefficient < 0.0 ? "-" : "") : fmt::format(" {} ", sign);
    words += fmt::format("{:.3g} {}", std::fabs(input.coefficient), name);
  }
  return "(" + words + ")";
}

/// "products of vectors of 6 numbers, by 2 classes".
std::string sum_words(const VectorSum& sum) {
  const std::size_t own = sum.vector_dimension();
  std::string words;
  switch (sum.kind) {
    case SumKind::kLengths:
      words = fmt::format("lengths of vectors of {} numbers in {} cells", own, sum.cells);
      break;
    case SumKind::kMeans:
      words = fmt::format("sums of vectors of {} numbers", own);
      break;
    case SumKind::kProducts:
      words = fmt::format("products of the entries of vectors of {} numbers", own);
      break;
    case SumKind::kLoadings:
      words =
          fmt::format("products of vectors of {} and of {} numbers", own, sum.other->dimension());
      break;
    case SumKind::kGradient:
    case SumKind::kRoundedGradient:
      return fmt::format("gradient of a classifier of {} numbers and {} classes", own,
                         sum.class_count());
  }
  if (sum.cell_count() > 1) {
    return fmt::format("{}, by {} classes and {} cells of each", words, sum.class_count(),
                       sum.cell_count());
  }
  return words + (sum.classes ? fmt::format(", by {} classes", sum.class_count()) : "");
}

/// "counts of 16 cells x counts of 3 cells".
std::string table_words(const std::vector<std::size_t>& shape) {
  std::string words;
  for (const std::size_t cells : shape) {
    words += fmt::format("{}counts of {} cells", words.empty() ? "" : " x ", cells);
  }
  return words;
}

std::string counted_words(const CountBlock& block) {
  return std::visit(
      Overloaded{[](const RecordCount&) { return std::string("all records"); },
                 [](const Marginal& marginal) { return table_words(marginal.shape()); },
                 [](const CellCounts& cells) { return table_words(cells.shape()); },
                 [](const HalvedRanges& ranges) {
                   return fmt::format("halves of {} ranges", ranges.halves->ranges.size());
                 },
                 [](const VectorSum& sum) { return sum_words(sum); }},
      block.counted);
}

std::string product_words(const Encoder& encoder, const FeatureBlock& block) {
  std::string words;
  for (const WeightedMap& member : block.maps) {
    words += words.empty() ? "" : " x ";
    words += input_words(encoder, member.map);
    if (member.map.kind() == FeatureMap::Kind::kHermite) {
      words += fmt::format(" (order {})", member.map.hermite().order());
    }
  }
  return words;
}

std::string sum_words(const FeatureBlock& block) {
  if (block.maps.size() == 1 && block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
    return block.labelled ? "records of each class" : "all records";
  }
  if (block.elements() > block.maps.size()) {
    return "every column and every pixel alone";
  }
  return block.has_fourier() ? "all numbers together, every other column alone"
                             : "every column alone";
}

ColumnLine column_line(const NoisySums& sums, const PrivacyStatement& statement,
                       std::size_t column) {
  ColumnLine line;
  for (std::size_t b = 0; b < sums.blocks.size(); ++b) {
    const FeatureBlock& block = sums.features.blocks()[b];
    for (const WeightedMap& member : block.maps) {
      const std::vector<MapInput>& inputs = member.map.inputs();
      if (block.combination == Combination::kSum &&
          std::any_of(inputs.begin(), inputs.end(),
                      [&](const MapInput& input) { return input.column == column; })) {
        line = {map_words(member.map), sigma_words(statement.noise_of(b).sigma / member.weight)};
      }
    }
  }
  return line;
}

ColumnLine column_line(const NoisyCounts& counts, const PrivacyStatement& statement,
                       std::size_t column) {
  ColumnLine line;
  for (std::size_t b = 0; b < counts.blocks.size(); ++b) {
    const CountBlock& block = counts.counts.blocks()[b];
    const Marginal* marginal = block.marginal();
    const CellCounts* cells = block.cell_counts();
    const auto is_of_column = [&](const std::vector<CountedColumn>& columns) {
      return columns.size() == 1 && columns[0].column == column;
    };
    if ((marginal != nullptr && is_of_column(marginal->columns)) ||
        (cells != nullptr && is_of_column(cells->columns))) {
      line = {counted_words(block), sigma_words(statement.noise_of(b).sigma)};
    }
  }
  return line;
}

ColumnLine column_line(const TrainedWeights&, const PrivacyStatement&, std::size_t) {
  return {"trained on", "-"};
}

}  // namespace

std::string sigma_words(double sigma) { return fmt::format("{:.6g}", sigma); }

std::vector<BlockLine> block_lines(const Release& release) {
  const PrivacyStatement& statement = release.statement();
  std::vector<BlockLine> lines;
  std::visit(Overloaded{[&](const NoisySums& sums) {
                          for (std::size_t i = 0; i < sums.blocks.size(); ++i) {
                            const FeatureBlock& block = sums.features.blocks()[i];
                            lines.push_back({statement.noise_of(i), sums.blocks[i],
                                             block.combination == Combination::kSum
                                                 ? sum_words(block)
                                                 : product_words(release.encoder(), block)});
                          }
                        },
                        [&](const NoisyCounts& counts) {
                          for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
                            lines.push_back({statement.noise_of(i), counts.blocks[i],
                                             counted_words(counts.counts.blocks()[i])});
                          }
                        },
                        [&](const TrainedWeights& weights) {
                          if (weights.count) {
                            lines.push_back(
                                {statement.noise_of(0), *weights.count,
                                 weights.counts_classes ? "records of each class" : "all records"});
                          }
                        }},
             release.payload());
  return lines;
}

ColumnLine column_line(const Release& release, const Column& column) {
  const Encoder& encoder = release.encoder();
  if (!column.is_used()) {
    return {};
  }
  if (column.is_computed()) {
    return {"none: computed from other columns", "-"};
  }
  const std::size_t index = encoder.index_of(column.name);
  if (encoder.label() == index && std::holds_alternative<NoisySums>(release.payload())) {
    return {"label: splits every block into classes", "-"};
  }
  return std::visit([&](const auto& held) { return column_line(held, release.statement(), index); },
                    release.payload());
}

const Column* only_link_of_images(const Release& release) {
  if (!release.has_counts() || release.schema().image() == nullptr) {
    return nullptr;
  }
  const std::vector<CountBlock>& blocks = release.counts().counts.blocks();
  const bool has_counts_of_columns =
      std::any_of(blocks.begin(), blocks.end(),
                  [](const CountBlock& block) { return block.marginal() != nullptr; });
  return has_counts_of_columns ? release.schema().label() : nullptr;
}

std::vector<Column> described_columns(const Release& release) {
  std::vector<Column> columns;
  const std::vector<Column>& declared = release.schema().columns();
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (!declared[i].is_used() || declared[i].is_computed()) {
      columns.push_back(declared[i]);
    }
    for (const ModelledColumn& modelled : release.encoder().modelled()) {
      if (modelled.source == i) {
        columns.push_back(modelled.column);
      }
    }
  }
  return columns;
}

std::string counted_part_name(const CountBlock& block) {
  return what_is_counted(block) + (block.step.empty() ? "" : ", " + block.step);
}

std::vector<ReleasePart> parts_of(const Release& release) {
  std::vector<ReleasePart> parts;
  ReleasePart all{"all"};
  const NoisyCounts& counts = release.counts();
  for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
    const CountBlock& block = counts.counts.blocks()[i];
    const std::string name = counted_part_name(block);
    if (std::none_of(parts.begin(), parts.end(),
                     [&](const ReleasePart& part) { return part.name == name; })) {
      parts.push_back({name});
    }
    ReleasePart& own = *std::find_if(parts.begin(), parts.end(),
                                     [&](const ReleasePart& part) { return part.name == name; });
    for (ReleasePart* part : {&own, &all}) {
      ++part->blocks;
      part->numbers += counts.blocks[i].columns;
      part->mu_squared += release.statement().noise_of(i).mu_squared();
    }
  }
  ReleasePart besides{"besides"};
  const std::vector<Charge>& charges = release.statement().charges;
  besides.mu_squared = gaussian_mu_squared(std::span(charges).subspan(counts.blocks.size()));
  if (besides.mu_squared > 0.0) {
    all.mu_squared += besides.mu_squared;
    parts.push_back(besides);
  }
  parts.push_back(all);
  return parts;
}

PrivacyBudget spent_by(const std::vector<NamedRelease>& releases) {
  std::vector<Release> all;
  for (const NamedRelease& named : releases) {
    all.push_back(named.release);
  }
  return spent_together(all);
}

}  // namespace mehler

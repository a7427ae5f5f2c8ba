#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/release/payload.h"
#include "mehler/report/release_report.h"

namespace mehler {

/// A block, as it is listed.
struct BlockLine {
  BlockNoise stated;
  const NoisyBlock& noisy;
  std::string of;  ///< what it is made of
};

std::vector<BlockLine> block_lines(const Release& release);

/// What was measured of a column alone, and with how much noise.
struct ColumnLine {
  std::string features = "-";
  std::string sigma = "-";
};

/// The columns of a release as they were measured: in the place of one that rules make of others,
/// what is modelled of it; those that are computed, and those that are not used, as declared.
std::vector<Column> described_columns(const Release& release);

/// Of one of those.
ColumnLine column_line(const Release& release, const Column& column);
std::string sigma_words(double sigma);

/// The label that alone links images to the other columns, in a release of both; null in others.
const Column* only_link_of_images(const Release& release);

/// What a release of counts has of one kind, of one step.
struct ReleasePart {
  std::string name;
  std::size_t blocks = 0;
  std::size_t numbers = 0;
  double mu_squared = 0.0;
};

/// The part that a block belongs to: "pairs, round 2".
std::string counted_part_name(const CountBlock& block);

/// The parts of a release of counts, and at the end all of them together.
std::vector<ReleasePart> parts_of(const Release& release);

/// What all of them spend, if they are of the same records.
PrivacyBudget spent_by(const std::vector<NamedRelease>& releases);

}  // namespace mehler

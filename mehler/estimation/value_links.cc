#include "mehler/estimation/value_links.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Pairs that explain less than this go together in their cells alone.
constexpr double kLeastExplained = 0.1;

/// Shares are kept this far from 0 and 1, where z would be infinite.
constexpr double kLeastShare = 1e-6;

double place_of(double share) {
  const double inside = std::clamp(share, kLeastShare, 1.0 - kLeastShare);
  return std::log(inside / (1.0 - inside));
}

double share_of(double place) { return 1.0 / (1.0 + std::exp(-place)); }

/// The shares of records up to the end of each cell of values.
std::vector<double> ends_of(const ColumnPartition& cells, std::span<const double> counts) {
  std::vector<double> ends;
  double sum = 0.0;
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    sum += std::max(counts[cell], 0.0);
    ends.push_back(sum);
  }
  for (std::size_t cell = 0; cell < ends.size(); ++cell) {
    // Without any records, all cells are alike.
    ends[cell] = sum > 0.0 ? ends[cell] / sum
                           : static_cast<double>(cell + 1) / static_cast<double>(ends.size());
  }
  return ends;
}

double begin_of(std::span<const double> ends, std::size_t cell) {
  return cell == 0 ? 0.0 : ends[cell - 1];
}

/// Mean and variance of z within a cell, whose records lie evenly over its shares.
struct PlaceMoments {
  double mean = 0.0;
  double variance = 0.0;
};

PlaceMoments moments_of(std::span<const double> ends, std::size_t cell) {
  constexpr int kPoints = 16;
  const double begin = begin_of(ends, cell);
  PlaceMoments moments;
  double squares = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double place = place_of(begin + (ends[cell] - begin) * (i + 0.5) / kPoints);
    moments.mean += place / kPoints;
    squares += place * place / kPoints;
  }
  moments.variance = std::max(squares - moments.mean * moments.mean, 0.0);
  return moments;
}

}  // namespace

ValueLink::ValueLink(const ColumnPartition& first, std::span<const double> first_counts,
                     const ColumnPartition& second, std::span<const double> second_counts,
                     std::span<const double> counts)
    : first_ends_(ends_of(first, first_counts)), second_ends_(ends_of(second, second_counts)) {
  MEHLER_ASSERT(counts.size() == first.size() * second.size());
  std::vector<double> second_places;
  for (std::size_t b = 0; b < second_ends_.size(); ++b) {
    second_places.push_back(moments_of(second_ends_, b).mean);
  }
  std::vector<double> weights;
  std::vector<double> between;  // variances of the second column's cells given one of the first
  std::vector<double> within;   // of the first column's places in a cell
  for (std::size_t a = 0; a < first_ends_.size(); ++a) {
    double weight = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t b = 0; b < second_ends_.size(); ++b) {
      const double count = std::max(counts[a * second.size() + b], 0.0);
      weight += count;
      sum += count * second_places[b];
      squares += count * second_places[b] * second_places[b];
    }
    const double mean = weight > 0.0 ? sum / weight : 0.0;
    const PlaceMoments place = moments_of(first_ends_, a);
    weights.push_back(weight);
    means_.push_back(mean);
    between.push_back(weight > 0.0 ? std::max(squares / weight - mean * mean, 0.0) : 0.0);
    places_.push_back(place.mean);
    within.push_back(place.variance);
  }
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double mean = 0.0;
  double unexplained = 0.0;
  for (std::size_t a = 0; a < weights.size() && all > 0.0; ++a) {
    mean += weights[a] * means_[a] / all;
    unexplained += weights[a] * between[a] / all;
  }
  double by_cells = 0.0;
  for (std::size_t a = 0; a < weights.size() && all > 0.0; ++a) {
    by_cells += weights[a] * (means_[a] - mean) * (means_[a] - mean) / all;
  }
  explained_ = by_cells > 0.0 ? by_cells / (by_cells + unexplained) : 0.0;
  for (std::size_t a = 0; a < means_.size(); ++a) {
    const std::size_t before = a == 0 ? 0 : a - 1;
    const std::size_t after = std::min(a + 1, means_.size() - 1);
    const double apart = places_[after] - places_[before];
    slopes_.push_back(apart > 0.0 ? (means_[after] - means_[before]) / apart : 0.0);
    const double left = std::max(between[a] - slopes_[a] * slopes_[a] * within[a], 0.0);
    scales_.push_back(std::sqrt(3.0 * left) / std::numbers::pi);  // of a logistic distribution
  }
}

double ValueLink::mean_at(std::size_t cell, double place) const {
  // Towards the neighbour on the place's side; at the ends the slope goes on.
  const bool upward = place > places_[cell];
  const bool has_neighbour = upward ? cell + 1 < places_.size() : cell > 0;
  const std::size_t other = upward ? cell + 1 : cell - 1;
  if (!has_neighbour || places_[other] == places_[cell]) {
    return means_[cell] + slopes_[cell] * (place - places_[cell]);
  }
  return means_[cell] + (means_[other] - means_[cell]) * (place - places_[cell]) /
                            (places_[other] - places_[cell]);
}

double ValueLink::draw_share(std::size_t first_cell, double first_share, std::size_t second_cell,
                             double low_share, double high_share, SeededRandom& random) const {
  const double first_begin = begin_of(first_ends_, first_cell);
  const double mean = mean_at(
      first_cell, place_of(first_begin + first_share * (first_ends_[first_cell] - first_begin)));
  const double cell_begin = begin_of(second_ends_, second_cell);
  const double cell_share = second_ends_[second_cell] - cell_begin;
  const double begin = cell_begin + low_share * cell_share;
  const double end = cell_begin + high_share * cell_share;
  const double low = place_of(begin);
  const double high = place_of(end);
  // A logistic distribution around the mean, cut to the part of the cell.
  const double scale = std::max(scales_[first_cell], 1e-3);
  const double below = share_of((low - mean) / scale);
  const double above = share_of((high - mean) / scale);
  double place = std::clamp(mean, low, high);
  const double u = below + (above - below) * random.uniform();
  if (above - below > 1e-9 && u > 0.0 && u < 1.0) {
    place = std::clamp(mean + scale * std::log(u / (1.0 - u)), low, high);
  }
  const double inside = end > begin ? (share_of(place) - begin) / (end - begin) : random.uniform();
  return std::clamp(inside, 0.0, 1.0 - 1e-12);
}

ValueLinks link_values(std::span<const ColumnEstimate> columns,
                       std::span<const std::shared_ptr<const ColumnPartition>> cells,
                       std::span<const MarginalEstimate> tables) {
  struct Candidate {
    std::size_t from;
    std::size_t to;
    ValueLink link;
  };
  std::vector<Candidate> candidates;
  for (const MarginalEstimate& table : tables) {
    if (table.columns.size() != 2) {
      continue;
    }
    const std::size_t i = table.columns[0];
    const std::size_t j = table.columns[1];
    if (!columns[i].values || !columns[j].values) {
      continue;
    }
    const std::vector<double> mean = table.posterior_mean();
    std::vector<double> turned(mean.size());
    const std::size_t rows = cells[i]->size();
    const std::size_t width = cells[j]->size();
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        turned[b * rows + a] = mean[a * width + b];
      }
    }
    const std::vector<double> first = columns[i].counts_in(*cells[i]);
    const std::vector<double> second = columns[j].counts_in(*cells[j]);
    candidates.push_back({i, j, ValueLink(*cells[i], first, *cells[j], second, mean)});
    candidates.push_back({j, i, ValueLink(*cells[j], second, *cells[i], first, turned)});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.link.explained() > b.link.explained();
  });
  ValueLinks links(columns.size());
  const auto follows = [&](std::size_t column, std::size_t other) {
    while (column != other && links.of_column[column]) {
      column = links.of_column[column]->column;
    }
    return column == other;
  };
  for (Candidate& candidate : candidates) {
    if (candidate.link.explained() >= kLeastExplained && !links.of_column[candidate.to] &&
        !follows(candidate.from, candidate.to)) {
      links.of_column[candidate.to].emplace(
          ValueLinks::Follower{candidate.from, std::move(candidate.link)});
    }
  }
  links.order.clear();
  std::vector<bool> placed(columns.size());
  while (links.order.size() < columns.size()) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& follower = links.of_column[c];
      if (!placed[c] && (!follower || placed[follower->column])) {
        placed[c] = true;
        links.order.push_back(c);
      }
    }
  }
  return links;
}

}  // namespace mehler

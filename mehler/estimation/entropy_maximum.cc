#include "mehler/estimation/entropy_maximum.h"

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Counts below this are possible all the same: proportional fitting never leaves a 0.
constexpr double kLeastCount = 1e-3;

std::vector<double> at_least_possible(std::vector<double> counts) {
  for (double& count : counts) {
    count = std::max(count, kLeastCount);
  }
  return counts;
}

/// Two of the three columns of a table, as steps between its cells.
struct Margin {
  std::size_t sizes[2];
  std::size_t strides[2];
  std::size_t other_size;
  std::size_t other_stride;
};

/// Scales the table such that its totals over the third column are those wanted.
void scale_to(const Margin& margin, const std::vector<double>& wanted, std::vector<double>& table) {
  for (std::size_t i = 0; i < margin.sizes[0]; ++i) {
    for (std::size_t j = 0; j < margin.sizes[1]; ++j) {
      double* cell = &table[i * margin.strides[0] + j * margin.strides[1]];
      double sum = 0.0;
      for (std::size_t k = 0; k < margin.other_size; ++k) {
        sum += cell[k * margin.other_stride];
      }
      const double factor = sum > 0.0 ? wanted[i * margin.sizes[1] + j] / sum : 0.0;
      for (std::size_t k = 0; k < margin.other_size; ++k) {
        cell[k * margin.other_stride] *= factor;
      }
    }
  }
}

}  // namespace

PairMeans::PairMeans(std::span<const MarginalEstimate> pairs,
                     std::vector<std::vector<double>> counts, double rows)
    : counts_(std::move(counts)), rows_(rows) {
  for (const MarginalEstimate& pair : pairs) {
    MEHLER_ASSERT(pair.columns.size() == 2);
    means_.emplace(std::pair(pair.columns[0], pair.columns[1]),
                   at_least_possible(pair.posterior_mean()));
  }
}

std::vector<double> PairMeans::mean_of(std::size_t first, std::size_t second) const {
  const auto known = means_.find({first, second});
  if (known != means_.end()) {
    return known->second;
  }
  return at_least_possible(expect_pair(counts_[first], counts_[second], rows_));
}

std::vector<double> PairMeans::expect(std::span<const std::size_t> triple) const {
  constexpr int kIterations = 8;
  const std::size_t a = counts_[triple[0]].size();
  const std::size_t b = counts_[triple[1]].size();
  const std::size_t c = counts_[triple[2]].size();
  const std::pair<Margin, std::vector<double>> margins[] = {
      {{{a, b}, {b * c, c}, c, 1}, mean_of(triple[0], triple[1])},
      {{{a, c}, {b * c, 1}, b, c}, mean_of(triple[0], triple[2])},
      {{{b, c}, {c, 1}, a, b * c}, mean_of(triple[1], triple[2])}};
  std::vector<double> table(a * b * c, 1.0);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (const auto& [margin, wanted] : margins) {
      scale_to(margin, wanted, table);
    }
  }
  return table;
}

}  // namespace mehler

#include "mehler/release/measured_sums.h"

#include <fmt/format.h>

#include "mehler/core/error.h"

namespace mehler {

MeasuredSum read_sum(const VectorSum& sum, const NoisyBlock& noisy, double sigma) {
  MeasuredSum result{sum, {}, sigma};
  for (std::size_t i = 0; i < noisy.columns; ++i) {
    result.values.push_back(noisy.at(0, i));
  }
  return result;
}

std::vector<MeasuredSum> sums_of_step(const Release& release, std::string_view step) {
  std::vector<MeasuredSum> result;
  const NoisyCounts& noisy = release.counts();
  for (std::size_t i = 0; i < noisy.blocks.size(); ++i) {
    const CountBlock& block = noisy.counts.blocks()[i];
    if (block.step == step && block.vector_sum() != nullptr) {
      result.push_back(
          read_sum(*block.vector_sum(), noisy.blocks[i], release.statement().noise_of(i).sigma));
    }
  }
  return result;
}

MeasuredSum sum_of_step(const Release& release, std::string_view step, SumKind kind) {
  std::vector<MeasuredSum> found = sums_of_step(release, step);
  if (found.size() != 1 || found.front().sum.kind != kind) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("the release does not have one sum of vectors '{}'", step));
  }
  return std::move(found.front());
}

}  // namespace mehler

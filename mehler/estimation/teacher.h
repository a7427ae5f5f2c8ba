#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mehler {

/// A softmax regression that is learnt from noisy sums of gradients: steps with momentum, of which
/// the later ones' weights are averaged.
class Teacher {
 public:
  static constexpr std::size_t kRounds = 20;

  /// `rows`: how many records a gradient is summed over, as far as is known.
  Teacher(std::size_t dimension, std::size_t classes, double rows);

  /// [dimension][classes], on the grid of parameters: those that the next gradient is taken at.
  const std::vector<double>& weights() const { return weights_; }

  /// One round.
  void step(std::span<const double> gradient_sum);

  /// The mean of the weights after each of the later rounds; kRounds have been.
  std::vector<double> learnt() const;

 private:
  double rows_;
  std::size_t rounds_ = 0;
  std::vector<double> weights_;
  std::vector<double> velocity_;
  std::vector<double> later_;
};

/// The class of each row: the largest of its logits, [row][class], after an offset for each class
/// that gives the classes these shares, nearly.
std::vector<std::uint16_t> label_rows(std::span<const double> logits,
                                      std::span<const double> shares);

}  // namespace mehler

#pragma once

#include <memory>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/counts/vector_sum.h"
#include "mehler/encoding/encoder.h"

namespace mehler {

/// Every kind of sum of images, of vectors with random parameters that shorten most of them.
class ExampleImageSums {
 public:
  /// The encoder's columns `target` and `image`.
  ExampleImageSums(const Encoder& encoder, std::size_t target, std::size_t image)
      : classes_{target, std::make_shared<const ColumnPartition>(
                             ColumnPartition::even(encoder.columns()[target], 1))},
        codes_(std::make_shared<const ImageScores>(image, *encoder.columns()[image].shape,
                                                   ImageScoreKind::kCode)),
        gradients_(std::make_shared<const ImageScores>(image, *encoder.columns()[image].shape,
                                                       ImageScoreKind::kGradients)) {}

  VectorSum lengths() {
    VectorSum sum = sum_of(SumKind::kLengths, code(50.0), false);
    sum.cells = 16;
    sum.cell_width = 2.0;
    return sum;
  }
  VectorSum means() { return sum_of(SumKind::kMeans, code(4.0), false); }
  VectorSum class_means() {
    auto vector = std::make_shared<ImageVector>(*code(4.0));
    vector->constant = 2.0;
    return sum_of(SumKind::kMeans, vector, true);
  }
  VectorSum products() { return sum_of(SumKind::kProducts, code(4.0), false); }
  VectorSum cells() {
    auto vector = inside();
    vector->constant = 0.75;
    return sum_of(SumKind::kMeans, vector, true);
  }
  VectorSum class_products() {
    auto vector = inside();
    vector->from_cells = true;
    vector->cell_radius = 1.0;
    return sum_of(SumKind::kProducts, vector, true);
  }
  VectorSum gradient() {
    auto vector = std::make_shared<ImageVector>();
    vector->scores = gradients_;
    vector->centre = numbers(gradients_->size(), 0.01);
    vector->directions = numbers(3 * gradients_->size(), 0.05);
    vector->factors = {0.5, 2.0, 0.25};
    vector->scale = 2.0;
    vector->radius = 0.9;
    vector->constant = 0.25;
    VectorSum sum = sum_of(SumKind::kRoundedGradient, vector, true);
    sum.weights = std::make_shared<const std::vector<double>>(numbers(sum.dimension(), 2.0));
    sum.gradient_radius = 0.5;
    return sum;
  }

  std::vector<VectorSum> all() {
    return {lengths(), means(), class_means(), products(), cells(), class_products(), gradient()};
  }

 private:
  VectorSum sum_of(SumKind kind, std::shared_ptr<const ImageVector> vector, bool by_class) const {
    VectorSum sum;
    sum.kind = kind;
    sum.image = std::move(vector);
    if (by_class) {
      sum.classes = classes_;
    }
    return sum;
  }
  std::vector<double> numbers(std::size_t count, double size) {
    std::vector<double> result;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(on_parameter_grid(size * random_.normal()));
    }
    return result;
  }
  std::shared_ptr<const ImageVector> code(double radius) {
    auto vector = std::make_shared<ImageVector>();
    vector->scores = codes_;
    vector->centre = numbers(codes_->size(), 0.1);
    vector->radius = radius;
    return vector;
  }
  /// In three directions, with centres of classes and of two cells of each.
  std::shared_ptr<ImageVector> inside() {
    auto vector = std::make_shared<ImageVector>(*code(1.5));
    vector->inner_radius = 8.0;
    vector->directions = numbers(3 * codes_->size(), 0.3);
    vector->factors = {1.0, 2.0, 0.5};
    vector->keeps_scores = false;
    vector->class_centres = numbers(3 * classes_.cells->size(), 0.3);
    vector->cells = 2;
    vector->cell_centres = numbers(6 * classes_.cells->size(), 0.5);
    return vector;
  }

  SeededRandom random_{11};
  CountedColumn classes_;
  std::shared_ptr<const ImageScores> codes_;
  std::shared_ptr<const ImageScores> gradients_;
};

}  // namespace mehler

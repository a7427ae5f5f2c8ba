#include "mehler/estimation/measured_products.h"

namespace mehler {

Dense products_of(const MeasuredSum& measured, std::size_t of_class, double rows) {
  const std::size_t size = measured.sum.vector_dimension();
  Dense result(size, size);
  std::size_t next = of_class * size * (size + 1) / 2;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      result.at(i, j) = result.at(j, i) = measured.values[next++] / rows;
    }
  }
  return result;
}

}  // namespace mehler

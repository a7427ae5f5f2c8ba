#include "mehler/generator/matrix_product.h"

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "mehler/core/error.h"

namespace mehler {

void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate) {
  const bool ta = transpose_a == Transpose::kYes;
  const bool tb = transpose_b == Transpose::kYes;
  const auto rows = static_cast<dnnl_dim_t>(m);
  const auto columns = static_cast<dnnl_dim_t>(n);
  const auto inner = static_cast<dnnl_dim_t>(k);
  const dnnl_status_t status =
      dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', rows, columns, inner, 1.0F, a, ta ? rows : inner,
                 b, tb ? inner : columns, accumulate ? 1.0F : 0.0F, result, columns);
  MEHLER_ASSERT(status == dnnl_success);
}

void set_product_threads(std::size_t threads) { omp_set_num_threads(static_cast<int>(threads)); }

}  // namespace mehler

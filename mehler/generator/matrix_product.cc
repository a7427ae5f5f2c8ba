#include "mehler/generator/matrix_product.h"

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Keeps OpenMP, which oneDNN may use, to one thread, and then restores what the program had set.
class OnThisThreadAlone {
 public:
  OnThisThreadAlone() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OnThisThreadAlone() { omp_set_num_threads(before_); }
  OnThisThreadAlone(const OnThisThreadAlone&) = delete;
  OnThisThreadAlone& operator=(const OnThisThreadAlone&) = delete;

 private:
  int before_;
};

}  // namespace

void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate) {
  const bool ta = transpose_a == Transpose::kYes;
  const bool tb = transpose_b == Transpose::kYes;
  const auto rows = static_cast<dnnl_dim_t>(m);
  const auto columns = static_cast<dnnl_dim_t>(n);
  const auto inner = static_cast<dnnl_dim_t>(k);
  const OnThisThreadAlone alone;
  const dnnl_status_t status =
      dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', rows, columns, inner, 1.0F, a, ta ? rows : inner,
                 b, tb ? inner : columns, accumulate ? 1.0F : 0.0F, result, columns);
  MEHLER_ASSERT(status == dnnl_success);
}

}  // namespace mehler

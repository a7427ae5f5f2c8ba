// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/kernels/matrix_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/kernels/matrix_packing-inl.h"
#include "mehler/kernels/matrix_tile-inl.h"
// clang-format on

#include "mehler/kernels/matrix_product.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

#ifndef MEHLER_KERNELS_MATRIX_PRODUCT_PARTS_
#define MEHLER_KERNELS_MATRIX_PRODUCT_PARTS_
namespace mehler {

/// A product as the kernels see it.
struct ProductTask {
  bool transpose_a;
  bool transpose_b;
  std::size_t m;
  std::size_t n;
  std::size_t k;
  const float* a;
  std::size_t a_stride;
  const float* b;
  std::size_t b_stride;
  float* result;
  std::size_t result_stride;
  bool accumulate;
};

/// Terms that are summed in registers at once; such sums are added up in memory.
constexpr std::size_t kDepth = 256;
/// Floats of op(b) that are packed at once, and of op(a): each stays in a core's second cache.
constexpr std::size_t kPackedFloats = std::size_t{1} << 16;

/// The calling thread's memory for packed matrices.
class PackingBuffer {
 public:
  float* of_size(std::size_t size) {
    if (size > size_) {
      floats_ = hwy::AllocateAligned<float>(size);
      MEHLER_ASSERT(floats_ != nullptr);
      size_ = size;
    }
    return floats_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<float[]> floats_;
  std::size_t size_ = 0;
};

}  // namespace mehler
#endif  // MEHLER_KERNELS_MATRIX_PRODUCT_PARTS_

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Some columns of the product, over a part of k.
struct Slab {
  size_t first_column;
  size_t columns;
  size_t first_term;
  size_t terms;
};

/// Rows first to last of the slab, with op(b) packed: tiles below each other, so that their panel
/// of op(b) stays in the first cache.
HWY_INLINE void multiply_rows(const ProductTask& task, const Slab& slab, const float* packed_b,
                              size_t first, size_t last) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t panel = kTileVectors * lanes;
  const size_t groups = ceil_divide(last - first, kTileRows);
  TileTask tile;
  tile.k = slab.terms;
  tile.a_row = task.transpose_a ? 1 : task.a_stride;
  tile.a_step = task.transpose_a ? task.a_stride : 1;
  tile.result_stride = task.result_stride;
  tile.add = task.accumulate || slab.first_term > 0;
  for (size_t j = 0; j < slab.columns; j += panel) {
    tile.columns = std::min(panel, slab.columns - j);
    const size_t vectors = ceil_divide(tile.columns, lanes);
    tile.b = packed_b + j * slab.terms;
    tile.b_step = vectors * lanes;
    for (size_t group = 0; group < groups; ++group) {
      const size_t begin = first + group * (last - first) / groups;
      const size_t end = first + (group + 1) * (last - first) / groups;
      tile.a = task.a + begin * tile.a_row + slab.first_term * tile.a_step;
      tile.result = task.result + begin * task.result_stride + slab.first_column + j;
      tile_kernel(end - begin, vectors)(tile);
    }
  }
}

void multiply_of_target(const ProductTask& task, PackingBuffer& buffer) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t panel = kTileVectors * lanes;
  // Terms are cut into nearly equal parts, by k alone.
  const size_t parts = ceil_divide(task.k, kDepth);
  const size_t most_terms = ceil_divide(task.k, parts);
  const size_t slab_columns = kPackedFloats / most_terms / panel * panel;
  const size_t slab_rows = std::max(kTileRows, kPackedFloats / most_terms);
  Slab slab{};
  for (size_t j = 0; j < task.n; j += slab_columns) {
    slab.first_column = j;
    slab.columns = std::min(slab_columns, task.n - j);
    float* packed_b = buffer.of_size(ceil_divide(slab.columns, lanes) * lanes * most_terms);
    for (size_t part = 0; part < parts; ++part) {
      slab.first_term = part * task.k / parts;
      slab.terms = (part + 1) * task.k / parts - slab.first_term;
      for (size_t i = 0; i < slab.columns; i += panel) {
        const size_t columns = std::min(panel, slab.columns - i);
        const size_t width = ceil_divide(columns, lanes) * lanes;
        if (task.transpose_b) {
          pack_transposed(task.b + (j + i) * task.b_stride + slab.first_term, task.b_stride,
                          slab.terms, columns, width, packed_b + i * slab.terms);
        } else {
          pack_rows(task.b + slab.first_term * task.b_stride + j + i, task.b_stride, slab.terms,
                    columns, width, packed_b + i * slab.terms);
        }
      }
      for (size_t first = 0; first < task.m; first += slab_rows) {
        multiply_rows(task, slab, packed_b, first, std::min(task.m, first + slab_rows));
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(multiply_of_target);

/// Whether two matrices of [rows][columns], rows a stride apart, lie in different memory.
bool apart(const float* one, std::size_t one_floats, const float* other, std::size_t other_floats) {
  const auto begin = reinterpret_cast<std::uintptr_t>(one);
  const auto other_begin = reinterpret_cast<std::uintptr_t>(other);
  return begin + one_floats * sizeof(float) <= other_begin ||
         other_begin + other_floats * sizeof(float) <= begin;
}

/// Floats from the first to the last of a matrix.
std::size_t extent(std::size_t rows, std::size_t columns, std::size_t stride) {
  return (rows - 1) * stride + columns;
}

}  // namespace

void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, const float* b, float* result, bool accumulate) {
  multiply(transpose_a, transpose_b, m, n, k, a, transpose_a == Transpose::kYes ? m : k, b,
           transpose_b == Transpose::kYes ? k : n, result, n, accumulate);
}

void multiply(Transpose transpose_a, Transpose transpose_b, std::size_t m, std::size_t n,
              std::size_t k, const float* a, std::size_t a_stride, const float* b,
              std::size_t b_stride, float* result, std::size_t result_stride, bool accumulate) {
  if (m == 0 || n == 0) {
    return;
  }
  MEHLER_ASSERT(result_stride >= n);
  if (k == 0) {
    for (std::size_t i = 0; i < m && !accumulate; ++i) {
      std::fill_n(result + i * result_stride, n, 0.0F);
    }
    return;
  }
  const bool ta = transpose_a == Transpose::kYes;
  const bool tb = transpose_b == Transpose::kYes;
  MEHLER_ASSERT(a_stride >= (ta ? m : k) && b_stride >= (tb ? k : n));
  const std::size_t result_floats = extent(m, n, result_stride);
  MEHLER_ASSERT(apart(result, result_floats, a, extent(ta ? k : m, ta ? m : k, a_stride)));
  MEHLER_ASSERT(apart(result, result_floats, b, extent(tb ? n : k, tb ? k : n, b_stride)));
  static thread_local PackingBuffer buffer;
  HWY_DYNAMIC_DISPATCH(multiply_of_target)
  ({ta, tb, m, n, k, a, a_stride, b, b_stride, result, result_stride, accumulate}, buffer);
}

}  // namespace mehler
#endif  // HWY_ONCE

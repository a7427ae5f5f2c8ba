// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/matrix_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/matrix_packing-inl.h"
#include "mehler/simd/matrix_tile-inl.h"
// clang-format on

#include "mehler/simd/matrix_product.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

#ifndef MEHLER_SIMD_MATRIX_PRODUCT_ONCE_
#define MEHLER_SIMD_MATRIX_PRODUCT_ONCE_
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

/// Terms that are summed in registers; such sums are added up in memory.
constexpr std::size_t kDepth = 256;
/// Floats of op(b) that are packed at once.
constexpr std::size_t kPackedFloats = std::size_t{1} << 14;
/// Fewer rows do not pay for a copy of op(b): they read it where it lies.
constexpr std::size_t kRowsThatPack = 96;

}  // namespace mehler
#endif  // MEHLER_SIMD_MATRIX_PRODUCT_ONCE_

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Columns of the product, over part of k.
struct Slab {
  size_t first_column;
  size_t columns;
  size_t first_term;
  size_t terms;
};

/// Columns of a slab that a tile has.
struct Panel {
  size_t first_column;  ///< in the slab
  size_t columns;
  size_t vectors;

  bool is_whole() const { return columns == vectors * hn::MaxLanes(FloatTag()); }
};

class Product {
 public:
  /// The buffer holds kPackedFloats.
  Product(const ProductTask& task, float* buffer)
      : task_(task), copies_(!task.transpose_b && task.m >= kRowsThatPack), packed_(buffer) {}

  /// Parts of k one after the other, slabs beside each other.
  void run() const {
    const size_t parts = ceil_divide(task_.k, kDepth);  // nearly equal, and by k alone
    const size_t most_vectors =
        kPackedFloats / ceil_divide(task_.k, parts) / kPanelColumns * kTileVectors;
    const size_t vectors = ceil_divide(task_.n, kLanes);
    const size_t slabs = ceil_divide(vectors, most_vectors);
    for (size_t part = 0; part < parts; ++part) {
      const size_t first_term = part * task_.k / parts;
      const size_t terms = (part + 1) * task_.k / parts - first_term;
      for (size_t slab = 0; slab < slabs; ++slab) {
        const size_t first = slab * vectors / slabs * kLanes;
        const size_t last = std::min((slab + 1) * vectors / slabs * kLanes, task_.n);
        multiply_slab({first, last - first, first_term, terms});
      }
    }
  }

 private:
  static constexpr size_t kLanes = hn::MaxLanes(FloatTag());
  static constexpr size_t kPanelColumns = kTileVectors * kLanes;
  static constexpr size_t kMostTileFloats =
      kLanes * std::max({most_rows(1), 2 * most_rows(2), kTileVectors* most_rows(kTileVectors)});

  /// Panels have nearly equal numbers of vectors.
  static HWY_INLINE void for_panels(size_t columns, const auto& work) {
    const size_t vectors = ceil_divide(columns, kLanes);
    const size_t panels = ceil_divide(vectors, kTileVectors);
    const size_t wide_panels = vectors % panels;
    size_t first = 0;
    for (size_t i = 0; i < panels; ++i) {
      const size_t width = vectors / panels + (i < wide_panels ? 1 : 0);
      work(Panel{first, std::min(width * kLanes, columns - first), width});
      first += width * kLanes;
    }
  }

  /// The last two tiles share their rows: a tile of few rows waits for its own multiply-adds.
  static HWY_INLINE size_t rows_of_tile(size_t left, size_t height) {
    return left > height && left < 2 * height ? (left + 1) / 2 : std::min(left, height);
  }

  /// Where a panel begins in b.
  HWY_INLINE const float* place_of(const Slab& slab, const Panel& panel) const {
    const size_t column = slab.first_column + panel.first_column;
    return task_.transpose_b ? task_.b + column * task_.b_stride + slab.first_term
                             : task_.b + slab.first_term * task_.b_stride + column;
  }

  HWY_INLINE float* packed(const Slab& slab, const Panel& panel) const {
    return packed_ + panel.first_column * slab.terms;
  }

  /// Packs what no tile can read where it lies: columns of a transposed b, and vectors that are not
  /// whole.
  HWY_INLINE void pack(const Slab& slab) const {
    for_panels(slab.columns, [&](const Panel& panel) HWY_ATTR {
      if (task_.transpose_b) {
        pack_transposed(place_of(slab, panel), task_.b_stride, slab.terms, panel.columns,
                        panel.vectors * kLanes, packed(slab, panel));
      } else if (!panel.is_whole()) {
        pack_rows(place_of(slab, panel), task_.b_stride, slab.terms, panel.columns,
                  panel.vectors * kLanes, packed(slab, panel));
      }
    });
  }

  /// Tiles side by side, then those below them: b's panels stay in the cache, and a few rows of a.
  HWY_INLINE void multiply_slab(const Slab& slab) const {
    pack(slab);
    TileTask tile;
    tile.k = slab.terms;
    tile.a_row = task_.transpose_a ? 1 : task_.a_stride;
    tile.a_step = task_.transpose_a ? task_.a_stride : 1;
    tile.result_stride = task_.result_stride;
    tile.add = task_.accumulate || slab.first_term > 0;
    const size_t height = most_rows(std::min(kTileVectors, ceil_divide(slab.columns, kLanes)));
    size_t rows = 0;
    for (size_t row = 0; row < task_.m; row += rows) {
      rows = rows_of_tile(task_.m - row, height);
      tile.a = task_.a + row * tile.a_row + slab.first_term * tile.a_step;
      float* result = task_.result + row * task_.result_stride + slab.first_column;
      for_panels(slab.columns, [&](const Panel& panel) HWY_ATTR {
        const bool is_copied = copies_ && panel.is_whole() && can_copy(panel.vectors);
        const bool is_first = is_copied && row == 0;
        if (is_first || !(is_copied || task_.transpose_b || !panel.is_whole())) {
          tile.b = place_of(slab, panel);
          tile.b_step = task_.b_stride;
        } else {
          tile.b = packed(slab, panel);
          tile.b_step = panel.vectors * kLanes;
        }
        tile.b_copy = packed(slab, panel);
        tile.columns = panel.columns;
        tile.result = result + panel.first_column;
        run_tile(
            is_first ? copying_tile_kernel(rows, panel.vectors) : tile_kernel(rows, panel.vectors),
            tile, rows, panel);
      });
    }
  }

  /// Runs a tile; without masks, one whose last vector is not whole goes through a tile that is.
  static HWY_INLINE void run_tile(TileKernel kernel, const TileTask& tile, size_t rows,
                                  const Panel& panel) {
    if (kMasksProtect || panel.is_whole()) {
      kernel(tile);
      return;
    }
    HWY_ALIGN float sums[kMostTileFloats];
    TileTask whole = tile;
    whole.result = sums;
    whole.result_stride = panel.vectors * kLanes;
    whole.columns = whole.result_stride;
    whole.add = false;
    kernel(whole);
    for (size_t i = 0; i < rows; ++i) {
      float* result = tile.result + i * tile.result_stride;
      for (size_t j = 0; j < panel.columns; ++j) {
        const float sum = sums[i * whole.result_stride + j];
        result[j] = tile.add ? sum + result[j] : sum;
      }
    }
  }

  const ProductTask& task_;
  bool copies_;
  float* packed_;
};

void multiply_of_target(const ProductTask& task, float* buffer) { Product(task, buffer).run(); }

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(multiply_of_target);

/// Floats from the first to the last of a matrix whose rows are a stride apart.
std::size_t extent(std::size_t rows, std::size_t columns, std::size_t stride) {
  return (rows - 1) * stride + columns;
}

/// Whether two ranges of floats share no memory.
bool are_apart(const float* one, std::size_t floats, const float* other, std::size_t other_floats) {
  const auto first = reinterpret_cast<std::uintptr_t>(one);
  const auto other_first = reinterpret_cast<std::uintptr_t>(other);
  return first + floats * sizeof(float) <= other_first ||
         other_first + other_floats * sizeof(float) <= first;
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
  const std::size_t floats = extent(m, n, result_stride);
  MEHLER_ASSERT(are_apart(result, floats, a, extent(ta ? k : m, ta ? m : k, a_stride)));
  MEHLER_ASSERT(are_apart(result, floats, b, extent(tb ? n : k, tb ? k : n, b_stride)));
  HWY_DYNAMIC_DISPATCH(multiply_of_target)
  ({ta, tb, m, n, k, a, a_stride, b, b_stride, result, result_stride, accumulate},
   product_memory().data());
}

std::span<float> product_memory() {
  static thread_local const auto kBuffer = hwy::AllocateAligned<float>(kPackedFloats);
  MEHLER_ASSERT(kBuffer != nullptr);
  return {kBuffer.get(), kPackedFloats};
}

}  // namespace mehler
#endif  // HWY_ONCE

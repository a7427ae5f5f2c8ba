// The innermost loop of the matrix product: one tile of the result, in registers. Includes itself
// once for each instruction set, as Highway asks of such headers.
#if defined(MEHLER_SIMD_MATRIX_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_MATRIX_TILE_INL_H_
#undef MEHLER_SIMD_MATRIX_TILE_INL_H_
#else
#define MEHLER_SIMD_MATRIX_TILE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <utility>

#include "mehler/simd/vector_groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The most vectors in a row of a tile of the result.
constexpr size_t kTileVectors = kManyRegisters || HWY_TARGET == HWY_AVX2 ? 3 : 2;

/// The most rows of a tile: with them its sums, a row of op(b) and an entry of op(a) fill the
/// registers, or there are enough sums to hide the latency of a multiply-add.
constexpr size_t most_rows(size_t vectors) {
  return vectors == 1 ? 12 : kManyRegisters ? 8 : 12 / vectors;
}

/// Whether masked loads and stores leave memory outside of the mask alone.
constexpr bool kMasksProtect = HWY_TARGET <= HWY_AVX2;

/// How many rows of op(b) are fetched ahead: where rows do not lie side by side, no processor
/// foresees them.
constexpr size_t kRowsAhead = 8;

/// What a tile is made of. Entry (i, p) of op(a) is a[i a_row + p a_step]; row p of op(b) begins at
/// b + p b_step and has whole vectors.
struct TileTask {
  size_t k = 0;
  const float* a = nullptr;
  size_t a_row = 0;
  size_t a_step = 0;
  const float* b = nullptr;
  size_t b_step = 0;
  float* b_copy = nullptr;  ///< for kernels that copy: where the rows of op(b) go, side by side
  float* result = nullptr;
  size_t result_stride = 0;
  size_t columns = 0;  ///< of the result in this tile
  bool add = false;    ///< whether to add to what the result holds
};

/// Stores sums, or adds them to what is there: the first `count` floats of the vector, or all of
/// them where masks do not protect.
template <class V>
HWY_INLINE void put_sums(V sums, size_t count, bool add, float* HWY_RESTRICT place) {
  const FloatTag d;
  if (!kMasksProtect || count >= hn::Lanes(d)) {
    hn::StoreU(add ? hn::Add(sums, hn::LoadU(d, place)) : sums, d, place);
  } else if constexpr (kMasksProtect) {
    const auto mask = hn::FirstN(d, count);
    hn::BlendedStore(add ? hn::Add(sums, hn::MaskedLoad(mask, d, place)) : sums, mask, d, place);
  }
}

/// Keeps a pointer in a register. GCC would keep several of them as one vector in memory, and the
/// loop would wait for it.
HWY_INLINE const float* in_register(const float* pointer) {
  __asm__("" : "+r"(pointer));
  return pointer;
}

/// Each sum is one chain of multiply-adds in the order of p, whatever the tile's shape.
template <size_t kRows, size_t kVectors, bool kCopy>
void multiply_tile(const TileTask& task) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  FloatVector sums[kRows * kVectors];
  unroll<kRows * kVectors>([&](size_t i) MEHLER_IN_REGISTERS { sums[i] = hn::Zero(d); });
  // Three rows for each pointer: an address is a pointer and 0, 1 or 2 times the distance of rows.
  constexpr size_t kPointers = (kRows + 2) / 3;
  const float* a[kPointers];
  unroll<kPointers>([&](size_t i) MEHLER_IN_REGISTERS { a[i] = task.a + 3 * i * task.a_row; });
  const float* HWY_RESTRICT b = task.b;
  float* HWY_RESTRICT b_copy = task.b_copy;
  const size_t a_row = task.a_row;
  const size_t a_step = task.a_step;
  const size_t b_step = task.b_step;
  for (size_t p = task.k; p != 0; --p) {
    FloatVector row[kVectors];
    unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS { row[v] = hn::LoadU(d, b + v * lanes); });
    unroll<kVectors>(
        [&](size_t v) MEHLER_IN_REGISTERS { hwy::Prefetch(b + kRowsAhead * b_step + v * lanes); });
    if constexpr (kCopy) {
      unroll<kVectors>([&](size_t v)
                           MEHLER_IN_REGISTERS { hn::Store(row[v], d, b_copy + v * lanes); });
      b_copy += kVectors * lanes;
    }
    unroll<kRows>([&](size_t i) MEHLER_IN_REGISTERS {
      const FloatVector factor = hn::Set(d, a[i / 3][i % 3 * a_row]);
      unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS {
        sums[i * kVectors + v] = hn::MulAdd(factor, row[v], sums[i * kVectors + v]);
      });
    });
    unroll<kPointers>([&](size_t i) MEHLER_IN_REGISTERS { a[i] = in_register(a[i] + a_step); });
    b += b_step;
  }
  const size_t last = task.columns - (kVectors - 1) * lanes;
  unroll<kRows>([&](size_t i) MEHLER_IN_REGISTERS {
    float* place = task.result + i * task.result_stride;
    unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS {
      put_sums(sums[i * kVectors + v], v + 1 < kVectors ? lanes : last, task.add,
               place + v * lanes);
    });
  });
}

using TileKernel = void (*)(const TileTask&);

template <size_t kVectors, size_t... kRows>
constexpr std::array<TileKernel, sizeof...(kRows)> tile_kernels_of(
    std::index_sequence<kRows...> /*rows*/) {
  return {&multiply_tile<kRows + 1, kVectors, false>...};
}

template <size_t kVectors>
constexpr auto kTileKernels =
    tile_kernels_of<kVectors>(std::make_index_sequence<most_rows(kVectors)>());

/// The kernel for a tile of this many rows and vectors.
HWY_INLINE TileKernel tile_kernel(size_t rows, size_t vectors) {
  if (vectors == kTileVectors) {
    return kTileKernels<kTileVectors>[rows - 1];
  }
  return vectors == 1 ? kTileKernels<1>[rows - 1] : kTileKernels<2>[rows - 1];
}

/// Whether there are kernels for this many vectors that copy the rows of op(b) while they use them.
HWY_INLINE bool can_copy(size_t vectors) { return vectors + 1 >= kTileVectors; }

/// Such a kernel. `rows` is the most that a tile of this width, or the widest tile, may have.
HWY_INLINE TileKernel copying_tile_kernel(size_t rows, size_t vectors) {
  constexpr size_t kRows = most_rows(kTileVectors);
  constexpr size_t kNarrow = kTileVectors - 1;
  if (vectors == kTileVectors) {
    return &multiply_tile<kRows, kTileVectors, true>;
  }
  return rows == kRows ? &multiply_tile<kRows, kNarrow, true>
                       : &multiply_tile<most_rows(kNarrow), kNarrow, true>;
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

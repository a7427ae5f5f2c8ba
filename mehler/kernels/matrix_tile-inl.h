// The innermost loop of the matrix product: one tile of the result, in registers. Includes itself
// once for each instruction set, as Highway asks of such headers.
#if defined(MEHLER_KERNELS_MATRIX_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_KERNELS_MATRIX_TILE_INL_H_
#undef MEHLER_KERNELS_MATRIX_TILE_INL_H_
#else
#define MEHLER_KERNELS_MATRIX_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <utility>

#include "mehler/kernels/vector_groups-inl.h"

/// Of lambdas that see vectors in registers: one that is called would find them in memory.
#ifndef MEHLER_IN_REGISTERS
#define MEHLER_IN_REGISTERS HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A tile of the result has up to so many rows of so many vectors: its sums, a row of op(b) and an
/// entry of op(a) fill the registers, of which some instruction sets have 32 and others 16.
constexpr size_t kTileRows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 12 : 6;
constexpr size_t kTileVectors = 2;

/// Whether masked loads and stores leave memory outside of the mask alone.
constexpr bool kMasksProtect = HWY_TARGET <= HWY_AVX2;

/// What a tile is made of. Entry (i, p) of op(a) is a[i a_row + p a_step]; row p of op(b) begins at
/// b + p b_step and has whole vectors.
struct TileTask {
  size_t k = 0;
  const float* a = nullptr;
  size_t a_row = 0;
  size_t a_step = 0;
  const float* b = nullptr;
  size_t b_step = 0;
  float* result = nullptr;
  size_t result_stride = 0;
  size_t columns = 0;  ///< of the result that the tile has
  bool add = false;    ///< to what the result holds
};

/// Stores sums, or adds them to what stands there; `count` of the vector's floats.
template <class V>
HWY_INLINE void put_sums(V sums, size_t count, bool add, float* HWY_RESTRICT place) {
  const FloatTag d;
  if (count >= hn::Lanes(d)) {
    hn::StoreU(add ? hn::Add(sums, hn::LoadU(d, place)) : sums, d, place);
  } else if constexpr (kMasksProtect) {
    const auto mask = hn::FirstN(d, count);
    hn::BlendedStore(add ? hn::Add(sums, hn::MaskedLoad(mask, d, place)) : sums, mask, d, place);
  } else {
    HWY_ALIGN float values[kMaxLanes];
    hn::Store(sums, d, values);
    for (size_t j = 0; j < count; ++j) {
      place[j] = add ? values[j] + place[j] : values[j];
    }
  }
}

/// Each sum is one chain of multiply-adds in the order of p, whatever the tile's shape.
template <size_t kRows, size_t kVectors>
void multiply_tile(const TileTask& task) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  FloatVector sums[kRows * kVectors];
  unroll<kRows * kVectors>([&](size_t i) MEHLER_IN_REGISTERS { sums[i] = hn::Zero(d); });
  // Three rows for each pointer: an address is a pointer and 0, 1 or 2 times the distance of rows.
  constexpr size_t kPointers = (kRows + 2) / 3;
  const float* a[kPointers];
  for (size_t i = 0; i < kPointers; ++i) {
    a[i] = task.a + 3 * i * task.a_row;
  }
  const float* HWY_RESTRICT b = task.b;
  const size_t a_row = task.a_row;
  const size_t a_step = task.a_step;
  const size_t b_step = task.b_step;
  for (size_t p = task.k; p != 0; --p) {
    FloatVector row[kVectors];
    unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS { row[v] = hn::LoadU(d, b + v * lanes); });
    unroll<kRows>([&](size_t i) MEHLER_IN_REGISTERS {
      const FloatVector factor = hn::Set(d, a[i / 3][i % 3 * a_row]);
      unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS {
        sums[i * kVectors + v] = hn::MulAdd(factor, row[v], sums[i * kVectors + v]);
      });
    });
    unroll<kPointers>([&](size_t i) MEHLER_IN_REGISTERS { a[i] += a_step; });
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

/// The kernel for a tile of so many rows and vectors.
using TileKernel = void (*)(const TileTask&);
template <size_t... kShapes>
constexpr std::array<TileKernel, sizeof...(kShapes)> all_tile_kernels(
    std::index_sequence<kShapes...> /*shapes*/) {
  return {&multiply_tile<kShapes / kTileVectors + 1, kShapes % kTileVectors + 1>...};
}
constexpr auto kTileKernels =
    all_tile_kernels(std::make_index_sequence<kTileRows * kTileVectors>());

HWY_INLINE TileKernel tile_kernel(size_t rows, size_t vectors) {
  return kTileKernels[(rows - 1) * kTileVectors + vectors - 1];
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

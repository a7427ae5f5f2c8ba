// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/convolution_gradient.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/row_copies-inl.h"
#include "mehler/simd/vector_groups-inl.h"
// clang-format on

#include <hwy/aligned_allocator.h>

#include <algorithm>

#include "mehler/simd/convolution.h"
#include "mehler/simd/convolution_plan.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Images of which one channel, and the channels of the slopes of a tile, stay in a core's first
/// cache: they are read once for each row of the kernel and each channel. Several, where they are
/// small, as adding up the lanes of sums costs as much as some of their positions. It does not
/// depend on the instruction set.
size_t images_at_once(const ConvolutionPlan& plan) {
  constexpr size_t kFloats = 8192;
  constexpr size_t kPlanes = 6;
  return std::clamp<size_t>(kFloats / (kPlanes * plan.slope_plane), 1, 8);
}

/// What some entries of the gradient by the weights are sums over: several images.
struct GradientTile {
  const float* image = nullptr;  ///< the channel's row of the kernel, at the kernel's first column
  size_t image_distance = 0;
  const float* slopes = nullptr;  ///< the first channel of the result
  size_t slopes_distance = 0;
  size_t images = 0;
  float* gradient = nullptr;
};

/// Adds to gradient[j][o] of kColumns columns of the kernel and kOutputs channels of the result.
template <size_t kOutputs, size_t kColumns>
void add_gradient_tile(const ConvolutionPlan& plan, const GradientTile& tile) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  constexpr size_t kSums = kOutputs * kColumns;
  FloatVector sums[kSums];
  unroll<kSums>([&](size_t i) MEHLER_IN_REGISTERS { sums[i] = hn::Zero(d); });
  for (size_t n = 0; n < tile.images; ++n) {
    const float* HWY_RESTRICT x = tile.image + n * tile.image_distance;
    const float* HWY_RESTRICT g = tile.slopes + n * tile.slopes_distance;
    for (size_t position = 0; position < plan.positions; position += lanes) {
      FloatVector values[kColumns];
      unroll<kColumns>([&](size_t j)
                           MEHLER_IN_REGISTERS { values[j] = hn::LoadU(d, x + position + j); });
      unroll<kOutputs>([&](size_t o) MEHLER_IN_REGISTERS {
        const FloatVector slope = hn::Load(d, g + o * plan.slope_plane + position);
        unroll<kColumns>([&](size_t j) MEHLER_IN_REGISTERS {
          sums[j * kOutputs + o] = hn::MulAdd(slope, values[j], sums[j * kOutputs + o]);
        });
      });
    }
  }
  constexpr size_t kRows = (kSums + 3) / 4 * 4;
  HWY_ALIGN float totals[kRows * kMaxLanes] = {};
  float added[kRows];
  unroll<kSums>([&](size_t i) MEHLER_IN_REGISTERS { hn::Store(sums[i], d, totals + i * lanes); });
  add_up_lanes(totals, kRows, added);
  for (size_t i = 0; i < kSums; ++i) {
    tile.gradient[i / kOutputs * plan.size.outputs + i % kOutputs] += added[i];
  }
}

/// kOutputs channels of the result and kColumns columns of the kernel: all that uses their slopes,
/// while these are in the cache.
template <size_t kOutputs, size_t kColumns>
void add_gradient_of_channels(const ConvolutionPlan& plan, const GradientTile& first) {
  const ConvolutionSize& size = plan.size;
  for (size_t c = 0; c < size.inputs; ++c) {
    for (size_t i = 0; i < size.kernel_rows(); ++i) {
      GradientTile tile = first;
      tile.image += c * plan.plane + i * plan.row;
      tile.gradient += (c * size.kernel_rows() + i) * size.kernel * size.outputs;
      add_gradient_tile<kOutputs, kColumns>(plan, tile);
    }
  }
}

template <size_t kColumns>
void add_gradient_of_columns(const ConvolutionPlan& plan, GradientTile tile) {
  size_t left = plan.size.outputs;
  const auto go = [&]<size_t kOutputs>() {
    for (; left >= kOutputs; left -= kOutputs) {
      add_gradient_of_channels<kOutputs, kColumns>(plan, tile);
      tile.slopes += kOutputs * plan.slope_plane;
      tile.gradient += kOutputs;
    }
  };
  // With the values of the columns, the sums fill the registers.
  if constexpr (kManyRegisters && kColumns <= 3) {
    go.template operator()<8>();
  } else if constexpr (kManyRegisters) {
    if (left % 5 == 0) {
      go.template operator()<5>();
    }
  }
  if constexpr (kManyRegisters || kColumns <= 2) {
    go.template operator()<4>();
  }
  go.template operator()<2>();
  go.template operator()<1>();
}

void add_weight_gradient(const ConvolutionPlan& plan, GradientTile tile) {
  size_t left = plan.size.kernel;
  const auto go = [&]<size_t kColumns>() {
    for (; left >= kColumns; left -= kColumns) {
      add_gradient_of_columns<kColumns>(plan, tile);
      tile.image += kColumns;
      tile.gradient += kColumns * plan.size.outputs;
    }
  };
  go.template operator()<5>();
  go.template operator()<3>();
  go.template operator()<2>();
  go.template operator()<1>();
}

void weight_gradient_of_target(const ConvolutionPlan& plan, const float* images,
                               const float* slopes, size_t count, float* gradient) {
  const ConvolutionSize& size = plan.size;
  std::fill_n(gradient, size.weights(), 0.0F);
  const size_t most = std::min(count, images_at_once(plan));
  const size_t image_floats = size.inputs * plan.plane;
  const size_t slope_floats = size.outputs * plan.slope_plane;
  const auto memory = hwy::AllocateAligned<float>(most * (image_floats + slope_floats) + 1);
  MEHLER_ASSERT(memory != nullptr);
  // Zeros in the gaps: they add nothing to a sum over all positions.
  std::fill_n(memory.get(), most * (image_floats + slope_floats), 0.0F);
  float* const spread_images = memory.get();
  float* const spread_slopes = memory.get() + most * image_floats;
  const auto spread = [&](const float* from, size_t channels, float* to, size_t distance) {
    for (size_t c = 0; c < channels; ++c) {
      copy_rows(from + c * size.rows * size.columns, size.columns, size.rows, size.columns,
                to + c * distance, plan.row);
    }
  };
  for (size_t first = 0; first < count; first += most) {
    const size_t at_once = std::min(most, count - first);
    for (size_t n = 0; n < at_once; ++n) {
      spread(images + (first + n) * size.input_floats(), size.inputs,
             spread_images + n * image_floats + plan.lead, plan.plane);
      spread(slopes + (first + n) * size.output_floats(), size.outputs,
             spread_slopes + n * slope_floats, plan.slope_plane);
    }
    add_weight_gradient(
        plan, {spread_images, image_floats, spread_slopes, slope_floats, at_once, gradient});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(weight_gradient_of_target);

}  // namespace

void convolution_weight_gradient(const ConvolutionSize& size, const float* images,
                                 const float* slopes, std::size_t count, float* gradient) {
  HWY_DYNAMIC_DISPATCH(weight_gradient_of_target)
  (ConvolutionPlan(size), images, slopes, count, gradient);
}

}  // namespace mehler
#endif  // HWY_ONCE

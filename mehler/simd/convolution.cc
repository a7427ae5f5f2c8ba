// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/convolution.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/row_copies-inl.h"
#include "mehler/simd/vector_groups-inl.h"
// clang-format on

#include "mehler/simd/convolution.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <vector>

#include "mehler/simd/convolution_plan.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The most channels of the result that a tile has, and how many vectors of positions: the sums and
/// a few more fill the registers.
constexpr size_t kMostOutputs = kManyRegisters ? 8 : 4;
constexpr size_t vectors_for(size_t outputs) {
  return kManyRegisters ? (outputs == 8   ? 3
                           : outputs == 5 ? 5
                           : outputs == 4 ? 6
                           : outputs == 2 ? 6
                                          : 8)
                        : (outputs == 4 ? (HWY_TARGET == HWY_AVX2 ? 3 : 2) : 4);
}

/// Where a vector of positions is read, and where the results go.
struct VectorPlace {
  size_t image;
  size_t result;
};

/// Rows of at least a vector are cut into vectors of their own, the last of which ends where the
/// row ends, and results are stored where they belong. Shorter rows are worked off as one long row
/// with the gaps, and the results copied from there.
struct Places {
  explicit Places(const ConvolutionPlan& plan) {
    const size_t lanes = hn::Lanes(FloatTag());
    const size_t columns = plan.size.columns;
    if (columns < lanes) {
      with_gaps = true;
      for (size_t position = 0; position < plan.positions; position += lanes) {
        vectors.push_back({position, position});
      }
      return;
    }
    for (size_t y = 0; y < plan.size.rows; ++y) {
      for (size_t x = 0; x < columns; x += lanes) {
        const size_t first = std::min(x, columns - lanes);
        vectors.push_back({y * plan.row + first, y * columns + first});
      }
    }
  }

  std::vector<VectorPlace> vectors;
  bool with_gaps = false;
};

/// What a tile of results is made of.
struct ResultTile {
  const float* image = nullptr;   ///< the first channel; a row of zeros where it is not spread
  const float* pixels = nullptr;  ///< the image as it was given
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* result = nullptr;  ///< the tile's first channel
  size_t result_plane = 0;
};

template <size_t kOutputs, size_t kVectors>
void convolve_tile(const ConvolutionPlan& plan, const ResultTile& tile, const VectorPlace* places) {
  const FloatTag d;
  FloatVector sums[kOutputs * kVectors];
  unroll<kOutputs * kVectors>([&](size_t i) MEHLER_IN_REGISTERS {
    sums[i] = hn::Set(d, tile.bias == nullptr ? 0.0F : tile.bias[i / kVectors]);
  });
  const float* images[kVectors];
  unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS { images[v] = tile.image + places[v].image; });
  const float* HWY_RESTRICT weight = tile.weights;
  const size_t outputs = plan.size.outputs;
  const size_t kernel = plan.size.kernel;
  const size_t kernel_rows = plan.size.kernel_rows();
  for (size_t c = 0; c < plan.size.inputs; ++c) {
    for (size_t i = 0; i < kernel_rows; ++i) {
      const size_t first = c * plan.plane + i * plan.row;
      for (size_t step = first; step < first + kernel; ++step) {
        FloatVector values[kVectors];
        unroll<kVectors>([&](size_t v)
                             MEHLER_IN_REGISTERS { values[v] = hn::LoadU(d, images[v] + step); });
        unroll<kOutputs>([&](size_t o) MEHLER_IN_REGISTERS {
          const FloatVector factor = hn::Set(d, weight[o]);
          unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS {
            sums[o * kVectors + v] = hn::MulAdd(factor, values[v], sums[o * kVectors + v]);
          });
        });
        weight += outputs;
      }
    }
  }
  unroll<kOutputs>([&](size_t o) MEHLER_IN_REGISTERS {
    unroll<kVectors>([&](size_t v) MEHLER_IN_REGISTERS {
      hn::StoreU(sums[o * kVectors + v], d, tile.result + o * tile.result_plane + places[v].result);
    });
  });
}

/// All positions of kOutputs channels; the last tile has as few vectors as are left. A tile of one
/// vector waits for its own multiply-adds: two of two are better than one of three and it.
template <size_t kOutputs>
void convolve_channels(const ConvolutionPlan& plan, const ResultTile& tile,
                       const std::vector<VectorPlace>& places) {
  size_t done = 0;
  const auto go = [&]<size_t kVectors>() {
    for (; done + kVectors <= places.size(); done += kVectors) {
      if (kVectors == 3 && places.size() - done == 4) {
        break;
      }
      convolve_tile<kOutputs, kVectors>(plan, tile, &places[done]);
    }
  };
  go.template operator()<vectors_for(kOutputs)>();
  go.template operator()<2>();
  go.template operator()<1>();
}

/// A vector of the columns that are some steps behind those of another, or before them where that
/// is negative.
class Neighbours {
 public:
  /// is_beyond: the other vector lies at the end of the row, so there are zeros behind it, and its
  /// lanes are moved instead of others loaded.
  HWY_INLINE void set(std::ptrdiff_t steps, bool is_beyond) {
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(FloatTag()));
    HWY_ALIGN int32_t from[kMaxLanes] = {};
    HWY_ALIGN float taken[kMaxLanes] = {};
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      const std::ptrdiff_t moved = lane + (is_beyond ? steps : 0);
      const bool is_there = moved >= 0 && moved < lanes;
      from[lane] = is_there ? static_cast<int32_t>(moved) : 0;
      taken[lane] = is_there ? 1.0F : 0.0F;
    }
    offset_ = is_beyond ? 0 : steps;
    from_ = hn::SetTableIndices(FloatTag(), from);
    taken_ = hn::Ne(hn::Load(FloatTag(), taken), hn::Zero(FloatTag()));
  }

  HWY_INLINE FloatVector load(const float* columns) const {
    const FloatVector values = hn::LoadU(FloatTag(), columns + offset_);
    return hn::IfThenElseZero(taken_, hn::TableLookupLanes(values, from_));
  }

 private:
  std::ptrdiff_t offset_;
  decltype(hn::SetTableIndices(FloatTag(), static_cast<const int32_t*>(nullptr))) from_;
  hn::Mask<FloatTag> taken_;
};

/// kRows rows of one channel of the result, two vectors of each, beginning in columns `left` and
/// `right`, from the image as it is: there are too few multiply-adds for each float of it to copy
/// it. A tile of one channel would load a vector for each multiply-add; here a vector is used for
/// every row that the kernel reaches from it, in the same order. Where the kernel reaches over an
/// end of a row, the vector at that end is moved instead of loaded from beyond it.
template <size_t kKernel, size_t kRows>
void convolve_tall_tile(const ConvolutionPlan& plan, const ResultTile& tile, size_t y, size_t left,
                        size_t right) {
  constexpr size_t kBefore = kKernel / 2;
  const FloatTag d;
  FloatVector sums[2 * kRows];
  const FloatVector start = hn::Set(d, tile.bias == nullptr ? 0.0F : tile.bias[0]);
  unroll<2 * kRows>([&](size_t i) MEHLER_IN_REGISTERS { sums[i] = start; });
  const size_t outputs = plan.size.outputs;
  const size_t columns = plan.size.columns;
  const bool is_at_start = left == 0;
  const bool is_at_end = right + hn::Lanes(d) == columns;
  Neighbours before[kBefore];
  Neighbours behind[kBefore];
  unroll<kBefore>([&](size_t j) MEHLER_IN_REGISTERS {
    before[j].set(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(kBefore),
                  is_at_start);
    behind[j].set(static_cast<std::ptrdiff_t>(j + 1), is_at_end);
  });
  const float* HWY_RESTRICT weight = tile.weights;
  for (size_t c = 0; c < plan.size.inputs; ++c) {
    const float* plane = tile.pixels + c * plan.size.rows * columns;
    unroll<kRows + kKernel - 1>([&](size_t row) MEHLER_IN_REGISTERS {
      // Of the rows that are read, only those beside the tile's may lie outside of the image. A row
      // of zeros is read instead: a spread image begins with one.
      const bool is_in_tile = row >= kBefore && row < kBefore + kRows;
      const size_t image_row = y + row - kBefore;  // wraps above the first
      const float* const x =
          is_in_tile || image_row < plan.size.rows ? plane + image_row * columns : tile.image;
      unroll<kKernel>([&](size_t j) MEHLER_IN_REGISTERS {
        const FloatVector left_values =
            j < kBefore ? before[j].load(x + left) : hn::LoadU(d, x + left + j - kBefore);
        const FloatVector right_values = j > kBefore ? behind[j - kBefore - 1].load(x + right)
                                                     : hn::LoadU(d, x + right + j - kBefore);
        unroll<kKernel>([&](size_t i) MEHLER_IN_REGISTERS {
          if (row >= i && row < i + kRows) {
            const FloatVector factor = hn::Set(d, weight[(i * kKernel + j) * outputs]);
            FloatVector* const pair = sums + 2 * (row - i);
            pair[0] = hn::MulAdd(factor, left_values, pair[0]);
            pair[1] = hn::MulAdd(factor, right_values, pair[1]);
          }
        });
      });
    });
    weight += kKernel * kKernel * outputs;
  }
  float* const result = tile.result + y * columns;
  unroll<kRows>([&](size_t row) MEHLER_IN_REGISTERS {
    hn::StoreU(sums[2 * row], d, result + row * columns + left);
    hn::StoreU(sums[2 * row + 1], d, result + row * columns + right);
  });
}

/// Whether one channel of the result is computed from images without zeros around them: rows have
/// several vectors, and all of these but the first and the last have as many columns beside them as
/// the kernel reaches.
bool takes_images_as_they_are(const ConvolutionSize& size) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t rest = size.columns % lanes;
  return !size.flat && (size.kernel == 3 || size.kernel == 5) && size.before == size.kernel / 2 &&
         lanes >= size.before && size.columns > lanes && (rest == 0 || rest >= size.before);
}

template <size_t kKernel>
void convolve_one_channel(const ConvolutionPlan& plan, const ResultTile& tile) {
  const size_t lanes = hn::Lanes(FloatTag());
  const size_t columns = plan.size.columns;
  // The last pair repeats what overlaps.
  const size_t last = columns - std::min(columns, 2 * lanes);
  for (size_t x = 0; x < columns; x += 2 * lanes) {
    const size_t left = std::min(x, last);
    const size_t right = std::min(left + lanes, columns - lanes);
    size_t y = 0;
    const auto go = [&]<size_t kRows>() {
      for (; y + kRows <= plan.size.rows; y += kRows) {
        convolve_tall_tile<kKernel, kRows>(plan, tile, y, left, right);
      }
    };
    // With 5 x 5, 4 rows have multiply-adds enough for their loads, and half as much code.
    if constexpr (kManyRegisters && kKernel == 3) {
      go.template operator()<8>();
    }
    go.template operator()<4>();
    go.template operator()<1>();
  }
}

void convolve_image(const ConvolutionPlan& plan, const Places& places, ResultTile tile) {
  size_t left = plan.size.outputs;
  const auto go = [&]<size_t kOutputs>() {
    for (; left >= kOutputs; left -= kOutputs) {
      convolve_channels<kOutputs>(plan, tile, places.vectors);
      tile.weights += kOutputs;
      tile.bias += tile.bias == nullptr ? 0 : kOutputs;
      tile.result += kOutputs * tile.result_plane;
    }
  };
  if constexpr (kMostOutputs == 8) {
    go.template operator()<8>();
    if (left != 6) {  // which is better 4 and 2
      go.template operator()<5>();
    }
  }
  go.template operator()<4>();
  go.template operator()<2>();
  if (left == 1 && takes_images_as_they_are(plan.size)) {
    (plan.size.kernel == 3 ? convolve_one_channel<3> : convolve_one_channel<5>)(plan, tile);
  } else {
    go.template operator()<1>();
  }
}

void convolve_of_target(const ConvolutionPlan& plan, const float* images, size_t count,
                        const float* weights, const float* bias, float* results) {
  const ConvolutionSize& size = plan.size;
  const Places places(plan);
  const size_t result_plane = places.with_gaps ? plan.result_plane : size.rows * size.columns;
  const bool is_spread = size.outputs > 1 || !takes_images_as_they_are(size);
  const size_t spread_floats = (is_spread ? size.inputs : 1) * plan.plane;
  const auto spread = hwy::AllocateAligned<float>(spread_floats);
  const auto with_gaps =
      hwy::AllocateAligned<float>(places.with_gaps ? size.outputs * result_plane : 1);
  MEHLER_ASSERT(spread != nullptr && with_gaps != nullptr);
  std::fill_n(spread.get(), spread_floats, 0.0F);
  for (size_t n = 0; n < count; ++n) {
    const float* image = images + n * size.input_floats();
    for (size_t c = 0; is_spread && c < size.inputs; ++c) {
      copy_rows(image + c * size.rows * size.columns, size.columns, size.rows, size.columns,
                spread.get() + c * plan.plane + plan.lead, plan.row);
    }
    float* const result = results + n * size.output_floats();
    convolve_image(plan, places,
                   {spread.get(), image, weights, bias, places.with_gaps ? with_gaps.get() : result,
                    result_plane});
    for (size_t o = 0; places.with_gaps && o < size.outputs; ++o) {
      copy_rows(with_gaps.get() + o * result_plane, plan.row, size.rows, size.columns,
                result + o * size.rows * size.columns, size.columns);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(convolve_of_target);

}  // namespace

void convolve(const ConvolutionSize& size, const float* images, std::size_t count,
              const float* weights, const float* bias, float* results) {
  HWY_DYNAMIC_DISPATCH(convolve_of_target)
  (ConvolutionPlan(size), images, count, weights, bias, results);
}

}  // namespace mehler
#endif  // HWY_ONCE

// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/row_moves.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/gumbel-inl.h"
#include "mehler/simd/vector_groups-inl.h"
// clang-format on

#include "mehler/simd/row_moves.h"

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

#include <algorithm>
#include <limits>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors that are summed at once: a tile, or as much of it as registers hold.
constexpr size_t kSumVectors = std::min<size_t>(8, kLogitTile / hn::MaxLanes(FloatTag()));

/// Moves rows, one at a time. What a row needs is kept between rows, so nothing is allocated twice.
template <bool kUpdate>
class RowMover {
 public:
  RowMover(const LogitView& view, const MoveOptions& options, std::span<uint64_t> changes)
      : view_(view),
        columns_(view.columns.size()),
        padded_columns_((columns_ + kForceBlock - 1) / kForceBlock * kForceBlock),
        temperature_(options.temperature),
        changes_(changes),
        noise_step_((view.lanes / columns_ + kForceBlock) / kForceBlock * kForceBlock),
        logits_(hwy::AllocateAligned<float>(view.lanes)),
        noise_(hwy::AllocateAligned<float>(view.lanes)),
        own_(hwy::AllocateAligned<float>(padded_columns_)),
        rows_(columns_),
        old_rows_(columns_),
        rest_(columns_),
        before_(columns_),
        now_(columns_),
        changed_(columns_),
        triple_left_(view.triples.size()) {}

  /// Noise for the first row.
  void begin(uint64_t key) {
    next_noise_ = GumbelNoise(key);
    prepare_noise(0, view_.lanes);
  }

  /// Moves a row whose noise has been prepared, and prepares the next one's.
  void move(uint16_t* codes, uint64_t next_key) {
    for (size_t c = 0; c < columns_; ++c) {
      const LogitColumn& column = view_.columns[c];
      now_[c] = codes[column.code_place];
      rows_[c] = column.rows + now_[c] * column.stride;
    }
    if constexpr (kUpdate) {
      before_ = now_;
      std::copy_n(view_.own_weights, padded_columns_, own_.get());
      std::fill(triple_left_.begin(), triple_left_.end(), 0);
    }
    sum_forces();
    next_noise_ = GumbelNoise(next_key);
    size_t changed = 0;
    for (size_t c = 0; c < columns_; ++c) {
      const size_t code = choose(view_.columns[c], now_[c], own_[c]);
      // The choice takes a while to be known; the next row's noise does not wait for it.
      prepare_noise(c * noise_step_, std::min((c + 1) * noise_step_, view_.lanes));
      if (code != now_[c]) {
        change(c, code);
        changed_[changed++] = static_cast<uint32_t>(c);
      }
    }
    for (size_t i = 0; i < changed; ++i) {
      const size_t c = changed_[i];
      ++changes_[c];
      codes[view_.columns[c].code_place] = static_cast<uint16_t>(now_[c]);
    }
    if constexpr (kUpdate) {
      if (changed > 0) {
        update_tables(changed);
      }
    }
  }

 private:
  /// Noise for the lanes of the next row from `lane` to `end`.
  HWY_INLINE void prepare_noise(size_t lane, size_t end) {
    const FloatTag d;
    for (; lane < end; lane += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::Set(d, temperature_), next_noise_.at(d, lane)), d, noise_.get() + lane);
    }
  }

  /// Logits = noise + forces of the row's cliques, the row itself still counted.
  HWY_INLINE void sum_forces() {
    for (size_t tile = 0; tile < view_.tiles.size(); ++tile) {
      for (size_t half = 0; half < kLogitTile; half += kSumVectors * hn::Lanes(FloatTag())) {
        sum_tile(tile, half);
      }
    }
    for (const LogitTriple& triple : view_.triples) {
      add_triple(triple, triple_row(triple, now_), nullptr);
    }
  }

  /// The sums of kSumVectors vectors, which stay in registers.
  HWY_INLINE void sum_tile(size_t tile, size_t skip) {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    const size_t lane = tile * kLogitTile + skip;
    FloatVector sums[kSumVectors];
    unroll<kSumVectors>([&](size_t v) HWY_ATTR {
      sums[v] = hn::Add(hn::Load(d, noise_.get() + lane + v * lanes),
                        hn::Load(d, view_.singles + lane + v * lanes));
    });
    for (const LogitTile& part : view_.tiles[tile]) {
      const float* forces = rows_[part.column] + part.place + skip;
      unroll<kSumVectors>(
          [&](size_t v) HWY_ATTR { sums[v] = hn::Add(sums[v], hn::Load(d, forces + v * lanes)); });
    }
    unroll<kSumVectors>([&](size_t v)
                            HWY_ATTR { hn::Store(sums[v], d, logits_.get() + lane + v * lanes); });
  }

  HWY_INLINE float* triple_row(const LogitTriple& triple, const std::vector<size_t>& codes) const {
    const size_t cell =
        codes[triple.first] * view_.columns[triple.second].size + codes[triple.second];
    return triple.rows + cell * triple.stride;
  }

  /// Adds the forces on the triple's mover, and takes away others.
  HWY_INLINE void add_triple(const LogitTriple& triple, const float* more, const float* less) {
    const FloatTag d;
    float* logits = logits_.get() + view_.columns[triple.mover].lane / kForceBlock * kForceBlock;
    for (size_t place = 0; place < triple.stride; place += hn::Lanes(d)) {
      auto force = hn::Load(d, more + place);
      if (less != nullptr) {
        force = hn::Sub(force, hn::Load(d, less + place));
      }
      hn::Store(hn::Add(hn::Load(d, logits + place), force), d, logits + place);
    }
  }

  /// The code of the largest logit; the present code has `own` more, for the row is not counted.
  HWY_INLINE size_t choose(const LogitColumn& column, size_t present, float own) {
    const FloatTag d;
    const hn::RebindToSigned<decltype(d)> di;
    const size_t lanes = hn::Lanes(d);
    const size_t block = column.lane / kForceBlock * kForceBlock;
    const size_t first = column.lane / lanes * lanes;
    const size_t end = column.lane + column.size;
    const auto present_lane = hn::Set(di, static_cast<int32_t>(column.lane + present));
    const auto logits_at = [&](size_t place, [[maybe_unused]] auto lane_numbers) HWY_ATTR {
      auto logit = hn::Add(hn::Load(d, logits_.get() + place),
                           hn::Load(d, column.outside + (place - block)));
      if constexpr (kUpdate) {
        const auto at_present = hn::RebindMask(d, hn::Eq(lane_numbers, present_lane));
        logit = hn::Add(logit, hn::IfThenElseZero(at_present, hn::Set(d, own)));
      }
      return logit;
    };
    auto lane_numbers = hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(first)));
    auto best = logits_at(first, lane_numbers);
    if (first + lanes >= end) {
      const intptr_t place = hn::FindFirstTrue(d, hn::Eq(best, hn::MaxOfLanes(d, best)));
      return place < 0 ? present : first + static_cast<size_t>(place) - column.lane;
    }
    auto best_lane = lane_numbers;
    for (size_t place = first + lanes; place < end; place += lanes) {
      lane_numbers = hn::Add(lane_numbers, hn::Set(di, static_cast<int32_t>(lanes)));
      const auto logit = logits_at(place, lane_numbers);
      const auto better = hn::Gt(logit, best);
      best_lane = hn::IfThenElse(hn::RebindMask(di, better), lane_numbers, best_lane);
      best = hn::IfThenElse(better, logit, best);
    }
    const intptr_t place = hn::FindFirstTrue(d, hn::Eq(best, hn::MaxOfLanes(d, best)));
    HWY_ALIGN int32_t numbers[kForceBlock];
    hn::Store(best_lane, di, numbers);
    return place < 0 ? present : static_cast<size_t>(numbers[place]) - column.lane;
  }

  /// The row's code changes: logits of the columns after it follow, tables do not yet.
  HWY_INLINE void change(size_t c, size_t code) {
    const FloatTag d;
    const LogitColumn& column = view_.columns[c];
    const float* old_row = rows_[c];
    float* new_row = column.rows + code * column.stride;
    for (const LogitTile& tile : column.tiles) {
      if (tile.lane + kLogitTile <= column.lane) {
        continue;
      }
      float* logits = logits_.get() + tile.lane;
      for (size_t i = 0; i < kLogitTile; i += hn::Lanes(d)) {
        const auto force =
            hn::Sub(hn::Load(d, new_row + tile.place + i), hn::Load(d, old_row + tile.place + i));
        hn::Store(hn::Add(hn::Load(d, logits + i), force), d, logits + i);
      }
    }
    if (!column.triples.empty()) {
      change_triples(column, c, code);
    }
    now_[c] = code;
    rows_[c] = new_row;
    if constexpr (kUpdate) {
      // The pairs of this column no longer count the row where the others stand.
      const float* weights = view_.pair_weights + c * padded_columns_;
      for (size_t place = 0; place < padded_columns_; place += hn::Lanes(d)) {
        hn::Store(hn::Sub(hn::Load(d, own_.get() + place), hn::Load(d, weights + place)), d,
                  own_.get() + place);
      }
    }
  }

  void change_triples(const LogitColumn& column, size_t c, size_t code) {
    const size_t old_code = now_[c];
    for (const uint32_t t : column.triples) {
      const LogitTriple& triple = view_.triples[t];
      const float* less = triple_row(triple, now_);
      now_[c] = code;
      add_triple(triple, triple_row(triple, now_), less);
      now_[c] = old_code;
      if (kUpdate && triple_left_[t] == 0) {
        triple_left_[t] = 1;
        own_[triple.mover] -= triple.weight;
      }
    }
  }

  /// Takes the row out of the cells it was in and puts it into those it is in now.
  HWY_INLINE void update_tables(size_t changed) {
    for (size_t c = 0; c < columns_; ++c) {
      old_rows_[c] = view_.columns[c].rows + before_[c] * view_.columns[c].stride;
      rest_[c] = before_[c] == now_[c] ? 1.0F : 0.0F;
    }
    for (size_t i = 0; i < changed; ++i) {
      const size_t c = changed_[i];
      const LogitColumn& column = view_.columns[c];
      const size_t before = before_[c];
      const size_t now = now_[c];
      float* old_row = old_rows_[c];
      float* new_row = rows_[c];
      for (const LogitPartner& partner : column.partners) {
        const size_t p = partner.column;
        old_row[partner.place + before_[p]] += partner.weight;
        new_row[partner.place + now_[p]] -= partner.weight;
        // A partner that changed as well has its turn for its own rows.
        const float weight = partner.weight * rest_[p];
        float* cells = old_rows_[p] + partner.place_back;
        cells[before] += weight;
        cells[now] -= weight;
      }
      view_.singles[column.lane + before] += column.single_weight;
      view_.singles[column.lane + now] -= column.single_weight;
    }
    for (const LogitTriple& triple : view_.triples) {
      const size_t lane = view_.columns[triple.mover].lane % kForceBlock;
      triple_row(triple, before_)[lane + before_[triple.mover]] += triple.weight;
      triple_row(triple, now_)[lane + now_[triple.mover]] -= triple.weight;
    }
  }

  const LogitView& view_;
  size_t columns_;
  size_t padded_columns_;
  float temperature_;
  std::span<uint64_t> changes_;
  size_t noise_step_;
  GumbelNoise next_noise_{0};
  hwy::AlignedFreeUniquePtr<float[]> logits_;
  hwy::AlignedFreeUniquePtr<float[]> noise_;
  hwy::AlignedFreeUniquePtr<float[]> own_;
  std::vector<float*> rows_;
  std::vector<float*> old_rows_;
  std::vector<float> rest_;
  std::vector<size_t> before_;
  std::vector<size_t> now_;
  std::vector<uint32_t> changed_;
  std::vector<uint8_t> triple_left_;
};

template <bool kUpdate>
HWY_INLINE void move_all(const LogitView& view, uint16_t* codes, size_t rows,
                         const MoveOptions& options, std::span<uint64_t> changes) {
  if (rows == 0) {
    return;
  }
  const std::span<const uint32_t> order = options.order;
  RowMover<kUpdate> mover(view, options, changes);
  const auto place = [&](size_t i) { return order.empty() ? i : order[i]; };
  const auto key = [&](size_t i) {
    return noise_key(options.seed, options.first_number + place(std::min(i, rows - 1)));
  };
  mover.begin(key(0));
  for (size_t i = 0; i < rows; ++i) {
    // Rows in random order are not foreseen by the machine.
    hwy::Prefetch(codes + place(std::min(i + 4, rows - 1)) * view.columns.size());
    mover.move(codes + place(i) * view.columns.size(), key(i + 1));
  }
}

void move_rows_of_target(const LogitView& view, uint16_t* codes, size_t rows,
                         const MoveOptions& options, std::span<uint64_t> changes) {
  if (options.update) {
    move_all<true>(view, codes, rows, options, changes);
  } else {
    move_all<false>(view, codes, rows, options, changes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(move_rows_of_target);

}  // namespace

void move_rows(const LogitView& view, std::uint16_t* codes, std::size_t rows,
               const MoveOptions& options, std::span<std::uint64_t> changes) {
  MEHLER_ASSERT(options.temperature > 0.0F && changes.size() == view.columns.size());
  MEHLER_ASSERT(options.order.empty() || options.order.size() == rows);
  HWY_DYNAMIC_DISPATCH(move_rows_of_target)(view, codes, rows, options, changes);
}

}  // namespace mehler
#endif  // HWY_ONCE

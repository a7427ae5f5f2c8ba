#include "mehler/measurement/private_critics.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/wiping.h"
#include "mehler/measurement/internal/clip_scale.h"
#include "mehler/measurement/internal/noise.h"
#include "mehler/measurement/internal/private_critic.h"
#include "mehler/privacy/exact_bernoulli.h"
#include "mehler/privacy/secure_random.h"
#include "mehler/simd/matrix_product.h"

namespace mehler {
namespace {

/// Of weights that critics begin with: public.
constexpr std::uint64_t kSeed = 2;

/// Wipes what products of critics' weights leave with the calling thread.
struct WipedProducts {
  WipedProducts() = default;
  ~WipedProducts() { wipe_memory(product_memory().data(), product_memory().size_bytes()); }
  WipedProducts(const WipedProducts&) = delete;
  WipedProducts& operator=(const WipedProducts&) = delete;
};

std::size_t draw_below(SecureRandom& random, std::size_t bound) {
  return static_cast<std::size_t>(ExactBernoulli<SecureRandom>(random).uniform_below(bound));
}

}  // namespace

std::size_t PrivateCriticTraining::bytes(const RecordInputs& inputs, std::size_t critics) const {
  const std::size_t of_critic = multiply_saturating(
      PrivateCriticPass::parameter_count(inputs.size(), inputs.told_classes(), hidden),
      3 * sizeof(float));
  return multiply_saturating(of_critic, critics);
}

PrivateCritics::PrivateCritics(const PrivateBatches& records, const PrivateCriticTraining& training,
                               const SubsampledMechanism& paid)
    : records_(records),
      training_(training),
      pass_(std::make_unique<PrivateCriticPass>(records.inputs().size(),
                                                records.inputs().told_classes(), training.hidden)) {
  MEHLER_ASSERT(paid.plan().critics == TrainingCritics::kShards);
  paid.require_schema(records.schema_);
  shards_.resize(paid.plan().shards);
  SecureRandom random;
  for (const std::uint32_t row : records.all_) {
    shards_[draw_below(random, shards_.size())].push_back(row);
  }
  for (std::size_t c = 0; c < shards_.size(); ++c) {
    critics_.push_back(pass_->start(SeededRandom::seed_of_piece(kSeed, c)));
  }
}

PrivateCritics::~PrivateCritics() = default;

void PrivateCritics::train_critic(std::size_t critic, const Matrix& generated, std::size_t steps,
                                  PrivateCriticPass& pass) {
  const Rows& shard = shards_[critic];
  if (shard.empty()) {
    return;
  }
  const std::size_t width = records_.inputs().size();
  const std::size_t classes = std::max<std::size_t>(records_.inputs().told_classes(), 1);
  const std::size_t batch = training_.batch;
  SecureRandom random;
  WipedVector<float> real(batch * width);
  WipedVector<float> partners(batch * width);
  WipedVector<float> shares(batch);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t row = 0; row < batch; ++row) {
      const std::uint32_t record = shard[draw_below(random, shard.size())];
      records_.inputs().put(records_.records_, record, &real[row * width]);
      const std::size_t partner =
          draw_below(random, generated.rows / classes) * classes + told_class(record);
      std::copy_n(generated.row(partner).begin(), width, &partners[row * width]);
      shares[row] = std::ldexp(static_cast<float>(random.next_word() >> 40), -24);
    }
    pass.train(training_, real, partners, shares, critics_[critic]);
  }
}

std::size_t PrivateCritics::told_class(std::uint32_t record) const {
  return records_.inputs().told_classes() == 0
             ? 0
             : static_cast<std::size_t>(records_.records_.columns[*records_.label_].codes[record]);
}

bool PrivateCritics::classes_take_turns(const Matrix& generated) const {
  const std::size_t classes = records_.inputs().told_classes();
  const std::size_t numbers = generated.columns - classes;
  for (std::size_t row = 0; classes > 0 && row < generated.rows; ++row) {
    if (generated.row(row)[numbers + row % classes] != 1.0F) {
      return false;
    }
  }
  return generated.rows > 0 && generated.rows % std::max<std::size_t>(classes, 1) == 0;
}

void PrivateCritics::train(const Matrix& generated, std::size_t critics, std::size_t steps,
                           WorkerPool& pool) {
  constexpr std::size_t kCriticsOfTask = 8;
  MEHLER_ASSERT(generated.columns == records_.inputs().size() && classes_take_turns(generated));
  MEHLER_ASSERT(critics <= critics_.size());
  pool.run(ceil_divide(critics, kCriticsOfTask), [&](std::size_t task) {
    const WipedProducts wiped;
    PrivateCriticPass pass(records_.inputs().size(), records_.inputs().told_classes(),
                           training_.hidden);
    const std::size_t first = task * kCriticsOfTask;
    for (std::size_t i = first; i < std::min(first + kCriticsOfTask, critics); ++i) {
      train_critic((next_ + i) % critics_.size(), generated, steps, pass);
    }
  });
  next_ = (next_ + critics) % critics_.size();
}

void PrivateCritics::clipped_gradient(std::size_t critic, std::span<const float> generated,
                                      double clip_norm, std::span<std::int64_t> gradient) {
  slopes_.resize(generated.size());
  pass_->record_gradient(critics_[critic], generated, slopes_);
  const double norm = euclidean_length(std::span(slopes_).first(gradient.size()));
  const std::optional<double> scale = clip_scale(norm, clip_norm);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    // Cut toward 0, so that nothing grows.
    gradient[i] = scale ? static_cast<std::int64_t>(std::ldexp(
                              -*scale * static_cast<double>(slopes_[i]), kGradientGridExponent))
                        : 0;
  }
}

Matrix PrivateCritics::noisy_gradients(const Matrix& generated, SubsampledMechanism& paid,
                                       WorkerPool& pool) {
  const TrainingPlan& plan = paid.plan();
  MEHLER_ASSERT(plan.shards == critics_.size() && generated.rows == plan.queries);
  MEHLER_ASSERT(generated.columns == records_.inputs().size());
  paid.require_schema(records_.schema_);
  paid.take_step(0);
  const std::size_t width = records_.inputs().layout().size;
  WipedVector<std::int64_t> gradients(generated.rows * width);
  const WipedProducts wiped;
  SecureRandom random;
  std::size_t critic = 0;
  for (std::size_t row = 0; row < generated.rows; ++row) {
    if (row == 0 || !plan.drawn_jointly) {
      critic = draw_below(random, critics_.size());
    }
    clipped_gradient(critic, generated.row(row), plan.clip_norm,
                     std::span(gradients).subspan(row * width, width));
  }
  // Two gradients differ by up to twice the clip norm.
  const std::vector<float> noisy =
      with_gradient_noise(gradients, 2.0 * plan.noise_multiplier, plan.clip_norm, pool);
  Matrix result(generated.rows, generated.columns);
  for (std::size_t row = 0; row < result.rows; ++row) {
    std::copy_n(&noisy[row * width], width, result.row(row).begin());
  }
  return result;
}

}  // namespace mehler

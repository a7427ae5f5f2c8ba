#include "mehler/evaluation/kernels/mmd.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/simd/record_pairs.h"

namespace mehler {
namespace {

/// Records of a block: of one side they stay in the first cache, of the other in the second.
constexpr std::size_t kRowBlock = 64;
constexpr std::size_t kColumnBlock = 1024;
static_assert(kColumnBlock % kPairPadding == 0);

/// Stands for a missing number. Numbers are at most 1 / (sqrt(2) 10^-3) = 707 in size, so its
/// distance to any of them has the kernel exp(-10^8) = 0, and to itself 1.
constexpr double kMissingNumber = 1e4;
static_assert(1.0 / HermiteFeatures::kMinLengthScale < kMissingNumber / 2);

void require_records(const EncodedBatch& records) {
  if (records.rows == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "a table has no records to compare; give one with at least one record");
  }
}

/// Records in the layout of the kernel loops, numbers divided by sqrt(2) times their length scale.
class PairStorage {
 public:
  PairStorage(const RecordKernel& kernel, const EncodedBatch& batch) {
    records_.rows = batch.rows;
    records_.stride = (batch.rows + kPairPadding - 1) / kPairPadding * kPairPadding;
    for (const RecordKernel::ColumnKernel& column : kernel.columns()) {
      const EncodedColumn& source = batch.columns.at(column.column);
      if (column.length_scale) {
        ++records_.number_columns;
        for (const double value : source.numbers) {
          numbers_.push_back(std::isnan(value) ? kMissingNumber
                                               : value / (std::sqrt(2.0) * *column.length_scale));
        }
        numbers_.resize(records_.number_columns * records_.stride, 0.0);
      } else {
        ++records_.code_columns;
        codes_.insert(codes_.end(), source.codes.begin(), source.codes.end());
        codes_.resize(records_.code_columns * records_.stride, 0.0);
      }
    }
    if (kernel.label()) {
      const EncodedColumn& source = batch.columns.at(*kernel.label());
      label_.assign(source.codes.begin(), source.codes.end());
      label_.resize(records_.stride, 0.0);
      records_.label = label_.data();
    }
    records_.numbers = numbers_.data();
    records_.codes = codes_.data();
  }
  PairStorage(const PairStorage&) = delete;
  PairStorage& operator=(const PairStorage&) = delete;

  const PairRecords& records() const { return records_; }

 private:
  PairRecords records_;
  std::vector<double> numbers_;
  std::vector<double> codes_;
  std::vector<double> label_;
};

/// One block of rows against all later columns (of the same records) or all columns (of others).
struct RowTask {
  const PairRecords* a;
  const PairRecords* b;
  std::size_t begin;
  double weight;  ///< of the mean over all pairs
};

PairKernelSums run_task(const RowTask& task) {
  const bool symmetric = task.a == task.b;
  const std::size_t end = std::min(task.begin + kRowBlock, task.a->rows);
  PairKernelSums total;
  const auto add = [&](std::size_t from, std::size_t to, double times) {
    const PairKernelSums part = pair_kernel_sums(*task.a, task.begin, end, *task.b, from, to);
    total.sum += times * part.sum;
    total.product += times * part.product;
  };
  std::size_t from = 0;
  if (symmetric) {
    // k(x, y) = k(y, x): the block on the diagonal counts once, those right of it twice.
    static_assert(kRowBlock % kPairPadding == 0);
    add(task.begin, end, 1.0);
    from = task.begin + kRowBlock;
  }
  for (; from < task.b->rows; from += kColumnBlock) {
    add(from, std::min(from + kColumnBlock, task.b->rows), symmetric ? 2.0 : 1.0);
  }
  return total;
}

/// Tells how far the work is, about four times a second, from one worker.
class TaskProgress {
 public:
  TaskProgress(const Context& context, std::size_t tasks) : context_(context), tasks_(tasks) {}

  void tell(std::size_t worker, std::size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (worker != 0 || !context_.progress || now - last_ < std::chrono::milliseconds(250)) {
      return;
    }
    last_ = now;
    context_.progress({0, static_cast<double>(done) / static_cast<double>(tasks_)});
  }

 private:
  const Context& context_;
  std::size_t tasks_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

KernelValues exact_squared_mmd(const RecordKernel& kernel, const EncodedBatch& x,
                               const EncodedBatch& y, const Context& context) {
  require_records(x);
  require_records(y);
  const PairStorage x_storage(kernel, x);
  const PairStorage y_storage(kernel, y);
  const auto m = static_cast<double>(x.rows);
  const auto n = static_cast<double>(y.rows);
  std::vector<RowTask> tasks;
  const auto add_tasks = [&](const PairRecords& a, const PairRecords& b, double weight) {
    for (std::size_t begin = 0; begin < a.rows; begin += kRowBlock) {
      tasks.push_back({&a, &b, begin, weight});
    }
  };
  add_tasks(x_storage.records(), x_storage.records(), 1.0 / (m * m));
  add_tasks(y_storage.records(), y_storage.records(), 1.0 / (n * n));
  add_tasks(x_storage.records(), y_storage.records(), -2.0 / (m * n));

  // Each task has a place for its result, so that the order of the additions below, and with it the
  // last bit, does not depend on the threads.
  std::vector<PairKernelSums> results(tasks.size());
  std::atomic<std::size_t> next{0};
  TaskProgress progress(context, tasks.size());
  run_workers(context.threads, [&](std::size_t worker) {
    for (std::size_t task = next++; task < tasks.size(); task = next++) {
      context.throw_if_cancelled();
      results[task] = run_task(tasks[task]);
      progress.tell(worker, task);
    }
  });

  KernelValues squared;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    squared.sum += tasks[i].weight * results[i].sum / static_cast<double>(kernel.columns().size());
    squared.product += tasks[i].weight * results[i].product;
  }
  // A squared norm; rounding can take an estimate of 0 below it.
  return {std::max(0.0, squared.sum), std::max(0.0, squared.product)};
}

SumKernelFeatures::SumKernelFeatures(const RecordKernel& kernel, std::size_t order)
    : label_(kernel.label()), classes_(kernel.classes()) {
  std::map<double, HermiteFeatures> by_length_scale;  // finding the best rho takes milliseconds
  for (const RecordKernel::ColumnKernel& column : kernel.columns()) {
    if (!column.length_scale) {
      maps_.push_back(FeatureMap::one_hot(column.column, column.codes));
    } else {
      auto place = by_length_scale.find(*column.length_scale);
      if (place == by_length_scale.end()) {
        place = by_length_scale
                    .emplace(*column.length_scale,
                             HermiteFeatures::with_best_rho(order, *column.length_scale))
                    .first;
      }
      maps_.push_back(FeatureMap::hermite(column.column, place->second, column.may_miss));
    }
    entries_ += maps_.back().dimension();
  }
}

std::vector<double> SumKernelFeatures::mean(const EncodedBatch& records) const {
  require_records(records);
  std::vector<double> mean(dimension(), 0.0);
  std::size_t offset = 0;
  std::vector<double> phi;
  for (const FeatureMap& map : maps_) {
    phi.resize(map.dimension());
    for (std::size_t row = 0; row < records.rows; ++row) {
      const std::size_t label =
          label_ ? static_cast<std::size_t>(records.columns.at(*label_).codes.at(row)) : 0;
      map.evaluate(records, row, phi.data());
      for (std::size_t k = 0; k < phi.size(); ++k) {
        mean[label * entries_ + offset + k] += phi[k];
      }
    }
    offset += map.dimension();
  }
  const double share =
      1.0 / (static_cast<double>(records.rows) * std::sqrt(static_cast<double>(maps_.size())));
  for (double& value : mean) {
    value *= share;
  }
  return mean;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  MEHLER_ASSERT(a.size() == b.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return sum;
}

}  // namespace mehler

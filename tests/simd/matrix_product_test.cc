#include "mehler/simd/matrix_product.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/seeded_random.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace matrix_product_test {

constexpr float kUntouched = 12345.678F;

/// A matrix of [rows][columns], rows a stride apart, that ends where readable memory ends: who
/// reads or writes behind it crashes. In front of it and between its rows stands kUntouched.
class GuardedMatrix {
 public:
  GuardedMatrix(std::size_t rows, std::size_t columns, std::size_t stride)
      : rows_(rows), columns_(columns), stride_(stride) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t floats = rows == 0 ? 0 : (rows - 1) * stride + columns;
    bytes_ = round_up((kFront + floats) * sizeof(float), page);
    mapped_ = static_cast<char*>(
        mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    MEHLER_ASSERT(mapped_ != MAP_FAILED && mprotect(mapped_ + bytes_, page, PROT_NONE) == 0);
    bytes_ += page;
    data_ = reinterpret_cast<float*>(mapped_ + bytes_ - page) - floats;
    std::fill(reinterpret_cast<float*>(mapped_), data_ + floats, kUntouched);
  }
  ~GuardedMatrix() { munmap(mapped_, bytes_); }
  GuardedMatrix(const GuardedMatrix&) = delete;
  GuardedMatrix& operator=(const GuardedMatrix&) = delete;

  float* data() const { return data_; }
  std::size_t stride() const { return stride_; }
  float& at(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }

  void fill(SeededRandom& random) const {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        at(i, j) = static_cast<float>(random.normal());
      }
    }
  }

  /// Whether nothing was written in front of the matrix and between its rows.
  bool surroundings_are_untouched() const {
    const auto untouched = [](float value) { return value == kUntouched; };
    bool result = std::all_of(reinterpret_cast<const float*>(mapped_),
                              static_cast<const float*>(data_), untouched);
    for (std::size_t i = 0; i + 1 < rows_; ++i) {
      result = result && std::all_of(&at(i, columns_), &at(i + 1, 0), untouched);
    }
    return result;
  }

 private:
  static constexpr std::size_t kFront = 64;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t stride_;
  std::size_t bytes_ = 0;
  char* mapped_ = nullptr;
  float* data_ = nullptr;
};

struct Shape {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

/// Multiplies random matrices, with gaps between their rows, and compares each entry with the
/// product in double by the bound that the header states.
void expect_within_bound(const Shape& shape, Transpose transpose_a, Transpose transpose_b,
                         bool accumulate, std::size_t gap, SeededRandom& random) {
  const auto [m, n, k] = shape;
  const bool ta = transpose_a == Transpose::kYes;
  const bool tb = transpose_b == Transpose::kYes;
  const GuardedMatrix a(ta ? k : m, ta ? m : k, (ta ? m : k) + gap);
  const GuardedMatrix b(tb ? n : k, tb ? k : n, (tb ? k : n) + gap);
  const GuardedMatrix result(m, n, n + gap);
  a.fill(random);
  b.fill(random);
  result.fill(random);
  std::vector<double> expected(m * n);
  std::vector<double> magnitudes(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto old = static_cast<double>(accumulate ? result.at(i, j) : 0.0F);
      double sum = old;
      double magnitude = std::fabs(old);
      for (std::size_t p = 0; p < k; ++p) {
        const double term = static_cast<double>(ta ? a.at(p, i) : a.at(i, p)) *
                            static_cast<double>(tb ? b.at(j, p) : b.at(p, j));
        sum += term;
        magnitude += std::fabs(term);
      }
      expected[i * n + j] = sum;
      magnitudes[i * n + j] = magnitude;
    }
  }
  if (gap == 0) {
    multiply(transpose_a, transpose_b, m, n, k, a.data(), b.data(), result.data(), accumulate);
  } else {
    multiply(transpose_a, transpose_b, m, n, k, a.data(), a.stride(), b.data(), b.stride(),
             result.data(), result.stride(), accumulate);
  }
  const double roundings =
      k == 0 ? 0.0 : static_cast<double>(std::min<std::size_t>(k, 256) + k / 256 + 1);
  const double relative = roundings * 0x1p-24 / (1.0 - roundings * 0x1p-24);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      // The sums in double have errors of their own, of 2^-53 a term.
      ASSERT_NEAR(static_cast<double>(result.at(i, j)), expected[i * n + j],
                  (relative + static_cast<double>(k) * 0x1p-52) * magnitudes[i * n + j])
          << active_instruction_set() << " " << m << " x " << n << " x " << k << ", transposed "
          << ta << tb << ", accumulate " << accumulate << ", entry " << i << ", " << j;
    }
  }
  ASSERT_TRUE(result.surroundings_are_untouched())
      << active_instruction_set() << " " << m << " x " << n << " x " << k;
}

/// Every way to store and add, on every instruction set.
void expect_within_bound(const std::vector<Shape>& shapes) {
  const InstructionSetRestorer restorer;
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    ASSERT_EQ(active_instruction_set(), set);
    SeededRandom random(1);
    for (const Shape& shape : shapes) {
      for (const std::size_t way : {0, 1, 2, 3, 4, 5, 6, 7}) {
        expect_within_bound(shape, way % 2 == 0 ? Transpose::kNo : Transpose::kYes,
                            way / 2 % 2 == 0 ? Transpose::kNo : Transpose::kYes, way >= 4,
                            (shape.m + shape.n + shape.k + way) % 3, random);
        if (testing::Test::HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

TEST(MatrixProduct, SmallSizesAreWithinTheBound) {
  SeededRandom random(2);
  std::vector<Shape> shapes;
  const auto any = [&] { return static_cast<std::size_t>(random.uniform() * 71.0); };
  for (std::size_t size = 0; size <= 70; ++size) {
    shapes.push_back({size, any(), any()});
    shapes.push_back({any(), size, any()});
    shapes.push_back({any(), any(), size});
  }
  expect_within_bound(shapes);
}

TEST(MatrixProduct, LargeSizesAreWithinTheBound) {
  expect_within_bound({{256, 200, 200},
                       {200, 200, 500},
                       {13, 17, 1025},
                       {1, 1, 5000},
                       {3, 1100, 70},
                       {600, 5, 300},
                       {300, 33, 257},
                       {7, 1000, 512}});
}

TEST(MatrixProduct, OfEmptyMatricesWritesNothing) {
  float result = 3.0F;
  multiply(Transpose::kNo, Transpose::kNo, 0, 1, 1, nullptr, nullptr, &result, false);
  multiply(Transpose::kNo, Transpose::kNo, 1, 0, 1, nullptr, nullptr, &result, false);
  EXPECT_EQ(result, 3.0F);
}

TEST(MatrixProduct, OverNoTermsIsZero) {
  std::array<float, 4> result = {1.0F, 2.0F, 3.0F, 4.0F};
  multiply(Transpose::kNo, Transpose::kYes, 2, 2, 0, nullptr, nullptr, result.data(), true);
  EXPECT_EQ(result, (std::array<float, 4>{1.0F, 2.0F, 3.0F, 4.0F}));
  multiply(Transpose::kNo, Transpose::kYes, 2, 2, 0, nullptr, nullptr, result.data(), false);
  EXPECT_EQ(result, (std::array<float, 4>{}));
}

TEST(MatrixProduct, RefusesAResultThatSharesMemoryWithItsFactors) {
  std::vector<float> values(30, 1.0F);
  const auto product = [&](std::size_t a, std::size_t b, std::size_t result) {
    multiply(Transpose::kNo, Transpose::kNo, 3, 3, 3, &values[a], &values[b], &values[result],
             false);
  };
  EXPECT_NO_THROW(product(0, 0, 9));
  EXPECT_NO_THROW(product(10, 19, 1));
  EXPECT_THROW(product(0, 9, 8), Error);
  EXPECT_THROW(product(9, 0, 8), Error);
  EXPECT_THROW(product(9, 18, 17), Error);
  EXPECT_THROW(product(0, 0, 0), Error);
}

/// Training cuts rows into tiles for threads; what it computes must not depend on the cuts.
TEST(MatrixProduct, EntriesDependOnTheirRowAndColumnAlone) {
  const InstructionSetRestorer restorer;
  SeededRandom random(3);
  const std::size_t m = 131;
  const std::size_t n = 75;
  for (const std::size_t k : {1, 15, 200, 257, 700}) {
    std::vector<float> a(m * k);
    std::vector<float> b(k * n);
    for (std::vector<float>* matrix : {&a, &b}) {
      for (float& value : *matrix) {
        value = static_cast<float>(random.normal());
      }
    }
    std::vector<float> a_transposed(a.size());
    std::vector<float> b_transposed(b.size());
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t i = 0; i < m; ++i) {
        a_transposed[p * m + i] = a[i * k + p];
      }
      for (std::size_t j = 0; j < n; ++j) {
        b_transposed[j * k + p] = b[p * n + j];
      }
    }
    for (const std::string& set : available_instruction_sets()) {
      ASSERT_TRUE(force_instruction_set(set));
      std::vector<float> whole(m * n);
      multiply(Transpose::kNo, Transpose::kNo, m, n, k, a.data(), b.data(), whole.data(), false);
      for (const std::size_t rows : {1, 2, 5, 7, 12, 13, 24, 100}) {
        std::vector<float> cut(m * n);
        for (std::size_t first = 0; first < m; first += rows) {
          multiply(Transpose::kNo, Transpose::kNo, std::min(rows, m - first), n, k, &a[first * k],
                   b.data(), &cut[first * n], false);
        }
        ASSERT_EQ(cut, whole) << set << ", tiles of " << rows << " rows";
      }
      for (const std::size_t columns : {1, 3, 16, 20, 74}) {
        std::vector<float> cut(m * n);
        for (std::size_t first = 0; first < n; first += columns) {
          multiply(Transpose::kNo, Transpose::kNo, m, std::min(columns, n - first), k, a.data(), k,
                   &b[first], n, &cut[first], n, false);
        }
        ASSERT_EQ(cut, whole) << set << ", tiles of " << columns << " columns";
      }
      std::vector<float> stored(m * n);
      multiply(Transpose::kYes, Transpose::kYes, m, n, k, a_transposed.data(), b_transposed.data(),
               stored.data(), false);
      ASSERT_EQ(stored, whole) << set << ", both transposed";
    }
  }
}

TEST(MatrixProduct, IsTheSameOnThreadsAtOnce) {
  const std::size_t size = 130;
  std::vector<float> a(size * size);
  SeededRandom random(4);
  for (float& value : a) {
    value = static_cast<float>(random.normal());
  }
  const auto product = [&](std::size_t rows) {
    std::vector<float> result(rows * size);
    multiply(Transpose::kNo, Transpose::kYes, rows, size, size, a.data(), a.data(), result.data(),
             false);
    return result;
  };
  const std::vector<float> expected = product(size);
  std::array<bool, 4> is_equal = {};
  run_workers(is_equal.size(), [&](std::size_t worker) {
    bool equal = true;
    for (std::size_t repeat = 0; repeat < 20; ++repeat) {
      // Different sizes at the same time pack differently.
      const std::vector<float> found = product(size - 7 * worker);
      equal = equal && std::equal(found.begin(), found.end(), expected.begin());
    }
    is_equal[worker] = equal;
  });
  EXPECT_EQ(is_equal, (std::array<bool, 4>{true, true, true, true}));
}

}  // namespace matrix_product_test
}  // namespace mehler

// Matrix products of floats on one thread, ours beside those of libraries that happen to be here.
//
//   matrix_product_benchmark INSTRUCTION_SET REPEATS SHAPE...
//
// Our product uses the instruction set of that name, or "best". A shape is two letters and three
// numbers, such as NT:256x200x60: op(a) is 256 x 60 and stored so (N), op(b) is 60 x 200 and stored
// transposed (T). Prints a JSON object: the instruction set, and for each shape and library the
// shortest CPU seconds that a product took, and the median of their ratios to ours, turn by turn.
// Entries are compared with sums in double before anything is timed. The libraries start threads
// unless OMP_NUM_THREADS and OPENBLAS_NUM_THREADS are 1; CPU seconds are those of all threads.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/matrix_product.h"

#ifdef MEHLER_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif
#ifdef MEHLER_WITH_OPENBLAS
#include <cblas.h>
#endif

namespace mehler {
namespace {

/// Products that are timed together have at least so many multiply-adds.
constexpr double kTimedTogether = 2e6;
/// Entries of a product that are compared with sums in double.
constexpr std::size_t kCompared = 4096;

struct Shape {
  std::string text;
  Transpose a = Transpose::kNo;
  Transpose b = Transpose::kNo;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

Shape shape_of(const std::string& text) {
  Shape shape;
  shape.text = text;
  char a = 0;
  char b = 0;
  if (std::sscanf(text.c_str(), "%c%c:%zux%zux%zu", &a, &b, &shape.m, &shape.n, &shape.k) != 5) {
    throw Error(ErrorCode::kInvalidArgument, "a shape is written NN:256x200x200, not " + text);
  }
  shape.a = a == 'T' ? Transpose::kYes : Transpose::kNo;
  shape.b = b == 'T' ? Transpose::kYes : Transpose::kNo;
  return shape;
}

struct Library {
  std::string name;
  std::function<void(const Shape&, const float* a, const float* b, float* result)> multiply;
};

std::vector<Library> libraries() {
  std::vector<Library> result;
  result.push_back({"mehler", [](const Shape& s, const float* a, const float* b, float* c) {
                      multiply(s.a, s.b, s.m, s.n, s.k, a, b, c, false);
                    }});
#ifdef MEHLER_WITH_ONEDNN
  result.push_back({"oneDNN", [](const Shape& s, const float* a, const float* b, float* c) {
                      const bool ta = s.a == Transpose::kYes;
                      const bool tb = s.b == Transpose::kYes;
                      const auto m = static_cast<dnnl_dim_t>(s.m);
                      const auto n = static_cast<dnnl_dim_t>(s.n);
                      const auto k = static_cast<dnnl_dim_t>(s.k);
                      dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1.0F, a, ta ? m : k, b,
                                 tb ? k : n, 0.0F, c, n);
                    }});
#endif
#ifdef MEHLER_WITH_OPENBLAS
  result.push_back({"OpenBLAS", [](const Shape& s, const float* a, const float* b, float* c) {
                      const bool ta = s.a == Transpose::kYes;
                      const bool tb = s.b == Transpose::kYes;
                      const auto m = static_cast<int>(s.m);
                      const auto n = static_cast<int>(s.n);
                      const auto k = static_cast<int>(s.k);
                      cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans,
                                  tb ? CblasTrans : CblasNoTrans, m, n, k, 1.0F, a, ta ? m : k, b,
                                  tb ? k : n, 0.0F, c, n);
                    }});
#endif
  return result;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void check(const Shape& s, const std::vector<float>& a, const std::vector<float>& b,
           const std::vector<float>& result, const std::string& library) {
  SeededRandom random(2);
  const double allowed = static_cast<double>(s.k + 2) * 0x1p-24;
  for (std::size_t i = 0; i < kCompared; ++i) {
    const auto row = static_cast<std::size_t>(random.uniform() * static_cast<double>(s.m));
    const auto column = static_cast<std::size_t>(random.uniform() * static_cast<double>(s.n));
    double sum = 0.0;
    double magnitude = 0.0;
    for (std::size_t p = 0; p < s.k; ++p) {
      const double x =
          static_cast<double>(a[s.a == Transpose::kYes ? p * s.m + row : row * s.k + p]);
      const double y =
          static_cast<double>(b[s.b == Transpose::kYes ? column * s.k + p : p * s.n + column]);
      sum += x * y;
      magnitude += std::fabs(x * y);
    }
    const auto found = static_cast<double>(result[row * s.n + column]);
    if (!(std::fabs(found - sum) <= allowed * magnitude)) {
      throw Error(ErrorCode::kInternal, fmt::format("{}, {}: entry {}, {} is {} and not {}",
                                                    library, s.text, row, column, found, sum));
    }
  }
}

/// The shortest CPU seconds of a product by each library, and the median of their ratios to ours:
/// libraries take turns, so both of a ratio find the same clock rate.
std::string times_of(const Shape& shape, std::size_t repeats) {
  SeededRandom random(1);
  std::vector<float> a(shape.m * shape.k);
  std::vector<float> b(shape.k * shape.n);
  for (std::vector<float>* values : {&a, &b}) {
    for (float& value : *values) {
      value = static_cast<float>(random.uniform() - 0.5);
    }
  }
  const std::vector<Library> all = libraries();
  std::vector<std::vector<float>> results;
  for (const Library& library : all) {
    results.emplace_back(shape.m * shape.n, std::numeric_limits<float>::quiet_NaN());
    library.multiply(shape, a.data(), b.data(), results.back().data());
    check(shape, a, b, results.back(), library.name);
  }
  const auto together = static_cast<std::size_t>(
      std::ceil(kTimedTogether / static_cast<double>(shape.m * shape.n * shape.k)));
  std::vector<std::vector<double>> seconds(all.size());
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double start = cpu_seconds();
      for (std::size_t j = 0; j < together; ++j) {
        all[i].multiply(shape, a.data(), b.data(), results[i].data());
      }
      seconds[i].push_back((cpu_seconds() - start) / static_cast<double>(together));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      ratios.push_back(seconds[i][repeat] / seconds[0][repeat]);
    }
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(repeats / 2),
                     ratios.end());
    text += fmt::format("{}\"{}\": {{\"seconds\": {:.6g}, \"ratio\": {:.4g}}}", i == 0 ? "" : ", ",
                        all[i].name, *std::min_element(seconds[i].begin(), seconds[i].end()),
                        ratios[repeats / 2]);
  }
  return fmt::format("\"{}\": {{{}}}", shape.text, text);
}

void run(int argc, char** argv) {
  const std::string instruction_set = argv[1];
  if (instruction_set != "best" && !force_instruction_set(instruction_set)) {
    throw Error(ErrorCode::kInvalidArgument, "this machine does not have " + instruction_set);
  }
  const std::size_t repeats = std::strtoull(argv[2], nullptr, 10);
  fmt::print("{{\"instruction_set\": \"{}\", \"shapes\": {{", active_instruction_set());
  for (int i = 3; i < argc; ++i) {
    fmt::print("{}\n  {}", i == 3 ? "" : ",", times_of(shape_of(argv[i]), repeats));
  }
  fmt::print("}}}}\n");
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "an instruction set, a number of repeats and shapes are needed; see the head of the "
               "source\n");
    return 2;
  }
  mehler::run(argc, argv);
  return 0;
}

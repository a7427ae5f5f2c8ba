// Compares the marginals of two tables of codes and says how long it took.
//
//   marginals_benchmark CODES ROWS COLUMNS WAYS THREADS REPEATS DISTANCES
//
// CODES: uint16, [2][COLUMNS][ROWS], two tables of ROWS records. DISTANCES receives float64, one
// total variation distance per subset of WAYS columns, in lexicographic order. Prints
// {"seconds": best of REPEATS, "mean": ...}.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "benchmarks/micro/measure.h"
#include "mehler/core/error.h"
#include "mehler/evaluation/tables/marginals.h"

namespace mehler {
namespace {

CodedTable read_codes(std::ifstream& input, std::size_t rows, std::size_t columns) {
  CodedTable table;
  table.rows = rows;
  table.columns.resize(columns);
  for (CodedColumn& column : table.columns) {
    column.codes.resize(rows);
    input.read(reinterpret_cast<char*>(column.codes.data()),
               static_cast<std::streamsize>(rows * sizeof(std::uint16_t)));
  }
  if (!input) {
    throw Error(ErrorCode::kFile, "the codes could not be read");
  }
  return table;
}

void run(char** arguments) {
  std::ifstream input(arguments[1], std::ios::binary);
  const auto rows = std::strtoull(arguments[2], nullptr, 10);
  const auto columns = std::strtoull(arguments[3], nullptr, 10);
  const auto ways = std::strtoull(arguments[4], nullptr, 10);
  const auto threads = std::strtoull(arguments[5], nullptr, 10);
  const auto repeats = std::strtoull(arguments[6], nullptr, 10);
  const CodedTable a = read_codes(input, rows, columns);
  const CodedTable b = read_codes(input, rows, columns);
  double best = 1e300;
  MarginalDistances found;
  for (unsigned long long repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    found = compare_marginals(a, b, {ways, 1'000'000, 1}, Context{threads, nullptr, nullptr});
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ofstream output(arguments[7], std::ios::binary);
  for (const SubsetDistance& subset : found.subsets) {
    output.write(reinterpret_cast<const char*>(&subset.total_variation), sizeof(double));
  }
  fmt::print("{{\"seconds\": {}, \"mean\": {}}}\n", best, found.mean);
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 7, mehler::run); }

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <limits>
#include <span>
#include <string>

#include "mehler/core/error.h"

namespace mehler {

/// Seconds that work() takes.
double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest seconds of several runs of work().
double shortest_seconds(std::size_t repeats, const auto& work) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    shortest = std::min(shortest, seconds_of(work));
  }
  return shortest;
}

/// The most memory this process has held so far, in MB (Linux).
inline double peak_memory_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0.0;
    if (word == "VmHWM:" && status >> kilobytes) {
      return kilobytes / 1024.0;
    }
  }
  throw Error(ErrorCode::kFile, "/proc/self/status does not tell the peak memory");
}

/// The main() of a benchmark program: runs it with its arguments, if they are as many as it needs.
inline int run_with_arguments(int argc, char** argv, int needed, void (*run)(char** arguments)) {
  if (argc != needed + 1) {
    fmt::print(stderr, "{} arguments are needed; see the head of the source\n", needed);
    return 2;
  }
  run(argv);
  return 0;
}

/// Fills `values` from a file of raw numbers.
template <class Number>
void read_raw(const std::string& path, std::span<Number> values) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  if (!file) {
    throw Error(ErrorCode::kFile, "the values could not be read");
  }
}

/// Adds raw numbers to the end of a file.
template <class Number>
void append_raw(const std::string& path, std::span<const Number> values) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
  if (!file) {
    throw Error(ErrorCode::kFile, "the values could not be written");
  }
}

}  // namespace mehler

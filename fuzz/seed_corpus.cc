// Under libFuzzer: writes the harness's seeds into the first corpus folder of the command line,
// which the fuzzer then reads. Without one it would have to find the shape of a release file by
// chance.

#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/harness.h"

extern "C" int LLVMFuzzerInitialize(int* argument_count, char*** arguments) {
  for (int i = 1; i < *argument_count; ++i) {
    const std::filesystem::path folder = (*arguments)[i];
    if (!std::filesystem::is_directory(folder)) {
      continue;
    }
    int number = 0;
    for (const std::string& seed : seeds()) {
      std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
      file.write(seed.data(), static_cast<std::streamsize>(seed.size()));
    }
    return 0;
  }
  return 0;
}

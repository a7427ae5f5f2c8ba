// Runs a harness over its seeds and 500 random changes of each: the fuzzer's loop without a
// fuzzer.

#include <algorithm>

#include "fuzz/harness.h"
#include "mehler/core/seeded_random.h"

namespace {

std::string changed(std::string bytes, mehler::SeededRandom& random) {
  const std::size_t changes = 1 + random.next_word() % 4;
  for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t place = random.next_word() % bytes.size();
    switch (random.next_word() % 5) {
      case 0:
        bytes[place] = static_cast<char>(random.next_word());
        break;
      case 1:
        bytes.erase(place, 1 + random.next_word() % 8);
        break;
      case 2:
        bytes.insert(place, 1, static_cast<char>(random.next_word()));
        break;
      case 3:
        bytes.insert(place, bytes.substr(random.next_word() % bytes.size(), 32));
        break;
      default:
        bytes.resize(place);
        break;
    }
  }
  return bytes;
}

}  // namespace

int main() {
  mehler::SeededRandom random(1);
  for (const std::string& seed : seeds()) {
    for (int i = 0; i < 500; ++i) {
      const std::string bytes = i == 0 ? seed : changed(seed, random);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
  }
  return 0;
}

// Reads a release with the release stage alone.
#include <iostream>

#include "mehler/core/error.h"
#include "mehler/release/release.h"

int main(int argc, char** argv) {
  try {
    std::cout << mehler::Release::from_file(argc > 1 ? argv[1] : "none").in_words() << "\n";
    return 0;
  } catch (const mehler::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

#include "mehler/synthesis/marginals/release_marginals.h"

int main() {
  // Names the function that reads private records and makes a release of them; calls nothing.
  return &mehler::release_marginals == nullptr ? 1 : 0;
}

#include "mehler/simd/adam_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace adam_step_test {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  SeededRandom random(seed);
  for (float& value : values) {
    value = static_cast<float>(random.uniform());
  }
  return values;
}

TEST(AdamStep, HasTheBitsOfItsFormulaOnEveryInstructionSet) {
  constexpr std::size_t kCount = 77;
  constexpr float kRate = 0.01F;
  const std::vector<float> gradient = random_floats(kCount, 1);
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(force_instruction_set(name));
    std::vector<float> parameters = random_floats(kCount, 2);
    std::vector<float> first = random_floats(kCount, 3);
    std::vector<float> second = random_floats(kCount, 4);
    // Products are stored before they are added, so that no compiler fuses the two.
    std::vector<float> expected = parameters;
    for (std::size_t i = 0; i < kCount; ++i) {
      const volatile float of_first = 0.1F * (gradient[i] - first[i]);
      const volatile float square = gradient[i] * gradient[i];
      const volatile float of_second = 0.001F * (square - second[i]);
      const volatile float step =
          kRate * (first[i] + of_first) / (std::sqrt(second[i] + of_second) + 1e-8F);
      expected[i] -= step;
    }
    adam_step({parameters.data(), gradient.data(), first.data(), second.data(), kCount}, 0.1F,
              0.001F, kRate);
    EXPECT_EQ(parameters, expected);
  }
}

}  // namespace adam_step_test
}  // namespace mehler

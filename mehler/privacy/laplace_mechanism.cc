#include "mehler/privacy/laplace_mechanism.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"
#include "mehler/privacy/paid_schema.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

double rate_of(double scale) {
  return std::floor(std::ldexp(1.0 / scale, LaplaceMechanism::kRateExponent));
}

}  // namespace

void require_drawable_laplace(double scale) {
  const double rate = rate_of(scale);
  // Written so that NaN fails too. The largest noise leaves room in 64 bits.
  if (!(rate >= 256.0 && rate <= 0x1p52)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("this budget asks for Laplace noise of scale {}, but it can be drawn "
                            "only within [{}, {}]; choose an epsilon nearer to 1",
                            scale, 0x1p-12, 0x1p32));
  }
}

LaplaceMechanism::LaplaceMechanism(Accountant& accountant, const std::string& what,
                                   std::span<const CountBlock> blocks, const Schema& schema,
                                   double scale)
    : blocks_(blocks.begin(), blocks.end()), schema_(schema) {
  require_drawable_laplace(scale);
  const double rate = rate_of(scale);
  rate_ = static_cast<std::uint64_t>(rate);
  std::vector<Charge> charges;
  for (const CountBlock& block : blocks) {
    const auto sensitivity = protected_absolute_sensitivity(block, schema);
    MEHLER_ASSERT(sensitivity.has_value());
    charges_.push_back({block.name, *sensitivity, std::ldexp(1.0 / rate, kRateExponent)});
    charges.emplace_back(charges_.back());
  }
  accountant.spend(what, charges);
}

void LaplaceMechanism::require_schema(const Schema& schema) const {
  require_paid_schema(schema_, schema, "the noise");
}

}  // namespace mehler

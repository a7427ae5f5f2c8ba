#include "mehler/synthesis/marginals/release_marginals.h"

#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/marginal_rounds.h"
#include "mehler/synthesis/marginals/marginals_limits.h"

namespace mehler {

Release release_marginals(PrivateTable&& table, const MarginalsOptions& options,
                          Accountant& accountant, const Context& context) {
  options.validate();
  table.schema().refuse_images("method marginals");
  const Encoder encoder(table.schema());
  require_releasable(encoder, options, accountant.left_mu_squared());
  PrivateCounter codes(std::move(table), encoder, context, options.max_bytes);
  MeasurementRounds rounds(codes, encoder, accountant);
  return once_measured([&] { return rounds.any_measured(); },
                       [&] {
                         measure_marginals(rounds, encoder, options,
                                           MarginalParts::kCountsOrMoments, context);
                         return read_back(rounds.finish("marginals"));
                       });
}

}  // namespace mehler

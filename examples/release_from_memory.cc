// A release of records that are in memory: no files, no Arrow library. Any producer of an Arrow C
// stream (Arrow itself, DuckDB, Polars, pandas) can take the place of arrow_stream_of().

#include <iostream>

#include "mehler/demo/people.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/table/table_stream.h"

int main() {
  // The private records, and what may be known of them.
  ArrowArrayStream records = mehler::arrow_stream_of({mehler::simulate_people(5000, 1)});
  mehler::PrivateTable table(&records, mehler::people_schema());

  // The budget. Nothing is released without an accountant.
  mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});

  mehler::Context context;
  context.threads = mehler::Context::available_threads();
  const mehler::Release release =
      mehler::release_dp_hp(std::move(table), mehler::DpHpOptions{}, accountant, context);

  std::cout << release.statement().in_words() << "\n"
            << "About " << release.record_count() << " records, " << release.features().dimension()
            << " noisy sums, " << release.to_bytes().size() << " bytes.\n";

  // Whoever has the bytes can check them: reading re-derives epsilon from the noise.
  const mehler::Release copy = mehler::Release::from_bytes(release.to_bytes(), "copy");
  return copy.record_count() == release.record_count() ? 0 : 1;
}

// From private records in memory to synthetic ones: no files, no Arrow library. Any producer of an
// Arrow C stream (Arrow itself, DuckDB, Polars, pandas) can take the place of arrow_stream_of().

#include <iostream>

#include "mehler/mehler.h"

int main() {
  // The private records, and what may be known of them.
  ArrowArrayStream records = mehler::arrow_stream_of({mehler::simulate_people(5000, 1)});
  mehler::PrivateTable table(&records, mehler::people_schema());

  // The budget. Nothing is released without an accountant.
  mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});

  mehler::Context context;
  context.threads = mehler::Context::available_threads();
  const mehler::Release release = mehler::release(std::move(table), accountant, {}, context);
  std::cout << release.in_words() << "\n";

  // From here on private records are not needed. Whoever has the bytes of the release can check
  // them (reading re-derives epsilon from the noise) and fit a model by the method that made it.
  const mehler::Release copy = mehler::Release::from_bytes(release.to_bytes(), "copy");
  const auto generator = mehler::fit(copy, {}, context);
  const mehler::Table synthetic = generator->sample(1000);

  std::cout << synthetic.rows() << " synthetic records of " << synthetic.columns.size()
            << " columns.\n";
  return synthetic.rows() == 1000 ? 0 : 1;
}

#include "mehler/synthesis/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoder.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/payload.h"
#include "mehler/table/assumed_domains.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace {

/// More values are not simulated: the noise of a count does not depend on the number of records,
/// and what is decided by it is decided by then.
constexpr std::uint64_t kMostValues = 10'000'000;

/// Records that are decoded at once.
constexpr std::size_t kPieceRows = 16'384;

/// Ranges of a number in which tables are compared.
constexpr std::size_t kComparedRanges = 4;

/// Some of the records of a batch.
EncodedBatch piece_of(const EncodedBatch& batch, std::size_t first, std::size_t rows) {
  EncodedBatch piece;
  piece.rows = rows;
  const auto take = [&](const auto& from, auto& to) {
    if (!from.empty()) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
      to.assign(begin, begin + static_cast<std::ptrdiff_t>(rows));
    }
  };
  for (const EncodedColumn& column : batch.columns) {
    EncodedColumn& taken = piece.columns.emplace_back();
    take(column.numbers, taken.numbers);
    take(column.codes, taken.codes);
  }
  return piece;
}

/// Records drawn evenly from what each column can be, one without the others; in pieces, so that
/// the work can be cancelled.
std::vector<Table> even_records(const Encoder& encoder, std::size_t rows, const Context& context) {
  SeededRandom random(1);
  EncodedBatch batch;
  batch.rows = rows;
  for (const Column& column : encoder.columns()) {
    context.throw_if_cancelled();
    EncodedColumn values;
    for (std::size_t row = 0; row < rows; ++row) {
      if (column.is_number()) {
        values.numbers.push_back(2.0 * random.uniform() - 1.0);
      } else {
        values.codes.push_back(static_cast<std::int32_t>(random.next_word() % column.code_count()));
      }
    }
    batch.columns.push_back(std::move(values));
  }
  std::vector<Table> tables;
  for (std::size_t first = 0; first < rows; first += kPieceRows) {
    context.throw_if_cancelled();
    tables.push_back(encoder.decode(piece_of(batch, first, std::min(kPieceRows, rows - first))));
  }
  return tables;
}

/// A second round follows what the first one shows. Even records show nothing, and it would go
/// where chance sends it: one round measures all alike, which is the mean of that.
ReleaseRequest in_one_round(ReleaseRequest request) {
  for (const Option& option : find_method(request.method).release_options) {
    if (option.name == "rounds" && !request.options.has("rounds")) {
      request.options.add("rounds", "1");
    }
  }
  return request;
}

/// What is counted of a schema.
CountedPart part_of(const Method& method, const Schema& schema, const ReleaseRequest& request) {
  if (method.counted_part == nullptr) {
    schema.refuse_images("the forecast");
    return {schema, 1.0};
  }
  CountedPart part = method.counted_part(schema, request.options);
  method.check(schema, request.options, {});
  return part;
}

ForecastMarginal forecast_of(const Encoder& encoder, const MeasuredMarginal& measured,
                             double rows) {
  ForecastMarginal result;
  for (const std::size_t column : measured.columns) {
    result.columns.push_back(encoder.columns()[column].name);
  }
  result.cells = measured.deviations.size();
  if (result.cells == 0) {
    return result;  // a single value
  }
  double compared = 1.0;
  for (const auto& cells : measured.cells) {
    const std::size_t most = kComparedRanges + (cells->column().missing ? 1 : 0);
    compared *= static_cast<double>(cells->column().is_number() ? std::min(cells->size(), most)
                                                                : cells->size());
  }
  // Half of the mean absolute value of normal noise, over all cells; of sums over n / k of the n
  // cells, k of them, it is sqrt(k / n) as large.
  const auto cells = static_cast<double>(result.cells);
  const double noise = 0.5 * std::sqrt(2.0 / std::numbers::pi * measured.cell_variance()) *
                       std::sqrt(cells * compared) / rows;
  result.noise = std::min(1.0, noise);
  return result;
}

}  // namespace

std::optional<double> Forecast::mean_noise(std::size_t columns) const {
  double sum = 0.0;
  double count = 0.0;
  for (const ForecastMarginal& marginal : marginals) {
    if (marginal.columns.size() == columns) {
      sum += marginal.noise;
      count += 1.0;
    }
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

double Forecast::epsilon_with(double factor) const {
  return epsilon_of_gaussian(factor * calibrate_mu(budget), budget.delta);
}

Forecast forecast(const Schema& whole, std::uint64_t rows, const PrivacyBudget& budget,
                  const ReleaseRequest& request, const Context& context) {
  if (rows == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "the number of records must be at least 1, but is 0; an estimate will do");
  }
  whole.require_declared_or_bought();
  const Method& method = request.method_for(whole);
  if (!method.has_counts && method.counted_part == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("method {} releases no counts, of which alone it is known what their "
                            "noise hides; forecast with another method",
                            method.name));
  }
  const CountedPart part = part_of(method, whole, request);
  const Schema& schema = part.schema;
  const Schema without_unit = with_assumed_domains(schema).without_privacy_unit();
  // All records of a person count towards one: as many times the noise, or as if there were so many
  // times fewer records.
  const std::uint64_t per_unit = schema.privacy_unit() ? schema.privacy_unit()->max_rows : 1;
  const double effective_rows = static_cast<double>(rows) / static_cast<double>(per_unit);
  const Encoder encoder(without_unit);
  const std::uint64_t simulated =
      std::clamp<std::uint64_t>(rows / per_unit, 1, kMostValues / encoder.columns().size());
  ReleaseRequest asked{method.name, request.options, request.domains};
  if (method.counted_part != nullptr) {
    asked = {find_method("marginals").name, {}, request.domains};
  }
  asked = in_one_round(std::move(asked));
  Accountant accountant(budget);
  if (schema.is_to_be_bought()) {
    const double mu_squared = request.domains.share * accountant.left_mu_squared();
    const Charge charge = GaussianSums{"bounds and categories", 1.0, 1.0 / std::sqrt(mu_squared)};
    accountant.spend("bounds and categories", {&charge, 1});
  }
  if (part.share < 1.0) {
    const double mu_squared = (1.0 - part.share) * accountant.left_mu_squared();
    const Charge charge = GaussianSums{"images", 1.0, 1.0 / std::sqrt(mu_squared)};
    accountant.spend("images", {&charge, 1});
  }
  ArrowArrayStream records = arrow_stream_of(even_records(encoder, simulated, context));
  const Release made = release(PrivateTable(&records, without_unit), accountant, asked, context);
  const MarginalMeasurements measured(made);
  Forecast result{budget, method.name, rows, {}, part.share};
  for (const MeasuredMarginal& column : measured.one_ways()) {
    result.marginals.push_back(forecast_of(made.encoder(), column, effective_rows));
  }
  for (const MeasuredMarginal& table : measured.joint_tables()) {
    result.marginals.push_back(forecast_of(made.encoder(), table, effective_rows));
  }
  return result;
}

}  // namespace mehler

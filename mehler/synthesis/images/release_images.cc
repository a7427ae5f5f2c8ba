#include "mehler/synthesis/images/release_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/images/image_rounds.h"
#include "mehler/synthesis/marginals/marginal_rounds.h"
#include "mehler/synthesis/marginals/marginals_limits.h"

namespace mehler {

void require_labelled_images(const Schema& schema) {
  const auto refuse = [](std::string_view why) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("method images is for tables with an image column and a target with "
                            "classes, but {}",
                            why));
  };
  if (schema.image() == nullptr) {
    refuse("the schema has no image column; take method marginals");
  }
  const Column* target = schema.target() ? schema.find(*schema.target()) : nullptr;
  if (target == nullptr) {
    refuse("the schema names no target; name the column of the classes");
  }
  // How many classes there are will be known once they are bought.
  const bool has_known_classes = target->is_category() && !target->is_to_be_bought();
  if (!target->is_category() ||
      (has_known_classes &&
       (target->code_count() < 2 || target->code_count() > VectorSum::kMaxClasses))) {
    refuse(fmt::format("the target '{}' does not have 2 to {} categories", shown(target->name),
                       VectorSum::kMaxClasses));
  }
}

Schema further_columns(const Schema& schema) {
  std::vector<Column> columns = schema.columns();
  std::erase_if(columns, [](const Column& column) { return column.is_image(); });
  const auto counted = std::count_if(columns.begin(), columns.end(), [](const Column& column) {
    return column.is_used() && !column.is_computed();
  });
  if (counted < 2) {
    schema.refuse_images("the forecast");  // nothing but the label is left
  }
  return schema.with_columns(std::move(columns));
}

Release release_images(PrivateTable&& table, const ImagesOptions& options, Accountant& accountant,
                       const Context& context) {
  options.validate();
  require_labelled_images(table.schema());
  const Encoder encoder(table.schema());
  const bool has_further_columns = encoder.columns().size() > 2;
  const double for_columns =
      has_further_columns ? options.columns_share * accountant.left_mu_squared() : 0.0;
  MarginalsOptions of_columns;
  of_columns.max_bytes = options.max_bytes;
  if (has_further_columns) {
    require_releasable(encoder, of_columns, for_columns);
  }
  PrivateCounter counter(std::move(table), encoder, context, options.max_bytes);
  MeasurementRounds rounds(counter, encoder, accountant);
  return once_measured([&] { return rounds.any_measured(); },
                       [&] {
                         rounds.keep_for_later(for_columns);
                         measure_images(rounds, encoder, options, context);
                         rounds.keep_for_later(0.0);
                         if (has_further_columns) {
                           measure_marginals(rounds, encoder, of_columns, MarginalParts::kCounts,
                                             context);
                         }
                         return read_back(rounds.finish("images"));
                       });
}

}  // namespace mehler

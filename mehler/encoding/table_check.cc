#include "mehler/encoding/table_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/for_each_batch.h"
#include "mehler/encoding/never_rules.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

bool any_refused(const Encoder& encoder, const std::vector<Finding>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (refused_findings(encoder.columns()[i], found[i]) != Finding::kNone) {
      return true;
    }
  }
  return false;
}

/// What is found, per modelled column, and per rule of "never" whether a record breaks it.
struct Examined {
  std::vector<Finding> columns;
  std::vector<bool> broken_rules;
};

Examined examine(const Encoder& encoder, const std::vector<RecordStreamFactory>& parts,
                 const Context& context) {
  const NeverRules never(encoder.schema());
  Examined examined;
  examined.columns.resize(encoder.columns().size(), Finding::kNone);
  EncodedBatch encoded;
  bool any_rows = false;
  const auto add = [&](const EncoderBinding& binding, const ArrowSchema& schema,
                       const ArrowArray& batch) {
    any_rows |= batch.length > 0;
    const std::vector<Finding> findings =
        encoder.encode_and_report(binding, schema, batch, encoded);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      examined.columns[i] |= findings[i];
    }
    if (!never.empty() && !any_refused(encoder, examined.columns)) {
      never.find_broken(encoder.decode(encoded), examined.broken_rules);
    }
  };
  for (const RecordStreamFactory& open : parts) {
    RecordStream stream = open();
    (void)encoder.bind(stream.schema());  // the column of the privacy unit must be there too
    for_each_batch(std::move(stream), encoder, context, add);
  }
  if (!any_rows) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
  return examined;
}

}  // namespace

TableCheck check_table(const Schema& schema, const std::vector<RecordStreamFactory>& parts,
                       const Context& context) {
  schema.require_declared_or_bought();
  const Encoder encoder(with_assumed_domains(schema));
  const Examined examined = examine(encoder, parts, context);
  TableCheck check;
  for (std::size_t i = 0; i < examined.columns.size(); ++i) {
    const Column& column = encoder.columns()[i];
    const Column& source = encoder.schema().columns()[encoder.modelled()[i].source];
    const Finding refused = refused_findings(column, examined.columns[i]);
    if (refused != Finding::kNone) {
      check.refusals.push_back(encoder.describe_refusal(i, refused));
    } else if (schema.find(source.name)->is_to_be_bought()) {
      continue;
    } else if (contains(examined.columns[i], Finding::kOutOfRange)) {
      check.clamped.push_back(column.name);
    } else if (contains(examined.columns[i], Finding::kUnknownCategory)) {
      check.grouped.push_back(column.name);
    }
  }
  for (std::size_t i = 0; i < examined.broken_rules.size(); ++i) {
    if (examined.broken_rules[i]) {
      check.broken_rules.push_back(i + 1);
    }
  }
  return check;
}

void require_fit(const TableCheck& check) {
  if (!check.refusals.empty()) {
    throw Error(ErrorCode::kInvalidTable, fmt::format("the table does not fit its schema: {}",
                                                      fmt::join(check.refusals, ". Also, ")));
  }
}

}  // namespace mehler

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/sample_condition.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Records of which some values are given, to be completed by a model.
struct PartialRows {
  /// Begins messages: "the table 'rows.csv'".
  std::string what = "the table of partial rows";
  /// Of each row, an equality for each column that is given; the others are free.
  std::vector<std::vector<SampleCondition>> rows = {};
};

/// What a table of partial rows with these columns is to be read as: the schema's description of
/// them, in which any value may be missing. Throws Error(kInvalidArgument), beginning with `what`,
/// for a column that the schema does not have or that is not synthesised.
Schema partial_schema(const Schema& schema, const std::vector<std::string>& columns,
                      const std::string& what);

/// Adds the records of a stream that was opened with a partial_schema(). A missing value is free,
/// not held to be missing. Throws Error(kInvalidTable) for a column of another type.
void add_partial_rows(const Schema& partial, RecordStream& records, PartialRows& rows);

/// Draws as many records as there are partial rows, in their order, with the given values as they
/// are. Rows with the same given values are drawn together, as one sample under these conditions
/// and those of `options`, whose rows do not count. The same for a seed, whatever the threads.
///
/// Returns how many rows have values that, by the release, hardly any record has together: little
/// is known of how to complete them. Throws Error(kInvalidArgument), naming the row, for a value
/// that its column cannot have and for what this kind of model cannot hold to; also if there is no
/// row at all.
std::uint64_t complete_rows(const Generator& generator, const PartialRows& rows,
                            const SampleOptions& options, const Context& context,
                            const Generator::RecordSink& sink);

/// Completed rows in memory.
struct CompletedRows {
  std::vector<Table> batches;
  std::uint64_t unlikely = 0;  ///< what complete_rows() returns
};

/// The same with identifiers made up, and stored as sample_stream() stores its records.
CompletedRows completed_rows(const Generator& generator, const PartialRows& rows,
                             const SampleOptions& options, const Context& context,
                             const std::optional<Schema>& types = std::nullopt);

}  // namespace mehler

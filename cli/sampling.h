#pragma once

#include <string>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/partial_rows.h"
#include "mehler/table/readers/table_writer.h"

namespace mehler {

/// Texts as conditions on the columns of the schema and on modelled ones. Throws mehler::Error for
/// one that is none.
std::vector<SampleCondition> parse_conditions(const std::vector<std::string>& texts,
                                              const Generator& generator);

/// Reads the rows of a file that are to be completed, of which the schema describes the columns.
/// Throws mehler::Error.
PartialRows read_partial_file(const std::string& path, const Schema& schema, std::size_t threads);

/// Draws records into an open table file and finishes it, with a line on the terminal. They are
/// also added to the comparison, where there is one.
void sample_to_file(const RecordSampler& sampler, const SampleOptions& options, TableWriter& file,
                    std::size_t threads, bool quiet, ReleaseComparison* comparison = nullptr);

/// The same with partial rows, which are completed; how many of them are unlikely.
std::uint64_t complete_to_file(const Generator& generator, const PartialRows& rows,
                               const SampleOptions& options, TableWriter& file, std::size_t threads,
                               bool quiet);

}  // namespace mehler

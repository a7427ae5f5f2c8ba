#pragma once

#include <string>
#include <vector>

#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/generator.h"
#include "mehler/table/readers/table_writer.h"

namespace mehler {

/// Texts as conditions on the schema's columns. Throws mehler::Error for one that is none.
std::vector<SampleCondition> parse_conditions(const std::vector<std::string>& texts,
                                              const Schema& schema);

/// Draws records into an open table file and finishes it, with a line on the terminal. They are
/// also added to the comparison, where there is one.
void sample_to_file(const Generator& generator, const SampleOptions& options, TableWriter& file,
                    std::size_t threads, bool quiet, ReleaseComparison* comparison = nullptr);

}  // namespace mehler

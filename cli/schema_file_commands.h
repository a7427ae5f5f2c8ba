#pragma once

#include <CLI/CLI.hpp>

namespace mehler {

/// `schema confirm` and `schema convert`: what is done with schema files alone, without a table.
void add_schema_file_commands(CLI::App& schema);

}  // namespace mehler

#pragma once

#include <CLI/CLI.hpp>

namespace mehler {

/// The commands below `schema`.
void add_schema_init_command(CLI::App& schema);
void add_schema_check_command(CLI::App& schema);
/// `schema confirm` and `schema convert`: what is done with schema files alone, without a table.
void add_schema_file_commands(CLI::App& schema);

}  // namespace mehler

#include "commands.h"
#include "schema_commands.h"

namespace mehler {

void add_schema_command(CLI::App& program) {
  CLI::App* schema = program.add_subcommand(
      "schema", "Draft, check and convert the public description of a table");
  schema->require_subcommand(1);
  add_schema_init_command(*schema);
  add_schema_check_command(*schema);
  add_schema_file_commands(*schema);
}

}  // namespace mehler

#include "commands.h"

namespace mehler {

void add_commands(CLI::App& program) {
  add_schema_command(program);
  add_synth_command(program);
  add_plan_command(program);
  add_release_command(program);
  add_inspect_command(program);
  add_train_command(program);
  add_sample_command(program);
  add_evaluate_command(program);
  add_methods_command(program);
  add_privacy_command(program);
  add_reference_command(program);
  add_kernel_command(program);
  add_demo_command(program);
}

}  // namespace mehler

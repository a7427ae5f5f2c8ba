#pragma once

#include <CLI/CLI.hpp>

namespace mehler {

/// Each adds one subcommand, whose callback does the work and throws mehler::Error.
void add_schema_command(CLI::App& program);
void add_plan_command(CLI::App& program);
void add_release_command(CLI::App& program);
void add_inspect_command(CLI::App& program);
void add_synth_command(CLI::App& program);
void add_train_command(CLI::App& program);
void add_sample_command(CLI::App& program);
void add_evaluate_command(CLI::App& program);
void add_methods_command(CLI::App& program);
void add_privacy_command(CLI::App& program);
void add_reference_command(CLI::App& program);
void add_kernel_command(CLI::App& program);
void add_demo_command(CLI::App& program);

/// Adds all of them, in the order in which --help lists them.
void add_commands(CLI::App& program);

}  // namespace mehler

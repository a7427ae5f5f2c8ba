#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace mehler {

/// The method of 'release' and 'synth' when none is named.
inline constexpr std::string_view kDefaultMethod = "mehler";

/// Whether an option (without its dashes) belongs to another method than this one: "order" and
/// mehler, "rounds" and dp-hp.
bool is_of_another_method(std::string_view option, std::string_view method);

/// Throws mehler::Error if an option was given that belongs to another method.
void require_options_of_the_method(const CLI::App& command, std::string_view method);

}  // namespace mehler

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What every harness defines.

/// Reads the bytes. Returns normally or after a mehler::Error that is not a bug of ours; anything
/// else is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Inputs to start from.
std::vector<std::string> seeds();

#pragma once

#include <string>
#include <string_view>

namespace mehler {

/// SHA-256 (FIPS 180-4), 32 bytes: the checksum of the project's own files. It finds damage and
/// careless changes; it is no signature, and no noise comes from it.
std::string sha256(std::string_view bytes);

}  // namespace mehler

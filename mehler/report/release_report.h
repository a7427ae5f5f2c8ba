#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/release/release.h"

namespace mehler {

/// More blocks than this are listed only when asked for.
inline constexpr std::size_t kFewBlocks = 20;

/// What a release promises and holds, for people: guarantee, method, records, blocks, schema.
/// `shown_name` is the name of its file.
std::string text_of(const Release& release, const std::string& shown_name, bool all_blocks);
/// The same, with all blocks, as JSON for programs.
std::string json_of(const Release& release, const std::string& shown_name);

/// A release and the name of its file.
struct NamedRelease {
  std::string shown_name;
  Release release;
};

/// Several releases, a line each, and what they spend together if they are of the same records.
/// Throws Error(kInvalidArgument) if that cannot be added up.
std::string text_of(const std::vector<NamedRelease>& releases);
/// The same as JSON, each release whole.
std::string json_of(const std::vector<NamedRelease>& releases);

}  // namespace mehler

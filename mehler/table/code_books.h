#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mehler/core/strict_json.h"

namespace mehler {

/// Writes out the categories of a schema file that stand elsewhere: "categories": {"list": NAME} is
/// one of the file's "lists", {"file": PATH} a code book in `folder`. Afterwards every column has
/// its categories as a list, and "lists" is gone.
///
/// A code book of the ending .txt has one code a line. Any other is a table of small size, between
/// commas, semicolons or tabs, whichever its first line has most of: the codes are the fields of
/// the column that "column" names in the first line; without "column" they are the first field of
/// every line, the first included, unless "header": true says that it names the columns. Codes are
/// texts as they stand, "007" included.
///
/// `what` begins messages about the schema. Throws Error(kInvalidSchema), naming the file and the
/// line, for a code that is empty or there twice, and for a book without codes, with too many, or
/// that is no such table; Error(kFile) for one that cannot be read.
void write_out_categories(Json& schema, const std::optional<std::filesystem::path>& folder,
                          const std::string& what);

}  // namespace mehler

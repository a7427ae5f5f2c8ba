#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/report/html_report.h"
#include "mehler/table/column.h"

namespace mehler {

/// Whether a figure needs a look.
enum class Mood { kPlain, kGood, kLook };

/// A headline figure and one sentence of what it means.
Json page_tile(const std::string& label, const std::string& value, const std::string& words,
               Mood mood = Mood::kPlain);

/// A table of texts, one list a row.
Json page_table(const std::string& title, const std::string& words,
                const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows);

/// What every page has: title, banner, schema, facts, texts, picture; the rest empty. `facts` are
/// followed by the version and the command.
Json page_frame(const PageOrigin& origin, const std::string& heading, const std::string& words,
                const std::vector<Column>& columns,
                const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace mehler

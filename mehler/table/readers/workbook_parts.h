#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/workbook_archive.h"

namespace mehler {

/// What a number of a workbook shows, by its number format.
enum class NumberShows { kNumber, kDate, kDatetime };

/// What a number format of Excel shows. Times of day and durations without a date are numbers: of
/// days.
NumberShows shown_by_format(std::string_view code);

/// What a worksheet needs of the rest of its workbook.
struct WorkbookParts {
  std::string sheet_document;            ///< the worksheet's name in the archive
  std::vector<std::string> texts;        ///< shared strings
  std::vector<NumberShows> cell_styles;  ///< by the number of the cell format
  bool counts_from_1904 = false;         ///< else days are counted from 1900
};

/// Finds the worksheet of that name, or the first. Throws Error(kInvalidTable) that begins with
/// `what`, and lists the sheets if there is none of that name.
WorkbookParts read_workbook_parts(const WorkbookArchive& archive,
                                  const std::optional<std::string>& sheet, const std::string& what);

/// "2020-12-31" or "2020-12-31T08:00:00" of Excel's number of days, to the millisecond; nothing for
/// days before 1 January 1900 or after the year 9999.
std::optional<std::string> moment_of_days(double days, NumberShows shows, bool counts_from_1904);

}  // namespace mehler

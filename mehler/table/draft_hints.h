#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/record_stream.h"
#include "mehler/table/schema_draft.h"

namespace mehler {

/// What the texts of a CSV column's first rows say beside the type that was guessed from them.
struct TextHints {
  bool has_leading_zeros = false;  ///< whole numbers such as 00501, which are codes
  bool is_zero_or_one = false;     ///< every value is 0 or 1
  /// A usual spelling of missing values ("NA", "?") without which every value would be a number;
  /// else empty.
  std::string missing_spelling;
};

/// Looks at the first batch of a stream whose columns are texts. By the columns' names.
///
/// Privacy: like the guessed types, it tells something of the records; a schema drafted with it is
/// marked so (SchemaProvenance::kKindsGuessed).
std::map<std::string, TextHints> read_text_hints(RecordStream stream);

/// Changes a draft by them: codes with leading zeros become categorical, 0 and 1 boolean. Notes say
/// what was changed, and which spelling of missing values hides a number.
void apply_text_hints(const std::map<std::string, TextHints>& hints, SchemaDraft& draft);

/// Whether a column of that name is likely to name a person or a record: "id", "patient_id",
/// "patientId", "patient_nbr", "uuid" and the like.
bool names_an_identifier(std::string_view name);

/// What to look at in a schema that is complete: numbers whose bounds span powers of ten without a
/// transform, and numeric columns with neither step nor decimals.
std::vector<std::string> notes_on_values(const Schema& schema);

}  // namespace mehler

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/table/column_view.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// A drafted schema, and what its reader should look at.
struct SchemaDraft {
  Schema schema;
  std::vector<std::string> notes;
};

/// Where the types of a stream's columns come from.
enum class TypesFrom {
  kFile,     ///< stored in it: Parquet, Arrow
  kRecords,  ///< guessed from what stands in the first records: CSV
};

/// The name that readers of files give to a first CSV column without a name, as pandas does: it is
/// the index of a data frame.
inline constexpr const char* kNamelessColumn = "Unnamed: 0";

/// Drafts a schema from the names and types of a stream's columns alone: bounds and categories stay
/// undeclared, and values may be missing. Reads no records; if types were guessed from some, the
/// schema says so. Types and time zones that synthetic tables can have are kept; the row index of a
/// data frame is ignored, and a column whose name is that of one (names_an_identifier) an
/// identifier. Throws Error(kInvalidArgument) if the target is not a column.
SchemaDraft draft_schema(const ArrowSchema& stream_schema, const std::optional<std::string>& target,
                         TypesFrom types);

/// Drafts a schema from the records of a table that its owner declares public: bounds, categories,
/// decimals and missing values as they occur. The schema is stamped with that provenance.
///
/// Privacy: reads values, so it is only for tables that need no protection; the stamp follows the
/// schema into every release.
class PublicSchemaReader {
 public:
  /// A text column with more different values than this is taken for an identifier.
  static constexpr std::size_t kMaxCategories = 1000;
  /// A target of whole numbers with at most this many different values is taken for classes.
  static constexpr std::size_t kMaxTargetClasses = 20;

  explicit PublicSchemaReader(std::optional<std::string> target) : target_(std::move(target)) {}

  /// Reads all records of one part.
  void read(RecordStream stream, const Context& context);

  SchemaDraft finish() const;

 private:
  struct Facts;
  void read_column(const Column& column, const ColumnView& view, Facts& facts) const;
  Column finished(Column column, const Facts& facts, std::vector<std::string>& notes) const;

  struct Facts {
    bool missing = false;
    std::size_t values = 0;  ///< that are not missing
    bool any = false;
    double low = 0.0;
    double high = 0.0;
    int decimals = 0;
    double step = 0.0;  ///< datetime: microseconds; the largest of 1 s, 1 ms and 1 us that every
                        ///< value is a multiple of
    bool too_many_categories = false;
    std::set<std::string> categories;
    std::vector<std::string> order;  ///< ordinal: the categories as a dictionary lists them
  };

  std::optional<std::string> target_;
  std::optional<SchemaDraft> draft_;
  std::map<std::string, Facts> facts_;
};

}  // namespace mehler

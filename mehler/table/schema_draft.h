#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// A drafted schema, and what its reader should look at.
struct SchemaDraft {
  Schema schema;
  std::vector<std::string> notes;
};

/// Drafts a schema from the names and types of a stream's columns alone: bounds and categories stay
/// undeclared, and values may be missing. Reads no records. Throws Error(kInvalidArgument) if the
/// target is not a column.
SchemaDraft draft_schema(const ArrowSchema& stream_schema,
                         const std::optional<std::string>& target);

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
  struct Facts {
    bool missing = false;
    bool any = false;
    double low = 0.0;
    double high = 0.0;
    int decimals = 0;
    double step = 0.0;  ///< datetime: microseconds; the largest of 1 s, 1 ms and 1 us that every
                        ///< value is a multiple of
    bool too_many_categories = false;
    std::set<std::string> categories;
  };

  std::optional<std::string> target_;
  std::optional<SchemaDraft> draft_;
  std::map<std::string, Facts> facts_;
};

}  // namespace mehler

#include "mehler/table/readers/column_selection.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/schema_draft.h"

namespace mehler {
namespace {

void refuse_a_record_as_header(const std::vector<std::string>& names, const PartContext& part) {
  const bool any_known = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return part.schema->find(name) != nullptr;
  });
  if (!any_known) {
    refuse_part(
        part,
        fmt::format(
            "has none of the schema's {} columns in its first line; if that line is already a "
            "record, say that the file has no header (option 'no-header'), else check the "
            "delimiter, "
            "the number of lines to skip and the schema's names",
            part.schema->columns().size()));
  }
}

void refuse_bad_names(const std::vector<std::string>& names, NamesFrom names_from,
                      const PartContext& part) {
  arrow::util::InitializeUTF8();
  std::unordered_map<std::string, std::size_t> first_place;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      refuse_part(part,
                  fmt::format("gives its column number {} no name; name every column", i + 1));
    }
    if (!arrow::util::ValidateUTF8(names[i])) {
      refuse_part(
          part,
          fmt::format("has a column name, number {}, that is not UTF-8; convert the file, for "
                      "example with iconv",
                      i + 1));
    }
    const auto [twin, is_new] = first_place.emplace(names[i], i);
    const bool is_known = part.schema != nullptr && part.schema->find(names[i]) != nullptr;
    if (!is_new && names_from == NamesFrom::kFirstLine && !is_known) {
      refuse_part(
          part,
          fmt::format("gives its columns number {} and {} the same name; rename one of them, or, "
                      "if the first line is already a record, say that the file has no header "
                      "(option 'no-header')",
                      twin->second + 1, i + 1));
    }
    if (!is_new) {
      refuse_part(part,
                  fmt::format("has the column '{}' twice, as number {} and {}; rename one of them",
                              shown(names[i]), twin->second + 1, i + 1));
    }
  }
}

/// Privacy: a first line of which the schema knows less than half may be a record; its fields are
/// told by their numbers.
[[noreturn]] void refuse_unknown(const std::vector<std::string>& names, std::size_t place,
                                 NamesFrom names_from, const PartContext& part) {
  const auto known = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return part.schema->find(name) != nullptr;
  });
  if (names_from == NamesFrom::kFirstLine && 2 * static_cast<std::size_t>(known) <= names.size()) {
    refuse_part(
        part, fmt::format("has a column name, number {}, which the schema does not have; add it to "
                          "the schema, with the kind \"ignored\" if it is not to be used, or, if "
                          "the first line is already a record, say that the file has no header "
                          "(option 'no-header')",
                          place + 1));
  }
  const std::string near = suggest_names(names[place], part.schema->column_names());
  refuse_part(
      part,
      fmt::format("has the column '{}', which the schema does not have{}{} Add it to the schema, "
                  "with the kind \"ignored\" if it is not to be used",
                  shown(names[place]), near, near.ends_with('?') ? "" : "."));
}

}  // namespace

void refuse_part(const PartContext& part, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidTable, part.what + " " + complaint);
}

SelectedColumns select_columns(const std::vector<std::string>& file_names, NamesFrom names_from,
                               const PartContext& part) {
  if (part.schema != nullptr && names_from == NamesFrom::kFirstLine) {
    refuse_a_record_as_header(file_names, part);
  }
  refuse_bad_names(file_names, names_from, part);
  SelectedColumns selected;
  for (std::size_t i = 0; i < file_names.size(); ++i) {
    const Column* column = part.schema == nullptr ? nullptr : part.schema->find(file_names[i]);
    if (part.schema != nullptr && column == nullptr) {
      if (i == 0 && names_from == NamesFrom::kFirstLine && file_names[i] == kNamelessColumn) {
        continue;  // a data frame's index
      }
      refuse_unknown(file_names, i, names_from, part);
    }
    if (column == nullptr || is_read(*column, *part.schema)) {
      selected.names.push_back(file_names[i]);
      selected.places.push_back(i);
    }
  }
  if (part.schema == nullptr) {
    return selected;
  }
  for (const Column& column : part.schema->columns()) {
    const bool present =
        std::find(file_names.begin(), file_names.end(), column.name) != file_names.end();
    if (!present && is_read(column, *part.schema)) {
      refuse_part(
          part,
          fmt::format("lacks the column '{}', which the schema declares {}; add it to the table or "
                      "take it out of the schema",
                      shown(column.name), kind_name(column.kind)));
    }
  }
  if (selected.names.empty()) {
    throw Error(ErrorCode::kInvalidSchema,
                "the schema uses no column at all; give at least one a kind other than ignored or "
                "identifier");
  }
  return selected;
}

bool is_read(const Column& column, const Schema& schema) {
  return (column.is_used() && !column.is_computed()) ||
         (schema.privacy_unit().has_value() && schema.privacy_unit()->column == column.name);
}

std::string describe_column(const std::vector<std::string>& file_names, std::size_t place) {
  return fmt::format("the column '{}'", shown(file_names[place]));
}

}  // namespace mehler

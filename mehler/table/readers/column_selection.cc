#include "mehler/table/readers/column_selection.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

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
      refuse_part(part, fmt::format("has a column name, number {}, that is not UTF-8; {}", i + 1,
                                    name_encoding(part)));
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
[[noreturn]] void refuse_unknown(const std::vector<std::string>& names,
                                 const std::vector<std::size_t>& places, NamesFrom names_from,
                                 const PartContext& part) {
  const bool is_one = places.size() == 1;
  const std::string them = fmt::format(
      "{} to the schema, with the kind \"ignored\" if not to be used, or write \"others\": "
      "\"ignored\" there",
      is_one ? "it" : "them");
  const auto known = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return part.schema->find(name) != nullptr;
  });
  if (names_from == NamesFrom::kFirstLine && 2 * static_cast<std::size_t>(known) <= names.size()) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 100); ++i) {
      numbers.push_back(places[i] + 1);
    }
    refuse_part(
        part,
        fmt::format("has {}, number{} {}{}, which the schema does not have; add {}, or, if the "
                    "first line is already a record, say that the file has no header (option "
                    "'no-header')",
                    is_one ? "a column name" : "column names", is_one ? "" : "s",
                    fmt::join(numbers, ", "), places.size() > numbers.size() ? ", ..." : "", them));
  }
  std::vector<std::string> unknown;
  for (const std::size_t place : places) {
    unknown.push_back(names[place]);
  }
  const std::string near =
      is_one ? suggest_names(unknown.front(), part.schema->column_names()) : std::string();
  refuse_part(part,
              fmt::format("has {}, which the schema does not have{}{} Add {}",
                          quoted_columns(unknown), near, near.ends_with('?') ? "" : ".", them));
}

void refuse_lacking(const std::vector<std::string>& file_names, const PartContext& part) {
  std::vector<std::string> lacking;
  const Column* first = nullptr;
  for (const Column& column : part.schema->columns()) {
    const bool present =
        std::find(file_names.begin(), file_names.end(), column.name) != file_names.end();
    if (!present && is_read(column, *part.schema) && !part.has_key(column.name)) {
      first = lacking.empty() ? &column : first;
      lacking.push_back(column.name);
    }
  }
  if (lacking.size() == 1) {
    refuse_part(
        part,
        fmt::format("lacks the column '{}', which the schema declares {}; add it to the table or "
                    "take it out of the schema",
                    shown(first->name), kind_name(first->kind)));
  }
  if (!lacking.empty()) {
    refuse_part(part, fmt::format("lacks {}, which the schema declares; add them to the table or "
                                  "take them out of the schema",
                                  quoted_columns(lacking)));
  }
}

}  // namespace

bool PartContext::has_key(const std::string& name) const {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const PartitionKey& key) { return key.name == name; });
}

void refuse_part(const PartContext& part, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidTable, part.what + " " + complaint);
}

SelectedColumns select_columns(const std::vector<std::string>& file_names, NamesFrom names_from,
                               const PartContext& part) {
  if (part.schema != nullptr && names_from == NamesFrom::kFirstLine) {
    refuse_a_record_as_header(file_names, part);
  }
  refuse_bad_names(file_names, names_from, part);
  for (const PartitionKey& key : part.keys) {
    if (std::find(file_names.begin(), file_names.end(), key.name) != file_names.end()) {
      refuse_part(part, fmt::format("has the column '{}', which the name of its folder gives too; "
                                    "remove the column, or rename the folder",
                                    shown(key.name)));
    }
  }
  SelectedColumns selected;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < file_names.size(); ++i) {
    const Column* column = part.schema == nullptr ? nullptr : part.schema->find(file_names[i]);
    if (part.schema != nullptr && column == nullptr) {
      const bool is_index =  // of a data frame
          i == 0 && (names_from == NamesFrom::kFirstLine || part.is_folder_table) &&
          file_names[i] == kNamelessColumn;
      if (!is_index && !part.schema->ignores_others()) {
        unknown.push_back(i);
      }
      continue;
    }
    if (column == nullptr || is_read(*column, *part.schema)) {
      selected.names.push_back(file_names[i]);
      selected.places.push_back(i);
    }
  }
  if (!unknown.empty()) {
    refuse_unknown(file_names, unknown, names_from, part);
  }
  if (part.schema == nullptr) {
    return selected;
  }
  refuse_lacking(file_names, part);
  if (selected.names.empty()) {
    throw Error(ErrorCode::kInvalidSchema,
                "the schema uses no column at all; give at least one a kind other than ignored or "
                "identifier");
  }
  return selected;
}

std::string_view name_encoding(const PartContext& part) {
  return part.is_folder_table
             ? "convert it to UTF-8 (Excel: save it as CSV UTF-8)"
             : "name the file's encoding, in the schema's dialect or with option 'encoding' "
               "(Excel's plain CSV is windows-1252 in Western Europe and America), or convert the "
               "file to UTF-8";
}

bool is_read(const Column& column, const Schema& schema) {
  return (column.is_used() && !column.is_computed()) ||
         (schema.privacy_unit().has_value() && schema.privacy_unit()->column == column.name);
}

std::string describe_column(const std::vector<std::string>& file_names, std::size_t place) {
  return fmt::format("the column '{}'", shown(file_names[place]));
}

}  // namespace mehler

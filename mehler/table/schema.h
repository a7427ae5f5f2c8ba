#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/column.h"
#include "mehler/table/dialect.h"

namespace mehler {

/// Which two tables count as neighbours, that is, what the guarantee hides.
enum class NeighbourRelation {
  kAddRemoveOne,  ///< one record more or fewer; the number of records is private
  kReplaceOne,    ///< one record exchanged for another; the number of records is public
};

/// "add-remove-one" or "replace-one".
std::string_view relation_name(NeighbourRelation relation);

/// Several records may belong to one person. The guarantee then covers all of a person's records.
struct PrivacyUnit {
  std::string column;        ///< an identifier column
  std::size_t max_rows = 1;  ///< records kept per person; the rest are left out
  bool operator==(const PrivacyUnit&) const = default;
};

/// Where bounds, categories and kinds came from.
enum class SchemaProvenance {
  kDeclared,            ///< written by a person who did not take them from the private records
  kKindsGuessed,        ///< bounds and categories declared, but kinds guessed from the records
  kReadFromPublicData,  ///< read from a table that its owner declared public
};

/// The public description of a table: its columns, the target, and what is protected.
///
/// A Schema is consistent by construction: it may still have undeclared bounds or categories (a
/// draft), but whatever is declared has been checked. Everything in it is published with a release.
class Schema {
 public:
  /// Throws Error(kInvalidSchema) naming the column and the remedy.
  explicit Schema(std::vector<Column> columns, std::optional<std::string> target = std::nullopt,
                  NeighbourRelation relation = NeighbourRelation::kAddRemoveOne,
                  std::optional<PrivacyUnit> privacy_unit = std::nullopt,
                  SchemaProvenance provenance = SchemaProvenance::kDeclared, TableRules rules = {});

  /// Parses a schema file's text. Unknown keys are errors that list near names.
  /// `shown_name` begins messages about the text as a whole.
  /// Code books ("categories": {"file": ...}) are read from `folder`; without one they are refused.
  static Schema from_json(std::string_view text, const std::string& shown_name = "the schema",
                          const std::optional<std::filesystem::path>& folder = std::nullopt);
  /// Code books are files beside it.
  static Schema from_file(const std::filesystem::path& path);
  /// The text of a schema file, one column a line, with the categories of lists and code books
  /// written out. from_json(to_json()) gives an equal schema.
  std::string to_json() const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::optional<std::string>& target() const { return target_; }
  NeighbourRelation relation() const { return relation_; }
  const std::optional<PrivacyUnit>& privacy_unit() const { return privacy_unit_; }
  SchemaProvenance provenance() const { return provenance_; }
  /// Whether columns of a table that are not among columns() are ignored; else they are refused.
  bool ignores_others() const { return ignores_others_; }
  void set_ignores_others(bool ignores) { ignores_others_ = ignores; }
  /// How CSV files of the table are written.
  const Dialect& dialect() const { return dialect_; }
  /// What holds between columns, besides the rules of single ones.
  const TableRules& rules() const { return rules_; }

  std::vector<std::string> column_names() const;
  /// The column of that name, or nullptr.
  const Column* find(std::string_view name) const;
  /// The target if its values are a finite list of classes; else nullptr (no target, or a number).
  const Column* label() const;

  /// The column of images; nullptr if there is none. There is at most one.
  const Column* image() const;

  /// The same description without its privacy unit, for reading records that the unit does not
  /// protect: a synthetic table has no column of it, and figures of real records do not need it.
  Schema without_privacy_unit() const;
  /// The columns as tables have them, without rules: one that is at least another has the bounds
  /// that follow, and computed ones are ignored. For looking at tables, real or synthetic.
  Schema without_rules() const;

  /// The same description with other columns; without its target if that is not used any more.
  Schema with_columns(std::vector<Column> columns) const;

  /// The same description of a table that is written so, with the spellings of some of its columns,
  /// by name. Throws Error(kInvalidSchema).
  Schema in_dialect(Dialect dialect,
                    const std::map<std::string, ColumnSpelling>& spellings = {}) const;

  /// Throws Error(kInvalidSchema) if bounds or categories of a used column are undeclared or still
  /// to be bought, or if no column is used at all. Called by everything that measures records.
  void require_declared() const;
  /// The same, but they may be still to be bought.
  void require_declared_or_bought() const;
  /// Whether bounds or categories are still to be bought.
  bool is_to_be_bought() const;
  /// Throws Error(kInvalidArgument) if a column holds images. `who`, as in "method independent",
  /// has no use for them and begins the message. Called before a record is read.
  void refuse_images(std::string_view who) const;

  bool operator==(const Schema&) const = default;

 private:
  /// Fills in what follows from the rest. Throws Error(kInvalidSchema).
  void complete_and_check();

  std::vector<Column> columns_;
  std::optional<std::string> target_;
  NeighbourRelation relation_;
  std::optional<PrivacyUnit> privacy_unit_;
  SchemaProvenance provenance_;
  bool ignores_others_ = false;
  Dialect dialect_;
  TableRules rules_;
};

}  // namespace mehler

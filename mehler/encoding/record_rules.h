#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/table/expression.h"
#include "mehler/table/modelled_columns.h"
#include "mehler/table/table.h"

namespace mehler {

/// Makes whole records of decoded ones: columns that are at least others, times from days and times
/// of day, totals, and columns that are computed. Immutable and thread-safe.
class RecordRules {
 public:
  /// Whether the columns of a schema are not simply those that are modelled.
  static bool are_needed(const Schema& schema);

  /// The schema is declared, and its rules are checked.
  RecordRules(const Schema& schema, const std::vector<ModelledColumn>& modelled);

  /// Fills in the columns that are not decoded one by one; `columns` has a place for each of the
  /// schema's.
  void complete(const EncodedBatch& batch, std::vector<TableColumn>& columns) const;

  /// Makes encoded records of what a fixed total has made of its parts: the same as `table`, which
  /// they were decoded to.
  void settle(const Table& table, const std::vector<ModelledColumn>& modelled,
              EncodedBatch& batch) const;

 private:
  /// A column that is made of modelled ones and of an earlier column.
  struct Difference {
    std::size_t modelled = 0;
    std::size_t other = 0;
    NumberCoding coding;
  };
  struct Split {
    std::size_t day = 0;
    NumberCoding days;
    std::size_t time = 0;
    NumberCoding times;
  };
  struct Formula {
    Expression expression;
    std::vector<std::size_t> inputs;
  };
  struct Lookup {
    std::size_t source = 0;
    std::unordered_map<std::string, std::optional<std::string>> map;
  };
  /// Columns that share out a fixed total.
  struct Shares {
    std::vector<std::size_t> columns;
    double total = 0.0;
  };
  /// One column of the schema that is filled in.
  struct Made {
    std::size_t place = 0;
    std::optional<Difference> difference;
    std::optional<Split> split;
    std::optional<Formula> formula;
    std::optional<Lookup> lookup;
  };

  TableColumn make(const Made& made, const EncodedBatch& batch,
                   const std::vector<TableColumn>& columns) const;
  std::vector<double> add_difference(const Column& column, const Difference& rule,
                                     const EncodedBatch& batch,
                                     const std::vector<TableColumn>& columns) const;
  void share_out(const Shares& shares, std::vector<TableColumn>& columns) const;

  std::vector<Column> columns_;  ///< the schema's
  std::vector<Shares> shares_;
  std::vector<Made> made_;  ///< each after what it follows from
};

}  // namespace mehler

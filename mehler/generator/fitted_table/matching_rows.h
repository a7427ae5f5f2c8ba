#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/estimation/clique_targets.h"
#include "mehler/estimation/coded_rows.h"
#include "mehler/generator/fitted_table/logit_tables.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

/// A column must have one of some codes.
struct CodeCondition {
  std::size_t column = 0;
  std::vector<std::uint16_t> codes;  ///< at least one, none twice
  /// Of each code, the share of its rows that meet the condition, in (0, 1]; empty: all of them.
  /// Only their ratios matter for the rows that are drawn.
  std::vector<double> shares = {};
};

/// For each code of a column of `size` codes its share; 0 for one that the condition does not
/// allow.
std::vector<double> shares_of(const CodeCondition& condition, std::size_t size);

/// The columns of rows, each in one piece: conditions look at few columns of many rows. A column is
/// made when it is first asked for. Thread-safe; the rows must outlive it, and stay as they are.
class ColumnsOfRows {
 public:
  explicit ColumnsOfRows(const CodedRows& rows) : rows_(rows), columns_(rows.columns) {}

  const CodedRows& rows() const { return rows_; }
  std::span<const std::uint16_t> column(std::size_t c) const;

 private:
  const CodedRows& rows_;
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<std::uint16_t>> columns_;
};

/// A fit whose rows can be searched.
struct SearchableFit {
  explicit SearchableFit(const TableFit& table_fit)
      : SearchableFit(table_fit, table_fit.polished.rows) {}
  SearchableFit(const TableFit& table_fit, std::size_t records_)
      : fit(table_fit), records(records_), chain(table_fit.chain), polished(table_fit.polished) {}

  const TableFit& fit;
  std::size_t records;  ///< that its rows stand for
  ColumnsOfRows chain;
  ColumnsOfRows polished;
};

/// Appends the rows that meet all conditions, in their order. Of rows whose codes count by shares
/// that part is taken, at random.
void add_meeting_rows(const ColumnsOfRows& rows, const std::vector<CodeCondition>& conditions,
                      const std::vector<std::vector<double>>& shares, std::uint64_t seed,
                      CodedRows& found);

/// Rows that meet some of the conditions.
struct MatchingRows {
  std::vector<std::size_t> unmet;  ///< places of the conditions that they need not meet
  CodedRows rows;                  ///< all that meet the others
  std::vector<double> weights;     ///< products of their shares
};

/// The rows that meet all conditions; while they are too few to learn from, conditions are left out
/// one by one: the one without which rows are enough, and the least more, or else the most.
/// `shares`: shares_of() each condition.
MatchingRows matching_rows(const ColumnsOfRows& rows, const std::vector<CodeCondition>& conditions,
                           const std::vector<std::vector<double>>& shares);

/// Adds to the potentials of single codes, so that the columns of rows that move under `forces`
/// stay as they are in `rows`, which stand for `different` ones. Potentials that fit a whole table
/// can be wrong about a rare part of it.
void keep_columns(const CliqueTargets& shape, CodedRows rows, std::size_t different,
                  std::uint64_t seed, const Context& context, LogitTables& forces);

}  // namespace mehler

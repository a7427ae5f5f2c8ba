#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Whether a value belongs to a set of a "never" rule.
class ValueTest {
 public:
  ValueTest(const Column& column, const ValueSet& set);

  bool has_missing() const { return set_.missing; }
  /// Of a column of numbers; in its own units.
  bool has_number(double value) const;
  /// Of a column of categories or booleans, by its label.
  bool has_label(const std::string& label) const { return labels_.contains(label); }
  /// Whether it is a range: then it holds whatever lies between two values that it holds.
  bool is_range() const { return set_.low || set_.high; }

 private:
  ValueSet set_;
  std::unordered_set<std::string> labels_;
  std::vector<double> numbers_;
};

/// The combinations that no synthetic record has. Immutable and thread-safe.
class NeverRules {
 public:
  struct Part {
    std::size_t column = 0;  ///< among the schema's columns
    ValueTest test;
  };
  using Rule = std::vector<Part>;

  explicit NeverRules(const Schema& schema);

  bool empty() const { return rules_.empty(); }
  const std::vector<Rule>& rules() const { return rules_; }

  /// Which rows of a table of the schema's used columns have a combination that never occurs, of
  /// any rule.
  std::vector<bool> broken(const Table& table) const;
  /// Adds to `found`, an entry a rule, those that some row breaks.
  void find_broken(const Table& table, std::vector<bool>& found) const;

 private:
  std::vector<bool> broken(const Table& table, const Rule& rule) const;

  std::vector<Rule> rules_;
  std::vector<std::string> names_;  ///< of the schema's columns
};

}  // namespace mehler

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/measurement/internal/domain_cells.h"
#include "mehler/privacy/private_table.h"
#include "mehler/table/column_view.h"

namespace mehler {

/// How often each text occurs, or how many numbers lie in each cell.
///
/// Privacy: exact counts of private records, wiped when they are destroyed. Texts of more than
/// kLongestText bytes are not counted, whoever has them.
class ExactDomain {
 public:
  static constexpr std::size_t kLongestText = 200;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Texts = std::unordered_map<WipedText, std::int64_t, TextHash, std::equal_to<>,
                                   WipingAllocator<std::pair<const WipedText, std::int64_t>>>;
  using Cells = WipedVector<std::int64_t>;

  explicit ExactDomain(const Column& column);

  const Column& column() const { return column_; }
  /// Of a number: the cells, and the counts of each.
  const DomainCells& cells() const { return *cells_; }
  const Cells& cell_counts() const { return std::get<Cells>(counts_); }
  /// Of a category.
  const Texts& texts() const { return std::get<Texts>(counts_); }

  /// Counts the rows of a batch that are kept; all of them if `kept` is empty.
  void add(const ColumnView& view, std::span<const std::uint8_t> kept);
  void merge(const ExactDomain& other);

 private:
  void add_numbers(const ColumnView& view, std::span<const std::uint8_t> kept);
  void add_texts(const ColumnView& view, std::span<const std::uint8_t> kept);

  Column column_;  ///< with assumed bounds or categories
  std::shared_ptr<const DomainCells> cells_;
  std::variant<Cells, Texts> counts_;
};

/// The columns of a private table whose bounds or categories are to be bought, counted exactly.
class DomainCounts {
 public:
  /// Reads the table once, which can be read again afterwards. Everything that a release would
  /// refuse is refused now, before anything is paid for, but for unknown bounds and categories.
  /// Throws Error(kInvalidTable) for a table that does not fit the schema.
  static std::vector<ExactDomain> read(const PrivateTable& table, const Context& context);

  /// The same table under a schema whose bounds and categories have been bought.
  static PrivateTable with_schema(const PrivateTable& table, Schema schema);
};

}  // namespace mehler

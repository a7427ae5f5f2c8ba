#include "mehler/evaluation/tables/binned_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/evaluation/tables/marginals.h"

namespace mehler {
namespace {

/// The codes of a column in fewer cells.
struct Cells {
  CellAxis axis;
  std::vector<std::size_t> cell_of_code;
};

/// How often each code occurs, in both tables together.
std::vector<std::size_t> occurrences(const ColumnBins& bins, const CodedColumn& real,
                                     const CodedColumn& synthetic) {
  std::vector<std::size_t> counts(bins.code_count(), 0);
  for (const CodedColumn* column : {&real, &synthetic}) {
    for (const std::uint16_t code : column->codes) {
      ++counts[code];
    }
  }
  return counts;
}

/// "18 to 21": of whole values the first and the last of the bins, of others where they begin and
/// end.
std::string range_words(const Column& column, const ColumnBins& bins, std::size_t first,
                        std::size_t end) {
  const bool is_whole = column.kind != ColumnKind::kNumeric;
  double low = bins.lower_edge(first);
  double high = bins.is_of_values() ? bins.lower_edge(end - 1) : bins.lower_edge(end);
  if (is_whole && !bins.is_of_values()) {
    low = std::ceil(low);
    high = end == bins.bins() ? std::floor(high) : std::ceil(high) - 1.0;
  }
  const auto words = [&](double value) {
    return is_whole ? column.format_value(value) : fmt::format("{:.6g}", value);
  };
  return low >= high ? words(low) : fmt::format("{} to {}", words(low), words(high));
}

void add_number_cells(const Column& column, const ColumnBins& bins, std::size_t limit,
                      Cells& cells) {
  const std::size_t together = (bins.bins() + limit - 1) / limit;
  for (std::size_t code = 0; code < bins.bins(); ++code) {
    cells.cell_of_code.push_back(code / together);
  }
  for (std::size_t first = 0; first < bins.bins(); first += together) {
    cells.axis.edges.push_back(bins.lower_edge(first));
    cells.axis.labels.push_back(
        range_words(column, bins, first, std::min(first + together, bins.bins())));
  }
  cells.axis.edges.push_back(column.bounds->high);
}

/// The commonest categories have a cell each, in the schema's order; the others one together.
void add_category_cells(const Column& column, const ColumnBins& bins,
                        const std::vector<std::size_t>& counts, std::size_t limit, Cells& cells) {
  const std::vector<std::string> labels = column.labels();
  std::vector<std::size_t> codes(bins.bins());
  std::iota(codes.begin(), codes.end(), std::size_t{0});
  const bool is_cut = codes.size() > limit;
  if (is_cut) {
    std::stable_sort(codes.begin(), codes.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    codes.resize(limit - 1);
    std::sort(codes.begin(), codes.end());
  }
  cells.cell_of_code.assign(bins.bins(), codes.size());
  for (std::size_t cell = 0; cell < codes.size(); ++cell) {
    cells.cell_of_code[codes[cell]] = cell;
    cells.axis.labels.push_back(labels[codes[cell]]);
  }
  if (is_cut) {
    cells.axis.labels.push_back(fmt::format("{} others", bins.bins() - codes.size()));
  }
}

Cells cells_of(const Column& column, const ColumnBins& bins, std::size_t limit,
               const CodedColumn& real, const CodedColumn& synthetic) {
  const std::vector<std::size_t> counts = occurrences(bins, real, synthetic);
  Cells cells{{column.name, {}, {}}, {}};
  if (column.is_number()) {
    add_number_cells(column, bins, limit, cells);
  } else {
    add_category_cells(column, bins, counts, limit, cells);
  }
  for (const auto& [code, label] : {std::pair{bins.missing_code(), "missing"},
                                    std::pair{bins.unknown_code(), "not in the schema"}}) {
    cells.cell_of_code.push_back(cells.axis.labels.size());
    if (counts[code] > 0) {
      cells.axis.labels.emplace_back(label);
    }
  }
  return cells;
}

std::vector<double> shares_of(const CodedColumn& column, const Cells& cells) {
  std::vector<double> shares(cells.axis.labels.size(), 0.0);
  const double one = 1.0 / static_cast<double>(column.codes.size());
  for (const std::uint16_t code : column.codes) {
    shares[cells.cell_of_code[code]] += one;
  }
  return shares;
}

std::vector<double> shares_of(const CodedColumn& first, const Cells& first_cells,
                              const CodedColumn& second, const Cells& second_cells) {
  const std::size_t width = second_cells.axis.labels.size();
  std::vector<double> shares(first_cells.axis.labels.size() * width, 0.0);
  const double one = 1.0 / static_cast<double>(first.codes.size());
  for (std::size_t row = 0; row < first.codes.size(); ++row) {
    shares[first_cells.cell_of_code[first.codes[row]] * width +
           second_cells.cell_of_code[second.codes[row]]] += one;
  }
  return shares;
}

/// Columns of a table, copied.
CodedTable columns_of(const CodedTable& table, const std::vector<std::size_t>& chosen) {
  CodedTable result;
  result.rows = table.rows;
  for (const std::size_t column : chosen) {
    result.columns.emplace_back().codes = table.columns[column].codes;
  }
  return result;
}

/// The first `limit` columns of an order, rising.
std::vector<std::size_t> first_of(std::vector<std::size_t> order, std::size_t limit) {
  order.resize(std::min(order.size(), limit));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

DrawnShares drawn_shares(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                         const CodedTable& real, const CodedTable& synthetic,
                         const BinnedSharesLimits& limits, const Context& context) {
  DrawnShares result;
  const std::size_t columns = bins.size();
  const auto cells = [&](std::size_t column, std::size_t limit) {
    return cells_of(encoder.columns()[column], bins[column], limit, real.columns[column],
                    synthetic.columns[column]);
  };
  const std::vector<SubsetDistance> alone =
      compare_marginals(real, synthetic, {1, columns, 1}, context).subsets;
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return alone[a].total_variation > alone[b].total_variation;
  });
  for (std::size_t i = 0; i < std::min(columns, limits.columns); ++i) {
    const std::size_t column = order[i];
    const Cells drawn = cells(column, ColumnBins::kMaxBins);
    result.columns.push_back({{drawn.axis},
                              shares_of(real.columns[column], drawn),
                              shares_of(synthetic.columns[column], drawn),
                              alone[column].total_variation});
  }
  result.paired = first_of(order, limits.paired_columns);
  if (result.paired.size() < 2) {
    result.paired.clear();
    return result;
  }
  std::vector<Cells> coarse;
  for (const std::size_t column : result.paired) {
    coarse.push_back(cells(column, limits.cells_of_pair));
  }
  const std::size_t all_pairs = coarse.size() * (coarse.size() - 1) / 2;
  for (const SubsetDistance& pair :
       compare_marginals(columns_of(real, result.paired), columns_of(synthetic, result.paired),
                         {2, all_pairs, 1}, context)
           .subsets) {
    const std::size_t a = pair.columns[0];
    const std::size_t b = pair.columns[1];
    const auto shares = [&](const CodedTable& table) {
      return shares_of(table.columns[result.paired[a]], coarse[a], table.columns[result.paired[b]],
                       coarse[b]);
    };
    context.throw_if_cancelled();
    result.pairs.push_back(
        {{coarse[a].axis, coarse[b].axis}, shares(real), shares(synthetic), pair.total_variation});
  }
  return result;
}

}  // namespace mehler

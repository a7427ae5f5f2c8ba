#include "mehler/report/drawn_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

namespace mehler {
namespace {

/// Five digits are more than a picture shows, and half the bytes.
double rounded(double value) {
  return std::isfinite(value) ? std::stod(fmt::format("{:.5g}", value)) : 0.0;
}

Json rounded(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) {
    json.push_back(rounded(value));
  }
  return json;
}

void sort_by_distance(std::vector<DrawnTable>& tables) {
  std::stable_sort(tables.begin(), tables.end(), [](const DrawnTable& a, const DrawnTable& b) {
    return a.distance > b.distance;
  });
}

/// Puts neighbouring ranges together; cells after the ranges, such as that of missing values, stay.
void merge_ranges(DrawnTable& table, std::size_t limit) {
  CellAxis& axis = table.axes[0];
  const std::size_t ranges = axis.edges.size() - 1;
  const std::size_t together = (ranges + limit - 1) / limit;
  if (together < 2) {
    return;
  }
  DrawnTable merged{{{axis.column, {}, {}}}, {}, {}, 0.0, table.distance};
  for (std::size_t first = 0; first < axis.labels.size();) {
    const std::size_t end = first < ranges ? std::min(first + together, ranges) : first + 1;
    const auto sum = [&](const std::vector<double>& values) {
      return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first),
                             values.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    };
    if (first < ranges) {
      merged.axes[0].edges.push_back(axis.edges[first]);
    }
    merged.reference.push_back(sum(table.reference));
    merged.synthetic.push_back(sum(table.synthetic));
    merged.axes[0].labels.push_back(
        end - first == 1 ? axis.labels[first]
                         : fmt::format("{} ... {}", axis.labels[first], axis.labels[end - 1]));
    first = end;
  }
  merged.axes[0].edges.push_back(axis.edges.back());
  merged.sigma = table.sigma * std::sqrt(static_cast<double>(together));
  table = std::move(merged);
}

/// What the bars after those of the ranges are: "last bar: missing".
std::string extra_words(const CellAxis& axis) {
  const std::span<const std::string> extra = std::span(axis.labels).subspan(axis.edges.size() - 1);
  return extra.empty()
             ? ""
             : fmt::format("last bar{}: {}", extra.size() == 1 ? "" : "s", fmt::join(extra, ", "));
}

/// Keeps the categories with the most records, in their order; says how many those are.
std::string keep_commonest(DrawnTable& table, std::size_t limit) {
  const std::size_t all = table.reference.size();
  if (all <= limit) {
    return "";
  }
  std::vector<std::size_t> order(all);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.reference[a] > table.reference[b];
  });
  order.resize(limit);
  std::sort(order.begin(), order.end());
  DrawnTable kept{{{table.axes[0].column, {}, {}}}, {}, {}, table.sigma, table.distance};
  for (const std::size_t cell : order) {
    kept.axes[0].labels.push_back(table.axes[0].labels[cell]);
    kept.reference.push_back(table.reference[cell]);
    kept.synthetic.push_back(table.synthetic[cell]);
  }
  table = std::move(kept);
  return fmt::format("{} of {} categories: those with the most records", limit, all);
}

/// The columns of the pairs that are furthest apart, in the order in which all pairs name them.
std::vector<std::string> paired_columns(const std::vector<DrawnTable>& pairs,
                                        const std::vector<DrawnTable>& by_distance,
                                        std::size_t limit, std::size_t& left_out) {
  std::set<std::string> chosen;
  for (const DrawnTable& pair : by_distance) {
    for (const CellAxis& axis : pair.axes) {
      if (chosen.size() < limit) {
        chosen.insert(axis.column);
      }
    }
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const DrawnTable& pair : pairs) {
    for (const CellAxis& axis : pair.axes) {
      if (seen.insert(axis.column).second && chosen.contains(axis.column)) {
        names.push_back(axis.column);
      }
    }
  }
  left_out = seen.size() - names.size();
  return names;
}

/// Of a range, where it begins.
Json ticks_json(const CellAxis& axis) {
  Json ticks = Json::array();
  for (const std::string& label : axis.labels) {
    ticks.push_back(axis.edges.empty() ? label : label.substr(0, label.find(" to ")));
  }
  return ticks;
}

Json table_json(const DrawnTable& table) {
  const auto axis = [](const CellAxis& cells) {
    return Json{
        {"labels", cells.labels}, {"ticks", ticks_json(cells)}, {"ordered", !cells.edges.empty()}};
  };
  return Json{{"first", axis(table.axes[0])},
              {"second", axis(table.axes[1])},
              {"sigma", rounded(table.sigma)},
              {"reference", rounded(table.reference)},
              {"synthetic", rounded(table.synthetic)}};
}

}  // namespace

DrawnColumns drawn_columns(std::vector<DrawnTable> columns, const DrawnLimits& limits) {
  DrawnColumns drawn;
  sort_by_distance(columns);
  for (DrawnTable& column : columns) {
    if (drawn.cards.size() == limits.columns) {
      ++drawn.left_out;
      continue;
    }
    const bool is_ordered = !column.axes[0].edges.empty();
    std::string note;
    if (is_ordered) {
      merge_ranges(column, limits.ranges);
      note = extra_words(column.axes[0]);
    } else {
      note = keep_commonest(column, limits.categories);
    }
    drawn.cards.push_back(Json{{"name", column.axes[0].column},
                               {"distance", rounded(column.distance)},
                               {"note", note},
                               {"ordered", is_ordered},
                               {"ranges", is_ordered ? column.axes[0].edges.size() - 1 : 0},
                               {"labels", column.axes[0].labels},
                               {"sigma", rounded(column.sigma)},
                               {"reference", rounded(column.reference)},
                               {"synthetic", rounded(column.synthetic)}});
  }
  return drawn;
}

void DrawnColumns::add_words(const std::function<std::string(double)>& words, double worth_a_look) {
  for (Json& card : cards) {
    const auto distance = card["distance"].get<double>();
    card["figure"] = words(distance);
    card["mood"] = distance > worth_a_look ? "look" : "";
  }
}

DrawnPairs drawn_pairs(std::vector<DrawnTable> pairs, const DrawnLimits& limits) {
  DrawnPairs drawn;
  std::vector<DrawnTable> by_distance = pairs;
  sort_by_distance(by_distance);
  const std::vector<std::string> names =
      paired_columns(pairs, by_distance, limits.paired_columns, drawn.columns_left_out);
  drawn.names = names;
  const auto place_of = [&](const CellAxis& axis) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), axis.column) -
                                    names.begin());
  };
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::size_t cells = 0;
  for (const DrawnTable& pair : by_distance) {
    const std::size_t first = place_of(pair.axes[0]);
    const std::size_t second = place_of(pair.axes[1]);
    // A pair that was measured twice is shown once, where it is further apart.
    if (std::max(first, second) == names.size() ||
        !seen.insert(std::minmax(first, second)).second) {
      continue;
    }
    cells += pair.reference.size();
    const bool has_table = cells <= limits.cells_of_pairs;
    drawn.values.push_back(Json::array(
        {first, second, rounded(pair.distance), has_table ? Json(drawn.tables.size()) : Json(-1)}));
    if (has_table) {
      drawn.tables.push_back(table_json(pair));
    }
  }
  return drawn;
}

std::string cut_words(std::size_t shown, std::size_t left_out) {
  return left_out == 0 ? ""
                       : fmt::format(" {} of {} columns are shown: those that differ most.", shown,
                                     shown + left_out);
}

}  // namespace mehler

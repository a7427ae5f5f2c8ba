#include "mehler/evaluation/release/compared_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "mehler/demo/people.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/table_stream.h"

namespace mehler {
namespace compared_counts_test {

constexpr std::size_t kRows = 4000;

const Release& people_release() {
  static const Release release = [] {
    ArrowArrayStream records = arrow_stream_of({simulate_people(kRows, 1)});
    Accountant accountant({10.0, 1e-6});
    return mehler::release(PrivateTable(&records, people_schema()), accountant);
  }();
  return release;
}

std::vector<ComparedCounts> tables_beside(const Table* records) {
  ReleaseComparison comparison(people_release(), Context{});
  if (records != nullptr) {
    ArrowArrayStream stream = arrow_stream_of({*records});
    comparison.add(RecordStream(&stream));
  }
  return comparison.tables();
}

const ComparedCounts& named(const std::vector<ComparedCounts>& tables, const std::string& column) {
  for (const ComparedCounts& table : tables) {
    if (table.axes.size() == 1 && table.axes[0].column == column) {
      return table;
    }
  }
  ADD_FAILURE() << "there is no table of " << column;
  return tables.front();
}

TEST(ComparedCounts, OfTheCountedTableItselfLieWithinTheNoise) {
  const Table people = simulate_people(kRows, 1);
  std::size_t columns = 0;
  std::size_t pairs = 0;
  for (const ComparedCounts& table : tables_beside(&people)) {
    (table.axes.size() == 1 ? columns : pairs) += 1;
    ASSERT_EQ(table.released.size(), table.synthetic.size());
    std::size_t cells = 1;
    for (const CellAxis& axis : table.axes) {
      cells *= axis.labels.size();
    }
    ASSERT_EQ(table.released.size(), cells);
    for (std::size_t i = 0; i < cells; ++i) {
      // Some thousands of cells, each normal: 8 sigma are beyond 1e-11 for all of them. Of columns
      // the number of records, which has noise too, moves both sides.
      EXPECT_LT(std::fabs(table.released[i] - table.synthetic[i]), 8.0 * table.sigma + 1e-9);
    }
  }
  EXPECT_EQ(columns, 9u);
  EXPECT_EQ(pairs, 36u);
}

TEST(ComparedCounts, CellsHaveEdgesOrLabelsInTheUnitsOfTheColumn) {
  const std::vector<ComparedCounts> tables = tables_beside(nullptr);
  const CellAxis& age = named(tables, "age").axes[0];
  ASSERT_EQ(age.edges.size(), age.labels.size() + 1);
  EXPECT_EQ(age.edges.front(), 18.0);
  EXPECT_EQ(age.edges.back(), 95.0);
  EXPECT_TRUE(std::is_sorted(age.edges.begin(), age.edges.end()));
  const CellAxis& region = named(tables, "region").axes[0];
  EXPECT_EQ(region.labels, (std::vector<std::string>{"north", "east", "south", "west"}));
  EXPECT_TRUE(region.edges.empty());
  EXPECT_EQ(named(tables, "hours").axes[0].labels.back(), "missing");
}

TEST(ComparedCounts, WithoutRecordsAreTheReleasesAlone) {
  for (const ComparedCounts& table : tables_beside(nullptr)) {
    EXPECT_TRUE(table.synthetic.empty());
    const double sum = std::accumulate(table.released.begin(), table.released.end(), 0.0);
    EXPECT_NEAR(sum, table.axes.size() == 1 ? people_release().record_count() : 0.0, 1e-6 * kRows);
  }
}

}  // namespace compared_counts_test
}  // namespace mehler

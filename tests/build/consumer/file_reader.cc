// Counts the rows of a table file through the installed readers.
#include <iostream>

#include "mehler/table/readers/table_reader.h"

int main(int argc, char** argv) {
  const mehler::TableReader reader({argc > 1 ? argv[1] : "-"}, {});
  std::size_t rows = 0;
  for (const mehler::RecordStreamFactory& part : reader.parts()) {
    mehler::RecordStream stream = part();
    mehler::RecordBatch batch;
    while (stream.next(batch)) {
      rows += batch.rows();
    }
  }
  std::cout << rows << "\n";
}

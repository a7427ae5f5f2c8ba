#include "test_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mehler/table/column_view.h"

namespace mehler {
namespace {

std::optional<std::string> cell_text(const ColumnView& view, const std::vector<double>& numbers,
                                     std::size_t row) {
  if (view.is_missing(row)) {
    return std::nullopt;
  }
  switch (view.type()) {
    case ColumnType::kText:
      return std::string(view.text(row));
    case ColumnType::kInteger:
    case ColumnType::kBoolean:
      return view.integer_text(row);
    case ColumnType::kUnsupported:
      return "unsupported";
    default:
      return fmt::format("{}", numbers[row]);
  }
}

void append_column(const ColumnView& view, Cells& cells) {
  std::vector<double> numbers(view.rows());
  if (view.type() != ColumnType::kText && view.type() != ColumnType::kUnsupported) {
    view.copy_numbers(numbers.data());
  }
  for (std::size_t row = 0; row < view.rows(); ++row) {
    cells.push_back(cell_text(view, numbers, row));
  }
}

constexpr std::string_view kFolderName = "mehler-table-files-";

}  // namespace

TestFolder::TestFolder() {
  std::string pattern = ::testing::TempDir() + "/" + std::string(kFolderName) + "XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  folder_ = pattern;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TestFolder::path(const std::string& name) const { return folder_ + "/" + name; }

std::string TestFolder::write(const std::string& name, std::string_view bytes) const {
  const std::filesystem::path target = path(name);
  std::filesystem::create_directories(target.parent_path());
  std::ofstream(target, std::ios::binary) << bytes;
  return target.string();
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const Cells& ReadTable::column(const std::string& name) const {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) {
    throw std::runtime_error("no column " + name);
  }
  return columns[static_cast<std::size_t>(place - names.begin())];
}

ReadTable read_all(const TableReader& reader) {
  ReadTable table;
  for (const RecordStreamFactory& open : reader.parts()) {
    RecordStream stream = open();
    table.names = stream.column_names();
    table.columns.resize(table.names.size());
    table.formats.clear();
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      table.formats.emplace_back(stream.schema().children[i]->format);
    }
    RecordBatch batch;
    while (stream.next(batch)) {
      ++table.batches;
      table.largest_batch = std::max(table.largest_batch, batch.rows());
      for (std::size_t i = 0; i < table.names.size(); ++i) {
        append_column(ColumnView(stream.schema(), batch.value(), i), table.columns[i]);
      }
    }
  }
  return table;
}

ReadTable read_table(const std::vector<std::string>& paths, const TableReadOptions& options,
                     const Schema* schema) {
  return read_all(TableReader(paths, options, schema));
}

std::string error_of(ErrorCode code, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void expect_mentions(const std::string& message, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    EXPECT_NE(message.find(text), std::string::npos) << "'" << text << "' is not in: " << message;
  }
}

void expect_hides(std::string message, const std::vector<std::string>& texts) {
  // Chance alone may put digits into the six letters that end the name of a folder.
  for (std::size_t place = 0; (place = message.find(kFolderName)) != std::string::npos;) {
    message.erase(place, kFolderName.size() + 6);
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(message.find(text), std::string::npos) << "'" << text << "' is in: " << message;
  }
}

Column column_of(const std::string& name, ColumnKind kind) {
  Column column;
  column.name = name;
  column.kind = kind;
  return column;
}

}  // namespace mehler

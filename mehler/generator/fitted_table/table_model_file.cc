// The model files of fitted tables.

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/release/checked_file.h"

namespace mehler {
namespace {

void append_codes(std::string& bytes, const CodedRows& rows) {
  for (const std::uint16_t code : rows.codes) {
    append_little_endian(bytes, code, 2);
  }
}

CodedRows read_codes(std::string_view bytes, std::size_t& offset, std::size_t rows,
                     const CliqueTargets& targets) {
  CodedRows result(rows, targets.sizes.size());
  for (std::size_t i = 0; i < result.codes.size(); ++i) {
    result.codes[i] = static_cast<std::uint16_t>(read_little_endian(bytes, offset, 2));
    offset += 2;
    if (result.codes[i] >= targets.sizes[i % result.columns]) {
      throw Error(ErrorCode::kInvalidRelease, "its table has a code that its column does not have");
    }
  }
  return result;
}

/// A number for each cell of each clique.
template <class Float, class Word>
CliqueValues read_values(std::string_view bytes, std::size_t& offset, const CliqueTargets& targets,
                         const char* what) {
  CliqueValues result;
  for (const CliqueTarget& clique : targets.cliques) {
    std::vector<double> values;
    for (std::size_t i = 0; i < clique.target.size(); ++i) {
      const auto word = static_cast<Word>(read_little_endian(bytes, offset, sizeof(Word)));
      values.push_back(double{std::bit_cast<Float>(word)});
      offset += sizeof(Word);
      if (!std::isfinite(values.back())) {
        throw Error(ErrorCode::kInvalidRelease, fmt::format("one of its {} is not finite", what));
      }
    }
    result.push_back(std::move(values));
  }
  return result;
}

}  // namespace

void TableGenerator::append_to(Json& keys, std::string& numbers) const {
  keys["rows"] = fit_.polished.rows;
  keys["averaged_sweeps"] = fit_.averaged_sweeps;
  keys["slow_mixing"] = fit_.slow_mixing;
  append_codes(numbers, fit_.chain);
  append_codes(numbers, fit_.polished);
  for (const std::vector<double>& counts : fit_.averages) {
    for (const double count : counts) {
      append_little_endian(numbers, std::bit_cast<std::uint64_t>(count), 8);
    }
  }
  const std::lock_guard lock(model_mutex_);
  if (keeps_potentials() && model_) {
    keys["potentials"] = true;
    for (const std::vector<double>& potentials : model_->potentials()) {
      for (const double potential : potentials) {
        append_little_endian(numbers, std::bit_cast<std::uint32_t>(static_cast<float>(potential)),
                             4);
      }
    }
  }
}

std::string TableGenerator::to_bytes() const {
  Json keys;
  std::string numbers;
  append_to(keys, numbers);
  return serialize_model(kKind, release_, keys, numbers);
}

std::unique_ptr<Generator> TableGenerator::read(ModelParts parts) {
  parts.release.schema().refuse_images("a model of a fitted table");
  return read_part(std::move(parts), {});
}

std::unique_ptr<TableGenerator> TableGenerator::read_part(ModelParts parts, ImageFiller images) {
  // The constructor for reading is private.
  std::unique_ptr<TableGenerator> result(new TableGenerator(
      std::move(parts.release), Context{Context::available_threads(), nullptr, nullptr},
      std::move(images)));
  const std::int64_t rows = parts.header.integer("rows");
  const bool is_size = rows >= 1 && rows <= static_cast<std::int64_t>(result->records_);
  if (is_size) {
    result->stand_for_all(static_cast<std::size_t>(rows));
  }
  const CliqueTargets& targets = result->estimates_.targets;
  const std::int64_t sweeps = parts.header.integer("averaged_sweeps");
  result->fit_.slow_mixing = parts.header.boolean("slow_mixing");
  const bool has_potentials = parts.header.optional_boolean("potentials");
  std::size_t cells = 0;
  for (const CliqueTarget& clique : targets.cliques) {
    cells += clique.target.size();
  }
  if (!is_size || sweeps < 1 || sweeps > 1'000'000 ||
      parts.numbers.size() !=
          4 * targets.rows * targets.sizes.size() + (has_potentials ? 12 : 8) * cells) {
    parts.header.fail("describes a table of another size than the file and the release have");
  }
  result->fit_.averaged_sweeps = static_cast<int>(sweeps);
  std::size_t offset = 0;
  result->fit_.chain = read_codes(parts.numbers, offset, targets.rows, targets);
  result->fit_.polished = read_codes(parts.numbers, offset, targets.rows, targets);
  result->fit_.averages =
      read_values<double, std::uint64_t>(parts.numbers, offset, targets, "counts");
  result->labels_ = TeacherLabels::of(result->release_, result->estimates_.columns,
                                      result->estimates_.cells, result->fit_.polished);
  result->searchable_.emplace(result->fit_, result->records_);
  if (has_potentials) {
    result->model_.emplace(
        targets, read_values<float, std::uint32_t>(parts.numbers, offset, targets, "potentials"));
  }
  return result;
}

}  // namespace mehler

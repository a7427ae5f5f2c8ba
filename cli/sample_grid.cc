#include "sample_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "mehler/core/error.h"
#include "mehler/report/image_grid.h"
#include "mehler/table/readers/png_image.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr std::size_t kImagesInARow = 10;
constexpr std::size_t kMostRowsOfGrid = 100;

ImageValues draw_images(const RecordSampler& sampler, const SampleOptions& options,
                        const Context& context) {
  Table drawn;
  sampler.sample(options, context, [&](const Table& rows) { drawn.append(rows); });
  const std::string& name = sampler.encoder().schema().image()->name;
  const auto column =
      std::find_if(drawn.columns.begin(), drawn.columns.end(),
                   [&](const TableColumn& candidate) { return candidate.name == name; });
  MEHLER_ASSERT(column != drawn.columns.end());
  return std::get<ImageValues>(std::move(column->values));
}

/// Images without labels, cut into rows.
std::vector<ImageGridRow> rows_of_images(const ImageValues& images) {
  std::vector<ImageGridRow> rows;
  const std::size_t line = kImagesInARow * images.shape.size();
  for (std::size_t start = 0; start < images.pixels.size(); start += line) {
    const auto first = images.pixels.begin() + static_cast<std::ptrdiff_t>(start);
    const std::size_t count = std::min(line, images.pixels.size() - start);
    rows.push_back({"", {images.shape, {first, first + static_cast<std::ptrdiff_t>(count)}}});
  }
  return rows;
}

/// The classes that records can be drawn of.
std::vector<std::string> classes_with_records(const RecordSampler& sampler, const Column& label) {
  std::vector<std::string> classes = label.labels();
  std::erase_if(classes, [&](const std::string& value) {
    try {
      sampler.check_conditions({SampleCondition(label.name, value)});
      return false;
    } catch (const Error&) {
      return true;
    }
  });
  return classes;
}

/// The same for every spelling of a file that need not exist yet.
std::filesystem::path place_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
}

}  // namespace

void add_grid_option(CLI::App& command, std::string& path, const std::string& description) {
  command
      .add_option(
          "--grid", path,
          "A picture (PNG) of images to look at: 10 of each class, a row each" + description)
      ->type_name("FILE");
}

SampleGrid::SampleGrid(const std::string& path, const Schema& schema,
                       const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs)
    : path_(path) {
  if (path.empty()) {
    return;
  }
  if (schema.image() == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "--grid shows images, but the schema has no column of the kind image; "
                "leave it out");
  }
  require_other_file(path, inputs);
  for (const std::string& output : outputs) {
    if (!output.empty() && place_of(path) == place_of(output)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--grid '{}' is written by this command already, and would be "
                              "overwritten; choose another name",
                              path));
    }
  }
  file_.emplace(path);
}

std::string SampleGrid::draw(const RecordSampler& sampler, const SampleOptions& options,
                             std::size_t threads) {
  if (!file_) {
    return "";
  }
  const Schema& schema = sampler.encoder().schema();
  const Context context{threads, nullptr, &interrupted};
  const Column* label = schema.label();
  const bool is_by_class =
      label != nullptr && std::none_of(options.where.begin(), options.where.end(),
                                       [&](const SampleCondition& condition) {
                                         return condition.column == label->name;
                                       });
  SampleOptions drawn = options;
  drawn.on_unlikely = [] {
  };  // of a class that hardly any record has, images are shown all the same
  std::vector<ImageGridRow> rows;
  std::vector<std::string> labels =
      is_by_class ? classes_with_records(sampler, *label) : std::vector<std::string>();
  labels.resize(std::min(labels.size(), kMostRowsOfGrid));
  if (is_by_class) {
    drawn.rows = kImagesInARow;
    for (const std::string& value : labels) {
      drawn.where = options.where;
      drawn.where.emplace_back(label->name, value);
      rows.push_back({value, draw_images(sampler, drawn, context)});
    }
  } else {
    drawn.rows = kImagesInARow * kImagesInARow;
    rows = rows_of_images(draw_images(sampler, drawn, context));
  }
  const ImageValues grid = image_grid(rows);
  file_->write(encode_png(grid.shape, grid.pixels));
  file_->commit();
  const std::string words =
      is_by_class ? fmt::format("{} images of each class of '{}', a class a row, from the top: {}",
                                kImagesInARow, label->name, fmt::join(labels, ", "))
                  : fmt::format("{} images", drawn.rows);
  return wrap(fmt::format("Wrote {} with {}.", path_, words), 0);
}

}  // namespace mehler

#include "mehler/counts/vector_sums_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

struct NamedKind {
  SumKind kind;
  const char* name;
};
constexpr NamedKind kKinds[] = {
    {SumKind::kLengths, "lengths"},   {SumKind::kMeans, "means"},
    {SumKind::kProducts, "products"}, {SumKind::kLoadings, "loadings"},
    {SumKind::kGradient, "gradient"}, {SumKind::kRoundedGradient, "rounded gradient"}};

struct NamedScores {
  ImageScoreKind kind;
  const char* name;
};
constexpr NamedScores kImageScores[] = {{ImageScoreKind::kCode, "code"},
                                        {ImageScoreKind::kGradients, "gradients"}};

/// Parameters as whole multiples of 2^-kParameterExponent.
Json parameters_json(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) {
    json.push_back(std::llrint(std::ldexp(value, kParameterExponent)));
  }
  return json;
}

template <typename Integer>
std::vector<Integer> read_integers(const Json& json, const JsonObjectReader& reader,
                                   std::int64_t limit) {
  std::vector<Integer> values;
  for (const Json& value : json) {
    const bool is_whole = value.is_number_integer() || value.is_number_unsigned();
    if (!is_whole ||
        (value.is_number_unsigned() &&
         value.get<std::uint64_t>() > static_cast<std::uint64_t>(limit)) ||
        value.get<std::int64_t>() > limit || value.get<std::int64_t>() < -limit) {
      reader.fail(fmt::format("has a list with something else than whole numbers up to {}", limit));
    }
    values.push_back(static_cast<Integer>(value.get<std::int64_t>()));
  }
  return values;
}

std::vector<double> read_parameters(JsonObjectReader& reader, const char* key) {
  const auto limit =
      static_cast<std::int64_t>(std::ldexp(RecordVector::kLargestParameter, kParameterExponent));
  std::vector<double> values;
  for (const std::int64_t value : read_integers<std::int64_t>(reader.array(key), reader, limit)) {
    values.push_back(std::ldexp(static_cast<double>(value), -kParameterExponent));
  }
  return values;
}

template <typename T>
const std::shared_ptr<const T>& at(const std::vector<std::shared_ptr<const T>>& list,
                                   JsonObjectReader& reader, const char* key) {
  const std::int64_t place = reader.integer(key);
  if (place < 0 || static_cast<std::size_t>(place) >= list.size()) {
    reader.fail(fmt::format("has '{}' beyond the list", key));
  }
  return list[static_cast<std::size_t>(place)];
}

/// The place of what holds the same; added if there is none.
template <typename T>
std::size_t place_in(std::vector<std::shared_ptr<const T>>& list,
                     const std::shared_ptr<const T>& value) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& held) { return hold_the_same(held, value); });
  if (found != list.end()) {
    return static_cast<std::size_t>(found - list.begin());
  }
  list.push_back(value);
  return list.size() - 1;
}

/// The vector of one entry of the list, whose scores stand at a place of theirs.
Json vector_json(const RecordVector& vector, std::size_t scores) {
  Json json;
  json["scores"] = scores;
  json["centre"] = parameters_json(vector.centre);
  json["directions"] = parameters_json(vector.directions);
  json["factors"] = vector.factors;
  json["keeps_scores"] = vector.keeps_scores;
  json["sizes"] = vector.sizes;
  json["size_offset"] = vector.size_offset;
  json["norm_weight"] = vector.norm_weight;
  json["constant"] = vector.constant;
  json["scale"] = vector.scale;
  json["radius"] = vector.radius;
  return json;
}

/// The place of what holds the same, in a list that has it.
template <typename T>
std::size_t place_held(const std::vector<std::shared_ptr<const T>>& list,
                       const std::shared_ptr<const T>& value) {
  return static_cast<std::size_t>(
      std::find_if(list.begin(), list.end(),
                   [&](const auto& held) { return hold_the_same(held, value); }) -
      list.begin());
}

Json image_vector_json(const ImageVector& vector, std::size_t scores) {
  Json json;
  json["image"] = scores;
  json["centre"] = parameters_json(vector.centre);
  json["inner_radius"] = vector.inner_radius;
  json["directions"] = parameters_json(vector.directions);
  json["factors"] = vector.factors;
  json["keeps_scores"] = vector.keeps_scores;
  json["scale"] = vector.scale;
  json["class_centres"] = parameters_json(vector.class_centres);
  json["radius"] = vector.radius;
  json["cells"] = vector.cells;
  json["cell_centres"] = parameters_json(vector.cell_centres);
  json["from_cells"] = vector.from_cells;
  json["cell_radius"] = vector.cell_radius;
  json["constant"] = vector.constant;
  return json;
}

std::vector<double> read_numbers(JsonObjectReader& reader, const char* key) {
  std::vector<double> values;
  for (const Json& value : reader.array(key)) {
    if (!value.is_number()) {
      reader.fail(fmt::format("has '{}' that are not numbers", key));
    }
    values.push_back(value.get<double>());
  }
  return values;
}

}  // namespace

std::size_t VectorList::place(const std::shared_ptr<const RecordVector>& vector) {
  place_in(scores_, vector->scores);
  return place_in(vectors_, vector);
}

std::size_t VectorList::place(const std::shared_ptr<const ImageVector>& vector) {
  place_in(images_, vector->scores);
  return place_in(image_vectors_, vector);
}

void VectorList::write(const VectorSum& sum, PartitionList& cells, Json& block) {
  block["counts"] = kVectorSum;
  block["sum"] = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const NamedKind& named) {
                   return named.kind == sum.kind;
                 })->name;
  if (sum.image) {
    block["image_vector"] = place(sum.image);
  } else {
    block["vector"] = place(sum.vector);
  }
  if (sum.other) {
    block["other"] = place(sum.other);
  }
  if (sum.classes) {
    block["classes"] = cells.place(*sum.classes);
  }
  if (sum.kind == SumKind::kLengths) {
    block["length_cells"] = sum.cells;
    block["cell_width"] = sum.cell_width;
  }
  if (sum.weights) {
    block["weights"] = parameters_json(*sum.weights);
    block["gradient_radius"] = sum.gradient_radius;
  }
}

void VectorList::write_lists(const Encoder& encoder, PartitionList& cells, Json& json) const {
  if (!vectors_.empty()) {
    json["scores"] = Json::array();
    for (const auto& tables : scores_) {
      Json of_columns = Json::array();
      for (const ScoreTables::OfColumn& column : tables->columns) {
        of_columns.push_back({{"cells", cells.place(column.counted)}, {"scores", column.scores}});
      }
      json["scores"].push_back(std::move(of_columns));
    }
    json["vectors"] = Json::array();
    for (const auto& vector : vectors_) {
      json["vectors"].push_back(vector_json(*vector, place_held(scores_, vector->scores)));
    }
  }
  if (!image_vectors_.empty()) {
    json["images"] = Json::array();
    for (const auto& scores : images_) {
      const char* name =
          std::find_if(std::begin(kImageScores), std::end(kImageScores),
                       [&](const NamedScores& named) { return named.kind == scores->kind(); })
              ->name;
      json["images"].push_back(
          {{"column", encoder.columns().at(scores->column()).name}, {"scores", name}});
    }
    json["image_vectors"] = Json::array();
    for (const auto& vector : image_vectors_) {
      json["image_vectors"].push_back(
          image_vector_json(*vector, place_held(images_, vector->scores)));
    }
  }
}

VectorList VectorList::from_json(const Encoder& encoder, const PartitionList& cells,
                                 JsonObjectReader& reader) {
  VectorList list;
  if (reader.has("vectors")) {
    list.read_vectors(cells, reader);
  }
  if (reader.has("image_vectors")) {
    list.read_images(encoder, reader);
  }
  return list;
}

void VectorList::read_images(const Encoder& encoder, JsonObjectReader& reader) {
  for (const Json& entry : reader.array("images")) {
    JsonObjectReader of_image(entry, ErrorCode::kInvalidRelease, "a list of images");
    const std::string column = of_image.text("column");
    const auto found = std::find_if(encoder.columns().begin(), encoder.columns().end(),
                                    [&](const Column& known) { return known.name == column; });
    const std::string name = of_image.text("scores");
    const auto named = std::find_if(std::begin(kImageScores), std::end(kImageScores),
                                    [&](const NamedScores& known) { return known.name == name; });
    if (found == encoder.columns().end() || !found->is_image() || named == std::end(kImageScores)) {
      of_image.fail(fmt::format("has '{}' of the column '{}', which are no images of the schema",
                                shown(name), shown(column)));
    }
    of_image.finish();
    images_.push_back(std::make_shared<const ImageScores>(
        static_cast<std::size_t>(found - encoder.columns().begin()), *found->shape, named->kind));
  }
  for (const Json& entry : reader.array("image_vectors")) {
    JsonObjectReader of_vector(entry, ErrorCode::kInvalidRelease, "a vector of images");
    auto made = std::make_shared<ImageVector>();
    made->scores = at(images_, of_vector, "image");
    made->centre = read_parameters(of_vector, "centre");
    made->inner_radius = of_vector.number("inner_radius");
    made->directions = read_parameters(of_vector, "directions");
    made->factors = read_numbers(of_vector, "factors");
    made->keeps_scores = of_vector.boolean("keeps_scores");
    made->scale = of_vector.number("scale");
    made->class_centres = read_parameters(of_vector, "class_centres");
    made->radius = of_vector.number("radius");
    const std::int64_t cells = of_vector.integer("cells");
    made->cells = cells < 0 ? ImageVector::kMaxCells + 1 : static_cast<std::size_t>(cells);
    made->cell_centres = read_parameters(of_vector, "cell_centres");
    made->from_cells = of_vector.boolean("from_cells");
    made->cell_radius = of_vector.number("cell_radius");
    made->constant = of_vector.number("constant");
    of_vector.finish();
    // Whether it fits its classes, CountSet looks at with the sum.
    image_vectors_.push_back(std::move(made));
  }
}

void VectorList::read_vectors(const PartitionList& cells, JsonObjectReader& reader) {
  const auto largest =
      static_cast<std::int64_t>(std::ldexp(ScoreTables::kLargestScore, kScoreExponent));
  for (const Json& tables : reader.array("scores")) {
    if (!tables.is_array()) {
      reader.fail("has scores that are no list");
    }
    auto made = std::make_shared<ScoreTables>();
    for (const Json& table : tables) {
      JsonObjectReader of_column(table, ErrorCode::kInvalidRelease, "a table of scores");
      const Json* place = of_column.find("cells");
      made->columns.push_back(
          {cells.at(place == nullptr ? Json() : *place, of_column),
           read_integers<std::int32_t>(of_column.array("scores"), of_column, largest)});
      of_column.finish();
    }
    made->validate("a list of scores");
    scores_.push_back(std::move(made));
  }
  for (const Json& entry : reader.array("vectors")) {
    JsonObjectReader of_vector(entry, ErrorCode::kInvalidRelease, "a vector of records");
    auto made = std::make_shared<RecordVector>();
    made->scores = at(scores_, of_vector, "scores");
    made->centre = read_parameters(of_vector, "centre");
    made->directions = read_parameters(of_vector, "directions");
    made->factors = read_numbers(of_vector, "factors");
    made->keeps_scores = of_vector.boolean("keeps_scores");
    made->sizes = read_numbers(of_vector, "sizes");
    made->size_offset = of_vector.number("size_offset");
    made->norm_weight = of_vector.number("norm_weight");
    made->constant = of_vector.number("constant");
    made->scale = of_vector.number("scale");
    made->radius = of_vector.number("radius");
    of_vector.finish();
    made->validate("a vector of records");
    vectors_.push_back(std::move(made));
  }
}

VectorSum VectorList::read(const PartitionList& cells, JsonObjectReader& reader) const {
  VectorSum sum;
  const std::string name = reader.text("sum");
  const auto named = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const NamedKind& known) { return known.name == name; });
  if (named == std::end(kKinds)) {
    reader.fail(fmt::format("sums '{}', which this version does not know", shown(name)));
  }
  sum.kind = named->kind;
  if (reader.has("image_vector")) {
    sum.image = at(image_vectors_, reader, "image_vector");
  } else {
    sum.vector = at(vectors_, reader, "vector");
  }
  if (reader.has("other")) {
    sum.other = at(vectors_, reader, "other");
  }
  if (const Json* classes = reader.find("classes")) {
    sum.classes = cells.at(*classes, reader);
  }
  if (sum.kind == SumKind::kLengths) {
    const std::int64_t count = reader.integer("length_cells");
    sum.cells = count < 0 ? 0 : static_cast<std::size_t>(count);
    sum.cell_width = reader.number("cell_width");
  }
  if (sum.is_gradient()) {
    sum.weights = std::make_shared<const std::vector<double>>(read_parameters(reader, "weights"));
    sum.gradient_radius = reader.number("gradient_radius");
  }
  return sum;
}

}  // namespace mehler

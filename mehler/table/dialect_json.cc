#include "mehler/table/dialect_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

constexpr const char* kWhat = "the schema's dialect";
constexpr std::int64_t kMostSkippedLines = 1'000'000'000;

/// One text or a list of texts; empty if the key is absent.
std::vector<std::string> read_words(JsonObjectReader& reader, const std::string& key) {
  const Json* value = reader.find(key);
  std::vector<std::string> words;
  if (value == nullptr) {
    return words;
  }
  for (const Json& word : value->is_array() ? *value : Json::array({*value})) {
    if (!word.is_string()) {
      reader.fail(fmt::format(
          "has a '{}' that is neither a text nor a list of texts; write \"{}\": [\"...\"]", key,
          key));
    }
    words.push_back(word.get<std::string>());
  }
  if (words.empty()) {
    reader.fail(fmt::format("has an empty list '{}'; list a spelling, or leave the key out", key));
  }
  return words;
}

Json words_json(const std::vector<std::string>& words) {
  return words.size() == 1 ? Json(words.front()) : Json(words);
}

char read_character(JsonObjectReader& reader, const std::string& key) {
  const std::string text = reader.text(key);
  if (text.size() != 1) {
    reader.fail(fmt::format("has a '{}' that is not one character; write it as \"{}\": \"{}\"", key,
                            key, key == "decimal" ? "," : ";"));
  }
  return text.front();
}

}  // namespace

Dialect dialect_from_json(const Json& json) {
  if (!json.is_object()) {
    throw Error(
        ErrorCode::kInvalidSchema,
        fmt::format("{} is not an object; write \"dialect\": {{\"delimiter\": \";\"}}", kWhat));
  }
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, kWhat);
  Dialect dialect;
  if (reader.find("delimiter") != nullptr) {
    dialect.delimiter = read_character(reader, "delimiter");
  }
  if (reader.find("header") != nullptr) {
    dialect.header = reader.boolean("header");
  }
  if (reader.find("decimal") != nullptr) {
    dialect.decimal = read_character(reader, "decimal");
  }
  dialect.thousands = reader.optional_text("thousands").value_or("");
  dialect.missing = read_words(reader, "missing");
  dialect.true_words = read_words(reader, "true");
  dialect.false_words = read_words(reader, "false");
  if (const auto name = reader.optional_text("encoding")) {
    const auto encoding = encoding_from_name(*name);
    if (!encoding) {
      reader.fail(fmt::format("has the unknown encoding '{}'; known are {}", shown(*name),
                              fmt::join(encoding_names(), ", ")));
    }
    dialect.encoding = *encoding;
  }
  if (reader.find("skip_lines") != nullptr) {
    const std::int64_t lines = reader.integer("skip_lines");
    if (lines < 0 || lines > kMostSkippedLines) {
      reader.fail(
          fmt::format("has the skip_lines {}; allowed are 0 to {}", lines, kMostSkippedLines));
    }
    dialect.skip_lines = static_cast<std::size_t>(lines);
  }
  dialect.trim_spaces = reader.optional_boolean("trim_spaces");
  reader.finish();
  return dialect;
}

Json json_of(const Dialect& dialect) {
  Json json = Json::object();
  if (dialect.delimiter) {
    json["delimiter"] = std::string(1, *dialect.delimiter);
  }
  if (!dialect.header) {
    json["header"] = false;
  }
  if (dialect.decimal != '.') {
    json["decimal"] = std::string(1, dialect.decimal);
  }
  if (!dialect.thousands.empty()) {
    json["thousands"] = dialect.thousands;
  }
  if (!dialect.missing.empty()) {
    json["missing"] = dialect.missing;
  }
  if (!dialect.true_words.empty()) {
    json["true"] = words_json(dialect.true_words);
    json["false"] = words_json(dialect.false_words);
  }
  if (dialect.encoding != TextEncoding::kUtf8) {
    json["encoding"] = encoding_name(dialect.encoding);
  }
  if (dialect.skip_lines > 0) {
    json["skip_lines"] = dialect.skip_lines;
  }
  if (dialect.trim_spaces) {
    json["trim_spaces"] = true;
  }
  return json;
}

ColumnSpelling read_spelling(JsonObjectReader& reader) {
  ColumnSpelling spelling;
  for (const auto& [key, place] :
       {std::pair{"format", &spelling.format}, std::pair{"prefix", &spelling.prefix},
        std::pair{"suffix", &spelling.suffix}}) {
    if (const auto text = reader.optional_text(key)) {
      if (text->empty()) {
        reader.fail(fmt::format("has an empty '{}'; write one, or leave the key out", key));
      }
      *place = *text;
    }
  }
  spelling.true_words = read_words(reader, "true");
  spelling.false_words = read_words(reader, "false");
  return spelling;
}

void add_spelling(const ColumnSpelling& spelling, Json& column) {
  for (const auto& [key, text] :
       {std::pair{"format", &spelling.format}, std::pair{"prefix", &spelling.prefix},
        std::pair{"suffix", &spelling.suffix}}) {
    if (!text->empty()) {
      column[key] = *text;
    }
  }
  if (!spelling.true_words.empty()) {
    column["true"] = words_json(spelling.true_words);
    column["false"] = words_json(spelling.false_words);
  }
}

}  // namespace mehler

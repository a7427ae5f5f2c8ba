#include "mehler/core/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mehler/core/name_suggestions.h"

namespace mehler {

Json json_number(double value) {
  if (std::trunc(value) == value && std::fabs(value) <= 9007199254740992.0) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

std::string one_line_json(const Json& value) {
  if (!value.is_structured()) {
    return value.dump();
  }
  std::string text = value.is_object() ? "{" : "[";
  for (const auto& [key, member] : value.items()) {
    text += text.size() > 1 ? ", " : "";
    text += value.is_object() ? Json(key).dump() + ": " : "";
    text += one_line_json(member);
  }
  return text + (value.is_object() ? "}" : "]");
}

bool is_utf8(const std::string& text) {
  try {
    Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

Json parse_strict_json(std::string_view text, ErrorCode code, std::string_view what) {
  std::vector<std::set<std::string>> open_objects;
  std::string repeated_key;
  const auto watch_keys = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_objects.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_objects.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const std::string key = parsed.get<std::string>();
      if (!open_objects.back().insert(key).second && repeated_key.empty()) {
        repeated_key = key;
      }
    }
    return true;
  };
  if (text.find('\0') != std::string_view::npos) {
    throw Error(
        code, fmt::format("{} is not valid JSON: it holds a zero byte; check that it is the right "
                          "file",
                          what));
  }
  Json result;
  try {
    result = Json::parse(text, watch_keys);
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw Error(
        code, fmt::format("{} is not valid JSON: something is wrong on line {}; look for a missing "
                          "comma, quote or bracket there",
                          what, line));
  } catch (const Json::exception&) {
    throw Error(code,
                fmt::format("{} is not valid JSON: it holds a number that is too large; write a "
                            "finite one",
                            what));
  }
  if (!repeated_key.empty()) {
    throw Error(code, fmt::format("{} gives the key '{}' twice in one object; remove one", what,
                                  shown(repeated_key)));
  }
  return result;
}

JsonObjectReader::JsonObjectReader(const Json& object, ErrorCode code, std::string what)
    : object_(object), code_(code), what_(std::move(what)) {
  if (!object.is_object()) {
    fail("must be a JSON object, in braces");
  }
}

const Json* JsonObjectReader::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.push_back(key);
  }
  const auto place = object_.find(key);
  return place == object_.end() ? nullptr : &*place;
}

const Json& JsonObjectReader::require(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) {
    fail(fmt::format("lacks the key '{}'; add it", key));
  }
  return *value;
}

std::string JsonObjectReader::text(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_string()) {
    fail(fmt::format("has a '{}' that is not a text; write it in double quotes", key));
  }
  return value.get<std::string>();
}

std::optional<std::string> JsonObjectReader::optional_text(const std::string& key) {
  if (find(key) == nullptr) {
    return std::nullopt;
  }
  return text(key);
}

double JsonObjectReader::number(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_number()) {
    fail(fmt::format("has a '{}' that is not a number", key));
  }
  return value.get<double>();
}

std::int64_t JsonObjectReader::integer(const std::string& key) {
  const Json& value = require(key);
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || too_large) {
    fail(fmt::format("has a '{}' that is not a whole number", key));
  }
  return value.get<std::int64_t>();
}

bool JsonObjectReader::boolean(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_boolean()) {
    fail(fmt::format("has a '{}' that is neither true nor false", key));
  }
  return value.get<bool>();
}

bool JsonObjectReader::optional_boolean(const std::string& key) {
  return find(key) != nullptr && boolean(key);
}

const Json& JsonObjectReader::array(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_array()) {
    fail(fmt::format("has a '{}' that is not a list, in square brackets", key));
  }
  return value;
}

const Json& JsonObjectReader::object(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_object()) {
    fail(fmt::format("has a '{}' that is not an object, in braces", key));
  }
  return value;
}

void JsonObjectReader::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      fail(fmt::format("has the unknown key '{}'{}", shown(key), suggest_names(key, known_)));
    }
  }
}

void JsonObjectReader::fail(const std::string& complaint) const {
  throw Error(code_, what_ + " " + complaint);
}

}  // namespace mehler

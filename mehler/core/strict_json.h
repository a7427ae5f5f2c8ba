#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/error.h"

namespace mehler {

/// Objects keep the order of their keys, so that files read well.
using Json = nlohmann::ordered_json;

/// A number as files write it: whole numbers within 2^53 without a decimal point, others so that
/// reading gives the same double back.
Json json_number(double value);

/// The text of a value on one line, with a space after each comma and colon.
std::string one_line_json(const Json& value);

/// Whether a text is valid UTF-8, as texts of JSON must be.
bool is_utf8(const std::string& text);

/// Parses JSON strictly: a key given twice in one object is an error. `what` begins the message
/// ("the schema 'a.json'"). Throws Error(code).
Json parse_strict_json(std::string_view text, ErrorCode code, std::string_view what);

/// One JSON object whose keys are all accounted for: every key that is read is noted, and finish()
/// rejects the others with near names. Every complaint is an Error(code) that begins with `what`.
class JsonObjectReader {
 public:
  JsonObjectReader(const Json& object, ErrorCode code, std::string what);

  bool has(const std::string& key) const { return object_.contains(key); }

  /// The value of a key, or nullptr if it is absent. Marks the key as known.
  const Json* find(const std::string& key);

  std::string text(const std::string& key);
  std::optional<std::string> optional_text(const std::string& key);
  double number(const std::string& key);
  std::int64_t integer(const std::string& key);
  bool boolean(const std::string& key);
  /// False if the key is absent.
  bool optional_boolean(const std::string& key);
  const Json& array(const std::string& key);
  const Json& object(const std::string& key);

  /// Throws if the object has a key that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(const std::string& complaint) const;

 private:
  const Json& require(const std::string& key);

  const Json& object_;
  ErrorCode code_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace mehler

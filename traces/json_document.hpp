// JSON whose every value knows its line, so that a refusal can name it: files that people write by
// hand, and run files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

struct JsonMember;

/// A JSON value and the line it ends on.
struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  std::size_t line = 0;  ///< from 1; of a list or an object: where it begins
  bool boolean = false;
  double number = 0.0;
  std::string text;  ///< of a text: the text; of a number: as it was spelled
  std::vector<JsonValue> list;
  std::vector<JsonMember> object;  ///< in the order of the file; names differ

  /// "a text", "a list", ...
  [[nodiscard]] const char* kind_words() const;
};

/// A named value of an object.
struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Reads `text`, which stands in the file called `file` from line `first_line` on. Throws
/// InputError at FILE:LINE for what is no JSON, no UTF-8, a text with control characters, a number that overflows, a name that an object has
/// twice, and more than 64 levels.
[[nodiscard]] JsonValue parse_json(const std::string& text, const std::string& file,
                                   std::size_t first_line = 1);

/// `text` as a JSON string, with its quotation marks; what is no UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_string(const std::string& text);

/// Reads the file. Throws InputError too when it cannot be read.
[[nodiscard]] JsonValue read_json_file(const std::string& file);

/// An object of a file and its members, read by name. Every reader throws InputError at FILE:LINE.
class JsonObject {
 public:
  /// Throws for a value that is no object, and for a member that `known` lacks, naming the nearest.
  /// `what` says whose members they are, in words: "a campaign".
  JsonObject(const JsonValue& value, std::string file, const std::string& what,
             const std::vector<std::string>& known);

  /// Throws for a value that is no object; passes over members that nobody asks for.
  JsonObject(const JsonValue& value, std::string file, const std::string& what);

  /// FILE:LINE of the object.
  [[nodiscard]] std::string where() const { return where(*value_); }
  /// FILE:LINE of a value of the same file.
  [[nodiscard]] std::string where(const JsonValue& value) const;

  /// The member, or null if it is missing or null.
  [[nodiscard]] const JsonValue* find(const std::string& name) const;
  /// The member; throws when it is missing or null.
  [[nodiscard]] const JsonValue& at(const std::string& name) const;

  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name, double low, double high) const;
  /// A whole number from `low` to `high`, however large.
  [[nodiscard]] std::int64_t whole(const std::string& name, std::int64_t low,
                                   std::int64_t high) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] const std::vector<JsonValue>& list(const std::string& name) const;

 private:
  const JsonValue& of_kind(const std::string& name, JsonValue::Kind kind, const char* words) const;

  const JsonValue* value_;
  std::string file_;
};

}  // namespace equipoise

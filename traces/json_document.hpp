// JSON in which every value knows its line, so that error messages can name it. Used for files
// written by hand and for run files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace equipoise {

struct JsonMember;

/// A JSON value and the line on which it ends.
struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  std::size_t line = 0;  ///< from 1; for a list or an object: the line on which it begins
  bool boolean = false;
  double number = 0.0;
  std::string text;  ///< the text; for a number: its digits as in the file
  std::vector<JsonValue> list;
  std::vector<JsonMember> object;  ///< in the order of the file; names are unique

  /// "a text", "a list", ...
  [[nodiscard]] const char* kind_words() const;
};

/// A named value of an object.
struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Parses `text`, which begins at line `first_line` of the file called `file`. Throws InputError at
/// FILE:LINE for invalid JSON, invalid UTF-8, a text with control characters, a number that
/// overflows, a name that occurs twice in an object, and more than 64 levels of nesting.
[[nodiscard]] JsonValue parse_json(const std::string& text, const std::string& file,
                                   std::size_t first_line = 1);

/// `text` as a JSON string with quotation marks. Bytes that are not valid UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(const std::string& text);

/// `value` as JSON in one line.
[[nodiscard]] std::string json_of(const JsonValue& value);

/// Reads and parses the file. Throws like `parse_json`, and InputError if the file cannot be read.
[[nodiscard]] JsonValue read_json_file(const std::string& file);

/// Throws InputError at `where` unless a file's `schema` is `expected` ("equipoise.trace/1") or a
/// minor version of it ("equipoise.trace/1.2").
void expect_schema(const std::string& schema, const std::string& expected,
                   const std::string& where);

/// Reads the members of a JSON object by name. Every reader throws InputError at FILE:LINE.
class JsonObject {
 public:
  /// Throws if `value` is not an object, or has members that are not in `known` (suggesting the
  /// nearest to each). `what` describes the object in messages: "a campaign".
  JsonObject(const JsonValue& value, std::string file, const std::string& what,
             const std::vector<std::string>& known);

  /// Throws if `value` is not an object. Members that are not asked for are ignored.
  JsonObject(const JsonValue& value, std::string file, const std::string& what);

  /// FILE:LINE of the object.
  [[nodiscard]] std::string where() const { return where(*value_); }
  /// FILE:LINE of a value of the same file.
  [[nodiscard]] std::string where(const JsonValue& value) const;

  /// The member, or nullptr if it is missing or null.
  [[nodiscard]] const JsonValue* find(const std::string& name) const;
  /// The member. Throws if it is missing or null.
  [[nodiscard]] const JsonValue& at(const std::string& name) const;

  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name, double low, double high) const;
  /// A number from `low` to `high`, or a text with a number and a unit of measure (`parse_quantity`):
  /// "25 Gb/s". What is measured follows from the end of `name`: `_bytes_per_s`, `_flop_per_s`,
  /// `_bytes`, `_s`, `_w`, `_hz`. A name that ends otherwise has no units.
  [[nodiscard]] double quantity(const std::string& name, double low, double high) const;
  /// A whole number from `low` to `high`; exact over the full 64-bit range. It may be written as 1e6.
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

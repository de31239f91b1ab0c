// JSON in which every value knows its line, so that error messages can name it. Used for files
// written by hand and for run files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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

/// Reads and parses the file. Throws like `parse_json`, and InputError if the file cannot be read.
[[nodiscard]] JsonValue read_json_file(const std::string& file);

/// Throws InputError at `where` unless a file's `schema` is `expected` ("equipoise.trace/1") or a
/// minor version of it ("equipoise.trace/1.2").
void expect_schema(const std::string& schema, const std::string& expected,
                   const std::string& where);

/// A value of a file, with the name that messages call it by: that of the member; an entry of a
/// list goes by the name of the list. Every reader throws InputError at FILE:LINE. The value and
/// both names must outlive the field.
class JsonField {
 public:
  JsonField(const JsonValue& value, std::string_view file, std::string_view name)
      : value_(&value), file_(file), name_(name) {}

  /// FILE:LINE.
  [[nodiscard]] std::string where() const;
  [[nodiscard]] const JsonValue& value() const { return *value_; }
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view file() const { return file_; }
  [[nodiscard]] bool is_null() const { return value_->kind == JsonValue::Kind::null; }

  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] double number(double low, double high) const;
  /// A number from `low` to `high`, or a text with a number and a unit of measure
  /// (`parse_quantity`): "25 Gb/s". What is measured follows from the end of the name:
  /// `_bytes_per_s`, `_flop_per_s`, `_bytes`, `_s`, `_w`, `_hz`. A name that ends otherwise has no
  /// units.
  [[nodiscard]] double quantity(double low, double high) const;
  /// A whole number from `low` to `high`; exact over the full 64-bit range. It may be written as
  /// 1e6.
  [[nodiscard]] std::int64_t whole(std::int64_t low, std::int64_t high) const;
  /// A whole number of up to 64 bits without a sign, written as it is.
  [[nodiscard]] std::uint64_t natural() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] const std::vector<JsonValue>& list() const;
  [[nodiscard]] const std::vector<JsonMember>& object() const;

 private:
  const JsonValue& of_kind(JsonValue::Kind kind, const char* words) const;

  const JsonValue* value_;
  std::string_view file_;
  std::string_view name_;
};

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
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
  /// Whether it is there, or null.
  [[nodiscard]] bool has(std::string_view name) const;
  /// The member. Throws if it is missing or null.
  [[nodiscard]] const JsonValue& at(std::string_view name) const;

  /// The member with its name. Throws if it is missing or null.
  [[nodiscard]] JsonField field(std::string_view name) const { return {at(name), file_, name}; }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// As JsonField's readers, of the member called `name`.
  [[nodiscard]] const std::string& text(std::string_view name) const { return field(name).text(); }
  [[nodiscard]] double number(std::string_view name, double low, double high) const {
    return field(name).number(low, high);
  }
  [[nodiscard]] double quantity(std::string_view name, double low, double high) const {
    return field(name).quantity(low, high);
  }
  [[nodiscard]] std::int64_t whole(std::string_view name, std::int64_t low,
                                   std::int64_t high) const {
    return field(name).whole(low, high);
  }
  [[nodiscard]] bool flag(std::string_view name) const { return field(name).flag(); }
  [[nodiscard]] const std::vector<JsonValue>& list(std::string_view name) const {
    return field(name).list();
  }

 private:
  const JsonValue* value_;
  std::string file_;
};

}  // namespace equipoise

// Builds a document from the JSON library's parse events and records the lines at which they occur.
#include "traces/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

constexpr std::size_t deepest_nesting = 64;

/// The position up to which the library has read.
struct Position {
  std::size_t line = 1;
  bool at_line_end = false;  ///< the last character was a newline
};

/// Gives the library its characters and counts lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->at_line_end = *at_ == '\n';
    if (position_->at_line_end) ++position_->line;
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

/// Builds the document from the library's parse events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(JsonValue& root, const Position& position, std::string file)
      : root_(root), position_(position), file_(std::move(file)) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override {
    JsonValue v;
    v.kind = JsonValue::Kind::boolean;
    v.boolean = value;
    return put(std::move(v));
  }
  bool number_integer(number_integer_t value) override {
    return put_number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put_number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& spelling) override {
    if (!std::isfinite(value)) refuse(line_of_number(), "a number overflows; write a smaller one");
    return put_number(value, spelling);
  }
  bool string(string_t& value) override {
    expect_printable(value);
    JsonValue v;
    v.kind = JsonValue::Kind::text;
    v.text = std::move(value);
    return put(std::move(v));
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t /*size*/) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    expect_printable(name);
    std::vector<JsonMember>& members = open_.back()->object;
    for (const JsonMember& member : members) {
      if (member.name == name) {
        refuse(position_.line, fmt::format("'{}' is given twice; keep one of them", name));
      }
    }
    members.push_back({std::move(name), {}});
    return true;
  }
  bool parse_error(std::size_t /*byte*/, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr) {
      refuse(line_of_number(), "a number overflows; write a smaller one");
    }
    const std::string near = token.substr(0, 40);
    refuse(
        line_of_number(),
        fmt::format("malformed JSON{}; a comma, a quote or a bracket is missing or too many here",
                    near.empty() ? std::string() : " near '" + near + "'"));
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
    throw InputError(fmt::format("{}:{}", file_, line), why);
  }

  void expect_printable(const std::string& text) const {
    if (is_printable(text)) return;
    refuse(position_.line,
           fmt::format("'{}' has control characters; leave them out", printable(text)));
  }

  /// The library recognises the end of a number only after it has read the next character, which
  /// may be a newline.
  [[nodiscard]] std::size_t line_of_number() const {
    return position_.line - (position_.at_line_end && position_.line > 1 ? 1 : 0);
  }

  bool put_number(double number, std::string spelling) {
    JsonValue v;
    v.kind = JsonValue::Kind::number;
    v.number = number;
    v.text = std::move(spelling);
    put(std::move(v));
    last_->line = line_of_number();
    return true;
  }

  bool put(JsonValue value) {
    value.line = position_.line;
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else if (open_.back()->kind == JsonValue::Kind::object) {
      last_ = &open_.back()->object.back().value;
      *last_ = std::move(value);
    } else {
      last_ = &open_.back()->list.emplace_back(std::move(value));
    }
    return true;
  }

  bool open(JsonValue::Kind kind) {
    if (open_.size() == deepest_nesting) {
      refuse(position_.line, fmt::format("nested more than {} levels deep; is this the right file?",
                                         deepest_nesting));
    }
    JsonValue value;
    value.kind = kind;
    put(std::move(value));
    open_.push_back(last_);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  JsonValue& root_;
  const Position& position_;
  std::string file_;
  /// The lists and objects that are open now, from the outside in; they do not move while they are
  /// open.
  std::vector<JsonValue*> open_;
  JsonValue* last_ = nullptr;
};

/// Throws InputError at the first line that is not UTF-8.
void expect_utf8(const std::string& text, const std::string& file, std::size_t line) {
  if (is_utf8(text)) return;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!is_utf8(std::string_view(text).substr(at, end - at))) break;
    at = end + 1;
  }
  throw InputError(fmt::format("{}:{}", file, line), "not UTF-8; save the file as UTF-8");
}

/// The unit of measure (of `parse_quantity`) of a member with this name; empty if it has none.
std::string unit_of_measure(std::string_view name) {
  constexpr std::array<std::pair<const char*, const char*>, 6> units = {{{"bytes_per_s", "bytes/s"},
                                                                         {"flop_per_s", "FLOP/s"},
                                                                         {"bytes", "bytes"},
                                                                         {"_s", "s"},
                                                                         {"_w", "W"},
                                                                         {"_hz", "Hz"}}};
  if (name.ends_with("items_per_s")) return {};
  if (name.ends_with("_per_item")) name.remove_suffix(std::string_view("_per_item").size());
  for (const auto& [ending, unit] : units) {
    if (name.ends_with(ending)) return unit;
  }
  return {};
}

}  // namespace

const char* JsonValue::kind_words() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "";
}

JsonValue parse_json(const std::string& text, const std::string& file, std::size_t first_line) {
  expect_utf8(text, file, first_line);
  JsonValue root;
  Position position{.line = first_line};
  Builder builder(root, position, file);
  const CountingIterator begin(text.data(), &position);
  const CountingIterator end(text.data() + text.size(), &position);
  static_cast<void>(nlohmann::json::sax_parse(begin, end, &builder));
  return root;
}

JsonValue read_json_file(const std::string& file) {
  return parse_json(read_input(file, "give the path of a JSON file"), file);
}

void expect_schema(const std::string& schema, const std::string& expected,
                   const std::string& where) {
  if (schema == expected || schema.starts_with(expected + ".")) return;
  throw InputError(where, fmt::format("schema '{}' is not '{}'; is this the right file, and made "
                                      "for this version?",
                                      schema, expected));
}

JsonObject::JsonObject(const JsonValue& value, std::string file, const std::string& what)
    : value_(&value), file_(std::move(file)) {
  if (value.kind == JsonValue::Kind::object) return;
  throw InputError(where(), fmt::format("{} must be an object, not {}; write {{...}}", what,
                                        value.kind_words()));
}

JsonObject::JsonObject(const JsonValue& value, std::string file, const std::string& what,
                       const std::vector<std::string>& known)
    : JsonObject(value, std::move(file), what) {
  std::string first;
  std::string why;
  for (const JsonMember& member : value.object) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    const std::string one = unknown_name("member of " + what, member.name, known);
    if (first.empty()) first = where(member.value);
    why += why.empty() ? one : fmt::format("; line {}: {}", member.value.line, one);
  }
  if (!first.empty()) throw InputError(first, why);
}

std::string JsonObject::where(const JsonValue& value) const {
  return fmt::format("{}:{}", file_, value.line);
}

const JsonValue* JsonObject::find(std::string_view name) const {
  for (const JsonMember& member : value_->object) {
    if (member.name == name && member.value.kind != JsonValue::Kind::null) return &member.value;
  }
  return nullptr;
}

bool JsonObject::has(std::string_view name) const {
  return std::ranges::find(value_->object, name, &JsonMember::name) != value_->object.end();
}

const JsonValue& JsonObject::at(std::string_view name) const {
  const JsonValue* found = find(name);
  if (found == nullptr) throw InputError(where(), fmt::format("'{0}' is missing; add it", name));
  return *found;
}

std::string JsonField::where() const { return fmt::format("{}:{}", file_, value_->line); }

const JsonValue& JsonField::of_kind(JsonValue::Kind kind, const char* words) const {
  if (value_->kind == kind) return *value_;
  throw InputError(where(),
                   fmt::format("'{}' is {}; it must be {}", name_, value_->kind_words(), words));
}

const std::string& JsonField::text() const { return of_kind(JsonValue::Kind::text, "a text").text; }

double JsonField::number(double low, double high) const {
  const JsonValue& value = of_kind(JsonValue::Kind::number, "a number");
  if (value.number >= low && value.number <= high) return value.number;
  throw InputError(
      where(), fmt::format("'{}' is {}; it must be from {} to {}", name_, value.text, low, high));
}

double JsonField::quantity(double low, double high) const {
  const JsonValue& value = *value_;
  if (value.kind != JsonValue::Kind::text) return number(low, high);
  double quantity = 0.0;
  try {
    quantity = parse_quantity(value.text, unit_of_measure(name_), where());
  } catch (const InputError& refusal) {
    throw InputError(refusal.where(), fmt::format("'{}': {}", name_, refusal.why()));
  }
  if (quantity >= low && quantity <= high) return quantity;
  throw InputError(where(), fmt::format("'{}' is '{}', which is {}; it must be from {} to {}",
                                        name_, value.text, quantity, low, high));
}

std::int64_t JsonField::whole(std::int64_t low, std::int64_t high) const {
  const JsonValue& value = of_kind(JsonValue::Kind::number, "a whole number");
  std::optional<std::int64_t> number = number_of_all<std::int64_t>(value.text);
  if (!number && std::abs(value.number) < 0x1p63 && value.number == std::floor(value.number)) {
    number = static_cast<std::int64_t>(value.number);  // written as 1e6
  }
  if (number && *number >= low && *number <= high) return *number;
  throw InputError(where(), fmt::format("'{}' is {}; it must be a whole number from {} to {}",
                                        name_, value.text, low, high));
}

std::uint64_t JsonField::natural() const {
  const JsonValue& value = of_kind(JsonValue::Kind::number, "a whole number");
  if (const auto number = number_of_all<std::uint64_t>(value.text)) return *number;
  throw InputError(where(), fmt::format("'{}' is {}; it must be a whole number from 0 to {}", name_,
                                        value.text, std::numeric_limits<std::uint64_t>::max()));
}

bool JsonField::flag() const { return of_kind(JsonValue::Kind::boolean, "true or false").boolean; }

const std::vector<JsonValue>& JsonField::list() const {
  return of_kind(JsonValue::Kind::list, "a list").list;
}

const std::vector<JsonMember>& JsonField::object() const {
  return of_kind(JsonValue::Kind::object, "an object").object;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace equipoise

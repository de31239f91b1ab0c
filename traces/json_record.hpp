// JSON of described records (shared_policies/records/description.hpp): writes them and reads them.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/records/facts.hpp"
#include "shared_policies/records/struct_members.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

using Json = nlohmann::ordered_json;

/// A number, or a record or word in its place.
template <class Struct>
using NumberOr = std::variant<double, Struct>;

template <class T>
inline constexpr bool is_number_or = false;
template <class Struct>
inline constexpr bool is_number_or<NumberOr<Struct>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_object = false;
template <class T>
inline constexpr bool is_object<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool is_object<std::vector<std::pair<std::string, T>>> = true;

/// `read` as a value that can be written again, with the same text for every number that the
/// program wrote.
[[nodiscard]] Json json_from(const JsonValue& read);

/// `json` in one line. Bytes that are not valid UTF-8 become U+FFFD.
[[nodiscard]] std::string line_of(const Json& json);

/// `json` as a file that people may read. Bytes that are not valid UTF-8 become U+FFFD.
[[nodiscard]] std::string document_of(const Json& json);

/// Puts `value` into `object` under `name`, which may be a path: "a.b".
void put(Json& object, std::string_view name, Json value);

/// Whether `value` is what `Writing::or_null` and `Writing::if_any` call nothing.
template <class T>
[[nodiscard]] bool is_nothing(const T& value) {
  if constexpr (is_optional<T>) {
    return !value.has_value();
  } else if constexpr (std::same_as<T, bool>) {
    return !value;
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return false;
  }
}

/// 2026-11-23.
[[nodiscard]] std::string date_text(std::chrono::sys_days date);

/// The member's name in files of `place`.
[[nodiscard]] inline const char* name_in(const MemberFacts& facts, unsigned place) {
  return place == in_points && facts.point_name != nullptr ? facts.point_name : facts.name;
}

/// A whole number instead of a double that is one.
[[nodiscard]] Json short_form(Json json);

template <Described Struct>
void put_members(Json& object, const Struct& record, unsigned place);

/// Appends `value`, or all members of a struct and of its structs.
template <class T>
void append_to_row(Json& row, const T& value);

/// `value` as JSON, with what files of `place` have of it.
template <class T>
[[nodiscard]] Json json_of(const T& value, unsigned place = everywhere) {
  if constexpr (std::same_as<T, Seconds>) {
    return value.value;
  } else if constexpr (Worded<T>) {
    return word_of(value);
  } else if constexpr (is_optional<T>) {
    return value ? json_of(*value, place) : Json();
  } else if constexpr (is_object<T>) {
    Json object = Json::object();
    for (const auto& [name, one] : value) object[name] = json_of(one, place);
    return object;
  } else if constexpr (is_list<T>) {
    Json list = Json::array();
    for (const auto& one : value) list.push_back(json_of(one, place));
    return list;
  } else if constexpr (WrittenAsRow<T>) {
    Json row = Json::array();
    append_to_row(row, value);
    return row;
  } else if constexpr (std::same_as<T, Fact>) {
    return std::visit([&](const auto& held) { return json_of(held, place); }, value.value);
  } else if constexpr (is_number_or<T>) {
    return std::visit([&](const auto& held) { return json_of(held, place); }, value);
  } else if constexpr (std::same_as<T, std::chrono::sys_days>) {
    return date_text(value);
  } else if constexpr (std::same_as<T, std::monostate>) {
    return {};
  } else if constexpr (Described<T>) {
    Json object = Json::object();
    put_members(object, value, place);
    return object;
  } else {
    return value;
  }
}

template <class T>
void append_to_row(Json& row, const T& value) {
  if constexpr (std::is_aggregate_v<T> && !std::same_as<T, Seconds>) {
    with_members(value, [&row](const auto&... one) { (append_to_row(row, one), ...); });
  } else {
    row.push_back(json_of(value));
  }
}

/// Puts the members of `record` that files of `place` have into `object`.
template <Described Struct>
void put_members(Json& object, const Struct& record, unsigned place) {
  static_assert(count_described<Struct>() == count_members<Struct>(),
                "a member of the struct is not in its description");
  for_each_member<Struct>([&]<class One>(const One& one) {
    using Value = typename One::Value;
    const MemberFacts& facts = one.facts;
    if ((facts.places & place) == 0) return;
    const auto& value = one.get(record);
    if constexpr (Described<Value>) {
      if (facts.is_flat) return put_members(object, value, place);
    }
    if (facts.writing == Writing::if_any && is_nothing(value)) return;
    Json json =
        facts.writing == Writing::or_null && is_nothing(value) ? Json() : json_of(value, place);
    if ((facts.short_in & place) != 0) json = short_form(std::move(json));
    put(object, name_in(facts, place), std::move(json));
  });
}

/// How a record is read.
struct Reading {
  unsigned place = everywhere;  ///< in files of which kinds
  bool is_strict = false;       ///< refuses members that are not described; else they are ignored
};

/// Reads a record from a JSON object; `what` describes it in messages: "a workload". Throws
/// InputError at FILE:LINE.
template <Described Struct>
[[nodiscard]] Struct record_of(const JsonValue& value, const std::string& file,
                               const std::string& what, const Reading& how = {});

/// The names of the members that files of `place` have.
template <Described Struct>
[[nodiscard]] std::vector<std::string> member_names(unsigned place = everywhere) {
  std::vector<std::string> names;
  for_each_member<Struct>([&]<class One>(const One& one) {
    if ((one.facts.places & place) == 0) return;
    if constexpr (Described<typename One::Value>) {
      if (one.facts.is_flat) {
        std::ranges::move(member_names<typename One::Value>(place), std::back_inserter(names));
        return;
      }
    }
    const std::string_view name = name_in(one.facts, place);
    names.emplace_back(name.substr(0, name.find('.')));
  });
  return names;
}

/// Reads the members of a record, or of its parts, from `object`.
template <Described Struct>
void read_members(const JsonObject& object, Struct& record, const Reading& how);

/// The bounds of a member, as a whole number of type `T`.
template <std::integral T>
[[nodiscard]] std::pair<std::int64_t, std::int64_t> whole_bounds(const MemberFacts& facts) {
  constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
  using Limits = std::numeric_limits<T>;
  const auto most = static_cast<std::int64_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(Limits::max()), std::uint64_t{top}));
  const std::int64_t least = std::is_signed_v<T> ? static_cast<std::int64_t>(Limits::min()) : 0;
  constexpr double exact = 0x1p63;
  return {facts.least > -exact ? std::max(least, static_cast<std::int64_t>(facts.least)) : least,
          facts.most < exact ? std::min(most, static_cast<std::int64_t>(facts.most)) : most};
}

/// The texts that a member may be; none: any.
[[nodiscard]] std::vector<std::string> choices_of(const MemberFacts& facts);

/// Throws InputError unless the field is what its member may be: filled, one of the choices.
void check_text(const JsonField& field, const MemberFacts& facts);

/// A number within the bounds of its member.
[[nodiscard]] double bounded_number(const JsonField& field, const MemberFacts& facts);

/// A date, which is written as 2026-11-23.
[[nodiscard]] std::chrono::sys_days date_of(const JsonField& field);

/// A fact of any kind.
[[nodiscard]] Fact fact_of(const JsonField& field);

/// The value whose word the field has.
template <Worded Enum>
[[nodiscard]] Enum worded(const JsonField& field) {
  if (const auto value = called<Enum>(field.text())) return *value;
  std::vector<std::string> known;
  for (const Word<Enum>& one : words(DescriptionOf<Enum>{})) known.emplace_back(one.word);
  throw InputError(field.where(), unknown_name(std::string(field.name()), field.text(), known));
}

/// Takes the next values of a row, in the order of `append_to_row`.
template <class T>
void take_from_row(const JsonField& row, std::size_t& at, T& value);

/// The values of an object, and of a list.
template <class T>
[[nodiscard]] T object_of(const JsonField& field, const MemberFacts& facts, const Reading& how);
template <class T>
[[nodiscard]] T list_of(const JsonField& field, const MemberFacts& facts, const Reading& how);

/// What the field holds, within the bounds of its member. Throws InputError at FILE:LINE.
template <class T>
[[nodiscard]] T value_of(const JsonField& field, const MemberFacts& facts, const Reading& how) {
  if constexpr (is_optional<T>) {
    if (field.is_null()) return std::nullopt;
    return value_of<typename T::value_type>(field, facts, how);
  } else if constexpr (std::same_as<T, bool>) {
    return field.flag();
  } else if constexpr (std::same_as<T, std::string>) {
    check_text(field, facts);
    return field.text();
  } else if constexpr (std::same_as<T, Seconds>) {
    return {bounded_number(field, facts)};
  } else if constexpr (std::floating_point<T>) {
    return bounded_number(field, facts);
  } else if constexpr (std::integral<T>) {
    const auto [least, most] = whole_bounds<T>(facts);
    return static_cast<T>(field.whole(least, most));
  } else if constexpr (Worded<T>) {
    return worded<T>(field);
  } else if constexpr (std::same_as<T, std::chrono::sys_days>) {
    return date_of(field);
  } else if constexpr (std::same_as<T, Fact>) {
    return fact_of(field);
  } else if constexpr (is_object<T>) {
    return object_of<T>(field, facts, how);
  } else if constexpr (is_list<T>) {
    return list_of<T>(field, facts, how);
  } else if constexpr (WrittenAsRow<T>) {
    T row;
    std::size_t at = 0;
    take_from_row(field, at, row);
    return row;
  } else if constexpr (is_number_or<T>) {
    using Other = std::variant_alternative_t<1, T>;
    const auto other = Worded<Other> ? JsonValue::Kind::text : JsonValue::Kind::object;
    if (field.value().kind != other) return bounded_number(field, facts);
    try {
      return value_of<Other>(field, facts, how);
    } catch (const InputError& refusal) {
      throw InputError(refusal.where(), "'" + std::string(field.name()) + "': " + refusal.why());
    }
  } else {
    static_assert(Described<T>, "a member whose type cannot be read");
    return record_of<T>(field.value(), std::string(field.file()),
                        "'" + std::string(field.name()) + "'", how);
  }
}

template <class T>
T object_of(const JsonField& field, const MemberFacts& facts, const Reading& how) {
  check_text(field, facts);
  T values;
  for (const JsonMember& one : field.object()) {
    using Element = typename T::value_type::second_type;
    values.insert(values.end(),
                  {one.name, value_of<Element>({one.value, field.file(), one.name}, facts, how)});
  }
  return values;
}

template <class T>
T list_of(const JsonField& field, const MemberFacts& facts, const Reading& how) {
  check_text(field, facts);
  T values;
  using Element = typename T::value_type;
  for (const JsonValue& one : field.list()) {
    try {
      values.push_back(value_of<Element>({one, field.file(), field.name()}, facts, how));
    } catch (const InputError& refusal) {
      if constexpr (!Described<Element>) throw;
      throw InputError(refusal.where(), "entry " + std::to_string(values.size() + 1) + " of '" +
                                            std::string(field.name()) + "': " + refusal.why());
    }
  }
  return values;
}

template <class T>
void take_from_row(const JsonField& row, std::size_t& at, T& value) {
  if constexpr (std::is_aggregate_v<T> && !std::same_as<T, Seconds>) {
    with_members(value, [&](auto&... one) { (take_from_row(row, at, one), ...); });
  } else {
    if (at == row.list().size()) throw InputError(row.where(), "a row is too short");
    const JsonField one(row.list()[at++], row.file(), row.name());
    value = value_of<T>(one, {.name = "", .meaning = ""}, {});
  }
}

/// Reads the member at the path `name`.
template <class Struct, class One>
void read_member(const JsonObject& object, std::string_view name, const One& one, Struct& record,
                 const Reading& how) {
  const MemberFacts& facts = one.facts;
  const bool is_stored =
      how.place == in_points;  // points have all that was written, or are made again
  const bool may_lack = facts.writing == Writing::if_any ||
                        (is_stored ? facts.writing == Writing::or_null && object.has(name)
                                   : facts.writing != Writing::always || facts.since > 0);
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    const std::string_view outer = name.substr(0, dot);
    if (may_lack && object.find(outer) == nullptr) return;
    const JsonObject inner(object.at(outer), object.file(), "'" + std::string(outer) + "'");
    return read_member(inner, name.substr(dot + 1), one, record, how);
  }
  if (may_lack && object.find(name) == nullptr) return;
  using Value = typename One::Value;
  one.set(record, value_of<Value>(object.field(name), facts, how));
}

template <Described Struct>
void read_members(const JsonObject& object, Struct& record, const Reading& how) {
  static_assert(count_described<Struct>() == count_members<Struct>(),
                "a member of the struct is not in its description");
  for_each_member<Struct>([&]<class One>(const One& one) {
    if ((one.facts.places & how.place) == 0) return;
    if constexpr (requires { one.apply; }) {
      if (one.apply == nullptr) return;
    }
    if constexpr (Described<typename One::Value> && requires { one.at; }) {
      if (one.facts.is_flat) return read_members(object, record.*one.at, how);
    }
    read_member(object, name_in(one.facts, how.place), one, record, how);
  });
}

template <Described Struct>
Struct record_of(const JsonValue& value, const std::string& file, const std::string& what,
                 const Reading& how) {
  Struct record;
  if (how.is_strict) {
    read_members(JsonObject(value, file, what, member_names<Struct>(how.place)), record, how);
  } else {
    read_members(JsonObject(value, file, what), record, how);
  }
  return record;
}

}  // namespace equipoise

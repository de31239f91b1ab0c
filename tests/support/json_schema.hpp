// JSON schemas (draft 2020-12) of described records, as the program writes them.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "traces/json_record.hpp"

namespace equipoise {

/// The schema of a value of type T that is a member with these facts.
template <class T>
[[nodiscard]] Json schema_of_value(const MemberFacts& facts, unsigned place);

/// Adds `facts`' bounds to the schema of a number.
[[nodiscard]] Json bounded_schema(const char* type, const MemberFacts& facts);
/// The schema of a text: its choices, or whether it is filled.
[[nodiscard]] Json text_schema(const MemberFacts& facts);
/// `schema`, or null.
[[nodiscard]] Json or_null_schema(Json schema);
/// Puts the schema of the member at the path `name` into that of an object.
void put_property(Json& object, std::string_view name, Json schema, bool is_required);

/// Adds the members that files of `place` have to the schema of an object.
template <Described Struct>
void put_properties(Json& object, unsigned place) {
  for_each_member<Struct>([&]<class One>(const One& one) {
    using Value = typename One::Value;
    const MemberFacts& facts = one.facts;
    if ((facts.places & place) == 0) return;
    if constexpr (Described<Value>) {
      if (facts.is_flat) return put_properties<Value>(object, place);
    }
    Json schema = schema_of_value<Value>(facts, place);
    if (facts.writing == Writing::or_null) schema = or_null_schema(std::move(schema));
    std::string meaning = facts.meaning;
    if (*facts.unit != '\0') meaning += std::string(", in ") + facts.unit;
    schema["description"] = meaning;
    put_property(object, name_in(facts, place), std::move(schema),
                 facts.writing == Writing::always && facts.since == 0);
  });
}

/// The schema of a record as files of `place` have it. `is_open`: it may have members that are not
/// described.
template <Described Struct>
[[nodiscard]] Json schema_of(unsigned place, bool is_open = false) {
  Json object = {{"type", "object"}, {"properties", Json::object()}};
  put_properties<Struct>(object, place);
  object["additionalProperties"] = is_open;
  return object;
}

template <class T>
Json schema_of_value(const MemberFacts& facts, unsigned place) {
  if constexpr (is_optional<T>) {
    using Held = typename T::value_type;
    Json schema = schema_of_value<Held>(facts, place);
    // In a list, and within another optional value, nothing is null.
    const bool may_be_null = is_optional<Held> || *facts.name == '\0';
    return may_be_null ? or_null_schema(std::move(schema)) : schema;
  } else if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::chrono::sys_days>) {
    return text_schema(facts);
  } else if constexpr (std::integral<T>) {
    MemberFacts bounds = facts;
    if (std::is_unsigned_v<T> && std::isinf(bounds.least)) bounds.least = 0.0;
    return bounded_schema("integer", bounds);
  } else if constexpr (std::floating_point<T> || std::same_as<T, Seconds>) {
    return bounded_schema("number", facts);
  } else if constexpr (Worded<T>) {
    Json values = Json::array();
    for (const Word<T>& one : words(DescriptionOf<T>{})) values.push_back(one.word);
    return {{"enum", std::move(values)}};
  } else if constexpr (std::same_as<T, Facts>) {
    return {{"type", "object"}};
  } else if constexpr (is_object<T>) {
    MemberFacts of_values = facts;
    of_values.name = "";
    using Value = typename T::value_type::second_type;
    return {{"type", "object"}, {"additionalProperties", schema_of_value<Value>(of_values, place)}};
  } else if constexpr (WrittenAsRow<T>) {
    return {{"type", "array"}, {"items", {{"type", Json::array({"number", "null"})}}}};
  } else if constexpr (is_list<T>) {
    MemberFacts of_values = facts;
    of_values.name = "";
    Json schema = {{"type", "array"},
                   {"items", schema_of_value<typename T::value_type>(of_values, place)}};
    if (facts.is_filled) schema["minItems"] = 1;
    return schema;
  } else if constexpr (is_number_or<T>) {
    using Other = std::variant_alternative_t<1, T>;
    Json other;
    if constexpr (Worded<Other>) {
      other = schema_of_value<Other>(facts, place);
    } else {
      other = schema_of<Other>(place, true);
    }
    return {{"anyOf", Json::array({bounded_schema("number", facts), std::move(other)})}};
  } else {
    static_assert(Described<T>, "a member whose type has no schema");
    return schema_of<T>(place);
  }
}

}  // namespace equipoise

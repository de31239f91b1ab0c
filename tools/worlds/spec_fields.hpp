// Fields of machine specs: numbers, names and lists with their ranges.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "traces/json_document.hpp"

namespace equipoise {

constexpr double most_of_spec = 1e18;    ///< upper limit of all numbers of a spec
constexpr double least_of_spec = 1e-18;  ///< lower limit of numbers that must be positive
constexpr double least_link_rate = 1.0;  ///< bandwidths of links are written in whole bytes/s
constexpr double most_counted = 9.0e15;  ///< just below 2^53, so that doubles are exact

/// The quantity `name` of `object`, or `otherwise` if it is missing.
[[nodiscard]] double quantity_or(const JsonObject& object, const char* name, double low,
                                 double otherwise);

/// A whole number from `low` to `high`.
[[nodiscard]] double whole_field(const JsonObject& object, const char* name, double low,
                                 double high);

/// A whole number from 1 to `high`, or `otherwise` if it is missing.
[[nodiscard]] int whole_or(const JsonObject& object, const char* name, double high, int otherwise);

/// A number of seconds >= 0 that is a valid time.
[[nodiscard]] double seconds_field(const JsonObject& object, const char* name);

[[nodiscard]] std::string text_or_empty(const JsonObject& object, const char* name);

/// A text that is valid as the name of a unit, a machine or a file.
[[nodiscard]] std::string name_field(const JsonObject& object, const char* member);

/// The entries of a list that must not be empty.
[[nodiscard]] const std::vector<JsonValue>& entries_of(const JsonObject& object, const char* name);

/// Adds `name` to `names`. Throws InputError if it is already there.
void add_name(std::set<std::string>& names, const std::string& name, const std::string& where);

/// An object of the file `path` whose member names are chosen by the user.
[[nodiscard]] JsonObject free_object(const JsonValue& value, const std::string& path,
                                     const char* what);

}  // namespace equipoise

// Reads fields of machine specs.
#include "tools/worlds/spec_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "shared_policies/model/failure.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {

double quantity_or(const JsonObject& object, const char* name, double low, double otherwise) {
  return object.find(name) == nullptr ? otherwise : object.quantity(name, low, most_of_spec);
}

double whole_field(const JsonObject& object, const char* name, double low, double high) {
  const double value = object.number(name, low, high);
  if (value == std::floor(value)) return value;
  throw InputError(object.where(object.at(name)),
                   fmt::format("'{}' is {}; write a whole number", name, object.at(name).text));
}

int whole_or(const JsonObject& object, const char* name, double high, int otherwise) {
  return object.find(name) == nullptr ? otherwise
                                      : static_cast<int>(whole_field(object, name, 1.0, high));
}

double seconds_field(const JsonObject& object, const char* name) {
  const double value = object.quantity(name, 0.0, most_of_spec);
  const std::string why = value > 0.0 ? why_no_time(value) : std::string();
  if (why.empty()) return value;
  throw InputError(object.where(object.at(name)),
                   fmt::format("'{}' {}, not {}; correct it", name, why, object.at(name).text));
}

std::string text_or_empty(const JsonObject& object, const char* name) {
  return object.find(name) == nullptr ? std::string() : object.text(name);
}

std::string name_field(const JsonObject& object, const char* member) {
  std::string name = object.text(member);
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  if (!name.empty() && std::all_of(name.begin(), name.end(), fits)) return name;
  throw InputError(object.where(object.at(member)),
                   fmt::format("`{}` is no name; use letters, digits, - and _", name));
}

const std::vector<JsonValue>& entries_of(const JsonObject& object, const char* name) {
  const std::vector<JsonValue>& list = object.list(name);
  if (!list.empty()) return list;
  throw InputError(object.where(object.at(name)), fmt::format("'{}' is empty; add one", name));
}

void add_name(std::set<std::string>& names, const std::string& name, const std::string& where) {
  if (names.insert(name).second) return;
  throw InputError(where, name + " is there already; rename one");
}

JsonObject free_object(const JsonValue& value, const std::string& path, const char* what) {
  std::vector<std::string> names;
  for (const JsonMember& member : value.object) names.push_back(member.name);
  return {value, path, what, names};
}

}  // namespace equipoise

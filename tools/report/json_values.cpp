// Looks for values along a path, and makes some.
#include "tools/report/json_values.hpp"

#include <algorithm>
#include <utility>

#include "traces/json_record.hpp"

namespace equipoise {

const JsonValue* member(const JsonValue& object, std::string_view path) {
  for (const JsonMember& one : object.object) {
    if (!path.starts_with(one.name)) continue;
    const std::string_view rest = path.substr(one.name.size());
    if (rest.empty()) return one.value.kind == JsonValue::Kind::null ? nullptr : &one.value;
    if (rest.front() != '.') continue;
    if (const JsonValue* const found = member(one.value, rest.substr(1))) return found;
  }
  return nullptr;
}

std::optional<double> number_at(const JsonValue& object, std::string_view path) {
  const JsonValue* const value = member(object, path);
  if (value == nullptr || value->kind != JsonValue::Kind::number) return std::nullopt;
  return value->number;
}

double number_at(const JsonValue& object, std::string_view path, double otherwise) {
  return number_at(object, path).value_or(otherwise);
}

std::string text_at(const JsonValue& object, std::string_view path) {
  const JsonValue* const value = member(object, path);
  return value != nullptr && value->kind == JsonValue::Kind::text ? value->text : std::string();
}

std::vector<std::string> texts_at(const JsonValue& object, std::string_view path) {
  std::vector<std::string> texts;
  if (const JsonValue* const list = member(object, path)) {
    for (const JsonValue& value : list->list) texts.push_back(value.text);
  }
  return texts;
}

bool is_true_at(const JsonValue& object, std::string_view path) {
  const JsonValue* const value = member(object, path);
  return value != nullptr && value->kind == JsonValue::Kind::boolean && value->boolean;
}

nlohmann::ordered_json verified_json(bool verified, bool unchecked) {
  return verified && unchecked ? nlohmann::ordered_json() : nlohmann::ordered_json(verified);
}

bool is_unchecked(const JsonValue& object) {
  return std::ranges::any_of(object.object, [](const JsonMember& one) {
    return one.name == "verified" && one.value.kind == JsonValue::Kind::null;
  });
}

bool is_usable(const JsonValue& object) {
  return is_true_at(object, "verified") || is_unchecked(object);
}

std::optional<Samples> samples_at(const JsonValue& result, std::string_view path) {
  Samples samples;
  const JsonValue* const repetitions = member(result, "repetitions");
  if (repetitions == nullptr) return std::nullopt;
  for (const JsonValue& one : repetitions->list) {
    const std::optional<double> number = number_at(one, "repetition");
    const std::optional<double> value = number_at(one, path);
    if (!number || !value) return std::nullopt;
    samples.repetitions.push_back(static_cast<std::uint64_t>(*number));
    samples.values.push_back(*value);
  }
  return samples;
}

Json by_unit(const std::vector<std::string>& units,
             const std::vector<std::optional<double>>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) json[units[i]] = json_of(values[i]);
  return json;
}

Json by_unit(const std::vector<std::string>& units, const std::vector<double>& values) {
  return by_unit(units, std::vector<std::optional<double>>(values.begin(), values.end()));
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json files_json(Json files) {
  return {{"schema", "equipoise.files/1"}, {"files", std::move(files)}};
}

}  // namespace equipoise

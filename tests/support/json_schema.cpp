// Parts of JSON schemas that do not depend on types.
#include "tests/support/json_schema.hpp"

#include <algorithm>
#include <utility>

namespace equipoise {

Json bounded_schema(const char* type, const MemberFacts& facts) {
  Json schema = {{"type", type}};
  if (!std::isinf(facts.least)) {
    schema[facts.is_above_least ? "exclusiveMinimum" : "minimum"] = short_form(facts.least);
  }
  if (!std::isinf(facts.most)) schema["maximum"] = short_form(facts.most);
  return schema;
}

Json text_schema(const MemberFacts& facts) {
  const std::vector<std::string> choices = choices_of(facts);
  if (!choices.empty()) return {{"enum", choices}};
  Json schema = {{"type", "string"}};
  if (facts.is_filled) schema["minLength"] = 1;
  return schema;
}

Json or_null_schema(Json schema) {
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
    return schema;
  }
  if (schema.contains("anyOf")) {
    schema["anyOf"].push_back({{"type", "null"}});
    return schema;
  }
  return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
}

void put_property(Json& object, std::string_view name, Json schema, bool is_required) {
  const std::size_t dot = name.find('.');
  const std::string first(name.substr(0, dot));
  Json& properties = object["properties"];
  if (dot != std::string_view::npos) {
    if (!properties.contains(first)) {
      properties[first] = {
          {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    }
    put_property(properties[first], name.substr(dot + 1), std::move(schema), is_required);
  } else {
    properties[first] = std::move(schema);
  }
  if (!is_required) return;
  Json& required = object["required"];
  if (std::ranges::find(required, Json(first)) == required.end()) required.push_back(first);
}

}  // namespace equipoise

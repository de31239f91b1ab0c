// Makes JSON values with the JSON library.
#include "tools/report/json_values.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_from(const JsonValue& read) {
  switch (read.kind) {
    case JsonValue::Kind::null:
      return nullptr;
    case JsonValue::Kind::boolean:
      return read.boolean;
    case JsonValue::Kind::number:
      return Json::parse(read.text);
    case JsonValue::Kind::text:
      return read.text;
    case JsonValue::Kind::list: {
      Json list = Json::array();
      for (const JsonValue& one : read.list) list.push_back(json_from(one));
      return list;
    }
    case JsonValue::Kind::object:
      break;
  }
  Json object = Json::object();
  for (const JsonMember& one : read.object) object[one.name] = json_from(one.value);
  return object;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json parameter_json(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const std::optional<double> number = as_number(text);
  if (!number) return text;
  const bool is_whole = *number == std::floor(*number) && std::abs(*number) < 0x1p53;
  return is_whole ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
}

Json unit_json(const Unit& unit) {
  Json json = {{"id", unit.name}, {"kind", to_string(unit.kind)}};
  if (!unit.model.empty()) json["model"] = unit.model;
  if (unit.memory_bytes) json["memory_bytes"] = *unit.memory_bytes;
  if (!unit.node.empty()) json["node"] = unit.node;
  if (!unit.device.empty()) json["device"] = unit.device;
  if (unit.idle_w) json["idle_w"] = *unit.idle_w;
  if (unit.busy_w) json["busy_w"] = *unit.busy_w;
  if (unit.is_remote) json["is_remote"] = true;
  json["copy_engines"] = unit.copy_engines;
  json["slots"] = unit.slots;
  if (!unit.max_block_items.empty()) json["max_block_items"] = unit.max_block_items;
  return json;
}

Json statistics_json(const Statistics& s) {
  return {{"mean", s.mean},
          {"sd", s.sd},
          {"ci95", {s.ci95_low, s.ci95_high}},
          {"min", s.min},
          {"max", s.max}};
}

Json files_json(Json files) {
  return {{"schema", "equipoise.files/1"}, {"files", std::move(files)}};
}

}  // namespace equipoise

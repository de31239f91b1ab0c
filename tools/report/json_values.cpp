// Makes JSON values with the JSON library.
#include "tools/report/json_values.hpp"

#include <utility>

#include "traces/json_record.hpp"

namespace equipoise {

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

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json files_json(Json files) {
  return {{"schema", "equipoise.files/1"}, {"files", std::move(files)}};
}

}  // namespace equipoise

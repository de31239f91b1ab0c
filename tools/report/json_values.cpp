// Makes JSON values with the JSON library.
#include "tools/report/json_values.hpp"

#include <utility>

#include "traces/json_record.hpp"

namespace equipoise {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json files_json(Json files) {
  return {{"schema", "equipoise.files/1"}, {"files", std::move(files)}};
}

}  // namespace equipoise

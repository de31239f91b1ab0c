// The format of validations files.
#include "traces/validations_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr const char* schema = "equipoise.validations/1";

}  // namespace

std::vector<ValidatedCase> parse_validations(const std::string& text, const std::string& file) {
  const JsonValue document = parse_json(text, file);
  const JsonObject top(document, file, "a validations file", {"schema", "cases"});
  expect_schema(top.text("schema"), schema, top.where(top.at("schema")));
  std::vector<ValidatedCase> cases;
  for (const JsonValue& value : top.list("cases")) {
    cases.push_back(record_of<ValidatedCase>(value, file, "a case", {.is_strict = true}));
  }
  return cases;
}

std::vector<ValidatedCase> read_validations(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const std::string text = read_input(path, "give a file that 'equipoise validate' wrote");
  return text.empty() ? std::vector<ValidatedCase>() : parse_validations(text, path);
}

std::string validations_text(const std::vector<ValidatedCase>& cases) {
  std::string text = fmt::format("{{\"schema\":\"{}\",\"cases\":[", schema);
  for (const ValidatedCase& one : cases) {
    text += &one == cases.data() ? "\n" : ",\n";
    text += line_of(json_of(one));
  }
  return text + "\n]}\n";
}

}  // namespace equipoise

// Looks into files and folders for runs and results.
#include "tools/exports/report_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_advice = "give a run file, a results.json, or a folder with them";

/// The schema of a JSON object; empty if it has none.
std::string schema_of(const JsonValue& value) {
  const auto found = std::ranges::find(value.object, "schema", &JsonMember::name);
  return found == value.object.end() ? "" : found->value.text;
}

/// The schema in the first line of a file of JSON Lines; empty if that is no JSON object.
std::string schema_of_lines(const std::string& path) {
  std::ifstream in = open_input(path, report_advice);
  std::string line;
  if (!next_line(in, line, path, 1)) return {};
  try {
    return schema_of(parse_json(line, path));
  } catch (const InputError&) {
    return {};
  }
}

bool is_schema(const std::string& schema, std::string_view name) {
  return schema == name || schema.starts_with(std::string(name) + ".");
}

bool is_run(const std::string& path) { return is_schema(schema_of_lines(path), "equipoise.run/1"); }

void add_file(const std::string& path, ReportInputs& inputs) {
  const std::string schema = schema_of_lines(path);
  if (is_schema(schema, "equipoise.run/1")) {
    inputs.runs.push_back(path);
  } else if (schema.empty() || is_schema(schema, "equipoise.results/1")) {
    JsonValue value = read_json_file(path);
    expect_schema(schema_of(value), "equipoise.results/1", path);
    inputs.results.push_back({path, std::move(value)});
  } else {
    throw InputError(path, "its schema is '" + schema + "'; " + report_advice);
  }
}

void add_folder(const std::string& folder, ReportInputs& inputs) {
  std::vector<std::string> runs;
  std::vector<std::string> results;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    if (error) break;
    if (!at->is_regular_file(error)) continue;
    const fs::path& path = at->path();
    if (path.filename() == "results.json") results.push_back(path.string());
    if (path.extension() == ".jsonl" && is_run(path.string())) runs.push_back(path.string());
  }
  if (error) throw InputError(folder, "cannot be read: " + error.message() + "; " + report_advice);
  if (runs.empty() && results.empty()) {
    throw InputError(folder,
                     std::string("holds neither run files nor a results.json; ") + report_advice);
  }
  std::ranges::sort(runs);
  std::ranges::sort(results);
  inputs.runs.insert(inputs.runs.end(), runs.begin(), runs.end());
  for (const std::string& path : results) add_file(path, inputs);
}

}  // namespace

ReportInputs find_report_inputs(const std::vector<std::string>& paths) {
  ReportInputs inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path,
                 inputs);
    } else {
      add_file(path, inputs);
    }
  }
  return inputs;
}

}  // namespace equipoise

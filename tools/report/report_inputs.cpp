// Looks into files and folders for runs, results and traces.
#include "tools/report/report_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_values.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_advice = "give run files, results.json, traces, or folders with them";

bool is_schema(const std::string& schema, std::string_view name) {
  return schema == name || schema.starts_with(std::string(name) + ".");
}

bool is_run(const std::string& schema) { return is_schema(schema, "equipoise.run/1"); }
bool is_trace(const std::string& schema) { return is_schema(schema, "equipoise.trace/1"); }

void add_file(const std::string& path, ReportInputs& inputs) {
  const JsonValue first = first_line_of(path);
  const JsonValue* const named = member(first, "schema");
  const std::string schema = named == nullptr ? "" : named->text;
  if (is_run(schema)) {
    inputs.runs.push_back(path);
  } else if (is_trace(schema)) {
    inputs.traces.push_back(path);
  } else if (schema.empty() || is_schema(schema, "equipoise.results/1")) {
    JsonValue value = read_json_file(path);
    expect_schema(text_at(value, "schema"), "equipoise.results/1", path);
    inputs.results.push_back({path, std::move(value)});
  } else {
    throw InputError(path, "its schema is '" + schema + "'; " + report_advice);
  }
}

void add_folder(const std::string& folder, ReportInputs& inputs) {
  std::vector<std::string> lines;
  std::vector<std::string> results;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    if (error) break;
    if (!at->is_regular_file(error)) continue;
    const fs::path& path = at->path();
    if (path.filename() == "results.json") results.push_back(path.string());
    if (path.extension() != ".jsonl") continue;
    const std::string schema = text_at(first_line_of(path.string()), "schema");
    if (is_run(schema) || is_trace(schema)) lines.push_back(path.string());
  }
  if (error) throw InputError(folder, "cannot be read: " + error.message() + "; " + report_advice);
  if (lines.empty() && results.empty()) {
    throw InputError(folder, std::string("there is nothing to show; ") + report_advice);
  }
  std::ranges::sort(lines);
  std::ranges::sort(results);
  for (const std::vector<std::string>& files : {lines, results}) {
    for (const std::string& path : files) add_file(path, inputs);
  }
}

}  // namespace

JsonValue first_line_of(const std::string& path) {
  std::ifstream in = open_input(path, report_advice);
  std::string line;
  if (!next_line(in, line, path, 1)) return {};
  try {
    return parse_json(line, path);
  } catch (const InputError&) {
    return {};
  }
}

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

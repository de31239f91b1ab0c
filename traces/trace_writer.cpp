// Writes trace files.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "traces/files/output_target.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

std::string header_line(const Trace& trace) {
  Json header = {{"schema", "equipoise.trace/1"}};
  put_members(header, trace, in_traces);
  return line_of(header);
}

/// `json` in one line, every number in as few digits as it needs. (The JSON library sometimes
/// writes more.)
std::string shortest_line_of(const Json& json) {
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  if (!json.is_object()) return line_of(json);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "" : ",") + json_string(name) + ":" + shortest_line_of(value);
  }
  return "{" + text + "}";
}

std::string sample_line(const Trace& trace, const TraceSample& sample) {
  Json line = {{"unit", trace.units[sample.unit].name}};
  put_members(line, sample, in_traces);
  return shortest_line_of(line);
}

}  // namespace

std::string trace_text(const Trace& trace) {
  std::string text = header_line(trace) + '\n';
  for (const TraceSample& sample : trace.samples) text += sample_line(trace, sample) + '\n';
  return text;
}

StreamedTrace::StreamedTrace(std::string path, Trace header)
    : header_(std::move(header)), file_(std::move(path)) {}

StreamedTrace::~StreamedTrace() {
  if (is_empty()) discard();
}

void StreamedTrace::append(std::span<const TraceSample> samples) {
  std::string lines = file_.lines() == 0 ? header_line(header_) + '\n' : std::string();
  for (const TraceSample& sample : samples) lines += sample_line(header_, sample) + '\n';
  file_.append(lines);
}

void StreamedTrace::discard() { std::remove(target_of_links(path()).c_str()); }

}  // namespace equipoise

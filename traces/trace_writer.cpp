// Writes trace files.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "traces/files/output_target.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

using nlohmann::ordered_json;

ordered_json unit_json(const Unit& unit, const std::string& kernel) {
  ordered_json object{{"id", unit.name}, {"kind", to_string(unit.kind)}};
  if (!unit.model.empty()) object["model"] = unit.model;
  if (unit.memory_bytes) object["memory_bytes"] = static_cast<std::uint64_t>(*unit.memory_bytes);
  if (!unit.node.empty()) object["node"] = unit.node;
  if (!unit.device.empty()) object["device"] = unit.device;
  if (unit.idle_w) object["idle_w"] = *unit.idle_w;
  if (unit.busy_w) object["busy_w"] = *unit.busy_w;
  const auto limit = unit.max_block_items.find(kernel);
  if (limit != unit.max_block_items.end()) object["max_block_items"] = limit->second;
  return object;
}

std::string header_line(const Trace& trace) {
  ordered_json header{{"schema", "equipoise.trace/1"},
                      {"source", trace.source},
                      {"kernel", trace.kernel},
                      {"item", trace.item},
                      {"provenance", trace.provenance}};
  header["machine"] = ordered_json::parse(trace.machine.empty() ? "{}" : trace.machine);
  header["units"] = ordered_json::array();
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    header["units"].push_back(unit_json(trace.units[i], trace.kernel));
    const auto dispatch = trace.unit_dispatch.find(i);
    if (dispatch == trace.unit_dispatch.end()) continue;
    header["units"].back()["dispatch_s"] = dispatch->second.value;
  }
  if (!trace.problem.empty()) header["problem"] = trace.problem;
  if (trace.grain_items) header["grain_items"] = *trace.grain_items;
  if (trace.dispatch) header["dispatch_s"] = trace.dispatch->value;
  if (trace.merge) header["merge_s"] = trace.merge->value;
  if (trace.first_use) header["first_use_s"] = trace.first_use->value;
  if (trace.resident_bytes) header["resident_bytes"] = *trace.resident_bytes;
  if (trace.resident_memory_bytes) {
    header["resident_memory_bytes"] = *trace.resident_memory_bytes;
  }
  if (trace.memory_bytes_per_item) {
    header["memory_bytes_per_item"] = *trace.memory_bytes_per_item;
  }
  return header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void append_optional(std::string& line, const char* name, const std::optional<double>& value) {
  if (value) line += fmt::format(",\"{}\":{}", name, *value);
}

std::string or_null(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

std::string sample_line(const Trace& trace, const TraceSample& sample) {
  std::string line = fmt::format("{{\"unit\":{},\"items\":{}",
                                 ordered_json(trace.units[sample.unit].name).dump(), sample.items);
  const bool summary = sample.is_summary || sample.count != 1;
  if (summary) line += fmt::format(",\"n\":{}", sample.count);
  append_optional(line, "in_s", sample.in_s);
  if (summary) {
    line += fmt::format(
        ",\"compute_s\":{{\"mean\":{},\"sd\":{},\"min\":{},\"median\":{},\"max\":{}}}",
        sample.compute_mean_s, or_null(sample.compute_sd_s), or_null(sample.compute_min_s),
        or_null(sample.compute_median_s), or_null(sample.compute_max_s));
  } else {
    line += fmt::format(",\"compute_s\":{}", sample.compute_mean_s);
  }
  append_optional(line, "out_s", sample.out_s);
  append_optional(line, "in_bytes", sample.in_bytes);
  append_optional(line, "out_bytes", sample.out_bytes);
  if (sample.is_outlier) line += ",\"outlier\":true";
  return line + "}";
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

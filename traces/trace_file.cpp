// Reads and writes trace files. Every error message names its line.
#include "traces/trace_file.hpp"
#include "traces/costs_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/files/input_file.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

/// The positions of a trace's units, by name.
using UnitPositions = std::map<std::string, std::uint32_t>;

UnitPositions positions_of(const Trace& trace, const std::string& where) {
  UnitPositions positions;
  for (const Unit& unit : trace.units) {
    if (!positions.emplace(unit.name, positions.size()).second) {
      throw InputError(where, "unit " + unit.name + " is listed twice; name each unit once");
    }
    if (unit.idle_w && unit.busy_w && *unit.busy_w < *unit.idle_w) {
      throw InputError(where, "unit " + unit.name + " has fewer watts busy than idle; correct it");
    }
  }
  return positions;
}

Trace read_header(const JsonValue& line, const std::string& path) {
  const JsonObject header(line, path, "the header of a trace");
  expect_schema(header.text("schema"), "equipoise.trace/1", header.where());
  Trace trace = record_of<Trace>(line, path, "the header of a trace", {.place = in_traces});
  if (trace.costs) check_costs(*trace.costs, header.where());
  return trace;
}

/// Throws InputError at `where` if the times of a summary contradict one another.
void check_summary(const TraceSample& sample, const std::string& where) {
  if (sample.compute_sd_s) {
    const std::string why = why_no_deviation(*sample.compute_sd_s, sample.compute_mean_s);
    if (!why.empty()) throw InputError(where, "'sd' " + why + "; record the line again");
  }
  const double least = sample.compute_min_s.value_or(0.0) * (1.0 - 1e-9);
  const double most =
      sample.compute_max_s.value_or(std::numeric_limits<double>::infinity()) * (1.0 + 1e-9);
  const double median = sample.compute_median_s.value_or(sample.compute_mean_s);
  if (sample.compute_mean_s < least || sample.compute_mean_s > most || median < least ||
      median > most) {
    throw InputError(where,
                     "'compute_s' contradicts itself: mean and median must lie from 'min' to "
                     "'max'; record the line again");
  }
}

TraceSample read_sample(const JsonValue& line, const std::string& path,
                        const UnitPositions& positions) {
  const JsonObject object(line, path, "a sample");
  const auto unit = positions.find(object.text("unit"));
  if (unit == positions.end()) {
    std::vector<std::string> known;
    for (const auto& entry : positions) known.push_back(entry.first);
    throw InputError(object.where(),
                     unknown_name("member of the header's 'units'", object.text("unit"), known));
  }
  TraceSample sample;
  sample.unit = unit->second;
  read_members(object, sample, {.place = in_traces});
  if (object.at("compute_s").kind == JsonValue::Kind::object && object.find("n") == nullptr) {
    throw InputError(object.where(), "a summary must say in 'n' how many samples it is of; add it");
  }
  check_summary(sample, object.where());
  return sample;
}

/// Reads a trace line by line.
class TraceReader {
 public:
  TraceReader(const std::string& path, std::vector<std::string>* warnings)
      : path_(path), warnings_(warnings) {}

  Trace read(std::istream& in) {
    std::string text;
    while (next_line(in, text, path_, line_ + 1)) {
      ++line_;
      const bool whole = !in.eof();
      if (!text.empty() && text.back() == '\r') text.pop_back();
      if (text.find_first_not_of(" \t") == std::string::npos) continue;
      take(text, whole);
    }
    if (!has_header_) throw InputError(path_, "the file is empty; give a trace");
    if (trace_.samples.empty()) {
      throw InputError(path_ + ":" + std::to_string(line_),
                       "the trace has no samples; record it again, or give another one");
    }
    warn_of_units_without_samples();
    return std::move(trace_);
  }

 private:
  /// Processes one line. `whole` says whether a line end followed it.
  void take(const std::string& text, bool whole) {
    JsonValue line;
    try {
      line = parse_json(text, path_, line_);
    } catch (const InputError&) {
      if (whole || !has_header_) throw;
      warn(path_ + ":" + std::to_string(line_) + ": the last line is truncated and was ignored");
      return;
    }
    if (!has_header_) {
      trace_ = read_header(line, path_);
      positions_ = positions_of(trace_, path_ + ":" + std::to_string(line_));
      has_header_ = true;
    } else {
      trace_.samples.push_back(read_sample(line, path_, positions_));
    }
  }

  void warn_of_units_without_samples() {
    std::vector<bool> timed(trace_.units.size());
    for (const TraceSample& sample : trace_.samples) timed[sample.unit] = true;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (!timed[i]) warn(path_ + ": unit " + trace_.units[i].name + " has no samples");
    }
  }

  void warn(std::string text) {
    if (warnings_ != nullptr) warnings_->push_back(std::move(text));
  }

  const std::string& path_;
  std::vector<std::string>* warnings_;
  Trace trace_;
  UnitPositions positions_;
  bool has_header_ = false;
  std::size_t line_ = 0;
};

}  // namespace

Trace read_trace(const std::string& path, std::vector<std::string>* warnings) {
  std::ifstream in = open_input(path, "give a trace");
  return read_trace(in, path, warnings);
}

Trace read_trace(std::istream& in, const std::string& path, std::vector<std::string>* warnings) {
  return TraceReader(path, warnings).read(in);
}

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

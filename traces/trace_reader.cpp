// Reads trace files: JSON lines to samples. Every error message names its line.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/model/printable_text.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/time_limits.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

using nlohmann::json;

constexpr int deepest_nesting = 64;
/// Larger sizes and counts do not fit in 63 bits.
constexpr double most_countable = 9.2e18;
/// A longer cost would hide all block times: there a run's time has steps of 1e-7 s.
constexpr double most_cost_s = 1e9;
const char* const usual_hint = "correct the line or record it again";

/// One line of a trace file and its place.
struct Line {
  const std::string& where;  ///< FILE:LINE
  const json& object;

  [[noreturn]] void refuse(const std::string& why, const std::string& hint = usual_hint) const {
    throw InputError(where, why + "; " + hint);
  }

  /// The field, or nullptr if it is missing or null.
  [[nodiscard]] const json* field(const char* name) const {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  [[nodiscard]] std::string text(const char* name, bool required) const {
    const json* value = field(name);
    if (value == nullptr) {
      if (required) refuse(std::string("`") + name + "` is missing");
      return {};
    }
    if (!value->is_string()) refuse(std::string("`") + name + "` must be a text");
    std::string text = value->get<std::string>();
    if (is_printable(text)) return text;
    refuse(std::string("`") + name + "` has control characters: '" + printable(text) + "'",
           "leave them out");
  }

  [[nodiscard]] double number(const char* name, const json& value) const {
    if (!value.is_number()) refuse(std::string("`") + name + "` must be a number");
    const double x = value.get<double>();
    if (!std::isfinite(x)) refuse(std::string("`") + name + "` overflows");
    return x;
  }

  /// A number > 0, below 2^63.
  [[nodiscard]] double positive(const char* name, const json& value) const {
    const double x = number(name, value);
    if (!(x > 0.0)) refuse(std::string("`") + name + "` must be more than zero");
    if (x > most_countable) refuse(std::string("`") + name + "` overflows");
    return x;
  }

  /// A number >= 0, below 2^63.
  [[nodiscard]] double not_negative(const char* name, const json& value) const {
    const double x = number(name, value);
    if (x < 0.0) refuse(std::string("`") + name + "` must not be negative");
    if (x > most_countable) refuse(std::string("`") + name + "` overflows");
    return x;
  }

  /// A time > 0 in seconds.
  [[nodiscard]] double time(const char* name, const json& value) const {
    const double seconds = positive(name, value);
    const std::string why = why_no_time(seconds);
    if (!why.empty()) refuse(std::string("`") + name + "` " + why);
    return seconds;
  }

  /// A time >= 0 in seconds that every block or iteration costs.
  [[nodiscard]] double cost(const char* name, const json& value) const {
    if (not_negative(name, value) == 0.0) return 0.0;
    const double seconds = time(name, value);
    if (seconds > most_cost_s) refuse(std::string("`") + name + "` is more than 1e9 s, 30 years");
    return seconds;
  }

  [[nodiscard]] std::uint64_t count(const char* name, const json& value) const {
    const double x = positive(name, value);
    if (x != std::floor(x)) refuse(std::string("`") + name + "` must be a whole number");
    return static_cast<std::uint64_t>(x);
  }
};

/// Whether braces and brackets outside of texts are nested deeper than `deepest_nesting`.
bool nests_too_deep(const std::string& line) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest_nesting) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

/// Parses one line. Returns nothing if it is not JSON, and the reason in `why`.
std::optional<json> parse(const std::string& line, std::string& why) {
  try {
    return json::parse(line);
  } catch (const json::parse_error& error) {
    why = "malformed JSON at column " + std::to_string(error.byte);
  } catch (const json::out_of_range&) {
    why = "a number overflows";
  }
  return std::nullopt;
}

Unit read_unit(const Line& line) {
  if (!line.object.is_object()) line.refuse("`units` must hold objects");
  Unit unit;
  unit.name = line.text("id", true);
  if (unit.name.empty()) line.refuse("a unit's `id` is empty");
  unit.kind = read_unit_kind(line.text("kind", true), line.where + ": unit " + unit.name);
  unit.node = line.text("node", false);
  unit.model = line.text("model", false);
  unit.device = line.text("device", false);
  if (const json* memory = line.field("memory_bytes")) {
    unit.memory_bytes = line.not_negative("memory_bytes", *memory);
  }
  if (const json* idle = line.field("idle_w")) unit.idle_w = line.not_negative("idle_w", *idle);
  if (const json* busy = line.field("busy_w")) unit.busy_w = line.not_negative("busy_w", *busy);
  if (unit.idle_w && unit.busy_w && *unit.busy_w < *unit.idle_w) {
    line.refuse("unit " + unit.name + " has fewer watts busy than idle");
  }
  return unit;
}

void read_units(const Line& line, Trace& trace, std::map<std::string, std::uint32_t>& index) {
  const json* units = line.field("units");
  if (units == nullptr || !units->is_array() || units->empty()) {
    line.refuse("`units` must be a list of at least one unit");
  }
  for (const json& object : *units) {
    const Line entry{line.where, object};
    Unit unit = read_unit(entry);
    const auto position = static_cast<std::uint32_t>(trace.units.size());
    if (!index.emplace(unit.name, position).second) {
      line.refuse("unit " + unit.name + " is listed twice", "name each unit once");
    }
    if (const json* most = entry.field("max_block_items")) {
      unit.max_block_items[trace.kernel] =
          static_cast<Items>(entry.count("max_block_items", *most));
    }
    if (const json* dispatch = entry.field("dispatch_s")) {
      trace.unit_dispatch[position] = Seconds{entry.cost("dispatch_s", *dispatch)};
    }
    trace.units.push_back(std::move(unit));
  }
}

Trace read_header(const Line& line, std::map<std::string, std::uint32_t>& index) {
  if (!line.object.is_object()) line.refuse("the header must be a JSON object");
  expect_schema(line.text("schema", true), "equipoise.trace/1", line.where);
  Trace trace;
  trace.source = line.text("source", true);
  if (trace.source != "recorded" && trace.source != "imported" && trace.source != "modelled") {
    line.refuse("unknown source `" + trace.source + "`", "recorded, imported or modelled");
  }
  trace.kernel = line.text("kernel", true);
  if (trace.kernel.empty()) line.refuse("`kernel` is empty");
  trace.item = line.text("item", true);
  trace.provenance = line.text("provenance", false);
  trace.machine = "{}";
  if (const json* machine = line.field("machine")) {
    if (!machine->is_object()) line.refuse("`machine` must be an object");
    trace.machine = machine->dump();
  }
  read_units(line, trace, index);
  if (const json* problem = line.field("problem")) {
    if (!problem->is_object()) line.refuse("`problem` must be an object");
    for (const auto& [name, value] : problem->items()) {
      trace.problem[name] = line.number(name.c_str(), value);
    }
  }
  if (const json* grain = line.field("grain_items")) {
    trace.grain_items = static_cast<Items>(line.count("grain_items", *grain));
  }
  if (const json* dispatch = line.field("dispatch_s")) {
    trace.dispatch = Seconds{line.cost("dispatch_s", *dispatch)};
  }
  if (const json* first_use = line.field("first_use_s")) {
    trace.first_use = Seconds{line.cost("first_use_s", *first_use)};
  }
  if (const json* merge = line.field("merge_s")) {
    trace.merge = Seconds{line.cost("merge_s", *merge)};
  }
  if (const json* resident = line.field("resident_bytes")) {
    trace.resident_bytes = line.not_negative("resident_bytes", *resident);
  }
  if (const json* kept = line.field("resident_memory_bytes")) {
    trace.resident_memory_bytes = line.not_negative("resident_memory_bytes", *kept);
  }
  if (const json* memory = line.field("memory_bytes_per_item")) {
    trace.memory_bytes_per_item = line.not_negative("memory_bytes_per_item", *memory);
  }
  return trace;
}

std::optional<double> optional_time(const Line& line, const char* name) {
  const json* value = line.field(name);
  if (value == nullptr) return std::nullopt;
  return line.time(name, *value);
}

void read_compute(const Line& line, TraceSample& sample) {
  const json* compute = line.field("compute_s");
  if (compute == nullptr) line.refuse("`compute_s` is missing");
  const json* count = line.field("n");
  if (count != nullptr) sample.count = line.count("n", *count);
  sample.is_summary = compute->is_object() || count != nullptr;
  if (!compute->is_object()) {
    sample.compute_mean_s = line.time("compute_s", *compute);
    return;
  }
  if (count == nullptr) line.refuse("a summary must say in `n` how many samples it is of");
  const Line inner{line.where, *compute};
  const json* mean = inner.field("mean");
  if (mean == nullptr) line.refuse("`compute_s` has no `mean`");
  sample.compute_mean_s = inner.time("mean", *mean);
  if (const json* sd = inner.field("sd")) {
    sample.compute_sd_s = inner.not_negative("sd", *sd);
    const std::string why = why_no_deviation(*sample.compute_sd_s, sample.compute_mean_s);
    if (!why.empty()) line.refuse("`sd` " + why);
  }
  sample.compute_min_s = optional_time(inner, "min");
  sample.compute_median_s = optional_time(inner, "median");
  sample.compute_max_s = optional_time(inner, "max");
  const double least = sample.compute_min_s.value_or(0.0) * (1.0 - 1e-9);
  const double most =
      sample.compute_max_s.value_or(std::numeric_limits<double>::infinity()) * (1.0 + 1e-9);
  const double median = sample.compute_median_s.value_or(sample.compute_mean_s);
  if (sample.compute_mean_s < least || sample.compute_mean_s > most || median < least ||
      median > most) {
    line.refuse("`compute_s` contradicts itself: mean and median must lie from `min` to `max`");
  }
}

/// A copy time or a number of bytes: a number, or the mean of an object.
const json* find_stage(const Line& line, const char* name) {
  const json* value = line.field(name);
  if (value == nullptr || !value->is_object()) return value;
  const json* mean = Line{line.where, *value}.field("mean");
  if (mean == nullptr) line.refuse(std::string("`") + name + "` has no `mean`");
  return mean;
}

std::optional<double> read_copy_time(const Line& line, const char* name) {
  const json* value = find_stage(line, name);
  return value == nullptr ? std::nullopt : std::optional(line.cost(name, *value));
}

std::optional<double> read_bytes(const Line& line, const char* name) {
  const json* value = find_stage(line, name);
  return value == nullptr ? std::nullopt : std::optional(line.not_negative(name, *value));
}

TraceSample read_sample(const Line& line, const std::map<std::string, std::uint32_t>& index) {
  if (!line.object.is_object()) line.refuse("a sample must be a JSON object");
  TraceSample sample;
  const std::string unit = line.text("unit", true);
  const auto found = index.find(unit);
  if (found == index.end()) {
    std::vector<std::string> known;
    known.reserve(index.size());
    for (const auto& entry : index) known.push_back(entry.first);
    throw InputError(line.where, unknown_name("member of the header's `units`", unit, known));
  }
  sample.unit = found->second;
  const json* items = line.field("items");
  if (items == nullptr) line.refuse("`items` is missing");
  sample.items = line.positive("items", *items);
  read_compute(line, sample);
  sample.in_s = read_copy_time(line, "in_s");
  sample.out_s = read_copy_time(line, "out_s");
  sample.in_bytes = read_bytes(line, "in_bytes");
  sample.out_bytes = read_bytes(line, "out_bytes");
  if (const json* outlier = line.field("outlier")) {
    if (!outlier->is_boolean()) line.refuse("`outlier` must be true or false", "correct it");
    sample.is_outlier = outlier->get<bool>();
  }
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
    const std::string where = path_ + ":" + std::to_string(line_);
    if (nests_too_deep(text)) {
      throw InputError(
          where, "JSON nested deeper than " + std::to_string(deepest_nesting) + "; " + usual_hint);
    }
    if (whole && !is_utf8(text)) throw InputError(where, "not UTF-8; save the file as UTF-8");
    std::string why;
    const std::optional<json> object = parse(text, why);
    if (!object && !whole && has_header_) {
      warn(where + ": the last line is truncated and was ignored");
    } else if (!object) {
      throw InputError(where, why + "; " + usual_hint);
    } else if (!has_header_) {
      trace_ = read_header({where, *object}, index_);
      has_header_ = true;
    } else {
      trace_.samples.push_back(read_sample({where, *object}, index_));
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
  std::map<std::string, std::uint32_t> index_;
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

}  // namespace equipoise

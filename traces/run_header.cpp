// Reads the header of a run file: settings, units and workloads.
#include <fmt/format.h>

#include <limits>
#include <set>

#include "shared_policies/model/cost_limit.hpp"
#include "shared_policies/model/failure.hpp"
#include "traces/experience_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

constexpr double largest = 1e300;
constexpr int most_slots = 1 << 20;

std::string text_or_nothing(const JsonObject& object, const std::string& name) {
  return object.find(name) == nullptr ? "" : object.text(name);
}

std::optional<double> number_or_nothing(const JsonObject& object, const std::string& name,
                                        double most = largest) {
  if (object.find(name) == nullptr) return std::nullopt;
  return object.number(name, 0.0, most);
}

/// A list of texts; empty if it is missing.
std::vector<std::string> texts(const JsonObject& object, const std::string& name) {
  std::vector<std::string> list;
  if (object.find(name) == nullptr) return list;
  for (const JsonValue& value : object.list(name)) {
    if (value.kind != JsonValue::Kind::text) {
      throw InputError(object.where(value), "'" + name + "' must hold texts; write it again");
    }
    list.push_back(value.text);
  }
  return list;
}

Unit read_unit(const JsonObject& object, const std::string& path) {
  Unit unit;
  unit.name = object.text("id");
  unit.kind = read_unit_kind(object.text("kind"), object.where() + ": unit " + unit.name);
  unit.model = text_or_nothing(object, "model");
  unit.node = text_or_nothing(object, "node");
  unit.device = text_or_nothing(object, "device");
  unit.is_remote = object.find("is_remote") != nullptr && object.flag("is_remote");
  unit.memory_bytes = number_or_nothing(object, "memory_bytes");
  unit.idle_w = number_or_nothing(object, "idle_w");
  unit.busy_w = number_or_nothing(object, "busy_w");
  unit.copy_engines = static_cast<int>(object.whole("copy_engines", 0, 2));
  unit.slots = static_cast<int>(object.whole("slots", 1, most_slots));
  if (const JsonValue* limits = object.find("max_block_items")) {
    const JsonObject by_kernel(*limits, path, "max_block_items");
    for (const JsonMember& limit : limits->object) {
      unit.max_block_items[limit.name] =
          by_kernel.whole(limit.name, 1, std::numeric_limits<Items>::max());
    }
  }
  return unit;
}

void read_units(const JsonObject& header, const std::string& path, RecordedRun& run) {
  std::set<std::string> names;
  for (const JsonValue& value : header.list("units")) {
    const JsonObject object(value, path, "a unit");
    Unit unit = read_unit(object, path);
    check_device(unit, run.units, object.where());
    run.units.push_back(std::move(unit));
    if (!names.insert(run.units.back().name).second) {
      throw InputError(object.where(),
                       "unit " + run.units.back().name + " is listed twice; name each unit once");
    }
    if (object.find("present_at_start") != nullptr && !object.flag("present_at_start")) {
      run.absent_at_start.push_back(UnitId{static_cast<std::uint32_t>(run.units.size() - 1)});
    }
  }
  if (run.units.empty()) {
    throw InputError(header.where(), "a run has at least one unit; give another file");
  }
}

Workload read_workload(const JsonObject& object) {
  Workload workload;
  constexpr Items most_items = std::numeric_limits<Items>::max();
  workload.kernel = object.text("kernel");
  workload.items = object.whole("items", 1, most_items);
  workload.grain_items = object.whole("grain_items", 1, most_items);
  workload.iterations =
      static_cast<int>(object.whole("iterations", 1, std::numeric_limits<int>::max()));
  workload.in_bytes_per_item = object.number("in_bytes_per_item", 0.0, largest);
  workload.out_bytes_per_item = object.number("out_bytes_per_item", 0.0, largest);
  workload.resident_bytes = object.number("resident_bytes", 0.0, largest);
  workload.iteration_bytes = number_or_nothing(object, "iteration_bytes").value_or(0.0);
  workload.resident_memory_bytes = number_or_nothing(object, "resident_memory_bytes");
  if (object.find("distribution") != nullptr) {
    workload.distribution =
        read_distribution(object.text("distribution"), object.where(object.at("distribution")));
  }
  workload.memory_bytes_per_item = object.number("memory_bytes_per_item", 0.0, largest);
  workload.flop_per_item = object.number("flop_per_item", 0.0, largest);
  for (const JsonMember& member : object.at("parameters").object) {
    workload.parameters[member.name] = member.value.number;
  }
  workload.validate(object.where());
  return workload;
}

void read_workloads(const JsonObject& header, const std::string& path, RecordedRun& run) {
  for (const JsonValue& value : header.list("workloads")) {
    const JsonObject object(value, path, "a workload");
    run.phases.push_back(read_workload(object));
    for (const Unit& unit : run.units) {
      if (holds_a_grain(unit, run.phases.back())) continue;
      throw InputError(object.where(),
                       "unit " + unit.name + " does not hold a grain of " +
                           run.phases.back().kernel +
                           ", so it cannot have taken part in this run; give another file");
    }
  }
  if (run.phases.empty()) {
    throw InputError(header.where(), "a run has at least one workload; give another file");
  }
}

void read_known_before(const JsonObject& header, RunFile& file) {
  if (header.find("experience") == nullptr) return;
  const auto refuse = [&](const JsonValue& value, const char* what) {
    throw InputError(
        header.where(value),
        fmt::format("'experience' has one entry for each {} of the run; write it again", what));
  };
  const JsonValue& phases = header.at("experience");
  if (phases.list.size() != file.run.phases.size()) refuse(phases, "workload");
  for (const JsonValue& phase : phases.list) {
    auto& units = file.header.experience.emplace_back();
    if (phase.list.size() != file.run.units.size()) refuse(phase, "unit");
    for (const JsonValue& cost : phase.list) {
      units.emplace_back();
      if (cost.kind != JsonValue::Kind::null) units.back() = learned_cost_of(cost, file.path);
    }
  }
}

}  // namespace

void read_run_header(const JsonValue& line, RunFile& file) {
  const JsonObject header(line, file.path, "the header of a run file");
  const std::string schema = header.text("schema");
  expect_schema(schema, "equipoise.run/1", header.where());
  RunHeader& h = file.header;
  h.has_setup = schema != "equipoise.run/1";
  h.on = header.text("on");
  h.policy = header.text("policy");
  h.spelling = header.text("spelling");
  h.loaded_from = text_or_nothing(header, "library");
  h.loaded_hash = text_or_nothing(header, "library_hash");
  h.seed = static_cast<std::uint64_t>(header.whole("seed", 0, std::numeric_limits<Items>::max()));
  h.repetition =
      static_cast<std::uint64_t>(header.whole("repetition", 0, std::numeric_limits<Items>::max()));
  h.decision_cost = header.text("decision_cost");
  h.workload_spellings = texts(header, "workload_spellings");
  h.unit_spellings = texts(header, "unit_spellings");
  h.trace_files = texts(header, "traces");
  h.maps = texts(header, "map");
  h.platform_file = text_or_nothing(header, "platform");
  h.scenario_file = text_or_nothing(header, "scenario");
  if (const auto timeout = number_or_nothing(header, "block_timeout_s")) {
    h.block_timeout = Seconds{*timeout};
  }
  h.time_scale = number_or_nothing(header, "time_scale").value_or(1.0);
  h.decisions_of = text_or_nothing(header, "decisions_of");
  if (header.find("noise") != nullptr) h.noise = header.flag("noise");
  if (const auto given = number_or_nothing(header, "dispatch_cost_given_s", most_cost_s)) {
    h.dispatch_cost = Seconds{*given};
  }
  read_units(header, file.path, file.run);
  read_workloads(header, file.path, file.run);
  read_known_before(header, file);
}

}  // namespace equipoise

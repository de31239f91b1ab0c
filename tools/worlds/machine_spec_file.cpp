// Reads equipoise.machines/1 files: all fields with their ranges and defaults.
#include "tools/worlds/machine_spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "traces/json_document.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

constexpr double most = 1e18;              ///< upper limit of all numbers
constexpr double least = 1e-18;            ///< lower limit of numbers that must be positive
constexpr double least_bytes_per_s = 1.0;  ///< for links, whose bandwidth is written in whole bytes
constexpr double most_counted = 9.0e15;    ///< just below 2^53, so that doubles are exact
constexpr int most_units = 4096;           ///< per entry

/// The number `name` of `object`, or `otherwise` if it is missing.
double number_or(const JsonObject& object, const char* name, double low, double otherwise) {
  return object.find(name) == nullptr ? otherwise : object.number(name, low, most);
}

double whole(const JsonObject& object, const char* name, double low, double high) {
  const double value = object.number(name, low, high);
  if (value == std::floor(value)) return value;
  throw InputError(object.where(object.at(name)),
                   fmt::format("'{}' is {}; write a whole number", name, object.at(name).text));
}

int whole_or(const JsonObject& object, const char* name, double high, int otherwise) {
  return object.find(name) == nullptr ? otherwise
                                      : static_cast<int>(whole(object, name, 1.0, high));
}

/// A number of seconds >= 0 that is a valid time.
double seconds(const JsonObject& object, const char* name) {
  const double value = object.number(name, 0.0, most);
  const std::string why = value > 0.0 ? why_no_time(value) : std::string();
  if (why.empty()) return value;
  throw InputError(object.where(object.at(name)),
                   fmt::format("'{}' {}, not {}; correct it", name, why, object.at(name).text));
}

std::string text_or_empty(const JsonObject& object, const char* name) {
  return object.find(name) == nullptr ? std::string() : object.text(name);
}

/// A text that is valid as the name of a unit, a machine or a file.
std::string name_of(const JsonObject& object, const char* member) {
  std::string name = object.text(member);
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  if (!name.empty() && std::all_of(name.begin(), name.end(), fits)) return name;
  throw InputError(object.where(object.at(member)),
                   fmt::format("`{}` is no name; use letters, digits, - and _", name));
}

/// The entries of a list that must not be empty.
const std::vector<JsonValue>& entries_of(const JsonObject& object, const char* name) {
  const std::vector<JsonValue>& list = object.list(name);
  if (!list.empty()) return list;
  throw InputError(object.where(object.at(name)), fmt::format("'{}' is empty; add one", name));
}

/// Adds `name` to `names`. Throws InputError if it is already there.
void add_name(std::set<std::string>& names, const std::string& name, const std::string& where) {
  if (names.insert(name).second) return;
  throw InputError(where, name + " is there already; rename one");
}

/// Reads the parts of a spec from one file.
class SpecReader {
 public:
  explicit SpecReader(const std::string& path) : path_(path) {}

  MachineSpec read() {
    const JsonValue document = read_json_file(path_);
    const JsonObject root(
        document, path_, "a machine spec",
        {"schema", "source", "network", "relative_deviation", "machines", "platforms", "traces"});
    expect_schema(root.text("schema"), "equipoise.machines/1", root.where(root.at("schema")));
    spec_.file = std::filesystem::path(path_).filename().string();
    spec_.source = read_source(root);
    network_ = read_network(root);
    spec_.relative_deviation = {
        {UnitKind::cpu, 0.03}, {UnitKind::gpu, 0.02}, {UnitKind::mic, 0.03}};
    if (const JsonValue* deviation = root.find("relative_deviation")) {
      read_by_kind(*deviation, 0.0, 10.0, spec_.relative_deviation);
    }
    read_lists(root);
    return std::move(spec_);
  }

 private:
  void read_lists(const JsonObject& root) {
    std::set<std::string> names;
    for (const JsonValue& entry : entries_of(root, "machines")) {
      spec_.machines.push_back(read_machine(entry));
      add_name(names, spec_.machines.back().id, place(entry));
    }
    names.clear();
    for (const JsonValue& entry : entries_of(root, "platforms")) {
      spec_.platforms.push_back(read_platform(entry));
      add_name(names, spec_.platforms.back().name, place(entry));
    }
    names.clear();
    for (const JsonValue& entry : entries_of(root, "traces")) {
      spec_.traces.push_back(read_trace(entry));
      add_name(names, spec_.traces.back().name, place(entry));
      check_speeds(spec_.traces.back(), place(entry));
    }
  }

  [[nodiscard]] std::string place(const JsonValue& value) const {
    return fmt::format("{}:{}", path_, value.line);
  }

  /// An object whose member names are chosen by the user.
  [[nodiscard]] JsonObject free_object(const JsonValue& value, const char* what) const {
    std::vector<std::string> names;
    for (const JsonMember& member : value.object) names.push_back(member.name);
    return {value, path_, what, names};
  }

  /// Reads a text, or a list of lines, which are joined.
  [[nodiscard]] static std::string read_source(const JsonObject& root) {
    const JsonValue& source = root.at("source");
    if (source.kind != JsonValue::Kind::list) return root.text("source");
    std::string joined;
    for (const JsonValue& line : source.list) {
      if (line.kind != JsonValue::Kind::text) {
        throw InputError(root.where(line), "'source' must be a text or a list of texts; quote it");
      }
      joined += (joined.empty() ? "" : " ") + line.text;
    }
    return joined;
  }

  /// The network of a spec, or of one of its platforms, which has the spec's unless it has its own.
  [[nodiscard]] std::optional<LinkFigures> read_network(const JsonObject& owner) const {
    const JsonValue* value = owner.find("network");
    if (value == nullptr) return network_;
    const JsonObject network(*value, path_, "a network", {"bytes_per_s", "latency_s"});
    const double bytes_per_s = network.number("bytes_per_s", least_bytes_per_s, most);
    return LinkFigures{bytes_per_s, bytes_per_s, seconds(network, "latency_s")};
  }

  [[nodiscard]] LinkFigures read_bus(const JsonValue& value) const {
    const JsonObject bus(value, path_, "a bus", {"in_bytes_per_s", "out_bytes_per_s", "latency_s"});
    return {bus.number("in_bytes_per_s", least_bytes_per_s, most),
            bus.number("out_bytes_per_s", least_bytes_per_s, most), seconds(bus, "latency_s")};
  }

  /// Reads numbers by kind of unit; the given ones replace those in `values`.
  void read_by_kind(const JsonValue& value, double low, double high,
                    std::map<UnitKind, double>& values) const {
    const JsonObject object(value, path_, "an object by kind of unit", {"cpu", "gpu", "mic"});
    for (auto& [kind, number] : values) {
      if (object.find(to_string(kind)) != nullptr) {
        number = object.number(to_string(kind), low, high);
      }
    }
  }

  [[nodiscard]] static double read_peak(const JsonObject& unit) {
    const bool spelled_out =
        unit.find("clock_hz") != nullptr || unit.find("flop_per_cycle") != nullptr;
    if (unit.find("peak_flop_per_s") != nullptr) {
      if (!spelled_out) return unit.number("peak_flop_per_s", least, most);
      throw InputError(
          unit.where(unit.at("peak_flop_per_s")),
          "peak_flop_per_s beside clock_hz or flop_per_cycle says it twice; keep one of them");
    }
    if (!spelled_out) return 0.0;
    return whole(unit, "cores", 1.0, 1e9) * unit.number("clock_hz", least, most) *
           unit.number("flop_per_cycle", least, most);
  }

  /// Sets the defaults for the kind of unit. An accelerator needs about eight (GPU) or 32 (MIC)
  /// threads per core in flight to hide its latencies, and tens of microseconds or more to start.
  static void read_start(const JsonObject& object, UnitFigures& unit) {
    const double cores = object.find("cores") == nullptr ? 0.0 : whole(object, "cores", 1.0, 1e9);
    switch (unit.kind) {
      case UnitKind::cpu:
        unit.startup_s = 5e-6;
        break;
      case UnitKind::gpu:
        unit.startup_s = 2e-5;
        unit.half_saturation_threads = 8.0 * cores;
        break;
      case UnitKind::mic:
        unit.startup_s = 1e-4;
        unit.half_saturation_threads = 32.0 * cores;
        break;
    }
    if (object.find("startup_s") != nullptr) unit.startup_s = seconds(object, "startup_s");
    unit.half_saturation_threads =
        number_or(object, "half_saturation_threads", 0.0, unit.half_saturation_threads);
  }

  [[nodiscard]] UnitFigures read_unit(const JsonValue& value) const {
    const JsonObject object(value, path_, "a unit",
                            {"id",
                             "kind",
                             "model",
                             "device",
                             "count",
                             "cores",
                             "clock_hz",
                             "flop_per_cycle",
                             "peak_flop_per_s",
                             "double_share",
                             "memory_bytes_per_s",
                             "memory_bytes",
                             "copy_engines",
                             "slots",
                             "idle_w",
                             "busy_w",
                             "bus",
                             "startup_s",
                             "half_saturation_threads",
                             "items_per_s"});
    UnitFigures unit;
    unit.id = name_of(object, "id");
    unit.kind = read_unit_kind(object.text("kind"), object.where(object.at("kind")));
    unit.model = text_or_empty(object, "model");
    if (object.find("device") != nullptr) unit.device = name_of(object, "device");
    unit.count = whole_or(object, "count", most_units, 1);
    unit.peak_flop_per_s = read_peak(object);
    if (unit.kind != UnitKind::gpu) unit.double_share = 0.5;
    if (object.find("double_share") != nullptr) {
      unit.double_share = object.number("double_share", 1e-6, 1.0);
    }
    unit.memory_bytes_per_s = number_or(object, "memory_bytes_per_s", least, 0.0);
    if (object.find("memory_bytes") != nullptr) {
      unit.memory_bytes = object.number("memory_bytes", 1.0, most);
    }
    unit.copy_engines = whole_or(object, "copy_engines", 2.0, 1);
    unit.slots = whole_or(object, "slots", 1e6, 1);
    if (object.find("idle_w") != nullptr || object.find("busy_w") != nullptr) {
      unit.idle_w = object.number("idle_w", 0.0, most);
      unit.busy_w = object.number("busy_w", *unit.idle_w, most);
    }
    if (const JsonValue* bus = object.find("bus")) unit.bus = read_bus(*bus);
    read_start(object, unit);
    if (const JsonValue* speeds = object.find("items_per_s")) read_speeds(*speeds, unit);
    return unit;
  }

  void read_speeds(const JsonValue& value, UnitFigures& unit) const {
    const JsonObject speeds = free_object(value, "items_per_s");
    for (const JsonMember& speed : value.object) {
      unit.items_per_s[speed.name] = speeds.number(speed.name, least, most);
    }
  }

  [[nodiscard]] MachineFigures read_machine(const JsonValue& value) const {
    const JsonObject object(value, path_, "a machine", {"id", "units"});
    MachineFigures machine;
    machine.id = name_of(object, "id");
    std::set<std::string> names;
    for (const JsonValue& entry : entries_of(object, "units")) {
      machine.units.push_back(read_unit(entry));
      const UnitFigures& unit = machine.units.back();
      check_device(machine, unit, place(entry));
      for (int i = 0; i < unit.count; ++i) {
        add_name(names, unit_name(machine, unit, i), place(entry));
      }
    }
    count_units_of_buses(machine);
    return machine;
  }

  [[nodiscard]] PlatformChoice read_platform(const JsonValue& value) const {
    const JsonObject object(value, path_, "a platform", {"name", "machines", "network", "without"});
    PlatformChoice platform{name_of(object, "name"), place(value), read_network(object), {}, {}};
    std::vector<std::string> known;
    for (const MachineFigures& machine : spec_.machines) known.push_back(machine.id);
    std::set<std::string> names;
    for (const JsonValue& entry : entries_of(object, "machines")) {
      const auto found = std::find(known.begin(), known.end(), entry.text);
      if (found == known.end()) {
        throw InputError(place(entry), unknown_name("machine", entry.text, known));
      }
      add_name(names, *found, place(entry));
      platform.machines.push_back(static_cast<std::size_t>(found - known.begin()));
    }
    if (object.find("without") != nullptr) {
      for (const JsonValue& entry : entries_of(object, "without")) {
        leave_out(spec_, platform, entry.text, place(entry));
      }
    }
    return platform;
  }

  /// The problem parameters, with the kernel's defaults for those that are not given.
  [[nodiscard]] std::map<std::string, double> read_problem(const JsonObject& trace,
                                                           const ModelledKernel* kernel) const {
    auto problem = kernel == nullptr ? std::map<std::string, double>() : kernel->problem;
    const JsonValue* given = trace.find("problem");
    if (given == nullptr) return problem;
    std::vector<std::string> known;
    for (const auto& [name, value] : problem) known.push_back(name);
    const JsonObject object = kernel == nullptr ? free_object(*given, "a problem")
                                                : JsonObject(*given, path_, "the problem", known);
    for (const JsonMember& member : given->object) {
      problem[member.name] = whole(object, member.name.c_str(), 1.0, most_counted);
    }
    return problem;
  }

  /// Reads cost figures. They replace those of the kernel, or are the only ones.
  void read_cost(const JsonObject& trace, ItemCost& cost) const {
    const auto replace = [&trace](const char* name, double& value) {
      value = number_or(trace, name, 0.0, value);
    };
    if (trace.find("item") != nullptr) cost.item = trace.text("item");
    replace("flop_per_item", cost.flop);
    replace("traffic_bytes_per_item", cost.traffic_bytes);
    replace("in_bytes_per_item", cost.in_bytes);
    replace("out_bytes_per_item", cost.out_bytes);
    replace("resident_bytes", cost.resident_bytes);
    cost.resident_memory_bytes =
        number_or(trace, "resident_memory_bytes", 0.0, cost.resident_bytes);
    replace("memory_bytes_per_item", cost.memory_bytes);
    replace("streamed_bytes_per_block", cost.streamed_bytes_per_block);
    cost.threads = number_or(trace, "threads_per_item", least, cost.threads);
    if (const JsonValue* efficiency = trace.find("efficiency")) {
      read_by_kind(*efficiency, 1e-6, 1.0, cost.efficiency);
    }
  }

  [[nodiscard]] TraceChoice read_trace(const JsonValue& value) const {
    const JsonObject object(
        value, path_, "a trace",
        {"name", "kernel", "problem", "items", "element_bytes", "item", "flop_per_item",
         "traffic_bytes_per_item", "in_bytes_per_item", "out_bytes_per_item", "resident_bytes",
         "resident_memory_bytes", "memory_bytes_per_item", "streamed_bytes_per_block",
         "threads_per_item", "efficiency"});
    TraceChoice trace;
    trace.name = name_of(object, "name");
    trace.where = place(value);
    trace.kernel = name_of(object, "kernel");
    const ModelledKernel* kernel = find_modelled_kernel(trace.kernel);
    trace.problem = read_problem(object, kernel);
    trace.element_bytes = whole_or(object, "element_bytes", 8.0, 4);
    if (trace.element_bytes != 4 && trace.element_bytes != 8) {
      throw InputError(object.where(object.at("element_bytes")),
                       "'element_bytes' must be 4 or 8; correct it");
    }
    if (kernel == nullptr) static_cast<void>(object.at("flop_per_item"));
    if (kernel != nullptr) trace.cost = kernel->cost(trace.problem, trace.element_bytes);
    read_cost(object, trace.cost);
    const double items = kernel == nullptr ? 0.0 : kernel->items(trace.problem);
    const bool known = items > 0.0 && object.find("items") == nullptr;
    if (known) trace.problem["items"] = items;
    trace.items = static_cast<Items>(known ? items : whole(object, "items", 1.0, most_counted));
    return trace;
  }

  /// Checks that every unit has a speed for the trace's kernel.
  void check_speeds(const TraceChoice& trace, const std::string& where) const {
    for (const MachineFigures& machine : spec_.machines) {
      for (const UnitFigures& unit : machine.units) {
        if (unit.items_per_s.contains(trace.kernel)) continue;
        const std::string name = machine.id + "." + unit.id;
        if (unit.peak_flop_per_s == 0.0) {
          throw InputError(where, "unit " + name + " has no speed for " + trace.kernel +
                                      "; give it cores, clock_hz and flop_per_cycle, or "
                                      "peak_flop_per_s, or items_per_s for the kernel");
        }
        if (trace.element_bytes == 8 && !unit.double_share) {
          throw InputError(
              where, "unit " + name + " has no peak in double precision; give it double_share");
        }
        if (trace.cost.flop == 0.0 && trace.cost.traffic_bytes == 0.0) {
          throw InputError(where,
                           "an item costs nothing; give flop_per_item or traffic_bytes_per_item");
        }
      }
    }
  }

  const std::string& path_;
  MachineSpec spec_;
  std::optional<LinkFigures> network_;  ///< of the platforms that have none of their own
};

}  // namespace

MachineSpec read_machine_spec(const std::string& path) { return SpecReader(path).read(); }

}  // namespace equipoise

// Reads equipoise.machines/1 files: machines, platforms and traces, with their ranges and defaults.
#include "tools/worlds/machine_spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/worlds/spec_fields.hpp"
#include "tools/worlds/unit_figures_file.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

constexpr int most_machines = 100'000;         ///< per entry
constexpr double most_units_in_all = 1e6 - 1;  ///< a platform has a million hosts, one the master

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
    for (const JsonValue& entry : entries_of(root, "machines")) read_machines(entry, names);
    names.clear();
    for (const JsonValue& entry : entries_of(root, "platforms")) {
      spec_.platforms.push_back(read_platform(entry));
      add_name(names, spec_.platforms.back().name, place(entry));
    }
    names.clear();
    if (root.find("traces") == nullptr) return;
    for (const JsonValue& entry : entries_of(root, "traces")) {
      spec_.traces.push_back(read_trace(entry));
      add_name(names, spec_.traces.back().name, place(entry));
      check_speeds(spec_.traces.back(), place(entry));
    }
  }

  [[nodiscard]] std::string place(const JsonValue& value) const {
    return fmt::format("{}:{}", path_, value.line);
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
    const double bytes_per_s = network.quantity("bytes_per_s", least_link_rate, most_of_spec);
    return LinkFigures{bytes_per_s, bytes_per_s, seconds_field(network, "latency_s"), {}};
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

  /// Reads the numbers that are given by kind of unit.
  template <typename Read>
  [[nodiscard]] std::map<UnitKind, double> read_given_by_kind(const JsonObject& owner,
                                                              const char* name, Read read) const {
    std::map<UnitKind, double> given;
    const JsonValue* value = owner.find(name);
    if (value == nullptr) return given;
    const JsonObject object(*value, path_, name, {"cpu", "gpu", "mic"});
    for (const UnitKind kind : {UnitKind::cpu, UnitKind::gpu, UnitKind::mic}) {
      if (object.find(to_string(kind)) != nullptr) given[kind] = read(object, to_string(kind));
    }
    return given;
  }

  /// One machine, or several equal ones: n0, n1, ...
  void read_machines(const JsonValue& value, std::set<std::string>& taken) {
    const JsonObject object(value, path_, "a machine", {"id", "count", "units"});
    MachineFigures machine;
    const std::string id = name_field(object, "id");
    const int count = whole_or(object, "count", most_machines, 1);
    machine.like = machine.id = numbered_name(id, count, 0);
    std::set<std::string> names;
    for (const JsonValue& entry : entries_of(object, "units")) {
      machine.units.push_back(read_unit_figures(entry, path_));
      const UnitFigures& unit = machine.units.back();
      check_device(machine, unit, place(entry));
      for (int i = 0; i < unit.count; ++i) {
        add_name(names, unit_name(machine, unit, i), place(entry));
      }
    }
    count_units(machine, count, place(value));
    for (int i = 0; i < count; ++i) {
      machine.id = numbered_name(id, count, i);
      add_name(taken, machine.id, place(value));
      named_[machine.id] = {spec_.machines.size()};
      if (count > 1) named_[id].push_back(spec_.machines.size());
      spec_.machines.push_back(machine);
    }
    if (count > 1) add_name(taken, id, place(value));
  }

  /// Refuses too many units before any machine is made.
  void count_units(const MachineFigures& machine, int count, const std::string& where) {
    for (const UnitFigures& unit : machine.units) units_ += 1.0 * unit.count * count;
    if (units_ <= most_units_in_all) return;
    throw InputError(where, fmt::format("more than {:.0f} units, {:.0f} up to here; give a smaller "
                                        "count",
                                        most_units_in_all, units_));
  }

  [[nodiscard]] PlatformChoice read_platform(const JsonValue& value) const {
    const JsonObject object(value, path_, "a platform", {"name", "machines", "network", "without"});
    PlatformChoice platform{name_field(object, "name"), place(value), read_network(object), {}, {}};
    std::vector<std::string> known;
    for (const auto& [name, positions] : named_) known.push_back(name);
    std::set<std::string> names;
    for (const JsonValue& entry : entries_of(object, "machines")) {
      const auto found = named_.find(entry.text);
      if (found == named_.end()) {
        throw InputError(place(entry), unknown_name("machine", entry.text, known));
      }
      for (const std::size_t machine : found->second) {
        add_name(names, spec_.machines[machine].id, place(entry));
        platform.machines.push_back(machine);
      }
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
    const JsonObject object = kernel == nullptr ? free_object(*given, path_, "a problem")
                                                : JsonObject(*given, path_, "the problem", known);
    for (const JsonMember& member : given->object) {
      problem[member.name] = whole_field(object, member.name.c_str(), 1.0, most_counted);
    }
    return problem;
  }

  /// Reads cost figures. They replace those of the kernel, or are the only ones.
  void read_cost(const JsonObject& trace, ItemCost& cost) const {
    const auto replace = [&trace](const char* name, double& value) {
      value = quantity_or(trace, name, 0.0, value);
    };
    if (trace.find("item") != nullptr) cost.item = trace.text("item");
    replace("flop_per_item", cost.flop);
    replace("traffic_bytes_per_item", cost.traffic_bytes);
    replace("in_bytes_per_item", cost.in_bytes);
    replace("out_bytes_per_item", cost.out_bytes);
    replace("resident_bytes", cost.resident_bytes);
    cost.resident_memory_bytes =
        quantity_or(trace, "resident_memory_bytes", 0.0, cost.resident_bytes);
    replace("memory_bytes_per_item", cost.memory_bytes);
    cost.threads = quantity_or(trace, "threads_per_item", least_of_spec, cost.threads);
    if (const JsonValue* efficiency = trace.find("efficiency")) {
      read_by_kind(*efficiency, 1e-6, 1.0, cost.efficiency);
    }
  }

  [[nodiscard]] TraceChoice read_trace(const JsonValue& value) const {
    const JsonObject object(
        value, path_, "a trace",
        {"name", "kernel", "problem", "items", "element_bytes", "item", "flop_per_item",
         "traffic_bytes_per_item", "in_bytes_per_item", "out_bytes_per_item", "resident_bytes",
         "resident_memory_bytes", "memory_bytes_per_item", "threads_per_item", "efficiency",
         "round_items", "half_saturation_items"});
    TraceChoice trace;
    trace.name = name_field(object, "name");
    trace.where = place(value);
    trace.kernel = name_field(object, "kernel");
    const ModelledKernel* kernel = find_modelled_kernel(trace.kernel);
    trace.problem = read_problem(object, kernel);
    trace.element_bytes = whole_or(object, "element_bytes", 8.0, 4);
    if (trace.element_bytes != 4 && trace.element_bytes != 8) {
      throw InputError(object.where(object.at("element_bytes")),
                       "'element_bytes' must be 4 or 8; correct it");
    }
    if (kernel != nullptr) trace.cost = kernel->cost(trace.problem, trace.element_bytes);
    read_cost(object, trace.cost);
    trace.round_items =
        read_given_by_kind(object, "round_items", [](const JsonObject& of, const char* kind) {
          return whole_field(of, kind, 1.0, most_counted);
        });
    trace.half_saturation_items = read_given_by_kind(
        object, "half_saturation_items",
        [](const JsonObject& of, const char* kind) { return of.number(kind, 0.0, most_counted); });
    const bool is_given = kernel != nullptr && !kernel->items_parameter.empty();
    const double items = is_given ? trace.problem.at(kernel->items_parameter) : 0.0;
    const bool known = items > 0.0 && object.find("items") == nullptr;
    if (known) trace.problem["items"] = items;
    const bool modelled = needs_items(trace.kernel) || object.find("items") != nullptr;
    if (known) {
      trace.items = static_cast<Items>(items);
    } else if (modelled) {
      trace.items = static_cast<Items>(whole_field(object, "items", 1.0, most_counted));
    }
    return trace;
  }

  /// Whether a unit has no measured times of `kernel`, so that sizes for them must be chosen.
  [[nodiscard]] bool needs_items(const std::string& kernel) const {
    return std::ranges::any_of(spec_.machines, [&](const MachineFigures& machine) {
      return std::ranges::any_of(machine.units, [&](const UnitFigures& unit) {
        return is_timed_here(machine, unit) && !unit.timings.contains(kernel);
      });
    });
  }

  /// Checks that every unit has times or a speed for the trace's kernel.
  void check_speeds(const TraceChoice& trace, const std::string& where) const {
    bool any = false;
    for (const MachineFigures& machine : spec_.machines) {
      for (const UnitFigures& unit : machine.units) {
        if (!is_timed_here(machine, unit)) continue;
        any = true;
        if (unit.items_per_s.contains(trace.kernel) || unit.timings.contains(trace.kernel)) {
          continue;
        }
        const std::string name = machine.id + "." + unit.id;
        if (unit.peak_flop_per_s == 0.0) {
          throw InputError(where, "unit " + name + " has no speed for " + trace.kernel +
                                      "; give it cores, clock_hz and flop_per_cycle, or "
                                      "peak_flop_per_s, or items_per_s or timings for the kernel");
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
    if (!any) {
      throw InputError(where,
                       "every unit has a trace_unit, so there is nothing to model; leave out "
                       "the trace, or a trace_unit");
    }
  }

  const std::string& path_;
  MachineSpec spec_;
  std::map<std::string, std::vector<std::size_t>> named_;  ///< positions of machines, by name; of
                                                           ///< equal ones also by their common name
  double units_ = 0.0;                                     ///< of all machines
  std::optional<LinkFigures> network_;  ///< of the platforms that have none of their own
};

}  // namespace

MachineSpec read_machine_spec(const std::string& path) { return SpecReader(path).read(); }

}  // namespace equipoise

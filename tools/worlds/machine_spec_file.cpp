// Reads equipoise.machines/1 files: machines, platforms and traces, with their ranges and defaults,
// and the data sheets and measured times that they name.
#include "tools/worlds/machine_spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "platforms/data_sheets.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "traces/csv_import.hpp"
#include "traces/json_record.hpp"
#include "traces/time_limits.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

constexpr int most_machines = 100'000;          ///< per entry
constexpr int most_units = 4096;                ///< per entry
constexpr double most_units_in_all = 1e6 - 1;   ///< a platform has a million hosts, one the master
constexpr double most_of_spec = 1e18;           ///< upper limit of all numbers
constexpr double least_of_spec = 1e-18;         ///< lower limit of numbers that must be positive
constexpr double least_link_rate = 1.0;         ///< bandwidths are written in whole bytes/s
constexpr double most_counted = 9.0e15;         ///< just below 2^53, so that doubles are exact
constexpr double assumed_bus_latency_s = 1e-5;  ///< data sheets have none

/// An object of a spec. What begins with `take` leaves its target as it is if there is no such
/// member.
class SpecObject : public JsonObject {
 public:
  using JsonObject::JsonObject;

  [[nodiscard]] bool names(std::string_view member) const { return find(member) != nullptr; }
  [[noreturn]] void refuse(std::string_view member, const std::string& why) const {
    throw InputError(where(at(member)), why);
  }

  template <class Number>
  void take(std::string_view member, double low, Number& into) const {
    if (names(member)) into = quantity(member, low, most_of_spec);
  }
  template <class Text>
  void take_text(std::string_view member, Text& into) const {
    if (names(member)) into = text(member);
  }
  /// A whole number.
  [[nodiscard]] double count(std::string_view member, double low, double high) const {
    const double value = number(member, low, high);
    if (value == std::floor(value)) return value;
    refuse(member, fmt::format("'{}' is {}; write a whole number", member, at(member).text));
  }
  [[nodiscard]] int count_or(std::string_view member, double high, int otherwise) const {
    return names(member) ? static_cast<int>(count(member, 1.0, high)) : otherwise;
  }
  /// 0, or a number of seconds that is a valid time.
  [[nodiscard]] double seconds(std::string_view member) const {
    const double value = quantity(member, 0.0, most_of_spec);
    const std::string why = value > 0.0 ? why_no_time(value) : std::string();
    if (why.empty()) return value;
    refuse(member, fmt::format("'{}' {}, not {}; correct it", member, why, at(member).text));
  }
  /// A text that is valid as the name of a unit, a machine or a file.
  [[nodiscard]] std::string name(std::string_view member) const {
    std::string name = text(member);
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
    if (!name.empty() && std::ranges::all_of(name, fits)) return name;
    refuse(member, fmt::format("`{}` is no name; use letters, digits, - and _", name));
  }
  /// The entries of a list that must not be empty.
  [[nodiscard]] const std::vector<JsonValue>& entries(std::string_view member) const {
    const std::vector<JsonValue>& entries = list(member);
    if (!entries.empty()) return entries;
    refuse(member, fmt::format("'{}' is empty; add one", member));
  }
};

/// Adds `name` to `names`. Throws InputError if it is already there.
void add_name(std::set<std::string>& names, const std::string& name, const std::string& where) {
  if (names.insert(name).second) return;
  throw InputError(where, name + " is there already; rename one");
}

/// `object`: measured times in a CSV file.
CsvImportOptions csv_options(const SpecObject& object, const std::string& kernel) {
  CsvImportOptions options;
  read_members(object, options.columns, {});
  options.kernel = kernel;
  if (!options.columns.unit_column) options.units = {"the unit"};
  options.called = [where = object.where()](const std::string& name) {
    return fmt::format("'{}' of {}", name, where);
  };
  if (const JsonValue* where = object.find("where")) {
    const bool is_list = where->kind == JsonValue::Kind::list;
    if (!is_list) options.where = {object.text("where")};
    for (const JsonValue& condition : where->list) options.where.push_back(condition.text);
  }
  return options;
}

/// The samples of the unit called `name`, or of the only one if no name is given.
UnitTimings timings_of(const Trace& trace, const std::optional<std::string>& name,
                       const std::string& where, const std::string& model) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    if (has_samples(trace, i)) names.push_back(trace.units[i].name);
  }
  if (!name && names.size() != 1) {
    throw InputError(where, fmt::format("the file has times of {}; say which with \"unit\"",
                                        fmt::join(names, ", ")));
  }
  const std::string unit = name.value_or(names.empty() ? "" : names.front());
  if (std::ranges::find(names, unit) == names.end()) {
    throw InputError(where, unknown_name("unit of the file", unit, names));
  }
  const auto found = std::ranges::find(trace.units, unit, &Unit::name);
  if (!model.empty() && !found->model.empty() && model != found->model) {
    warn(fmt::format("{}: the unit is a '{}', and its times were taken on a '{}'", where, model,
                     found->model));
  }
  UnitTimings timings;
  for (const TraceSample& sample : trace.samples) {
    if (sample.unit == static_cast<std::uint32_t>(found - trace.units.begin())) {
      timings.samples.push_back(sample);
    }
  }
  const auto limit = found->max_block_items.find(trace.kernel);
  if (limit != found->max_block_items.end()) timings.max_block_items = limit->second;
  return timings;
}

Trace read_measured(const std::string& file, const SpecObject* columns, const std::string& where,
                    const std::string& kernel) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) {
    throw InputError(
        file, fmt::format("no such file; {} names it, and paths begin in its folder", where));
  }
  if (fs::path(file).extension() == ".csv") {
    if (columns == nullptr) {
      throw InputError(where,
                       "a CSV file needs the names of its columns; write {\"file\": ..., "
                       "\"items_column\": ..., \"compute_column\": ...}");
    }
    const CsvImport import = import_csv({file}, csv_options(*columns, kernel));
    for (const std::string& warning : import.warnings) warn(warning);
    return import.trace;
  }
  std::vector<std::string> warnings;
  Trace trace = read_trace(file, &warnings);
  for (const std::string& warning : warnings) warn(warning);
  if (trace.kernel == kernel) return trace;
  throw InputError(where,
                   fmt::format("{} has times of {}, not of {}; give the trace of that kernel", file,
                               trace.kernel, kernel));
}

/// Measured times of `kernel` that `value` names in the machine spec at `path`: the path of a
/// trace, or an object with `file`, a trace (and its `unit`, unless it has one unit only) or a CSV
/// file (and its columns, as in `trace import csv`), and perhaps `max_block_items`. Paths are
/// relative to the spec. Warns if the trace's unit has another model than `model`, where both have
/// one.
UnitTimings read_unit_timings(const JsonValue& value, const std::string& path,
                              const std::string& kernel, const std::string& model) {
  const std::string where = fmt::format("{}:{}", path, value.line);
  const auto read = [&](const std::string& name, const SpecObject* columns) {
    std::optional<std::string> unit;
    if (columns != nullptr) columns->take_text("unit", unit);
    const fs::path file = fs::path(path).parent_path() / name;
    UnitTimings timings =
        timings_of(read_measured(file.string(), columns, where, kernel), unit, where, model);
    timings.file = file.filename().string();
    return timings;
  };
  if (value.kind == JsonValue::Kind::text) return read(value.text, nullptr);
  std::vector<std::string> known = member_names<CsvColumns>();
  known.insert(known.end(), {"file", "unit", "where", "max_block_items"});
  const SpecObject object(value, path, "measured times", known);
  UnitTimings timings = read(object.text("file"), &object);
  if (object.names("max_block_items")) {
    timings.max_block_items = object.whole("max_block_items", 1, std::numeric_limits<Items>::max());
  }
  return timings;
}

/// The figures of a known device.
UnitFigures figures_of(const DataSheet& sheet) {
  UnitFigures unit;
  unit.kind = sheet.kind;
  unit.model = sheet.model;
  unit.peak_flop_per_s = sheet.single_flop_per_s;
  if (sheet.double_flop_per_s) {
    unit.double_share = *sheet.double_flop_per_s / sheet.single_flop_per_s;
  }
  unit.memory_bytes_per_s = sheet.memory_bytes_per_s;
  unit.memory_bytes = sheet.memory_bytes;
  unit.shares_bus = false;  // a board has its own
  if (sheet.kind == UnitKind::gpu) unit.copy_engines = 2;
  const double bus = sheet.bus_bytes_per_s();
  if (bus > 0.0) unit.bus = LinkFigures{bus, bus, assumed_bus_latency_s, {}};
  return unit;
}

LinkFigures read_bus(const JsonValue& value, const std::string& path) {
  const SpecObject bus(value, path, "a bus",
                       {"in_bytes_per_s", "out_bytes_per_s", "latency_s", "out_latency_s"});
  LinkFigures figures{bus.quantity("in_bytes_per_s", least_link_rate, most_of_spec),
                      bus.quantity("out_bytes_per_s", least_link_rate, most_of_spec),
                      bus.seconds("latency_s"),
                      {}};
  if (bus.names("out_latency_s")) figures.out_latency_s = bus.seconds("out_latency_s");
  return figures;
}

/// Reads a unit of a spec. One with a `data_sheet` has that device's figures, except for those that
/// are given.
class UnitReader {
 public:
  UnitReader(const JsonValue& value, const std::string& path)
      : path_(path),
        object_(value, path, "a unit",
                {"id",
                 "data_sheet",
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
                 "items_per_s",
                 "round_items",
                 "timings",
                 "trace_unit",
                 "shares_bus"}) {}

  UnitFigures read() {
    const SpecObject& object = object_;
    if (object.names("data_sheet")) {
      sheet_ = &find_data_sheet(object.text("data_sheet"), object.where(object.at("data_sheet")));
      unit_ = figures_of(*sheet_);
    }
    unit_.name = object.name("id");
    if (sheet_ == nullptr || object.names("kind")) {
      unit_.kind = read_unit_kind(object.text("kind"), object.where(object.at("kind")));
    }
    object.take_text("model", unit_.model);
    if (object.names("device")) unit_.device = object.name("device");
    unit_.count = object.count_or("count", most_units, 1);
    object.take("memory_bytes", 1.0, unit_.memory_bytes);
    unit_.copy_engines = object.count_or("copy_engines", 2.0, unit_.copy_engines);
    unit_.slots = object.count_or("slots", 1e6, 1);
    read_watts();
    if (const JsonValue* bus = object.find("bus")) unit_.bus = read_bus(*bus, path_);
    if (object.names("shares_bus")) unit_.shares_bus = object.flag("shares_bus");
    read_speed();
    read_start();
    object.take_text("trace_unit", unit_.trace_unit);
    if (object.names("trace_unit") && unit_.trace_unit.empty()) {
      object.refuse("trace_unit", "'trace_unit' is empty; name a unit of a trace");
    }
    return std::move(unit_);
  }

 private:
  /// The watts: both or none; those at work may be the data sheet's.
  void read_watts() {
    if (!object_.names("idle_w") && !object_.names("busy_w")) return;
    unit_.idle_w = object_.quantity("idle_w", 0.0, most_of_spec);
    unit_.busy_w = sheet_ != nullptr && !object_.names("busy_w")
                       ? std::max(sheet_->tdp_w, *unit_.idle_w)
                       : object_.quantity("busy_w", *unit_.idle_w, most_of_spec);
  }

  void read_peak() {
    const bool spelled_out = object_.names("clock_hz") || object_.names("flop_per_cycle");
    if (object_.names("peak_flop_per_s")) {
      if (spelled_out) {
        object_.refuse(
            "peak_flop_per_s",
            "peak_flop_per_s beside clock_hz or flop_per_cycle says it twice; keep one of them");
      }
      object_.take("peak_flop_per_s", least_of_spec, unit_.peak_flop_per_s);
    } else if (spelled_out) {
      unit_.peak_flop_per_s = object_.count("cores", 1.0, 1e9) *
                              object_.quantity("clock_hz", least_of_spec, most_of_spec) *
                              object_.number("flop_per_cycle", least_of_spec, most_of_spec);
    }
  }

  /// Reads the value of each kernel in the member `name`.
  template <class Value, class Read>
  void read_by_kernel(const char* name, std::map<std::string, Value>& into, Read read) const {
    const JsonValue* value = object_.find(name);
    if (value == nullptr) return;
    const SpecObject by_kernel(*value, path_, name);
    for (const JsonMember& kernel : value->object) into[kernel.name] = read(by_kernel, kernel);
  }

  void read_speed() {
    read_peak();
    if (unit_.kind != UnitKind::gpu && !unit_.double_share) unit_.double_share = 0.5;
    if (object_.names("double_share")) {
      unit_.double_share = object_.number("double_share", 1e-6, 1.0);
    }
    object_.take("memory_bytes_per_s", least_of_spec, unit_.memory_bytes_per_s);
    read_by_kernel("items_per_s", unit_.items_per_s, [](const SpecObject& of, const auto& kernel) {
      return of.number(kernel.name, least_of_spec, most_of_spec);
    });
    read_by_kernel("round_items", unit_.round_items, [](const SpecObject& of, const auto& kernel) {
      return of.count(kernel.name, 1.0, most_counted);
    });
    read_by_kernel("timings", unit_.timings, [this](const SpecObject& /*of*/, const auto& kernel) {
      return read_unit_timings(kernel.value, path_, kernel.name, unit_.model);
    });
  }

  /// The start of a block, with defaults for the kind of unit. An accelerator needs about eight
  /// (GPU) or 32 (MIC) threads per core in flight to hide its latencies, and tens of microseconds
  /// or more to start.
  void read_start() {
    double cores = sheet_ == nullptr ? 0.0 : sheet_->cores;
    if (object_.names("cores")) cores = object_.count("cores", 1.0, 1e9);
    switch (unit_.kind) {
      case UnitKind::cpu:
        unit_.startup_s = 5e-6;
        break;
      case UnitKind::gpu:
        unit_.startup_s = 2e-5;
        unit_.half_saturation_threads = 8.0 * cores;
        break;
      case UnitKind::mic:
        unit_.startup_s = 1e-4;
        unit_.half_saturation_threads = 32.0 * cores;
        break;
    }
    if (object_.names("startup_s")) unit_.startup_s = object_.seconds("startup_s");
    object_.take("half_saturation_threads", 0.0, unit_.half_saturation_threads);
  }

  const std::string& path_;
  SpecObject object_;
  const DataSheet* sheet_ = nullptr;
  UnitFigures unit_;
};

/// Reads the parts of a spec from one file.
class SpecReader {
 public:
  explicit SpecReader(const std::string& path) : path_(path) {}

  MachineSpec read() {
    const JsonValue document = read_json_file(path_);
    const SpecObject root(
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
  void read_lists(const SpecObject& root) {
    std::set<std::string> names;
    for (const JsonValue& entry : root.entries("machines")) read_machines(entry, names);
    names.clear();
    for (const JsonValue& entry : root.entries("platforms")) {
      spec_.platforms.push_back(read_platform(entry));
      add_name(names, spec_.platforms.back().name, place(entry));
    }
    names.clear();
    if (root.find("traces") == nullptr) return;
    for (const JsonValue& entry : root.entries("traces")) {
      spec_.traces.push_back(read_trace(entry));
      add_name(names, spec_.traces.back().name, place(entry));
      check_speeds(spec_.traces.back(), place(entry));
    }
  }

  [[nodiscard]] std::string place(const JsonValue& value) const {
    return fmt::format("{}:{}", path_, value.line);
  }

  /// Reads a text, or a list of lines, which are joined.
  [[nodiscard]] static std::string read_source(const SpecObject& root) {
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
  [[nodiscard]] std::optional<LinkFigures> read_network(const SpecObject& owner) const {
    const JsonValue* value = owner.find("network");
    if (value == nullptr) return network_;
    const SpecObject network(*value, path_, "a network", {"bytes_per_s", "latency_s"});
    const double bytes_per_s = network.quantity("bytes_per_s", least_link_rate, most_of_spec);
    return LinkFigures{bytes_per_s, bytes_per_s, network.seconds("latency_s"), {}};
  }

  /// Reads numbers by kind of unit; the given ones replace those in `values`.
  void read_by_kind(const JsonValue& value, double low, double high,
                    std::map<UnitKind, double>& values) const {
    const SpecObject object(value, path_, "an object by kind of unit", {"cpu", "gpu", "mic"});
    for (auto& [kind, number] : values) {
      if (object.find(to_string(kind)) != nullptr) {
        number = object.number(to_string(kind), low, high);
      }
    }
  }

  /// Reads the numbers that are given by kind of unit.
  template <typename Read>
  [[nodiscard]] std::map<UnitKind, double> read_given_by_kind(const SpecObject& owner,
                                                              const char* name, Read read) const {
    std::map<UnitKind, double> given;
    const JsonValue* value = owner.find(name);
    if (value == nullptr) return given;
    const SpecObject object(*value, path_, name, {"cpu", "gpu", "mic"});
    for (const UnitKind kind : {UnitKind::cpu, UnitKind::gpu, UnitKind::mic}) {
      if (object.find(to_string(kind)) != nullptr) given[kind] = read(object, to_string(kind));
    }
    return given;
  }

  /// One machine, or several equal ones: n0, n1, ...
  void read_machines(const JsonValue& value, std::set<std::string>& taken) {
    const SpecObject object(value, path_, "a machine", {"id", "count", "units"});
    MachineFigures machine;
    const std::string id = object.name("id");
    const int count = object.count_or("count", most_machines, 1);
    machine.like = machine.id = numbered_name(id, count, 0);
    std::set<std::string> names;
    for (const JsonValue& entry : object.entries("units")) {
      machine.units.push_back(UnitReader(entry, path_).read());
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
    const SpecObject object(value, path_, "a platform", {"name", "machines", "network", "without"});
    PlatformChoice platform{object.name("name"), place(value), read_network(object), {}, {}};
    std::vector<std::string> known;
    for (const auto& [name, positions] : named_) known.push_back(name);
    std::set<std::string> names;
    for (const JsonValue& entry : object.entries("machines")) {
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
      for (const JsonValue& entry : object.entries("without")) {
        leave_out(spec_, platform, entry.text, place(entry));
      }
    }
    return platform;
  }

  /// The problem parameters, with the kernel's defaults for those that are not given.
  [[nodiscard]] std::map<std::string, double> read_problem(const SpecObject& trace,
                                                           const ModelledKernel* kernel) const {
    auto problem = kernel == nullptr ? std::map<std::string, double>() : kernel->problem;
    const JsonValue* given = trace.find("problem");
    if (given == nullptr) return problem;
    std::vector<std::string> known;
    for (const auto& [name, value] : problem) known.push_back(name);
    const SpecObject object = kernel == nullptr ? SpecObject(*given, path_, "a problem")
                                                : SpecObject(*given, path_, "the problem", known);
    for (const JsonMember& member : given->object) {
      problem[member.name] = object.count(member.name, 1.0, most_counted);
    }
    return problem;
  }

  /// Reads cost figures. They replace those of the kernel, or are the only ones.
  void read_cost(const SpecObject& trace, ItemCost& cost) const {
    trace.take_text("item", cost.item);
    trace.take("flop_per_item", 0.0, cost.flop);
    trace.take("traffic_bytes_per_item", 0.0, cost.traffic_bytes);
    trace.take("in_bytes_per_item", 0.0, cost.in_bytes);
    trace.take("out_bytes_per_item", 0.0, cost.out_bytes);
    trace.take("resident_bytes", 0.0, cost.resident_bytes);
    cost.resident_memory_bytes = cost.resident_bytes;
    trace.take("resident_memory_bytes", 0.0, cost.resident_memory_bytes);
    trace.take("memory_bytes_per_item", 0.0, cost.memory_bytes);
    trace.take("threads_per_item", least_of_spec, cost.threads);
    if (const JsonValue* efficiency = trace.find("efficiency")) {
      read_by_kind(*efficiency, 1e-6, 1.0, cost.efficiency);
    }
  }

  [[nodiscard]] TraceChoice read_trace(const JsonValue& value) const {
    const SpecObject object(
        value, path_, "a trace",
        {"name", "kernel", "problem", "items", "element_bytes", "item", "flop_per_item",
         "traffic_bytes_per_item", "in_bytes_per_item", "out_bytes_per_item", "resident_bytes",
         "resident_memory_bytes", "memory_bytes_per_item", "threads_per_item", "efficiency",
         "round_items", "half_saturation_items"});
    TraceChoice trace;
    trace.name = object.name("name");
    trace.where = place(value);
    trace.kernel = object.name("kernel");
    const ModelledKernel* kernel = find_modelled_kernel(trace.kernel);
    trace.problem = read_problem(object, kernel);
    trace.element_bytes = object.count_or("element_bytes", 8.0, 4);
    if (trace.element_bytes != 4 && trace.element_bytes != 8) {
      throw InputError(object.where(object.at("element_bytes")),
                       "'element_bytes' must be 4 or 8; correct it");
    }
    if (kernel != nullptr) trace.cost = kernel->cost(trace.problem, trace.element_bytes);
    read_cost(object, trace.cost);
    trace.round_items = read_given_by_kind(
        object, "round_items",
        [](const SpecObject& of, const char* kind) { return of.count(kind, 1.0, most_counted); });
    trace.half_saturation_items = read_given_by_kind(
        object, "half_saturation_items",
        [](const SpecObject& of, const char* kind) { return of.number(kind, 0.0, most_counted); });
    const bool is_given = kernel != nullptr && !kernel->items_parameter.empty();
    const double items = is_given ? trace.problem.at(kernel->items_parameter) : 0.0;
    const bool known = items > 0.0 && object.find("items") == nullptr;
    if (known) trace.problem["items"] = items;
    const bool modelled = needs_items(trace.kernel) || object.find("items") != nullptr;
    if (known) {
      trace.items = static_cast<Items>(items);
    } else if (modelled) {
      trace.items = static_cast<Items>(object.count("items", 1.0, most_counted));
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
        const std::string name = machine.id + "." + unit.name;
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

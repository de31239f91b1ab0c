// Reads the figures of units.
#include "tools/worlds/unit_figures_file.hpp"

#include <algorithm>

#include "platforms/data_sheets.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/worlds/spec_fields.hpp"
#include "tools/worlds/unit_timings_file.hpp"

namespace equipoise {
namespace {

constexpr int most_units = 4096;                ///< per entry
constexpr double assumed_bus_latency_s = 1e-5;  ///< data sheets have none

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

double read_peak(const JsonObject& unit, double otherwise) {
  const bool spelled_out =
      unit.find("clock_hz") != nullptr || unit.find("flop_per_cycle") != nullptr;
  if (unit.find("peak_flop_per_s") != nullptr) {
    if (!spelled_out) return unit.quantity("peak_flop_per_s", least_of_spec, most_of_spec);
    throw InputError(
        unit.where(unit.at("peak_flop_per_s")),
        "peak_flop_per_s beside clock_hz or flop_per_cycle says it twice; keep one of them");
  }
  if (!spelled_out) return otherwise;
  return whole_field(unit, "cores", 1.0, 1e9) *
         unit.quantity("clock_hz", least_of_spec, most_of_spec) *
         unit.number("flop_per_cycle", least_of_spec, most_of_spec);
}

/// Sets the defaults for the kind of unit. An accelerator needs about eight (GPU) or 32 (MIC)
/// threads per core in flight to hide its latencies, and tens of microseconds or more to start.
void read_start(const JsonObject& object, double cores_of_sheet, UnitFigures& unit) {
  const double cores =
      object.find("cores") == nullptr ? cores_of_sheet : whole_field(object, "cores", 1.0, 1e9);
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
  if (object.find("startup_s") != nullptr) unit.startup_s = seconds_field(object, "startup_s");
  unit.half_saturation_threads =
      quantity_or(object, "half_saturation_threads", 0.0, unit.half_saturation_threads);
}

LinkFigures read_bus(const JsonValue& value, const std::string& path) {
  const JsonObject bus(value, path, "a bus",
                       {"in_bytes_per_s", "out_bytes_per_s", "latency_s", "out_latency_s"});
  LinkFigures figures{bus.quantity("in_bytes_per_s", least_link_rate, most_of_spec),
                      bus.quantity("out_bytes_per_s", least_link_rate, most_of_spec),
                      seconds_field(bus, "latency_s"),
                      {}};
  if (bus.find("out_latency_s") != nullptr) {
    figures.out_latency_s = seconds_field(bus, "out_latency_s");
  }
  return figures;
}

/// The watts: both or none; those at work may be the data sheet's.
void read_watts(const JsonObject& object, const DataSheet* sheet, UnitFigures& unit) {
  if (object.find("idle_w") == nullptr && object.find("busy_w") == nullptr) return;
  unit.idle_w = object.quantity("idle_w", 0.0, most_of_spec);
  const bool has_busy = object.find("busy_w") != nullptr;
  unit.busy_w = sheet != nullptr && !has_busy
                    ? std::max(sheet->tdp_w, *unit.idle_w)
                    : object.quantity("busy_w", *unit.idle_w, most_of_spec);
}

void read_speed(const JsonObject& object, const std::string& path, UnitFigures& unit) {
  unit.peak_flop_per_s = read_peak(object, unit.peak_flop_per_s);
  if (unit.kind != UnitKind::gpu && !unit.double_share) unit.double_share = 0.5;
  if (object.find("double_share") != nullptr) {
    unit.double_share = object.number("double_share", 1e-6, 1.0);
  }
  unit.memory_bytes_per_s =
      quantity_or(object, "memory_bytes_per_s", least_of_spec, unit.memory_bytes_per_s);
  if (const JsonValue* value = object.find("items_per_s")) {
    const JsonObject speeds = free_object(*value, path, "items_per_s");
    for (const JsonMember& speed : value->object) {
      unit.items_per_s[speed.name] = speeds.number(speed.name, least_of_spec, most_of_spec);
    }
  }
  if (const JsonValue* value = object.find("round_items")) {
    const JsonObject rounds = free_object(*value, path, "round_items");
    for (const JsonMember& round : value->object) {
      unit.round_items[round.name] = whole_field(rounds, round.name.c_str(), 1.0, most_counted);
    }
  }
  if (const JsonValue* value = object.find("timings")) {
    static_cast<void>(free_object(*value, path, "timings"));
    for (const JsonMember& kernel : value->object) {
      unit.timings[kernel.name] = read_unit_timings(kernel.value, path, kernel.name, unit.model);
    }
  }
}

}  // namespace

UnitFigures read_unit_figures(const JsonValue& value, const std::string& path) {
  const JsonObject object(value, path, "a unit",
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
                           "shares_bus"});
  const DataSheet* sheet = nullptr;
  UnitFigures unit;
  if (object.find("data_sheet") != nullptr) {
    sheet = &find_data_sheet(object.text("data_sheet"), object.where(object.at("data_sheet")));
    unit = figures_of(*sheet);
  }
  unit.id = name_field(object, "id");
  if (sheet == nullptr || object.find("kind") != nullptr) {
    unit.kind = read_unit_kind(object.text("kind"), object.where(object.at("kind")));
  }
  if (object.find("model") != nullptr) unit.model = object.text("model");
  if (object.find("device") != nullptr) unit.device = name_field(object, "device");
  unit.count = whole_or(object, "count", most_units, 1);
  if (object.find("memory_bytes") != nullptr) {
    unit.memory_bytes = object.quantity("memory_bytes", 1.0, most_of_spec);
  }
  unit.copy_engines = whole_or(object, "copy_engines", 2.0, unit.copy_engines);
  unit.slots = whole_or(object, "slots", 1e6, 1);
  read_watts(object, sheet, unit);
  if (const JsonValue* bus = object.find("bus")) unit.bus = read_bus(*bus, path);
  if (object.find("shares_bus") != nullptr) unit.shares_bus = object.flag("shares_bus");
  read_speed(object, path, unit);
  read_start(object, sheet == nullptr ? 0.0 : sheet->cores, unit);
  if (object.find("trace_unit") != nullptr) {
    unit.trace_unit = object.text("trace_unit");
    if (unit.trace_unit.empty()) {
      throw InputError(object.where(object.at("trace_unit")),
                       "'trace_unit' is empty; name a unit of a trace");
    }
  }
  return unit;
}

}  // namespace equipoise

// Names of unit kinds, checks of devices and of power figures, and what fits in a unit's memory.
#include "shared_policies/model/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

UnitKind read_unit_kind(const std::string& name, const std::string& where) {
  if (const auto kind = called<UnitKind>(name)) return *kind;
  throw InputError(where, "unknown kind of unit '" + name + "'; it is cpu, gpu or mic");
}

std::string device_of(const Unit& unit) {
  return unit.device.empty() ? std::string() : unit.node + '\n' + unit.device;
}

void check_device(const Unit& unit, std::span<const Unit> others, const std::string& where) {
  if (unit.device.empty()) return;
  if (unit.copy_engines == 0) {
    throw InputError(where, fmt::format("{} names a device and copies by itself; give copy_engines "
                                        "1 or 2, or leave out the device",
                                        unit.name));
  }
  for (const Unit& other : others) {
    const bool is_shared = other.device == unit.device && other.node == unit.node;
    if (!is_shared || other.copy_engines == unit.copy_engines) continue;
    throw InputError(where,
                     fmt::format("{} and {} share a device, so they have the same copy_engines; "
                                 "{} has {}, and {} has {}",
                                 other.name, unit.name, other.name, other.copy_engines, unit.name,
                                 unit.copy_engines));
  }
}

void require_watts(std::span<const Unit> units, const std::string& where, const std::string& user) {
  std::vector<std::string> only_idle;
  std::vector<std::string> lacking;
  for (const Unit& unit : units) {
    if (unit.idle_w && unit.busy_w) continue;
    (unit.idle_w ? only_idle : lacking).push_back(unit.name);
  }
  if (only_idle.empty() && lacking.empty()) return;
  std::string text = user + " needs the idle and busy watts of every unit";
  if (!only_idle.empty()) {
    const bool one = only_idle.size() == 1;
    text += fmt::format("; {} {} idle watts but no busy watts; record {} with --alone",
                        fmt::join(only_idle, ", "), one ? "has" : "have", one ? "it" : "them");
  }
  if (!lacking.empty()) {
    const bool one = lacking.size() == 1;
    text += fmt::format(
        "; {} {} none; record them where there are meters, or give {} the property "
        "wattage_per_state",
        fmt::join(lacking, ", "), one ? "has" : "have", one ? "its host" : "their hosts");
  }
  throw InputError(where, text);
}

namespace {

/// The largest block that fits in `free_bytes`.
Items largest_within(double free_bytes, const Workload& workload) {
  if (free_bytes < 0.0) return 0;
  if (workload.memory_bytes_per_item * static_cast<double>(workload.items) <= free_bytes) {
    return workload.items;
  }
  const double grain_bytes =
      workload.memory_bytes_per_item * static_cast<double>(workload.grain_items);
  return static_cast<Items>(std::floor(free_bytes / grain_bytes)) * workload.grain_items;
}

/// The memory that the unit has for blocks; infinite if it has no limit.
double bytes_for_blocks(const Unit& unit, const Workload& workload) {
  if (!unit.memory_bytes) return std::numeric_limits<double>::infinity();
  return *unit.memory_bytes - (streamed_data(unit, workload) ? 0.0 : workload.bytes_kept());
}

/// Whether the unit's memory holds the resident data of `workload` and a grain beside them (or the
/// whole workload, if smaller).
bool holds_resident_data(const Unit& unit, const Workload& workload) {
  if (!unit.memory_bytes) return true;
  return largest_within(*unit.memory_bytes - workload.bytes_kept(), workload) >=
         std::min(workload.grain_items, workload.items);
}

}  // namespace

double StreamedData::bytes(double items) const {
  return std::clamp(resident_bytes - (memory_bytes - bytes_per_item * items), 0.0, resident_bytes);
}

std::optional<StreamedData> streamed_data(const Unit& unit, const Workload& workload) {
  const bool has_own_memory = unit.kind != UnitKind::cpu && unit.copy_engines > 0;
  const bool needs_none = workload.bytes_kept() == 0.0;
  if (!has_own_memory || needs_none || holds_resident_data(unit, workload)) return std::nullopt;
  return StreamedData{workload.bytes_kept(), *unit.memory_bytes, workload.memory_bytes_per_item};
}

Items largest_block(const Unit& unit, const Workload& workload) {
  const Items fits = largest_within(bytes_for_blocks(unit, workload), workload);
  const auto limit = unit.max_block_items.find(workload.kernel);
  if (limit == unit.max_block_items.end() || limit->second >= fits) return fits;
  return limit->second / workload.grain_items * workload.grain_items;
}

Items items_in_memory(const Unit& unit, const Workload& workload) {
  const double free_bytes = bytes_for_blocks(unit, workload);
  const Items block = largest_within(free_bytes, workload);
  if (block >= workload.items) return std::numeric_limits<Items>::max();
  if (block == 0) return 0;
  const double items = std::floor(free_bytes / workload.memory_bytes_per_item);
  return std::max(block, static_cast<Items>(items));
}

bool holds_a_grain(const Unit& unit, const Workload& workload) {
  return largest_block(unit, workload) >= std::min(workload.grain_items, workload.items);
}

}  // namespace equipoise

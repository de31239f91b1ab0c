// One processing unit, as policies may know it before anything has run.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// The position of a unit in the list of units of a run.
struct UnitId {
  std::uint32_t index = 0;
  constexpr auto operator<=>(const UnitId&) const = default;
};

/// What a unit is made of: cores, a graphics processor, a many-core accelerator.
enum class UnitKind : std::uint8_t { cpu, gpu, mic };

[[nodiscard]] const char* to_string(UnitKind kind);
/// The kind called `name` in files ("cpu", "gpu", "mic"), or nothing.
[[nodiscard]] std::optional<UnitKind> unit_kind_from(const std::string& name);

/// One processing unit: a CPU core set, a GPU, an accelerator. It belongs to a node.
struct Unit {
  std::string name;  ///< "cuda0": the same in traces, platforms and journals
  UnitKind kind = UnitKind::cpu;
  std::string node;                    ///< units of one node share its network link
  bool is_remote = false;              ///< the input is on another node
  std::string model;                   ///< "Tesla K40m", or empty
  std::optional<double> memory_bytes;  ///< none: blocks of any size fit
  int copy_engines = 1;                ///< 0 (it copies by itself), 1 or 2
  int slots = 1;                       ///< how many blocks a policy should keep queued here
  std::optional<double> idle_w;        ///< drawn for as long as the run lasts
  std::optional<double> busy_w;        ///< drawn instead while it computes; at least idle_w
};

/// Throws InputError (where = `where`), naming them, when units lack idle or busy watts; `user` is
/// who needs them, in words.
void require_watts(std::span<const Unit> units, const std::string& where, const std::string& user);

/// The largest block of `workload` that the unit's memory holds, a multiple of the grain; the
/// number of items where memory does not limit it; 0 when less than one grain fits (such a unit
/// takes no part in a run).
///
///     floor((memory - resident) / memory per item / grain) * grain
[[nodiscard]] Items largest_block(const Unit& unit, const Workload& workload);

/// How many items of `workload` the unit's memory holds at a time, in any number of blocks, beside
/// the resident bytes; the largest number there is where all of them fit. At least
/// `largest_block`.
[[nodiscard]] Items items_in_memory(const Unit& unit, const Workload& workload);

/// Whether the unit's memory holds a grain of `workload` (all of it, if that is less).
[[nodiscard]] bool holds_a_grain(const Unit& unit, const Workload& workload);

}  // namespace equipoise

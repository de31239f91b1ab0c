// One processing unit, described by the properties that policies may know before the run.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The position of a unit in the list of units of a run.
struct UnitId {
  std::uint32_t index = 0;
  constexpr auto operator<=>(const UnitId&) const = default;
};

/// The kind of a unit: CPU cores, a graphics processor, a many-core accelerator.
enum class UnitKind : std::uint8_t { cpu, gpu, mic };

constexpr auto words(DescriptionOf<UnitKind> /*of*/) {
  return std::array{Word{UnitKind::cpu, "cpu"}, Word{UnitKind::gpu, "gpu"},
                    Word{UnitKind::mic, "mic"}};
}

[[nodiscard]] constexpr const char* to_string(UnitKind kind) { return word_of(kind); }
/// The kind called `name` in files: "cpu", "gpu" or "mic". Throws InputError at `where` if unknown.
[[nodiscard]] UnitKind read_unit_kind(const std::string& name, const std::string& where);

/// One processing unit: a set of CPU cores, a GPU or an accelerator. It belongs to a node.
struct Unit {
  std::string name;  ///< "cuda0"; the same name in traces, platforms and journals
  UnitKind kind = UnitKind::cpu;
  std::string node;                    ///< units of one node share its network link
  bool is_remote = false;              ///< true if the input is on another node
  std::string model;                   ///< "Tesla K40m", or empty
  std::string device;                  ///< units of one node that name the same device share its
                                       ///< copy engines; empty: a device of its own
  std::optional<double> memory_bytes;  ///< none: no limit on block sizes
  int copy_engines = 1;                ///< 1 or 2; 0: the unit copies by itself
  int slots = 1;                       ///< number of blocks that a policy should keep queued on
                                       ///< this unit
  std::optional<double> idle_w;        ///< power drawn while it does not compute, during the whole
                                       ///< run
  std::optional<double> busy_w;        ///< power drawn while it computes; at least idle_w
  std::map<std::string, Items> max_block_items{};  ///< by kernel: the largest block for which its
                                                   ///< recorded times are valid; none: any
};

constexpr auto describe(DescriptionOf<Unit> /*of*/) {
  return std::tuple(
      member("id", &Unit::name, "the unit's name, the same in traces, platforms and journals")
          .not_empty(),
      member("kind", &Unit::kind, "CPU cores, a graphics processor or a many-core accelerator"),
      member("model", &Unit::model, "the model of its processor").if_any(),
      member("memory_bytes", &Unit::memory_bytes, "its memory; without it, blocks have no limit")
          .in("bytes")
          .at_least(0)
          .short_form(in_traces)
          .if_any(),
      member("node", &Unit::node, "its node; units of one node share its network link").if_any(),
      member("device", &Unit::device,
             "units of one node that name the same device share its copy engines")
          .if_any(),
      member("idle_w", &Unit::idle_w, "power while it does not compute")
          .in("W")
          .at_least(0)
          .if_any(),
      member("busy_w", &Unit::busy_w, "power while it computes").in("W").at_least(0).if_any(),
      member("is_remote", &Unit::is_remote, "whether the input is on another node")
          .if_any()
          .only(in_runs),
      member("copy_engines", &Unit::copy_engines, "1 or 2; 0: the unit copies by itself")
          .at_least(0)
          .at_most(2)
          .only(in_runs),
      member("slots", &Unit::slots, "the number of blocks that a policy should keep queued on it")
          .at_least(1)
          .at_most(1 << 20)
          .only(in_runs),
      member("max_block_items", &Unit::max_block_items,
             "by kernel: the largest block that its times hold for")
          .in("items")
          .at_least(1)
          .if_any()
          .only(in_runs));
}

/// What names the device of `unit` among all units of a machine; empty for a device of its own.
[[nodiscard]] std::string device_of(const Unit& unit);

/// Throws InputError (at `where`) if `unit` cannot share its device with those of `others` that
/// name the same one, because their copy engines differ, or because it has none.
void check_device(const Unit& unit, std::span<const Unit> others, const std::string& where);

/// Throws InputError (at `where`), naming the units, if some units have no idle or busy watts.
/// `user` names what needs them, for the message.
void require_watts(std::span<const Unit> units, const std::string& where, const std::string& user);

/// What a unit reads of the resident data with each block, because its memory does not hold them.
///
/// What fits beside a block stays on the unit, and the rest comes from the memory of its node while
/// the block is computed: a block of x items leaves memory - x * memory per item. Other blocks that
/// are copied in or out meanwhile are not counted. Source: ours.
struct StreamedData {
  double resident_bytes = 0.0;  ///< that the resident data occupy, > 0
  double memory_bytes = 0.0;    ///< the unit's
  double bytes_per_item = 0.0;  ///< of this memory

  /// The bytes that are read with a block of `items`.
  [[nodiscard]] double bytes(double items) const;
  /// The share of the resident data that stays beside a block of `items`.
  [[nodiscard]] double kept_share(double items) const {
    return 1.0 - bytes(items) / resident_bytes;
  }
};

/// What `unit` reads of the resident data of `workload` with each block; none if it holds them, or
/// if it works in the memory of its node: a CPU, and a unit without copy engines.
[[nodiscard]] std::optional<StreamedData> streamed_data(const Unit& unit, const Workload& workload);

/// The largest block of `workload` that the unit may get, a multiple of the grain: what fits in its
/// memory, and at most its `max_block_items` of the kernel. Returns all items if nothing limits it,
/// and 0 if less than one grain fits (such a unit takes no part in a run).
///
///     floor(min((memory - resident) / memory per item, max_block_items) / grain) * grain
///
/// where resident is 0 for a unit that reads resident data with each block (`streamed_data`).
[[nodiscard]] Items largest_block(const Unit& unit, const Workload& workload);

/// The number of items of `workload` that fit in the unit's memory at the same time, in any number
/// of blocks, besides the resident bytes (0 as above). At least `largest_block`; the largest Items
/// value if all items fit.
[[nodiscard]] Items items_in_memory(const Unit& unit, const Workload& workload);

/// Whether the unit may get a grain of `workload` (or the whole workload, if smaller).
[[nodiscard]] bool holds_a_grain(const Unit& unit, const Workload& workload);

}  // namespace equipoise

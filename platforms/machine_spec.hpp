// Machines described by published figures (tools/worlds/machine_spec_file.hpp reads files of
// them), and the platforms and modelled traces generated from them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/modelled_kernels.hpp"
#include "platforms/platform_file.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The figures of a link in both directions, which can be used at the same time (full duplex).
struct LinkFigures {
  double in_bytes_per_s = 0.0;   ///< towards the unit
  double out_bytes_per_s = 0.0;  ///< towards the master
  double latency_s = 0.0;
  std::optional<double> out_latency_s;  ///< towards the master, if it differs

  bool operator==(const LinkFigures&) const = default;
};

/// Measured times of a unit for one kernel, used instead of modelled ones.
struct UnitTimings {
  std::string file;                      ///< its name without folders, for the provenance
  std::vector<TraceSample> samples;      ///< at least one; `unit` is not set
  std::optional<Items> max_block_items;  ///< the largest block that they hold for
};

/// Published figures of one unit, or of `count` equal ones. Of the unit, `name` is that within its
/// machine ("gpu"; of several units: gpu0, gpu1, ...) and `node` is empty. Watts are given both or
/// not at all. Units that name the same `device` of their machine share its bus, too.
struct UnitFigures : Unit {
  int count = 1;                         ///< number of equal units; the figures are those of one
  double peak_flop_per_s = 0.0;          ///< single precision; 0: not given
  std::optional<double> double_share;    ///< peak of double over single precision
  double memory_bytes_per_s = 0.0;       ///< 0: speed is not limited by memory
  std::optional<LinkFigures> bus;        ///< none: the unit works in the memory of its machine
  bool shares_bus = true;                ///< whether `count` equal units have one bus, like the
                                         ///< chips of a board, or one each
  double startup_s = 0.0;                ///< fixed time of every block
  double half_saturation_threads = 0.0;  ///< threads in flight at half of the maximum speed
  std::map<std::string, double> items_per_s;   ///< by kernel: known speeds, used instead of the
                                               ///< roofline
  std::map<std::string, double> round_items;   ///< by kernel: it computes whole rounds of so many
                                               ///< items; the kernel's own unless given
  std::map<std::string, UnitTimings> timings;  ///< by kernel: its measured times
  /// The unit of a trace of the user's own that times it; empty: the traces that are generated do.
  std::string trace_unit;
};

/// One node.
struct MachineFigures {
  std::string id;
  std::string like;  ///< the id of the first of several equal machines, which is timed for all
  std::vector<UnitFigures> units;
};

/// Throws InputError (at `where`) if units of `machine` name the device of `unit` and have another
/// bus or another number of copy engines.
void check_device(const MachineFigures& machine, const UnitFigures& unit, const std::string& where);

/// A platform to generate.
struct PlatformChoice {
  std::string name;
  std::string where;                   ///< FILE:LINE of its entry
  std::optional<LinkFigures> network;  ///< between every machine and a switch; none: no cost
  std::vector<std::size_t> machines;  ///< positions in MachineSpec::machines; the first one has the
                                      ///< master
  std::vector<std::string> without;   ///< names of units of these machines that are left out
};

/// A trace to generate, for the units of all machines.
struct TraceChoice {
  std::string name;
  std::string where;  ///< FILE:LINE of its entry
  std::string kernel;
  Items items = 0;                        ///< the largest block size in the trace
  std::map<std::string, double> problem;  ///< the kernel's parameters, including defaults
  int element_bytes = 4;                  ///< 4: single precision; 8: double
  ItemCost cost;
  std::map<UnitKind, double> round_items;  ///< given for this trace: comes before those of
                                           ///< units and of the kernel
  std::map<UnitKind, double> half_saturation_items;  ///< given for this trace, instead of what
                                                     ///< threads in flight say
};

/// The contents of a file of schema equipoise.machines/1.
struct MachineSpec {
  std::string file;                               ///< its name without folders, for the provenance
  std::string source;                             ///< the origin of the figures
  std::map<UnitKind, double> relative_deviation;  ///< of block times
  std::vector<MachineFigures> machines;
  std::vector<PlatformChoice> platforms;
  std::vector<TraceChoice> traces;
};

/// Whether generated traces have an entry for `unit` of `machine`: it has no `trace_unit`, and the
/// machine is the first of those that are equal.
[[nodiscard]] bool is_timed_here(const MachineFigures& machine, const UnitFigures& unit);

/// `name` with the number of one of `count` equal units or machines: gpu0, and a100-0 if the name
/// ends in a digit; `name` itself if there is one.
[[nodiscard]] std::string numbered_name(const std::string& name, int count, int number);

/// The name of unit `number` of `unit.count` in platforms and traces: "a.cpu", "a.gpu1".
[[nodiscard]] std::string unit_name(const MachineFigures& machine, const UnitFigures& unit,
                                    int number);

/// Leaves the unit called `name` out of a platform. Throws InputError (at `where`) if its machines
/// have no such unit, if it is left out already, or if no unit remains.
void leave_out(const MachineSpec& spec, PlatformChoice& platform, const std::string& name,
               const std::string& where);

/// Generates the platform described by `choice`. The host `RAM`, on the first machine, holds the
/// input. A unit with a bus is reached over one link in each direction, which its `count` units
/// share. A unit of another machine is reached over the network links of both machines; each
/// machine has one link in each direction to a switch that never blocks. A unit without a bus works
/// in the memory of its machine, at no cost.
[[nodiscard]] PlatformDescription machines_platform(const MachineSpec& spec,
                                                    const PlatformChoice& choice);

/// Generates the trace described by `choice`: the time of a block of x items on every unit,
///
///     time(x)  = startup + max((y + x_half) / speed,
///                              resident bytes / (efficiency * memory bandwidth))
///     y        = x rounded up to whole rounds: tiles of a library, items of one launch
///     1/speed  = max(flop / (efficiency * peak), traffic / (efficiency * memory bandwidth))
///     x_half   = half-saturation threads / threads per item
///
/// This is a roofline model with a saturating start: without `startup` and rounds, a block of x
/// items runs at speed * x / (x + x_half). Resident data that occupy the unit's memory are read at
/// least once by every block. Sizes are those of `timed_sizes` from one item to what fits in the
/// unit's memory, at most `choice.items`. Deviations are `spec.relative_deviation` of the mean. A
/// unit with measured times of the kernel has those instead. Several equal units have one entry,
/// under the name of the first, and so have the units of equal machines. A unit whose memory cannot
/// hold one item, or that has a `trace_unit`, is left out; throws InputError if no unit is left.
[[nodiscard]] Trace modelled_trace(const MachineSpec& spec, const TraceChoice& choice);

/// The parameters of the time of a block on a unit.
struct BlockCost {
  double startup_s = 0.0;
  double half_saturation_items = 0.0;
  double items_per_s = 0.0;
  double round_items = 1.0;  ///< a unit computes whole rounds of so many items
  double resident_s = 0.0;   ///< to read the resident data once from the unit's memory

  /// Seconds of a block of `items` items, `items` > 0.
  [[nodiscard]] double seconds(double items) const;
};

/// The parameters for blocks of `trace` on `unit`: the formula stands at `modelled_trace`.
[[nodiscard]] BlockCost block_cost(const UnitFigures& unit, const TraceChoice& trace);

/// The sizes that a trace has times for, ascending from 1 to `largest`: 1, 4, 16, ...; of a unit
/// that computes in rounds both ends of the first sixteen rounds (of 128 items: 1, 128, 129, 256,
/// 257, ...), and from there on of rounds twice as far.
[[nodiscard]] std::vector<Items> timed_sizes(const BlockCost& cost, Items largest);

}  // namespace equipoise

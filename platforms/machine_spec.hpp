// Machines described by their figures (tools/commands/machine_spec_file.hpp reads files of them), and the
// platforms and modelled traces that are generated from them.
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

/// What a link carries each way, both at once (full duplex).
struct LinkFigures {
  double in_bytes_per_s = 0.0;   ///< towards the unit
  double out_bytes_per_s = 0.0;  ///< towards the master
  double latency_s = 0.0;
};

/// One unit, or several equal ones that share a bus link, by published figures.
struct UnitFigures {
  std::string id;  ///< inside its machine: "gpu"; of several: gpu0, gpu1, ...
  UnitKind kind = UnitKind::cpu;
  std::string model;
  int count = 1;                              ///< equal units of which the figures are of one
  double peak_flop_per_s = 0.0;               ///< single precision; 0: not given
  std::optional<double> double_share;         ///< peak of double over single precision
  double memory_bytes_per_s = 0.0;            ///< 0: memory does not limit speed
  std::optional<double> memory_bytes;         ///< none: blocks of any size fit
  int copy_engines = 1;                       ///< 1 or 2
  int slots = 1;                              ///< how many blocks a policy should keep queued
  std::optional<double> idle_w;               ///< both or none
  std::optional<double> busy_w;               ///< both or none
  std::optional<LinkFigures> bus;             ///< none: the unit works in its machine's memory
  double startup_s = 0.0;                     ///< of every block
  double half_saturation_threads = 0.0;       ///< threads in flight at half of the speed of many
  std::map<std::string, double> items_per_s;  ///< by kernel: known speeds, instead of the roofline
};

/// One node.
struct MachineFigures {
  std::string id;
  std::vector<UnitFigures> units;
};

/// A platform to be generated.
struct PlatformChoice {
  std::string name;
  std::string where;                  ///< FILE:LINE of its entry
  std::vector<std::size_t> machines;  ///< positions; the first one is the master's
};

/// A trace to be generated, for the units of all machines.
struct TraceChoice {
  std::string name;
  std::string where;  ///< FILE:LINE of its entry
  std::string kernel;
  Items items = 0;                        ///< the largest block that is timed
  std::map<std::string, double> problem;  ///< the kernel's parameters, defaults filled in
  int element_bytes = 4;                  ///< 4: single precision; 8: double
  ItemCost cost;
};

/// What a file of schema equipoise.machines/1 says.
struct MachineSpec {
  std::string file;                    ///< its name without folders, for provenance
  std::string source;                  ///< where the figures come from
  std::optional<LinkFigures> network;  ///< of every machine to a switch; none: costs nothing
  std::map<UnitKind, double> relative_deviation;  ///< of block times
  std::vector<MachineFigures> machines;
  std::vector<PlatformChoice> platforms;
  std::vector<TraceChoice> traces;
};

/// The name that unit `number` of `unit.count` has in platforms and traces: "a.cpu", "a.gpu1".
[[nodiscard]] std::string unit_name(const MachineFigures& machine, const UnitFigures& unit,
                                    int number);

/// The platform called for by `choice`. The host `RAM`, on the first machine, holds the input. A
/// unit with a bus is reached over a link each way, which `count` units share; a unit of another
/// machine over the network links of both machines, each with one link each way into a switch that
/// never blocks. A unit without a bus works in its machine's memory, at no cost.
[[nodiscard]] PlatformDescription machines_platform(const MachineSpec& spec,
                                                    const PlatformChoice& choice);

/// The trace called for by `choice`: the time of a block of x items on every unit,
///
///     time(x)  = startup + max((x + x_half) / speed, count * streamed / bus)
///     1/speed  = max(flop / (efficiency * peak), traffic / (efficiency * memory bandwidth))
///     x_half   = half-saturation threads / threads per item
///
/// a roofline with a saturating start: without `startup` and `streamed` a block of x runs at
/// speed * x / (x + x_half). Sizes go up by fours from one item to what the unit's memory holds, at
/// most `choice.items`. Deviations are `spec.relative_deviation` of the mean. Several equal units
/// are timed once, as the first of them. A unit whose memory holds no item is left out; throws
/// InputError when none is left.
[[nodiscard]] Trace modelled_trace(const MachineSpec& spec, const TraceChoice& choice);

}  // namespace equipoise

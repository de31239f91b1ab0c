// Describes the machine (name, CPU, cores, memory) and assigns cores to units.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"

namespace equipoise {

/// A hardware thread that this process may use.
struct CpuThread {
  int number = 0;     ///< as the operating system numbers it
  int core = 0;       ///< the physical core to which it belongs
  int numa_node = 0;  ///< whose memory is near, as the operating system numbers it
};

/// The machine that this process runs on.
struct Machine {
  std::string name;       ///< host name
  std::string cpu_model;  ///< empty if unknown
  double memory_bytes = 0.0;
  /// First one thread of each physical core, then the second ones.
  std::vector<CpuThread> threads;
};

/// The properties of this machine, read once from hwloc and the operating system.
[[nodiscard]] const Machine& this_machine();

/// Memory that is available for new data now.
[[nodiscard]] double available_memory_bytes();

/// The highest copy rate of this machine: copies of small blocks that stay in the first-level
/// cache. Measured once.
[[nodiscard]] double fastest_copy_bytes_per_s();

/// The hardware threads to which each unit is pinned, as the operating system numbers them.
struct Placement {
  std::vector<std::vector<int>> cores;  ///< (units); empty for units that only wait
  /// The hardware threads for the controller and for paced units, which sleep most of the time:
  /// those on which no unit computes. If there are none, only the last thread of the unit with the
  /// largest slowdown: waking a thread of another core may cost both cores much more than waking
  /// one of the same core (on a virtual machine 50 us against 2 us).
  std::vector<int> waiting;
  bool waiting_compute = false;  ///< true if a unit computes on `waiting`
  /// Those of `waiting` that are the controller's, and those for all other threads. With four or more,
  /// the controller has one of its own, so that copies for devices never keep it waiting.
  std::vector<int> controller;
  std::vector<int> others;
  std::vector<std::string> warnings;  ///< which units share a core, and the remedy
};

/// Gives each unit the next cores in order. If the cores run out, starts again with the first one
/// and adds a warning; also warns if two threads share a physical core.
[[nodiscard]] Placement place_units(std::span<const UnitSpec> units, const Machine& machine);

}  // namespace equipoise

// What the machine is: its name, its CPU, its cores, its memory; and which unit gets which cores.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"

namespace equipoise {

/// A hardware thread that this process may use.
struct CpuThread {
  int number = 0;  ///< the operating system's
  int core = 0;    ///< the physical core that it is part of
};

/// The machine that this process runs on.
struct Machine {
  std::string name;       ///< the host's
  std::string cpu_model;  ///< empty where unknown
  double memory_bytes = 0.0;
  /// First one thread of each physical core, then the second ones.
  std::vector<CpuThread> threads;
};

/// Asked of the operating system (hwloc) once.
[[nodiscard]] const Machine& this_machine();

/// Memory that new data can take now.
[[nodiscard]] double available_memory_bytes();

/// Bytes that this machine copies in a second at best: small ones, which stay in the first cache.
/// Measured once.
[[nodiscard]] double fastest_copy_bytes_per_s();

/// Which hardware threads each unit is pinned to, by numbers of the operating system.
struct Placement {
  std::vector<std::vector<int>> cores;  ///< (units); none for those that do not compute
  /// For the controller and paced units, which sleep most of the time: those that no unit computes
  /// on; where there are none, only the last one of the unit that is slowed down most, since waking
  /// a thread of another core may cost both cores much more than waking one of the same (on a
  /// virtual machine 50 us and 2 us).
  std::vector<int> waiting;
  bool waiting_compute = false;       ///< a unit computes on `waiting`
  std::vector<std::string> warnings;  ///< units that share a core: which, and what to do
};

/// Gives each unit the next cores in order. When there are no more, it begins again with the first
/// and says so; likewise for two threads of one physical core.
[[nodiscard]] Placement place_units(std::span<const UnitSpec> units, const Machine& machine);

}  // namespace equipoise

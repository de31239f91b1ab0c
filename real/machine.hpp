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

/// Which hardware threads each unit is pinned to.
struct Placement {
  std::vector<std::vector<int>> cores;  ///< (units), numbers of the operating system
  std::vector<int> free;                ///< those that no unit computes on: the controller's
  std::vector<std::string> warnings;    ///< units that share a core: which, and what to do
};

/// Gives each unit the next cores in order. When there are no more, it begins again with the first
/// and says so; likewise for two threads of one physical core.
[[nodiscard]] Placement place_units(std::span<const UnitSpec> units, const Machine& machine);

}  // namespace equipoise

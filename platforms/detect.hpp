// Describes the machine on which the program runs.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The properties of this machine as reported by hwloc, limited to what this process may use.
struct ThisMachine {
  std::string name;   ///< the host name
  std::string model;  ///< of the CPU; empty if unknown
  int packages = 0;
  int cores = 0;  ///< physical cores
  int hardware_threads = 0;
  double memory_bytes = 0.0;
  std::vector<std::string> caches;  ///< "L2 1.2 MiB x 2", smallest level first
};

/// Asks hwloc. Throws BackendError if that fails.
[[nodiscard]] ThisMachine detect_machine();

/// The bandwidth at which one thread copies memory that does not fit in the caches (64 MiB,
/// alternately in both directions, best of five), in bytes/s. Takes about 0.1 s.
[[nodiscard]] double measure_memory_copy();

/// A platform whose `units` all belong to this machine: a host `RAM`, which is the master, and
/// routes over one FATPIPE link of `copy_bytes_per_s` (every unit copies by itself). The times of
/// each unit are those of the trace unit with the same name.
[[nodiscard]] PlatformDescription local_platform(const std::vector<Unit>& units,
                                                 double copy_bytes_per_s,
                                                 const std::string& comment);

/// The platform of this machine: one unit for each physical core, `cpu0`, `cpu1`, ..., each with
/// the machine's memory. The comment lists what was detected and says that the link's bandwidth was
/// measured.
[[nodiscard]] PlatformDescription detect_platform();

}  // namespace equipoise

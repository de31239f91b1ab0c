// Describes the machine that the program runs on.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// What hwloc tells of this machine, as far as this process may use it.
struct ThisMachine {
  std::string name;   ///< the host's name
  std::string model;  ///< of the CPU, or empty
  int packages = 0;
  int cores = 0;  ///< physical ones
  int hardware_threads = 0;
  double memory_bytes = 0.0;
  std::vector<std::string> caches;  ///< "L2 1.2 MiB x 2", from the smallest up
};

/// Asks hwloc. Throws BackendError when that fails.
[[nodiscard]] ThisMachine detect_machine();

/// The speed at which one thread copies memory that does not fit in caches (64 MiB there and back
/// again, the best of five), in bytes/s. Takes some 0.1 s.
[[nodiscard]] double measure_memory_copy();

/// A platform of `units` that all belong to this machine: a host `RAM`, the master, and routes over
/// one FATPIPE link of `copy_bytes_per_s` (every unit copies by itself). Each unit is timed by the
/// unit of its own name.
[[nodiscard]] PlatformDescription local_platform(const std::vector<Unit>& units,
                                                 double copy_bytes_per_s,
                                                 const std::string& comment);

/// The platform of this machine: one unit a physical core, `cpu0`, `cpu1`, ..., each with the
/// machine's memory. The comment says what was found, and that the link's bandwidth was measured.
[[nodiscard]] PlatformDescription detect_platform();

}  // namespace equipoise

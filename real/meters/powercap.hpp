// Meters of CPU packages (RAPL), which Linux shows in its powercap folder.
#pragma once

#include <string>

#include "real/meters/meter.hpp"

namespace equipoise {

/// The folder in which Linux shows meters of packages.
inline constexpr const char* powercap_folder = "/sys/class/powercap";

/// A meter for each package that the folder shows and that can be read, named as there:
/// "package-0". Other domains are no meters here: those of cores and graphics are parts of a
/// package, "psys" contains all packages, and "dram" is beside them. The notes say if "dram" or
/// "psys" are not counted, if there is no package, and why one cannot be read.
[[nodiscard]] Meters powercap_meters(const std::string& folder = powercap_folder);

}  // namespace equipoise

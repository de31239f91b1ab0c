// Puts together the meters of packages and GPUs.
#include "real/meters/machine_meters.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "real/meters/nvml.hpp"
#include "real/meters/powercap.hpp"

namespace equipoise {

Meters machine_meters(std::span<const UnitSpec> units) {
  std::vector<GpuPlace> gpus;
  for (const UnitSpec& spec : units) {
    const std::optional<GpuPlace> gpu = spec.factory->gpu();
    if (gpu && std::ranges::find(gpus, *gpu) == gpus.end()) gpus.push_back(*gpu);
  }
  Meters meters = powercap_meters();
  Meters of_gpus = nvml_meters(gpus);
  std::ranges::move(of_gpus.found, std::back_inserter(meters.found));
  std::ranges::move(of_gpus.notes, std::back_inserter(meters.notes));
  return meters;
}

}  // namespace equipoise

// Meters of NVIDIA GPUs. NVML, which comes with the driver, is opened at run time.
#pragma once

#include <span>
#include <string>

#include "real/gpu/gpu.hpp"
#include "real/meters/meter.hpp"

namespace equipoise {

/// The file of NVML.
inline constexpr const char* nvml_file = "libnvidia-ml.so.1";

/// A meter for each of `gpus` that NVML knows. It reads the GPU's counter of energy, or, if there
/// is none, its power, and adds that up. A GPU that is divided is measured as a whole. The notes
/// say which GPUs are not measured, and why. Without GPUs, NVML is not opened.
[[nodiscard]] Meters nvml_meters(std::span<const Gpu> gpus, const std::string& file = nvml_file);

}  // namespace equipoise

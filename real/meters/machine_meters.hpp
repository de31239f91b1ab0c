// The meters of this machine for runs on given units.
#pragma once

#include <span>
#include <string>

#include "real/meters/meter.hpp"
#include "real/meters/nvml.hpp"
#include "real/meters/powercap.hpp"

namespace equipoise {

/// Where meters are found. Tests have others.
struct MeterPlaces {
  std::string powercap = powercap_folder;
  std::string nvml = nvml_file;
};

/// Meters of all CPU packages of this machine, and of `gpus`.
[[nodiscard]] Meters machine_meters(std::span<const Gpu> gpus, const MeterPlaces& places = {});

/// The meters that were found, and what is not measured, in one line: "package-0 (RAPL), cuda:0
/// (NVML); dram is not counted", or "none: " and why.
[[nodiscard]] std::string meters_text(const Meters& meters);

}  // namespace equipoise

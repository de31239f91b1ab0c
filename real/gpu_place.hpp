// Which GPU of this machine a unit uses.
#pragma once

#include <string>

namespace equipoise {

/// A GPU of this machine.
struct GpuPlace {
  std::string domain;      ///< what meters call it, by the number that CUDA gives it: "cuda:0"
  std::string pci_bus_id;  ///< "00000000:01:00.0": other libraries number GPUs in another order

  bool operator==(const GpuPlace&) const = default;
};

}  // namespace equipoise

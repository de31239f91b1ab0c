// What is known of a GPU beyond what policies may know.
#pragma once

#include <string>

namespace equipoise {

/// A GPU of this machine, or what a unit has of one.
struct Gpu {
  std::string name;  ///< kind and number, as in Unit::device: "cuda:0"; meters call it so, too
  std::string pci_bus_id;  ///< "00000000:01:00.0": other libraries number GPUs in another order
  int sms = 0;             ///< streaming multiprocessors; 0: unknown
  double clock_hz = 0.0;   ///< the highest of their clock; 0: unknown
};

}  // namespace equipoise

// What the links between the master and nodes carry, as far as it can be measured from the ends.
#pragma once

#include <vector>

#include "real/devices/link_rates.hpp"
#include "real/nodes/nodes.hpp"

namespace equipoise {

/// The links of nodes to the master.
struct MeasuredNetwork {
  std::vector<LinkRates> nodes;  ///< (ranks - 1), of each alone
  /// What all nodes together get, and give, in bytes/s.
  double all_there_bytes_per_s = 0.0;
  double all_back_bytes_per_s = 0.0;
};

/// Measures the network while no run goes on, in about a second for each node: each node alone, as
/// links of devices are, with payloads that take some 20 ms, and all at once, the median of
/// several. Throws BackendError if a node is lost.
[[nodiscard]] MeasuredNetwork measure_network(Nodes& nodes);

}  // namespace equipoise

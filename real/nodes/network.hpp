// What the links between the master and nodes carry, as far as it can be measured from the ends.
#pragma once

#include <vector>

#include "real/nodes/nodes.hpp"
#include "shared_policies/machine/copy_speed.hpp"

namespace equipoise {

/// The links of nodes to the master.
struct MeasuredNetwork {
  std::vector<CopySpeed> there;  ///< (ranks - 1), of each node alone
  std::vector<CopySpeed> back;
  /// What all nodes together get, and give, in bytes/s.
  double all_there_bytes_per_s = 0.0;
  double all_back_bytes_per_s = 0.0;
  /// (ranks - 1) What both directions of a node's link carry together, in bytes/s.
  std::vector<double> both_bytes_per_s;
};

/// Measures the network while no run goes on, in about a second for each node: its latency with
/// single bytes, its bandwidth with payloads that take some 20 ms, of each node alone, of all at
/// once and of both directions at once; each the median of several. Throws BackendError if a node
/// is lost.
[[nodiscard]] MeasuredNetwork measure_network(Nodes& nodes);

}  // namespace equipoise

// Resident data that do not fit into a unit's memory, read with each block from the node's memory.
#pragma once

#include <optional>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// What a unit reads with each block (StreamedData), and how fast.
struct ResidentStream {
  StreamedData data;
  CopySpeed speed{};       ///< from the memory of the unit's node to the unit
  Route bus{};             ///< the links that are read over
  bool is_remote = false;  ///< the node's memory is not the master's, and gets all resident data

  /// The undisturbed time in which a block of `items` reads.
  [[nodiscard]] Seconds time(double items) const { return speed.time(data.bytes(items)); }
};

/// The streams (units) of one workload; none for units that hold its resident data.
///
/// A unit reads over its whole route from the master; on another node than the master's, over the
/// links of that route that follow those which the routes of all the node's units begin with (the
/// network); an accelerator beside a CPU behind which nothing follows works in the node's memory
/// and reads at no cost, and on a node without a CPU at least the last link is taken. Devices whose
/// streams use the same link have equal parts of its bandwidth, whether or not all of them read at
/// the time; the units of one device read one after another and have one part together. Copies of
/// blocks over the same link are not delayed by streams, nor streams by them, except through the
/// copy engine that both need. (SimGrid has no host at the place where routes part, so it cannot
/// simulate the streams of remote units.) Links that are not shared (`Link::shared`) are not
/// divided. Source: ours.
[[nodiscard]] std::vector<std::optional<ResidentStream>> resident_streams(const Platform& platform,
                                                                          const Workload& workload);

}  // namespace equipoise

// Resident data away from the master: sent to a node once, although several of its units need them,
// and read with each block by units whose memory does not hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A node other than the master's, with the units of it that take part.
struct RemoteNode {
  std::vector<UnitId> units;
  std::vector<std::uint32_t> trunk;  ///< the links that the routes of all of them begin with
  bool has_cpu = false;              ///< among the units; it works in the node's memory
};

/// The remote nodes of `platform`, by name. They are known to be remote only if the master names
/// its own (Unit::is_remote).
[[nodiscard]] std::map<std::string, RemoteNode> remote_nodes(const Platform& platform);

/// The remote nodes to which resident data are sent once: those of which at least two units take
/// part and have a trunk. A unit gets the data from its node's memory over the rest of its route.
[[nodiscard]] std::vector<RemoteNode> sharing_nodes(const Platform& platform);

/// The speed of copies from a node's memory to one of its units: over the part of the unit's route
/// that follows the trunk. None: the unit's memory is the node's.
[[nodiscard]] std::optional<CopySpeed> speed_from_node(const Platform& platform,
                                                       const RemoteNode& node, UnitId unit);

/// What each node has of the resident data.
///
/// The first unit that needs data which its node does not have fetches them over its whole route;
/// when they arrive, the node has them, too. A unit that needs the same data meanwhile waits for
/// them. If the unit that fetches is lost, the one that has waited longest fetches instead. When a
/// node's last unit that needed data is lost, the node has nothing.
class NodeResidents {
 public:
  /// `units`: the number of units of the run.
  NodeResidents(const std::vector<RemoteNode>& nodes, std::size_t units);

  /// Whether the unit shares the data of its node.
  [[nodiscard]] bool shares(UnitId unit) const { return node_of_[unit.index].has_value(); }

  /// What a unit has to do for its data.
  enum class Way : std::uint8_t { take, wait, fetch };
  /// `unit`, which shares its node's data, needs those of an iteration of a phase. If it has to
  /// wait, it is among those that `arrived` returns.
  [[nodiscard]] Way ask(UnitId unit, int phase, int iteration);
  /// The data that `unit` fetched are there. Returns the units that waited, in the order in which
  /// they asked; empty if the unit fetched nothing.
  [[nodiscard]] std::vector<UnitId> arrived(UnitId unit);
  /// `unit` is late: if it fetches data that others wait for, the one that has waited longest
  /// fetches them, too, and is returned.
  [[nodiscard]] std::optional<UnitId> given_up(UnitId unit);
  /// `unit` is lost. Returns the unit that has to fetch instead of it, if there is one.
  [[nodiscard]] std::optional<UnitId> lost(UnitId unit);

 private:
  struct Node {
    int phase = -1;  ///< of the data; -1: it has none
    int iteration = 0;
    std::optional<UnitId> fetching;
    std::vector<UnitId> waiting;
    std::set<UnitId> users;  ///< units that asked since they came
  };

  static std::optional<UnitId> fetch_next(Node& node);

  std::vector<Node> nodes_;
  std::vector<std::optional<std::size_t>> node_of_;  ///< (units)
};

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

// Decides which remote units take part: by what their links carry.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "shared_policies/policies/equipoise/division.hpp"
#include "shared_policies/policies/equipoise/network.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Remote units get no first block until the network is known, and nothing until the units that
/// have begun show how long the run takes: their unfinished first blocks bound it. Then
///
/// - a node fetches the resident data if that takes at most `worthwhile` of the time left, the
///   iterations to come included, in which what it brings can be used. The node whose units are
///   expected to do most for it comes first; nodes whose links are shared fetch one after another:
///   the first has its data sooner, and none later.
/// - a first block is so small that copying it takes at most a hundredth of the time left, or a
///   grain, if copying that takes at most a quarter of it; else the unit is kept out.
///
/// Where no unit is beside the input, all fetch at once. Somebody is always let in. Source: ours.
class RemoteUnits {
 public:
  /// A phase begins: no unit has its data.
  void begin_phase() { arrives_s_.clear(); }
  /// Keeps units out or lets them in, by the division; returns how many are out. O(n log n).
  std::size_t keep_out(const View& view, Division& division, const Network& network);
  /// The largest first block of a remote unit, in items; infinite if copies are not what limits it.
  [[nodiscard]] double most_items(const View& view, const UnitState& unit, const Division& division,
                                  const Network& network) const;

 private:
  std::map<std::string, double> arrives_s_;  ///< by node: when its data should be there
};

}  // namespace equipoise

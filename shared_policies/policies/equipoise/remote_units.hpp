// Decides which remote units take part: by what their links carry.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "shared_policies/policies/equipoise/division.hpp"
#include "shared_policies/policies/equipoise/network.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Remote units begin once the network is known and the units that have begun show how long the run
/// takes; unfinished first blocks count as half done. Then
///
/// - a node fetches the resident data if that takes at most `worthwhile` of the time left, the
///   iterations to come included, in which what it brings can be used. The node whose units are
///   expected to do most for it comes first; nodes whose links are shared fetch one after another:
///   the first has its data sooner, and none later.
/// - a first block is so small that copying it takes at most a hundredth of the time left, or a
///   grain, if copying that takes at most a quarter of it; else the unit is kept out.
///
/// While no block ends, this is looked at whenever the phase is twice as old. Where no unit is
/// beside the input, all begin at once. Source: ours.
class RemoteUnits {
 public:
  /// A phase begins: no unit has its data.
  void begin_phase(Seconds now) {
    arrives_s_.clear();
    began_ = looks_at_ = now;
  }
  /// Keeps all out that have to copy something and have no block yet. To be divided without them.
  void keep_out(const View& view, Division& division);
  /// Lets those in that are worth it, by the division without them; returns whether there are any.
  bool let_in(const View& view, Division& division, const Network& network);
  /// Chooses when to look again at those that are out, though no block ends; none: as chosen.
  std::optional<Seconds> next_look(const View& view, const Division& division);
  /// The largest first block of a remote unit, in items; infinite if copies are not what limits it.
  [[nodiscard]] static double most_items(const View& view, const UnitState& unit,
                                         const Division& division, const Network& network);

 private:
  std::map<std::string, double> arrives_s_;  ///< by node: when its data should be there
  Seconds began_;                            ///< of the phase
  Seconds looks_at_;                         ///< next
};

}  // namespace equipoise

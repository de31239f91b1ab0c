// Learns how fast copies are, and decides which remote units fetch the resident data.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/equipoise/division.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Units away from the input that lack the resident data are kept out until fetching it pays:
///
/// - The first of them is tried when that `is_worth_trying`, compared with the fastest copy that an
///   accelerator beside the input has shown; with 10 GB/s if there is none.
/// - What it took is what the network carries. From then on a unit fetches if its data takes at
///   most half of the time left. Units fetch one after another, because they share the link of the
///   node with the input; or all at once if that takes little of the time left.
/// - Where no unit is beside the input, all fetch at once.
///
/// What a second unit of a node takes is learned apart, because the node has the data then.
/// Source: ours.
class RemoteUnits {
 public:
  explicit RemoteUnits(double doubt) : doubt_(doubt) {}

  /// A phase begins: no unit has its data.
  void begin_phase(std::size_t units) {
    nodes_with_data_.clear();
    local_.resize(units);
  }
  /// Learns from a finished block of `unit`; `is_first`: its first one in this phase.
  void learn(const View& view, const UnitState& unit, const BlockFinished& finished, bool is_first);
  /// Keeps units out or lets them in, according to the division of the remaining items. O(n).
  void keep_out(const View& view, Division& division) const;

 private:
  /// The time of a copy of the resident data to the slowest accelerator beside the input.
  [[nodiscard]] double local_s(const View& view) const;
  [[nodiscard]] bool is_on_known_node(const UnitState& unit) const {
    return nodes_with_data_.contains(unit.unit.node);
  }
  /// The time that fetching is expected to take; the mean of what is thought possible as long as no
  /// remote unit has fetched.
  [[nodiscard]] double fetch_s(const View& view, const UnitState& unit, double local_s) const;

  double doubt_;
  // The fastest copies in, in bytes/s; 0: none seen.
  std::vector<double> local_;  // (n) to each unit beside the input
  double network_ = 0.0;       // to remote units
  double again_ = 0.0;         // of resident data to units of a remote node that has it
  std::set<std::string> nodes_with_data_;
};

}  // namespace equipoise

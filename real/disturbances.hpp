// A scenario applied to real units: when units leave and come back, and which loads compete with
// them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "real/competing_load.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A unit leaves or comes back.
struct UnitChange {
  Seconds at;
  UnitId unit;
  bool present = true;
};

/// All changes after the start, in order of time. At equal times, units that leave come first; then
/// in order of the units.
[[nodiscard]] std::vector<UnitChange> unit_changes(std::span<const UnitSpec> units,
                                                   const Scenario& scenario);

/// The loads that a scenario lets compete with units.
class RunLoads {
 public:
  /// Starts the loads of `scenario`, which outlives them, on `units`, of which each has its
  /// `cores`.
  void start(const Scenario& scenario, const std::vector<UnitSpec>& units,
             const std::vector<std::vector<int>>& cores, const Clock& clock);
  /// Calls `of` for each load that has begun by `now`, with the share that it had.
  void tell(Seconds now, const std::function<void(const Disturbance&, double share)>& of) const;
  /// Ends all loads.
  void end() { loads_.clear(); }

 private:
  std::vector<std::pair<const Disturbance*, std::unique_ptr<CompetingLoad>>> loads_;
};

}  // namespace equipoise

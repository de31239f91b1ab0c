// The competing loads of a real run.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "real/competing_load.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// The loads that a scenario lets compete with units.
class RunLoads {
 public:
  /// Starts the loads of `scenario`, which outlives them, on `units`, of which each has its
  /// `cores`.
  void start(const Scenario& scenario, const std::vector<UnitSpec>& units,
             const std::vector<std::vector<int>>& cores, const Clock& clock);
  /// Tells of each load that has begun by `now`, and of the share that it had.
  void tell(Seconds now, const std::function<void(const Disturbance&, double share)>& of) const;
  /// Ends all loads.
  void end() { loads_.clear(); }

 private:
  std::vector<std::pair<const Disturbance*, std::unique_ptr<CompetingLoad>>> loads_;
};

}  // namespace equipoise

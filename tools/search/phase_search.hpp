// The search for the best schedule of one phase: initial candidates, balancing and local changes.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tools/console/terminal.hpp"
#include "tools/runs/options.hpp"
#include "tools/search/schedule_parts.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {

/// A candidate for one phase and its simulated result.
struct Tried {
  Parts parts;
  double value = std::numeric_limits<double>::infinity();    ///< what is to be least
  double seconds = std::numeric_limits<double>::infinity();  ///< time of the phase alone
  double makespan_s = 0.0;                                   ///< including the phases before
  std::vector<double> end_s;  ///< (n) in the last iteration; 0 for units without work there

  [[nodiscard]] bool completes() const { return std::isfinite(seconds); }
};

/// The phases before the one that is searched.
struct PhasesBefore {
  BlockLists schedule;
  double end_s = 0.0;  ///< end of the last of them, with that schedule
};

/// The search for the last phase of a world.
class PhaseSearch {
 public:
  /// `divisions` are those of the phase that `optimum` makes without a given schedule: for time,
  /// and for other objectives of `plain` also for these.
  PhaseSearch(const SimWorld& world, const Options& plain,
              std::vector<std::vector<UnitInPhase>> divisions, const PhasesBefore& before);

  /// Returns the best candidate. It does not complete if no candidate does.
  const Tried& run();

 private:
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] bool anything_moves() const;
  void begin();
  void balance();
  bool change_once();
  void move_between_units();
  bool spend_on(const Parts& parts);
  void try_all(std::vector<Parts> proposed);
  void show_progress(std::size_t tried);
  [[nodiscard]] Tried tried_from(const SimulationResult& result, Parts parts) const;
  [[nodiscard]] Parts balanced(const Tried& tried, double damping) const;
  [[nodiscard]] std::vector<Parts> changes() const;
  [[nodiscard]] std::vector<Parts> moves(double items) const;

  const SimWorld& world_;
  const Options& options_;
  const Workload& workload_;
  const LowerBound& bound_;
  double bound_s_;
  std::vector<std::vector<UnitInPhase>> divisions_;
  const PhasesBefore& before_;
  bool is_for_time_;
  std::vector<std::vector<std::size_t>> alike_;  // units that are changed together
  std::size_t left_;                             // remaining evaluations
  std::size_t most_;                             // all evaluations, unless the search ends early
  Progress progress_;
  Tried best_;
};

}  // namespace equipoise

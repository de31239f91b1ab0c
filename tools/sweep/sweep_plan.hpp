// A campaign made ready: every file read, every policy tried, every point named.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/sweep/campaign_file.hpp"
#include "tools/worlds/run_plan.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

/// An experiment of which everything has been read and checked.
struct PlannedExperiment {
  Experiment experiment;
  std::vector<PolicyChoice> policies;
  std::shared_ptr<SimWorld> world;  ///< experiments that differ in seed or noise share it
  /// A hash of all that the search for the best schedule known depends on.
  std::string schedule_key;
  std::size_t searched_by = 0;  ///< the first experiment with the same key
};

/// One simulation of a campaign.
struct Point {
  std::size_t experiment = 0;
  std::size_t policy = 0;
  std::uint64_t repetition = 0;
  /// A hash of all that its numbers depend on: the contents of the files, the settings, the
  /// experiment's name, the policy as spelled, the repetition, and the program's sources.
  std::string key;
};

/// A campaign, ready to run.
struct SweepPlan {
  std::vector<PlannedExperiment> experiments;
  std::vector<Point> points;  ///< by experiment, then repetition, then policy
};

/// Reads and checks everything that the campaign names. What is wrong is added to `problems`, all
/// of it; a plan is of use when there are none. `progress` is told how many experiments have been
/// looked at.
[[nodiscard]] SweepPlan plan_sweep(const Campaign& campaign, std::vector<std::string>& problems,
                                   const std::function<void(std::size_t done)>& progress);

/// A part of a sweep: number 1 to `of`.
struct Shard {
  std::size_t number = 1;
  std::size_t of = 1;

  /// Whether it does number `i` (from 0) of what is dealt out in turn.
  [[nodiscard]] bool holds(std::size_t i) const { return i % of == number - 1; }
  /// Whether it searches the schedule that belongs to the experiment. One shard does.
  [[nodiscard]] bool searches(const SweepPlan& plan, std::size_t experiment) const {
    return holds(plan.experiments[experiment].searched_by);
  }
  /// Whether it does point number `point` of the plan; every point is in exactly one shard. Points
  /// of oracles need the schedule and are where that is searched.
  [[nodiscard]] bool does(const SweepPlan& plan, std::size_t point) const;
};

/// Reads "3/16". Throws InputError at `--shard`.
[[nodiscard]] Shard parse_shard(const std::string& text);

}  // namespace equipoise

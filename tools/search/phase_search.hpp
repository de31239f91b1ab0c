// The search for the best schedule of one phase: candidates for its blocks, and where they begin.
#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tools/runs/options.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// The work of one unit in an iteration.
struct Part {
  double share_items = 0.0;
  Items blocks = 1;  ///< number of equal blocks
  int front = 0;     ///< how often the first block is halved: s/4, s/4, s/2 for 2
  int back = 0;      ///< how often the last block is halved, in the reverse order
  auto operator<=>(const Part&) const = default;
};

using Parts = std::vector<Part>;  // (n)

/// The blocks of every unit (n), in order. The shares are rounded to whole grains that add up to
/// all items, and are cut into blocks that fit the unit's memory. A share of less than a grain may
/// get no block.
[[nodiscard]] BlockLists::value_type blocks_of(const Parts& parts, const Workload& workload,
                                               std::span<const Unit> units);

/// What a simulation of `iterations` iterations of these parts takes of the search's evaluations:
/// one, and one more for every hundred thousand blocks.
[[nodiscard]] std::size_t evaluations_of(const Parts& parts, int iterations);

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

/// Searches for the blocks of the last phase of a machine that are best for `objective`, without
/// noise and decision costs (`plain`). `divisions` are those of the phase that `optimum` makes
/// without a given schedule: for time, and for other objectives also for these. What is returned
/// does not complete if no candidate does.
[[nodiscard]] Tried search_phase(const SimMachine& machine, const RunOptions& plain,
                                 Objective objective,
                                 const std::vector<std::vector<UnitInPhase>>& divisions,
                                 const PhasesBefore& before);

inline constexpr std::size_t most_prefixes = 12;

/// Where searches for energy begin. Sorts `groups` of units by the dynamic energy that an item
/// takes on them. For the first group, the first two, ... and all of them, returns shares (n) of
/// the items of the last phase of `machine`: in proportion to the speeds of the units of these
/// groups, and 0 for other units. Of many groups, twelve such prefixes that are spread evenly. The
/// least energy and the least EDP are at one of these if times are proportional to items and
/// nothing is copied (`solve_prefix`). Energy per item and speed are those of an even share in one
/// block. Units need watts.
[[nodiscard]] std::vector<std::vector<double>> energy_prefixes(
    const SimMachine& machine, const std::vector<std::vector<std::size_t>>& groups);

}  // namespace equipoise

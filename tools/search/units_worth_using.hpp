// Answers whether it is worth using the CPU besides the GPUs, or several units besides one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/runs/options.hpp"
#include "tools/search/ideal_runs.hpp"
#include "tools/simulations/sim_world.hpp"

namespace equipoise {

/// Whether it is worth using all units. A world of one unit has no answer.
struct Worth {
  /// "The CPU is worth using: with it the EDP is 312.4 J s, with cuda0 alone 355.1 J s (12 %
  /// less).", and the end of the line; empty without an answer.
  std::string line;
  bool is_worth_using = false;        ///< whether the best run of all uses units of `left_out`
  std::vector<std::string> left_out;  ///< the units without which was tried
  std::vector<std::string> units;     ///< the others
  std::optional<RunNumbers> without;  ///< the best run of these; none: they cannot do all items
};

/// The same for programs: a JSON object, or null without an answer.
[[nodiscard]] nlohmann::ordered_json worth_json(const Worth& worth);

/// Finds out what the units could do without some of them, for the objective of `options`. Units
/// that are left out draw their idle watts all the same. `runs` are those of `world`, the best of
/// them verified; what is tried without some units is added to them, and the best of all is then
/// their best. Throws as `ideal_runs` does.
[[nodiscard]] Worth worth_of_units(const SimWorld& world, const Options& options, IdealRuns& runs);

}  // namespace equipoise

// Answers whether it is worth using the CPU besides the GPUs, or several units besides one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/search/ideal_runs.hpp"
#include "tools/worlds/options.hpp"
#include "tools/worlds/sim_world.hpp"

namespace equipoise {

/// The ideal run of some units alone, beside that of all.
struct WithoutSomeUnits {
  /// The CPUs of a machine that has other units, too; otherwise all units but the one that would be
  /// the best one alone.
  std::vector<std::string> left_out;
  std::vector<std::string> units;  ///< those that take part
  bool is_about_cpus = false;
  bool is_used = false;           ///< whether the best run of all uses units of `left_out`
  std::optional<RunReport> best;  ///< nullopt if these units cannot do all items
};

/// Finds out what the units could do without some of them, for the objective of `options`. Units
/// that are left out draw their idle watts all the same. `runs` are those of `world`; if the run
/// without some units is better than the best of these, it takes its place. Returns nullopt for a
/// world of one unit. Throws as `ideal_runs` does.
[[nodiscard]] std::optional<WithoutSomeUnits> without_some_units(const SimWorld& world,
                                                                 const Options& options,
                                                                 IdealRuns& runs);

/// The answer in one line: "The CPU is worth using: with it the EDP is 312.4 J s, with cuda0 alone
/// 355.1 J s (12 % less)."
[[nodiscard]] std::string worth_text(const WithoutSomeUnits& without, const IdealRuns& runs,
                                     const SimWorld& world, const std::string& objective);

/// The same for programs: a JSON object as text.
[[nodiscard]] std::string worth_json(const WithoutSomeUnits& without, const std::string& answer);

}  // namespace equipoise

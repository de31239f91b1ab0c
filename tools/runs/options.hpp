// What users choose for runs and for comparisons; the command line fills it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/records/description.hpp"
#include "traces/run_settings.hpp"

namespace equipoise {

/// A loop of a program that uses the library (tools/loop), see tools/worlds/real_machine.hpp.
struct LoopWorkload;
/// The other processes of a run under mpirun, see real/nodes/nodes.hpp.
class Nodes;

/// How runs are made: their settings, and what else all runs of an experiment have in common.
struct RunOptions : RunSettings {
  /// What `workloads`, of which there is one, only names; null: kernels and files by their names.
  std::shared_ptr<const LoopWorkload> loop;
  /// The other ranks that mpirun has started; null: there are none.
  std::shared_ptr<Nodes> nodes;
  std::string units_per_rank_file;         ///< empty: all ranks have the same units
  std::optional<double> link_bytes_per_s;  ///< that every rank's link is held to
  std::optional<Seconds> link_latency;
  std::string on = "sim";  ///< sim, real, paced, or, for comparisons, both
  std::uint64_t seed = 1;
  std::string decision_cost = "none";  ///< none, paper, measured or seconds
  std::string experience_file;         ///< what earlier runs showed; empty: none is used
  bool meters = true;                  ///< measure energy in real runs
  std::string results_folder;          ///< for files that commands leave; empty: a temporary one
  bool quiet = false;                  ///< show neither progress nor notes
};

/// Which run files a comparison keeps, of each policy's first run.
enum class KeptRuns : std::uint8_t { small, all, none };

constexpr auto words(DescriptionOf<KeptRuns> /*of*/) {
  return std::array{Word{KeptRuns::small, "small"}, Word{KeptRuns::all, "all"},
                    Word{KeptRuns::none, "none"}};
}

/// The most blocks that a run of a comparison may make.
struct BlocksMax {
  std::optional<std::uint64_t> blocks;  ///< nothing: as many as it wants
};

/// A comparison: its policies, how often they run, and where results go.
struct ComparisonOptions : RunOptions {
  std::vector<std::string> policies;    ///< NAME[:k=v,...]
  std::vector<std::string> without;     ///< names that "all" in `policies` excludes
  std::optional<BlocksMax> blocks_max;  ///< of every policy; none: many_blocks for those of "all"
  std::string baseline = "greedy";
  int reps = 10;
  std::string out;  ///< folder; empty: nothing is written
  KeptRuns kept_runs = KeptRuns::small;
  /// How often each policy is simulated with other recorded times, for intervals; 0: no intervals.
  int redrawn_runs = 20;
  std::string validations_file;  ///< what earlier validations showed; empty: none are read
};

}  // namespace equipoise

// An executor in virtual time: blocks move over a SimGrid platform and take the times of a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/block_timing.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// One simulated run.
struct SimSetup {
  std::string platform_file;  ///< SimGrid XML; loaded again by the executor
  Platform platform;          ///< as `probe_platform` gave it, units that take part only
  std::vector<Workload> phases;
  std::vector<std::vector<BlockTiming>> timing;  ///< (phases, units)
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  bool noise = true;
  Seconds dispatch{5e-6};  ///< a unit is taken this long before the stages of a block
  Seconds first_use;       ///< a unit is taken this long more before its first block
  /// Simulate every stage as a SimGrid activity, even one that nobody can disturb (for the test that
  /// holds both ways equal).
  bool activities_only = false;
};

/// Makes the executor. One per process: SimGrid has one engine and one clock, so a second is a bug.
[[nodiscard]] std::unique_ptr<Executor> make_sim_executor(SimSetup setup);

}  // namespace equipoise

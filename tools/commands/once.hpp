// One run and one recording, for the commands that print them and for loops of programs
// (tools/loop).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "real/recording/recorder.hpp"
#include "shared_policies/model/unit.hpp"
#include "tools/commands/commands.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// A run that has ended, or was interrupted.
struct FinishedRun {
  const RunReport& report;
  const PolicyChoice& choice;
  const std::vector<Unit>& units;
  const ResidentPath& resident;  ///< of the run's world
};

/// Makes the run that `request` asks for, and writes its files. Calls `tell` as soon as the run has
/// ended, before its experience and its page are written. `command`: what the user typed. Throws
/// InputError before the run, and std::runtime_error if a file cannot be written.
void run_once(const RunRequest& request, const std::string& command,
              const std::function<void(const FinishedRun& run)>& tell);

/// Records the workload, warns of what is not certain, and writes trace and platform. What is
/// recorded may be less than was asked for, if it was interrupted. Throws as `run_once` does.
[[nodiscard]] Recording record_once(const RecordRequest& request);

}  // namespace equipoise

// A result for tests of what is computed from results.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"

namespace equipoise {

/// The result of verified simulated runs of one unit, with these makespans.
inline PolicyResult verified_result(const std::string& policy,
                                    const std::vector<double>& makespans_s, double lower_bound_s) {
  std::vector<PolicyRun> runs;
  for (const double makespan_s : makespans_s) {
    PolicyRun run;
    run.numbers.makespan = Seconds{makespan_s};
    run.numbers.units.resize(1);
    run.repetition = runs.size();
    run.verified = true;
    runs.push_back(run);
  }
  return summarise(policy, "sim", runs, lower_bound_s);
}

}  // namespace equipoise

// Runs of kernels on real units, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "real/real_executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {

/// Phases of kernels on the units of these texts.
inline RealSetup setup_of(const std::vector<std::string>& units,
                          const std::vector<Kernel*>& phases) {
  RealSetup setup;
  setup.units = parse_units(units);
  setup.phases.assign(phases.begin(), phases.end());
  return setup;
}

/// Runs everything by `policy`.
inline RunOutcome run_by(Policy& policy, RealSetup real, MemoryJournal& journal) {
  RunSetup setup;
  for (std::uint32_t i = 0; i < real.units.size(); ++i) {
    setup.units.push_back(real.units[i].unit);
    const bool is_present = real.scenario.presence_of(real.units[i].unit.name).at_start;
    if (!is_present) setup.absent_at_start.push_back(UnitId{i});
  }
  for (const RealPhase& phase : real.phases) setup.phases.push_back(phase.workload);
  setup.stop_requested = real.stop_requested;
  const auto executor = make_real_executor(std::move(real));
  return run_policy(*executor, policy, setup, journal);
}

/// Runs everything in blocks of `block_items`.
inline RunOutcome run_all(RealSetup real, Items block_items, MemoryJournal& journal) {
  Scripted policy = pieces_of(block_items);
  return run_by(policy, std::move(real), journal);
}

}  // namespace equipoise

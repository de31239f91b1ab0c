// Machines, workloads and scenarios drawn at random, to ask policies what they promise.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// A machine and its workloads.
struct RandomMachine {
  /// Of all phases and iterations.
  [[nodiscard]] Items items() const;

  FakeSetup fake;
  RunSetup run;
  Platform platform;
  std::vector<std::vector<BlockTiming>> timings;  ///< [phase][unit]
  KnownCosts known;                               ///< what informed policies and oracles are told
};

/// One to six units u0, u1, ... and one workload; half of the workloads move data. Blocks overlap
/// where units have several slots. Half of the machines have memory that counts.
[[nodiscard]] RandomMachine random_machine(std::mt19937& random);

/// The same with three phases of two kernels, the first of which comes again.
[[nodiscard]] RandomMachine random_machine_with_phases(std::mt19937& random);

/// Lets units fail and come back; in the end all are there.
void add_faults(RandomMachine& machine, std::mt19937& random);

/// Lets speeds and bandwidths change, and units fail, come back or come late.
void add_scenario(RandomMachine& machine, std::mt19937& random);

/// Disturbs the units u0, u1, ... and `links` in the first `span_s` seconds or so. Units compete,
/// slow down, have profiles, fail and come back, or come late; in the end all are there.
[[nodiscard]] Scenario random_scenario(std::size_t units, const std::vector<std::string>& links,
                                       double span_s, std::mt19937& random);

}  // namespace equipoise

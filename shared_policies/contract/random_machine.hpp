// Random machines, workloads and scenarios, on which the promises of policies are checked.
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

/// A machine with its workloads and times.
struct RandomMachine {
  /// The number of items in all phases and iterations.
  [[nodiscard]] Items items() const;

  FakeSetup fake;
  RunSetup run;
  Platform platform;
  std::vector<std::vector<BlockTiming>> timings;  ///< [phase][unit]
  KnownCosts known;  ///< given to informed policies and oracles; and the
                     ///< costs of items, for those who know them
};

/// Draws a machine with one to six units u0, u1, ... and one workload. Half of the workloads move
/// data; a part of their resident data may change between iterations. Blocks overlap if units have
/// several slots. In half of the machines memory limits blocks, and half of the accelerators whose
/// memory is limited there do not hold the resident data. The units of some nodes share a device.
/// In half of them, results are merged between iterations. In a third of the phases, items
/// differ.
[[nodiscard]] RandomMachine random_machine(std::mt19937& random);

/// Like `random_machine`, with three phases of two kernels: the third phase has the kernel of the
/// first.
[[nodiscard]] RandomMachine random_machine_with_phases(std::mt19937& random);

/// Adds failures and returns of units; at the end all units are present.
void add_faults(RandomMachine& machine, std::mt19937& random);

/// Adds changes of speeds and bandwidths; units fail, come back or join late.
void add_scenario(RandomMachine& machine, std::mt19937& random);

/// Draws disturbances of the units u0, u1, ... and of `links` in roughly the first `span_s`
/// seconds. Units compete, slow down, have profiles, fail and come back, or join late; at the end
/// all are present.
[[nodiscard]] Scenario random_scenario(std::size_t units, const std::vector<std::string>& links,
                                       double span_s, std::mt19937& random);

}  // namespace equipoise

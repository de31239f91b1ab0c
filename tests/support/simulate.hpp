// Simulations inside tests. Each runs in a child process, because SimGrid has one engine per
// process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "shared_policies/run/executor.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// A finished block, with times in seconds.
struct Finish {
  std::uint32_t unit = 0;
  std::uint64_t block = 0;
  double assigned_s = 0.0;
  double setup_s = 0.0;
  double in_s = 0.0;
  double compute_s = 0.0;
  double out_s = 0.0;
  double setup_at_s = 0.0;
  double in_at_s = 0.0;
  double compute_at_s = 0.0;
  double out_at_s = 0.0;
  double at_s = 0.0;

  bool operator==(const Finish&) const = default;
};

/// The results that a script returns to the test.
struct Seen {
  std::vector<Finish> finishes;
  std::vector<double> numbers;
};

/// Uses an executor, inside its body.
using Script = std::function<void(Executor& executor, Seen& seen)>;

/// What `see` returns in a child process. Throws std::runtime_error when the child dies.
[[nodiscard]] Seen in_child(const std::function<Seen()>& see);

/// A finished block as the test gets it.
[[nodiscard]] Finish finish_of(Seconds at, const BlockFinished& finished);

/// Runs `script` on a simulator in a child process. Throws std::runtime_error when the child dies.
[[nodiscard]] Seen simulate(const SimSetup& setup, const Script& script);

/// Takes all events until there are no more, or until `deadline`. All of them must be finished
/// blocks.
void take_finishes(Executor& executor, Seen& seen, Seconds deadline = Seconds::infinity());

/// Runs `run` on `executor`. Every idle unit gets blocks of its size in `block_items`.
[[nodiscard]] Seen run_blocks(Executor& executor, const RunSetup& run,
                              const std::vector<Items>& block_items);

/// Runs `policy` on `executor`. Late ends of blocks are among the finishes; the numbers tell of
/// each lost block (its number, why, whether it goes on, when) and each probe that has ended (its
/// number, the begin and length of each copy, when), and at last whether all work was done.
[[nodiscard]] Seen run_policy_on(Executor& executor, const RunSetup& run, Policy& policy);

/// The units and phases of a simulation, and which units are absent at its start.
[[nodiscard]] RunSetup run_of(const SimSetup& setup);

/// `run_policy_on` a simulator in a child process.
[[nodiscard]] Seen simulate_policy(const SimSetup& setup,
                                   const std::function<std::unique_ptr<Policy>()>& make_policy);

/// `run_blocks` on a simulator in a child process.
[[nodiscard]] Seen simulate_blocks(const SimSetup& setup, const std::vector<Items>& block_items);

}  // namespace equipoise

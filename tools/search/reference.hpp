// What runs of a machine are judged by: a lower bound, and what is known to be reached.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/runs/options.hpp"
#include "tools/search/what_if.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// The least mean makespan that is known to be reached with the noise of `options`, and by which
/// policy. Simulates, with the draws of `options`, policies that know the mean times: `optimum`,
/// which keeps to the machine's schedule, and `optimum:reacts=true` with several sizes of blocks;
/// and, with at most 100 units, our own, which knows nothing beforehand. Their decisions take no
/// time. Those that are 5 % behind another one in both of the first two repetitions are dropped
/// then. Nullopt if none of them completes every repetition. Throws Interrupted if a stop is
/// requested.
[[nodiscard]] std::optional<BestReached> best_reached(const SimMachine& machine,
                                                      const RunOptions& options, int repetitions);

/// The bound and the best known of a machine. Of one without a platform, nothing is known.
class Reference {
 public:
  /// `platform`, if it is not null, is that of the machine; all that refer to it share what is
  /// found.
  explicit Reference(std::shared_ptr<SimMachine> platform) : platform_(std::move(platform)) {}

  [[nodiscard]] std::optional<double> lower_bound_s() const;
  [[nodiscard]] ResidentPath resident() const { return resident_path(platform_.get()); }
  /// Searches for the best schedule, which `optimum` then follows in the machine's runs.
  void find_schedule(const RunOptions& options);
  /// The best that is known to be reached with the noise of `options` in so many repetitions:
  /// nothing unless a schedule was found.
  [[nodiscard]] std::optional<BestReached> best_known(const RunOptions& options,
                                                      int repetitions) const;
  /// `expect_changeable` of the machine, which has to have a platform.
  void check_what_if() const { expect_changeable(*platform_); }
  /// `simulate_changes` of the machine, which has to have a platform.
  [[nodiscard]] WhatIf what_if(const std::vector<PolicyChoice>& choices, const std::string& fastest,
                               double share, const RunOptions& options) const {
    return simulate_changes(*platform_, choices, fastest, share, options);
  }

 private:
  std::shared_ptr<SimMachine> platform_;
};

}  // namespace equipoise

// Whether the fastest policy stays the fastest if the machine is not quite as it is described.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/records/description.hpp"
#include "tools/runs/options.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/simulations/sim_machine.hpp"

namespace equipoise {

/// A machine that differs from another one in one respect.
struct ChangedMachine {
  std::string change;  ///< "GPUs of model A100 30 % slower"
  SimMachine machine;  ///< without bound and schedule
};

/// Throws InputError if files give links other bandwidths over time, which a change would not
/// reach.
void expect_changeable(const SimMachine& machine);

/// Machines that differ from `machine` by `share`, in (0, 1), one way and the other, in one respect
/// each:
///
///     speed of a kind of unit:  every compute time divided by 1 - share and by 1 + share;
///     links of one bandwidth:   bandwidth times, and latency divided by, the same factors;
///     overhead of small blocks: what a block takes longer than at the speed of the largest
///                               recorded size, times these factors, for each kind of unit.
///
/// CPUs are one kind, and so is each model of GPUs and of other accelerators. With more than 6
/// bandwidths, all links are changed together. An overhead is left out where no size has any.
/// Policies that know block times before the run know the changed ones, except those of a profile.
/// Throws like `expect_changeable`.
[[nodiscard]] std::vector<ChangedMachine> changed_machines(const SimMachine& machine, double share);

/// What a change of the machine makes of the order of the policies.
struct WhatIfChange {
  std::string change;
  std::string fastest;
  std::optional<double> ratio;
  bool may_be_chance = false;
};

constexpr auto describe(DescriptionOf<WhatIfChange> /*of*/) {
  return std::tuple(
      member("change", &WhatIfChange::change, "how the machine differs").not_empty(),
      member("fastest", &WhatIfChange::fastest, "the policy that is the fastest then"),
      member("ratio", &WhatIfChange::ratio,
             "mean ratio of the makespans, then, of the policy that is the fastest without changes "
             "to those of this one; null: it did not complete its runs")
          .above(0)
          .or_null(),
      member("may_be_chance", &WhatIfChange::may_be_chance,
             "whether the 95 % interval of the ratio contains 1"));
}

/// What changes of the machine make of the order of the policies.
struct WhatIf {
  double share = 0.0;
  std::string fastest;
  int reps = 1;
  std::vector<WhatIfChange> changes;
};

/// The changes that have another fastest policy, in a sentence.
[[nodiscard]] std::string sentence_of(const WhatIf& what_if);

constexpr auto describe(DescriptionOf<WhatIf> /*of*/) {
  return std::tuple(
      member("share", &WhatIf::share, "by which speeds, links and overheads are changed").above(0),
      member("fastest", &WhatIf::fastest, "the fastest policy without changes").not_empty(),
      member("reps", &WhatIf::reps, "number of runs of each policy with each change").at_least(1),
      member("changes", &WhatIf::changes, "one at a time"),
      computed("sentence", &sentence_of, "the changes that have another fastest policy"));
}

/// Simulates `choices` in each of `changed_machines(machine, share)`, with the draws of the first 5
/// repetitions of `options` (without noise one), so that differences between policies are paired.
/// `fastest` is the fastest of them in `machine`. Oracles, and policies that do not complete every
/// run of a change, do not count. Throws Interrupted if a stop is requested.
[[nodiscard]] WhatIf simulate_changes(const SimMachine& machine,
                                      const std::vector<PolicyChoice>& choices,
                                      const std::string& fastest, double share,
                                      const RunOptions& options);

}  // namespace equipoise

// Every policy by name: one line, its source, its parameters, and how to make it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/parameters.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Where a policy may look before the run.
enum class Foresight {
  none,      ///< learns from events alone
  informed,  ///< is given a profile: speeds known before the run
  oracle     ///< is given the true timings of this very run
};

/// The sizes of blocks, in order: [phase][unit][block], the same in every iteration.
using BlockLists = std::vector<std::vector<std::vector<Items>>>;

/// Known costs, for informed policies and oracles.
struct KnownCosts {
  /// The costs of one phase: one for each unit of the run, in their order; null where the profile
  /// lacks the unit.
  using Phase = std::vector<std::unique_ptr<CostModel>>;
  std::vector<Phase> phases = std::vector<Phase>(1);
  BlockLists schedule;  ///< for `optimum`: the best that is known; empty where none was searched
};

/// What a policy is made from.
struct PolicyInputs {
  TypedParameters parameters;         ///< given by the user
  const KnownCosts* known = nullptr;  ///< for foresight informed and oracle
  std::span<const Unit> units = {};   ///< those of the run, where the policy asks about them
};

/// One row of the catalog.
struct PolicyInfo {
  std::string name;
  std::string line;    ///< what it does, one line
  std::string source;  ///< paper or program
  std::vector<ParameterInfo> parameters;
  Foresight foresight = Foresight::none;
  double paper_decision_s = 0.0;  ///< price of one decision under --decision-cost paper
  /// `known` is there for foresight informed and oracle, with a cost for every unit.
  std::unique_ptr<Policy> (*make)(const Parameters& parameters, const KnownCosts* known);
  /// Throws InputError for units of the run that the policy cannot do with; none: it does with all.
  void (*check_units)(const Parameters& parameters, std::span<const Unit> units) = nullptr;
};

/// All policies, in the order in which they are listed.
[[nodiscard]] std::span<const PolicyInfo> policy_catalog();

/// The row called `name`. Throws InputError naming the nearest known name.
[[nodiscard]] const PolicyInfo& find_policy(const std::string& name);

/// Makes the policy. Throws InputError for an unknown parameter (naming the nearest one), for a
/// value that cannot be read or is out of range, for a missing profile, and for units of which the
/// policy has to know more than is known.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicyInfo& info,
                                                  const PolicyInputs& inputs);

}  // namespace equipoise

// Every policy by name: one line, its source, its parameters, and how to make it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_curve.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// A parameter as `equipoise list policies` shows it.
struct ParameterInfo {
  std::string name;          ///< "initial_block_items": full words, unit last
  std::string default_text;  ///< "auto", "0.05", "direct"
  std::string unit;          ///< "items", "s", "share of the items", or empty
  std::string meaning;       ///< one line
};

/// Where a policy may look before the run.
enum class Foresight {
  none,      ///< learns from events alone
  informed,  ///< is given a profile: speeds known before the run
  oracle     ///< is given the true timings of this very run
};

/// Known costs, for informed policies and oracles: one for each unit of the run, in their order.
struct KnownCosts {
  std::vector<std::unique_ptr<CostCurve>> units;  ///< (n); null where the profile lacks the unit
};

/// What a policy is made from.
struct PolicyInputs {
  std::map<std::string, std::string> parameters;  ///< given by the user; names are in the catalog
  const KnownCosts* known = nullptr;              ///< for foresight informed and oracle
};

/// One row of the catalog.
struct PolicyInfo {
  std::string name;
  std::string line;    ///< what it does, one line
  std::string source;  ///< paper or program
  std::vector<ParameterInfo> parameters;
  Foresight foresight = Foresight::none;
  double paper_decision_s = 0.0;  ///< price of one Thought under --decision-cost paper
  std::unique_ptr<Policy> (*make)(const PolicyInputs& inputs);
};

/// All policies, in the order in which they are listed.
[[nodiscard]] std::span<const PolicyInfo> policy_catalog();

/// The row called `name`. Throws InputError naming the nearest known name.
[[nodiscard]] const PolicyInfo& find_policy(const std::string& name);

/// Makes the policy. Throws InputError for an unknown parameter (naming the nearest one), for a
/// value that cannot be read or is out of range, and for a missing profile.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicyInfo& info,
                                                  const PolicyInputs& inputs);

}  // namespace equipoise

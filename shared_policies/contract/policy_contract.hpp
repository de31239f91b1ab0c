// The promises that every policy must keep, checked on random machines. Needs no test framework:
// the tests check the policies of the catalog, and a program can check a policy that is not in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Makes a new policy for a run with these inputs.
using PolicyMaker = std::function<std::unique_ptr<Policy>(const PolicyInputs& inputs)>;

/// A round in which a policy broke a promise.
struct Breach {
  int round = 0;
  std::string what;  ///< a description, with the numbers
};

/// One promise of every policy.
struct Promise {
  std::string name;  ///< one word in CamelCase: DoesAllItems
  std::string line;  ///< the promise in one sentence
  int rounds = 0;    ///< rounds of a thorough check, each with its own machine
  /// Checks the promise in `rounds` rounds, drawn from `seed`; returns nothing if it was kept in
  /// all of them. The same seed and rounds draw the same machines. Throws what the policy throws.
  std::optional<Breach> (*check)(const PolicyMaker& make, std::uint32_t seed, int rounds);
};

/// All promises: every item is done exactly once; no makespan is below the lower bound; units may
/// fail, come back or join late; blocks may be taken back, and given to two units; several phases
/// follow one another; and equal events lead to equal decisions.
[[nodiscard]] std::span<const Promise> policy_contract();

}  // namespace equipoise

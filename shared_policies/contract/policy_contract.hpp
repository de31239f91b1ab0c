// What every policy promises, asked on machines that are drawn at random. Needs no test framework:
// the tests ask it of the catalog, and a program can ask it of a policy that is not in it.
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

/// A round in which a policy did not keep a promise.
struct Breach {
  int round = 0;
  std::string what;  ///< in words, with the numbers
};

/// One promise of every policy.
struct Promise {
  std::string name;  ///< in one word, CamelCase: DoesAllItems
  std::string line;  ///< in one sentence
  int rounds = 0;    ///< that a thorough check takes, each with a machine of its own
  /// Asks for `rounds` rounds, drawn from `seed`; nothing: the promise was kept in all of them.
  /// The same seed and rounds draw the same machines. Throws what the policy throws.
  std::optional<Breach> (*check)(const PolicyMaker& make, std::uint32_t seed, int rounds);
};

/// All promises: every item is done exactly once, no run beats the lower bound, units may fail, come
/// back or come late, several phases follow one another, and equal events meet equal decisions.
[[nodiscard]] std::span<const Promise> policy_contract();

}  // namespace equipoise

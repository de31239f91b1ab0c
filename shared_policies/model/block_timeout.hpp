// How long a unit may keep its blocks and probes before it counts as lost: --block-timeout.
#pragma once

#include <array>
#include <cstdint>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// When a unit that keeps its blocks or probes counts as lost. BlockWatch has the rules.
struct BlockTimeout {
  enum class Rule : std::uint8_t {
    none,       ///< never
    automatic,  ///< as follows from what was learned of the units
    fixed       ///< after a given time
  };
  Rule rule = Rule::none;
  Seconds after{};  ///< of Rule::fixed

  constexpr bool operator==(const BlockTimeout&) const = default;

  [[nodiscard]] static constexpr BlockTimeout automatic() { return {Rule::automatic}; }
  [[nodiscard]] static constexpr BlockTimeout fixed(Seconds after) { return {Rule::fixed, after}; }
};

/// The same rule with a time that is longer by `factor`, if it has one.
[[nodiscard]] constexpr BlockTimeout operator*(double factor, const BlockTimeout& timeout) {
  return {timeout.rule, factor * timeout.after};
}

/// The word that stands in the place of seconds in files and on the command line.
enum class TimeoutWord : std::uint8_t { automatic };

constexpr auto words(DescriptionOf<TimeoutWord> /*of*/) {
  return std::array{Word{TimeoutWord::automatic, "auto"}};
}

}  // namespace equipoise

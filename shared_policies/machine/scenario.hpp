// Scenarios: the disturbances of a run, described in the same way for simulated and real workers,
// and what they make of the speeds, bandwidths and presence of units and links.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The kind of a disturbance of a unit or a link.
enum class DisturbanceKind : std::uint8_t {
  compete,    ///< another load takes `amount` of the unit's time, a share in [0, 1)
  slow,       ///< the unit takes `amount` times as long, > 0
  profile,    ///< the unit's speed is multiplied by the factors of `profile`
  bandwidth,  ///< the link's bandwidth is multiplied by `amount`, > 0, or as `profile` says
  fail,       ///< the unit is lost, together with its outstanding blocks
  join        ///< the unit becomes available, for the first time or again
};

constexpr auto words(DescriptionOf<DisturbanceKind> /*of*/) {
  return std::array{
      Word{DisturbanceKind::compete, "compete"}, Word{DisturbanceKind::slow, "slow"},
      Word{DisturbanceKind::profile, "profile"}, Word{DisturbanceKind::bandwidth, "bandwidth"},
      Word{DisturbanceKind::fail, "fail"},       Word{DisturbanceKind::join, "join"}};
}

[[nodiscard]] constexpr const char* to_string(DisturbanceKind kind) { return word_of(kind); }

/// A speed or a bandwidth is multiplied by `factor` from `since` on.
struct SpeedStep {
  Seconds since;  ///< relative to the `at` of the disturbance
  double factor = 1.0;
};

/// One event of a scenario.
struct Disturbance {
  Seconds at;
  Seconds until = Seconds::infinity();  ///< end of the disturbance; for `fail`: the unit comes back
                                        ///< then
  DisturbanceKind kind = DisturbanceKind::slow;
  std::string target;  ///< the name of a unit, or of a link for `bandwidth`
  double amount = 1.0;
  std::vector<SpeedStep> profile;  ///< ascending; the factor is 1 before the first
};

/// A unit joins or is lost.
struct PresenceChange {
  Seconds at;
  bool present = true;
};

/// Whether a unit is present at the start, and all later changes.
struct Presence {
  bool at_start = true;
  std::vector<PresenceChange> changes;  ///< ascending, alternating

  /// 1 while the unit is present, else 0.
  [[nodiscard]] StepFunction function() const;
};

/// All disturbances of a run. The factors of several disturbances of the same target are
/// multiplied.
struct Scenario {
  std::string name;  ///< the file name, for headers; empty: undisturbed
  std::vector<Disturbance> events;

  /// The speed of `unit` as a factor of its speed in the trace. Does not consider whether the unit
  /// is present.
  [[nodiscard]] StepFunction speed_of(const std::string& unit) const;
  /// The bandwidth of `link` as a factor of its bandwidth in the platform.
  [[nodiscard]] StepFunction bandwidth_of(const std::string& link) const;
  /// The presence of `unit` according to `fail` and `join`. If the first of these is a `join`, the
  /// unit is absent until then.
  [[nodiscard]] Presence presence_of(const std::string& unit) const;
};

/// A platform whose link bandwidths are changed by a scenario. Both must outlive this object.
struct DisturbedPlatform {
  const Platform& platform;
  const Scenario& scenario;
  std::vector<StepFunction> link_bytes_per_s;  ///< (links)

  DisturbedPlatform(const Platform& platform, const Scenario& scenario);

  /// The smallest bandwidth of `links` at each time, in bytes/s. 1 if `links` is empty: nothing is
  /// transferred then.
  [[nodiscard]] StepFunction bandwidth_of(const std::vector<std::uint32_t>& links) const;

  /// The bandwidth of `route` as a factor of its undisturbed bandwidth; exactly 1 wherever nothing
  /// changes it.
  [[nodiscard]] StepFunction rate_of(const Route& route) const;

  /// The rate of `unit`'s copies over `route`: the rate of the route, multiplied by the unit's own
  /// speed if the unit has no copy engine and copies by itself.
  [[nodiscard]] StepFunction copy_rate_of(const PlatformUnit& unit, const Route& route) const;
};

}  // namespace equipoise

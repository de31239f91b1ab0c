// What disturbs a run: the same words for the simulator and for real workers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// What happens to a unit or a link.
enum class DisturbanceKind : std::uint8_t {
  compete,    ///< another load takes `amount` of the unit, a share in [0, 1)
  slow,       ///< the unit takes `amount` times as long, > 0
  profile,    ///< the unit's speed is multiplied by the factors of `profile`
  bandwidth,  ///< the link's bandwidth is multiplied by `amount`, > 0
  fail,       ///< the unit goes away, with the blocks that it has
  join        ///< the unit comes (back)
};

[[nodiscard]] const char* to_string(DisturbanceKind kind);

/// From `since` on, a speed is multiplied by `factor`.
struct SpeedStep {
  Seconds since;  ///< after the disturbance's own `at`
  double factor = 1.0;
};

/// One event of a scenario.
struct Disturbance {
  Seconds at;
  Seconds until = Seconds::infinity();  ///< of `fail`: the unit comes back then
  DisturbanceKind kind = DisturbanceKind::slow;
  std::string target;  ///< the name of a unit; of a link for `bandwidth`
  double amount = 1.0;
  std::vector<SpeedStep> profile;  ///< ascending; factor 1 before the first
};

/// When a unit comes or goes.
struct PresenceChange {
  Seconds at;
  bool present = true;
};

/// Whether a unit is there from the beginning, and what changes that.
struct Presence {
  bool at_start = true;
  std::vector<PresenceChange> changes;  ///< ascending, alternating

  /// 1 while the unit is there, else 0.
  [[nodiscard]] StepFunction function() const;
};

/// All that disturbs a run. Several disturbances of one target multiply.
struct Scenario {
  std::string name;  ///< the file, for headers; empty: undisturbed
  std::vector<Disturbance> events;

  /// The speed of `unit` as a factor of what its trace says, present or not.
  [[nodiscard]] StepFunction speed_of(const std::string& unit) const;
  /// The bandwidth of `link` as a factor of the platform's.
  [[nodiscard]] StepFunction bandwidth_of(const std::string& link) const;
  /// A unit whose first event of these kinds is `join` is absent until then.
  [[nodiscard]] Presence presence_of(const std::string& unit) const;
};

}  // namespace equipoise

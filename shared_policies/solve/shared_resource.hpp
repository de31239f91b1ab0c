// What several units share: the rows of the linear program of the lower bound.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shared_policies/machine/disturbed_platform.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/solve/rate_integral.hpp"
#include "shared_policies/solve/unit_needs.hpp"

namespace equipoise {

/// A link that several units use, or a copy engine of a device that several units share.
///
/// An engine copies for one unit at a time. As in UnitNeeds, adding up over all transfers of all
/// its units gives, for every constant c,
///
///     sum over units of sum (c L + bytes/B)  <=  integral of max over units of max(c, r(t)) while
///                                                the unit is there
///
/// where L, B and r are those of the unit's route. Used for the smallest and the largest value of
/// all r.
struct SharedResource {
  /// The least that a unit needs of it. A unit may stand there twice.
  struct User {
    std::size_t needs = 0;        ///< its position among the needs
    double per_item = 0.0;        ///< bytes, or seconds of an engine
    double per_setup_byte = 0.0;  ///< bytes, or seconds of an engine
  };
  std::string name;  ///< the link's; "copies" for an engine
  std::vector<User> users;
  StepFunction rate;
  RateIntegral offered = {};  ///< the integral of `rate` from the start that was set last
};

/// The shared resources of the units in `needs`. Tells units that use links alone about them
/// (UnitNeeds::set_own_links).
[[nodiscard]] std::vector<SharedResource> find_shared_resources(const DisturbedPlatform& world,
                                                                std::vector<UnitNeeds>& needs);

}  // namespace equipoise

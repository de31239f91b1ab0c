// What the shares of units need of what a span of time offers them, under a scenario: the rows of
// the lower bound that belong to one unit.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/disturbed_platform.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/solve/cheapest_blocks.hpp"
#include "shared_policies/solve/rate_integral.hpp"

namespace equipoise {

/// One thing that a unit's share takes, and the rate at which time offers it.
struct Need {
  CheapestBlocks takes;
  double resident = 0.0;  ///< what a resident byte takes more
  StepFunction rate;
  RateIntegral offered = {};  ///< of `rate`, from the beginning that was set last

  /// The items for which `span_s` from the start on are enough, with so many resident bytes.
  [[nodiscard]] double within(double span_s, double resident_bytes) const;
};

/// Everything that one unit's share needs.
///
/// compute: mean times, at the speed that the scenario leaves while the unit is there. A unit that
/// copies by itself, over links of its own, does nothing else meanwhile: its copies are added, and
/// the largest of its rates holds for all.
///
/// copies: a unit copies one block at a time each way (in all, with one copy engine). Let B be the
/// undisturbed bandwidth of the route's narrowest link, and r(t) the narrowest one's at time t over
/// B. A transfer passes its latency L in real time, then bytes/B of the integral of r. So for every
/// constant c, adding up over all transfers, whose times are disjoint and lie where the unit is
/// there,
///
///     sum (c L + bytes/B)  <=  integral of max(c, r(t)) dt while the unit is there,
///
/// because max(c, r) >= c in latencies and >= r behind them. The least and the greatest value of r
/// are taken for c; without a scenario both are 1: latency + bytes/B <= T. With one copy engine L
/// and bytes/B are those of both ways and r is the larger of theirs.
///
/// The latencies of such a unit are part of what it does at its rate: they count as bytes/B does.
///
/// own_link_bytes: a link that this unit alone crosses, both ways, carries all its bytes.
struct UnitNeeds {
  std::size_t unit = 0;
  Need compute;
  std::vector<Need> copies;
  std::optional<Need> own_link_bytes;
  double in_bytes_per_item = 0.0;   ///< at least
  double out_bytes_per_item = 0.0;  ///< at least
  bool ends_present = true;         ///< the unit is there when the scenario is over

  UnitNeeds(const DisturbedPlatform& world, const Workload& workload, std::size_t unit,
            const BlockTiming& timing);

  /// Adds that the unit alone crosses `links`, each of them both ways.
  void set_own_links(const DisturbedPlatform& world, const std::vector<std::uint32_t>& links);
  /// From now on, spans begin at `start`.
  void begin_at(Seconds start);

  /// The items whose copies fit into `span_s`, with so many resident bytes.
  [[nodiscard]] double copies_within(double span_s, double resident_bytes) const;

 private:
  StepFunction present_;
};

}  // namespace equipoise

// fixed: one division before the run, by shares that the user gives; for sweeps over shares, such
// as those of the energy paper over the share alpha of the CPU, and for comparing with a division
// that somebody else found.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

constexpr const char* even_shares = "even";

std::vector<double> given_shares(const Parameters& parameters) {
  if (parameters.text("shares") == even_shares) return {};
  return parameters.share_list("shares");
}

/// Gives each unit its share of every iteration, as `blocks` equal blocks or as many as its memory
/// requires. The shares of lost and absent units go to whoever is idle (see BlockPlan). It is told
/// what to do and decides nothing, so it reports no decision.
class Fixed final : public EventPolicy {
 public:
  explicit Fixed(const Parameters& read)
      : shares_(given_shares(read)), blocks_(read.items("blocks", 1)) {}

 private:
  void on_idle(UnitId unit) override { plan_.offer(view(), unit, decisions()); }
  void on_unit_lost(UnitId unit) override { plan_.drop(view(), unit, decisions()); }

  /// The boundaries between shares are rounded to grains, so that all items are given out.
  void on_iteration() override {
    const std::size_t n = view().units().size();
    if (shares_.empty()) shares_.assign(n, 1.0);
    EQ_CHECK(shares_.size() == n, "check_fixed has compared the shares with the units");
    const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    const Workload& workload = view().workload();
    plan_.clear(view());
    const auto last = std::ranges::find_if(shares_.rbegin(), shares_.rend(),
                                           [](double share) { return share > 0.0; });
    double end = 0.0;
    Items given = 0;
    for (const UnitState& unit : view().units()) {
      end += shares_[unit.id.index] / sum;
      const bool is_last = &shares_[unit.id.index] == &*last;
      const Items until = is_last ? workload.items
                                  : nearest_block(end * static_cast<double>(workload.items),
                                                  workload.grain_items, workload.items);
      const Items share = std::max<Items>(0, until - given);
      given += share;
      if (!unit.present || share == 0) continue;
      const Items grains = (share + workload.grain_items - 1) / workload.grain_items;
      const Items as_memory_requires = (share + unit.cap_items - 1) / unit.cap_items;
      plan_.add(unit.id, share, std::max(as_memory_requires, std::min(blocks_, grains)),
                workload.grain_items);
    }
  }

  std::vector<double> shares_;  // (n) in any unit of measure; none given: even ones
  Items blocks_;
  BlockPlan plan_;
};

void check_fixed(const Parameters& parameters, std::span<const Unit> units) {
  const std::vector<double> shares = given_shares(parameters);
  if (shares.empty() || shares.size() == units.size()) return;
  std::vector<std::string> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  throw InputError(
      "policy",
      fmt::format(
          "shares={} are {}, and the run has {} units; give one share for each, in this order: {}",
          parameters.text("shares"), shares.size(), units.size(), fmt::join(names, ", ")));
}

}  // namespace

PolicyInfo fixed_info() {
  return {
      .name = "fixed",
      .line = "divides once, before the run, by the shares that you give",
      .source =
          "energy paper, Euro-Par 2017: section 3, a static algorithm; 4, the share alpha from 0 "
          "to 1",
      .parameters = {{"shares", even_shares, "",
                      "of the items, one for each unit in the order of the units, with / between "
                      "them; only their ratios matter: 0.3/0.7",
                      "not said; chosen because an even division needs no knowledge"},
                     {"blocks", "1", "blocks", "equal blocks that a share is handed out in",
                      "energy paper 3: the work of each device is determined at the beginning"}},
      .make = make_a<Fixed>,
      .check_units = check_fixed};
}

}  // namespace equipoise

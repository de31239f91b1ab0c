// energy-alpha: one division before the run, for the least time, energy or energy-delay product.
//
// From the energy paper (Euro-Par 2017), section 2: a CPU and a GPU, C and G, whose times are
// proportional to their items; alpha is the share of the CPU.
//
//     T = max(T_C, T_G)                                        (1)   evaluate_split
//     E = (P^S_C + P^S_G) T + P^D_C T_C + P^D_G T_G            (2)   evaluate_split
//     time: alpha_opt = S_C / (S_C + S_G)                      (3)   solve_alpha
//     energy: alpha = 0, alpha_opt or 1, by the slopes         (7-9) solve_alpha
//     energy-delay product: the best of 0, alpha_opt, 1              solve_alpha
//     each gets one block                                            share_out
//
// energy_split.hpp has the formulas, and where the paper exchanges conditions. A unit that is left
// out idles and draws its static power until the end.
//
// Ours: n units, by the prefix rule. A profile replaces the paper's two measured speeds; it is read
// at an even share. A share is several blocks if memory does not hold one. The units of a group
// share its items so that they end together.
//
// Eq. 2 multiplies dynamic power by T_C and T_G, the whole times of the devices: their speeds take
// "the communication times" into account, and so do the watts, which are means over test
// executions. (Its text says "only when the device is computing", and has no other time than
// these.) So does dynamic_time=device. The energy of our runs (busy watts while a unit computes,
// not while it copies) is that of dynamic_time=computing: dynamic watts times the computing part of
// the profile's times. Where nothing is copied, as in the paper's tables, both are the same.
#include <cstddef>
#include <vector>

#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

/// What the shares are computed for.
enum class Grouping {
  units,   ///< every unit gets its own share
  cpu_gpu  ///< one share for all CPU units, one for all accelerators
};

/// When a unit draws its dynamic power.
enum class DynamicTime {
  device,    ///< during the whole time of its blocks
  computing  ///< while it computes, not while it copies
};

class EnergyAlpha final : public PlannedPolicy {
 public:
  EnergyAlpha(const Parameters& read, const KnownCosts& known)
      : PlannedPolicy(known, "profile"),
        objective_(objective_of(read)),
        grouping_(read.choice<Grouping>("groups", {"units", "cpu-gpu"})),
        dynamic_(read.choice<DynamicTime>("dynamic_time", {"device", "computing"})) {}

 private:
  using Group = std::vector<UnitId>;

  [[nodiscard]] std::vector<Items> divide(const Costs& costs) const override {
    const std::vector<Group> groups = group();
    std::vector<PoweredUnit> powered;
    double items_per_s = 0.0;
    for (const Group& members : groups) {
      powered.push_back(power_of(members, costs));
      items_per_s += powered.back().items_per_s;
    }
    std::vector<Items> shares(view().units().size(), 0);
    if (items_per_s > 0.0) {  // otherwise no unit is present
      share_out(costs, groups, group_shares(powered), shares);
    }
    return shares;
  }

  [[nodiscard]] std::vector<Group> group() const {
    const bool by_kind = grouping_ == Grouping::cpu_gpu;
    std::vector<Group> groups(by_kind ? 2 : view().units().size());
    for (const UnitState& unit : view().units()) {
      const std::size_t kind = unit.unit.kind == UnitKind::cpu ? 0 : 1;
      groups[by_kind ? kind : unit.id.index].push_back(unit.id);
    }
    return groups;
  }

  /// Sums of the speeds and dynamic powers of the present members, and of the static powers of all.
  [[nodiscard]] PoweredUnit power_of(const Group& members, const Costs& costs) const {
    const double even = all_items() / static_cast<double>(view().units().size());
    PoweredUnit sum;
    for (const UnitId id : members) {
      const UnitState& unit = view().unit(id);
      const SequentialCost cost =
          sequential_cost(view(), id, *costs[id.index], BlockRule::as_large_as_fits);
      sum.static_w += unit.unit.idle_w.value_or(0.0);
      if (unit.present) {
        const double seconds = cost.at(even).seconds;
        sum.items_per_s += even / seconds;
        if (objective_ != Objective::time) {
          const bool is_whole = dynamic_ == DynamicTime::device;
          const double part = is_whole ? 1.0 : cost.computing_s(even) / seconds;
          sum.dynamic_w += part * dynamic_w(unit.unit);
        }
      }
    }
    return sum;
  }

  [[nodiscard]] std::vector<double> group_shares(const std::vector<PoweredUnit>& groups) const {
    if (grouping_ == Grouping::units) return solve_prefix(groups, objective_);
    const double alpha = solve_alpha(groups[0], groups[1], objective_);
    return {alpha, 1.0 - alpha};
  }

  /// Divides the items among the groups and their members. The boundaries between groups are
  /// rounded, so that all items are given out.
  void share_out(const Costs& costs, const std::vector<Group>& groups,
                 const std::vector<double>& group_shares, std::vector<Items>& shares) const {
    const Workload& workload = view().workload();
    double end = 0.0;
    Items given = 0;
    std::size_t last = groups.size() - 1;
    while (group_shares[last] == 0.0) --last;
    for (std::size_t g = 0; g <= last; ++g) {
      end += group_shares[g] * static_cast<double>(workload.items);
      const Items until =
          g == last ? workload.items : nearest_block(end, workload.grain_items, workload.items);
      Group there;
      for (const UnitId id : groups[g]) {
        if (view().unit(id).present) there.push_back(id);
      }
      const std::vector<Items> parts =
          divide_among(view(), there, until - given, costs, BlockRule::as_large_as_fits);
      for (const UnitId id : there) shares[id.index] = parts[id.index];
      given = until;
    }
  }

  Objective objective_;
  Grouping grouping_;
  DynamicTime dynamic_;
};

void check_energy_alpha(const Parameters& parameters, std::span<const Unit> units) {
  check_objective(parameters, units, "energy-alpha");
}

}  // namespace

PolicyInfo energy_alpha_info() {
  return {
      .name = "energy-alpha",
      .line = "divides once, before the run, for the least time, energy or energy-delay product",
      .source = "energy paper, Euro-Par 2017 (closed forms for a CPU and a GPU); ours for n units",
      .parameters =
          {profile_parameter(),
           objective_parameter(),
           {"groups", "units", "",
            "who gets a share: every unit (units), or all CPUs and all accelerators (cpu-gpu)",
            "one CPU and one GPU in the paper, where both are the same; it does not say for more; "
            "chosen because leaving out single units can only save more"},
           {"dynamic_time", "device", "",
            "dynamic watts count during the whole time of a unit's blocks (device), or only while "
            "it computes, as in the energy of our runs (computing)",
            "eq. 2: P^D times the device's time, of which the communication times are part"}},
      .foresight = Foresight::informed,
      .make = make_a<EnergyAlpha>,
      .check_units = check_energy_alpha};
}

}  // namespace equipoise

// pareto: one division before the run, a point of the front of time and energy, for times and
// energies of any shape.
//
// From Khaleghzadeh, Fahad, Shahid, Reddy Manumachu and Lastovetsky (IEEE TPDS 2021,
// arXiv:1907.04080): the times t_p(x) and dynamic energies e_p(x) of p heterogeneous processors are
// given as discrete functions of the workload size, of any shape. A Pareto-optimal distribution of
// N items is one that no other beats in both
//
//     max_p t_p(x_p)   and   sum_p e_p(x_p),     sum_p x_p = N        PieceDivision
//
// HEPOPTA finds them all, exactly                                     best_of_front (method: ours)
// total energy: static power times the time is added                  PieceDivision::result_of
// each processor gets its share at once                               PlannedPolicy
//
// We had the abstract and extracts of the paper, not its listing; the method that finds the front
// (solve/pareto_front) is our own. The functions are the profile's: block times as recorded, with
// straight lines between recorded sizes, and busy less idle watts while a unit computes.
//
// Ours: which point of the front a run takes (objective, slack); pieces of several items; several
// blocks where memory does not hold a share. The run loop cuts whole grains, so a last grain that
// is smaller goes to whoever asks last, not to the unit of the division.
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/policies/divide/piece_division.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

constexpr const char* any_slack = "any";
constexpr double most_slack = 1e6;

/// The share of the least time that a run may take longer than that.
double slack_of(const Parameters& read) {
  if (read.text("slack") == any_slack) return std::numeric_limits<double>::infinity();
  return read.number("slack", 0.0, most_slack);
}

class Pareto final : public PlannedPolicy {
 public:
  Pareto(const Parameters& read, const KnownCosts& known)
      : PlannedPolicy(known, "profile"),
        objective_(objective_of(read)),
        slack_(slack_of(read)),
        pieces_(read.items("pieces", 1, most_pieces)) {}

 private:
  /// A division, and the machine that it was made for.
  struct Divided {
    int phase = 0;
    std::vector<Items> cap_items;  ///< (n); 0 of absent units
    std::vector<Items> shares;     ///< (n)
  };

  /// Iterations are alike as long as the units are: their division is made once.
  [[nodiscard]] std::vector<Items> divide(const Costs& costs) const override {
    std::vector<Items> caps;
    for (const UnitState& unit : view().units()) caps.push_back(unit.present ? unit.cap_items : 0);
    if (!last_ || last_->phase != view().phase() || last_->cap_items != caps) {
      std::vector<Items> shares = divide_now(costs);
      last_ = Divided{view().phase(), std::move(caps), std::move(shares)};
    }
    return last_->shares;
  }

  [[nodiscard]] std::vector<Items> divide_now(const Costs& costs) const {
    if (present_units(view()).empty()) return std::vector<Items>(view().units().size(), 0);
    const PieceDivision division(view(), costs, pieces_);
    const auto value = [&](double seconds, double dynamic_j) {
      return division.result_of({seconds, dynamic_j, {}}).of(objective_);
    };
    return division.items_of(best_of_front(division.problem(), value, 1.0 + slack_));
  }

  Objective objective_;
  double slack_;
  Items pieces_;
  mutable std::optional<Divided> last_;
};

void check_pareto(const Parameters& parameters, std::span<const Unit> units) {
  check_objective(parameters, units, "pareto");
  if (std::isfinite(slack_of(parameters)) && objective_of(parameters) == Objective::time) {
    throw InputError("policy",
                     "slack is the time that may be given up for energy, and objective=time gives "
                     "up none; add objective=energy or edp, or leave slack out");
  }
}

}  // namespace

PolicyInfo pareto_info() {
  return {
      .name = "pareto",
      .line = "divides once, before the run, exactly for time and energy, whatever their curves",
      .source = "Khaleghzadeh et al., IEEE TPDS 2021 (arXiv:1907.04080)",
      .parameters =
          {profile_parameter(),
           {"objective", "time", "",
            "what is to be least, of all divisions that none beats in time and energy: time, "
            "energy or edp (their product)",
            "the paper returns all of them; time is what other policies aim at"},
           {"slack", any_slack, "share of the least time",
            "for energy and edp: how much longer than the least time the division may take, 0.05 "
            "for 5 %; any: as much as that takes",
            "ours; the paper leaves the choice to its user"},
           {"pieces", "1024", "pieces", "equal pieces that the items are cut into",
            "the paper's sizes of the discrete functions; how many is not said; chosen because a "
            "piece more or less should not matter"}},
      .foresight = Foresight::informed,
      .make = make_a<Pareto>,
      .check_units = check_pareto};
}

}  // namespace equipoise

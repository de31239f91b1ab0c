// The candidate splits, and the choice of the best.
#include "shared_policies/policies/divide/energy_split.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double edp_of(const PoweredUnit& c, const PoweredUnit& g, double alpha) {
  const std::array units = {c, g};
  return evaluate_split(units, std::array{alpha, 1.0 - alpha}, 1.0).edp_js();
}

double energy_alpha(const PoweredUnit& c, const PoweredUnit& g, double alpha_time) {
  const double static_w = c.static_w + g.static_w;
  if (g.items_per_s * c.dynamic_w > c.items_per_s * (static_w + g.dynamic_w)) return 0.0;
  if (g.items_per_s * (static_w + c.dynamic_w) < c.items_per_s * g.dynamic_w) return 1.0;
  return alpha_time;
}

double edp_alpha(const PoweredUnit& c, const PoweredUnit& g, double alpha_time) {
  double best = alpha_time;
  for (const double alpha : {0.0, 1.0}) {
    if (edp_of(c, g, alpha) < edp_of(c, g, best)) best = alpha;
  }
  return best;
}

}  // namespace

double SplitResult::of(Objective objective) const {
  switch (objective) {
    case Objective::time:
      return time_s;
    case Objective::energy:
      return energy_j;
    case Objective::edp:
      return edp_js();
  }
  return time_s;
}

SplitResult evaluate_split(std::span<const PoweredUnit> units, std::span<const double> shares,
                           double items) {
  SplitResult worth;
  double static_w = 0.0;
  for (std::size_t p = 0; p < units.size(); ++p) {
    static_w += units[p].static_w;
    if (shares[p] == 0.0) continue;
    EQ_CHECK(units[p].items_per_s > 0.0, "a unit with work has a speed");
    const double busy_s = shares[p] * items / units[p].items_per_s;
    worth.time_s = std::max(worth.time_s, busy_s);
    worth.energy_j += units[p].dynamic_w * busy_s;
  }
  worth.energy_j += static_w * worth.time_s;
  return worth;
}

double solve_alpha(const PoweredUnit& c, const PoweredUnit& g, Objective objective) {
  EQ_CHECK(c.items_per_s > 0.0 || g.items_per_s > 0.0, "at least one unit has a speed");
  const double alpha_time = c.items_per_s / (c.items_per_s + g.items_per_s);
  if (objective == Objective::time || c.items_per_s == 0.0 || g.items_per_s == 0.0) {
    return alpha_time;
  }
  return objective == Objective::energy ? energy_alpha(c, g, alpha_time)
                                        : edp_alpha(c, g, alpha_time);
}

std::vector<double> solve_prefix(std::span<const PoweredUnit> units, Objective objective) {
  std::vector<std::size_t> order;
  double static_w = 0.0;
  for (std::size_t p = 0; p < units.size(); ++p) {
    static_w += units[p].static_w;
    if (units[p].items_per_s > 0.0) order.push_back(p);
  }
  EQ_CHECK(!order.empty(), "at least one unit has a speed");
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return units[a].dynamic_w / units[a].items_per_s < units[b].dynamic_w / units[b].items_per_s;
  });
  double items_per_s = 0.0;
  double watts = static_w;
  double best = 0.0;
  double best_items_per_s = 0.0;
  std::size_t working = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    items_per_s += units[order[k]].items_per_s;
    watts += units[order[k]].dynamic_w;
    const double value = SplitResult{1.0 / items_per_s, watts / items_per_s}.of(objective);
    if (k == 0 || value <= best) {
      best = value;
      best_items_per_s = items_per_s;
      working = k + 1;
    }
  }
  std::vector<double> shares(units.size(), 0.0);
  for (std::size_t k = 0; k < working; ++k) {
    shares[order[k]] = units[order[k]].items_per_s / best_items_per_s;
  }
  return shares;
}

}  // namespace equipoise

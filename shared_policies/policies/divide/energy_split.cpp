// The candidate splits of closed forms, and the search, in which starting splits, from prefixes and
// from time limits, are improved by moving items between pairs of units, and the best of these by
// other time limits near its own.
#include "shared_policies/policies/divide/energy_split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"
#include "shared_policies/solve/inverse_cost.hpp"

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
  std::ranges::stable_sort(
      order, {}, [&](std::size_t p) { return units[p].dynamic_w / units[p].items_per_s; });
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

namespace {

constexpr int times_tried = 96;       // from the least time to that of the slowest unit alone
constexpr int first_passes = 2;       // by single grains
constexpr std::size_t improved = 32;  // how many of the best starts are improved

using Shares = std::vector<Items>;

/// Moves items between pairs of units as long as this improves the value.
class PairMoves {
 public:
  PairMoves(const EnergyProblem& problem, Objective objective, Shares shares)
      : problem_(problem), objective_(objective), shares_(std::move(shares)) {
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      parts_.push_back(part(p, shares_[p]));
      dynamic_j_ += parts_[p].dynamic_j;
    }
    find_last_ends();
    value_ = value(last_end_s_.front(), dynamic_j_);
  }

  Shares improve() {
    // Large moves may leave the neighbourhood of the start, and with it the best split.
    for (int k = 0; k < first_passes && move_all_pairs(problem_.grain_items); ++k) {
    }
    Items step = problem_.grain_items;
    while (step <= problem_.items / 4) step *= 2;
    for (; step >= problem_.grain_items; step /= 2) {
      while (move_all_pairs(step)) {
      }
    }
    while (move_crumb()) {
      while (move_all_pairs(problem_.grain_items)) {
      }
    }
    return std::move(shares_);
  }

 private:
  struct Part {
    double end_s = 0.0;
    double dynamic_j = 0.0;
  };

  [[nodiscard]] Part part(std::size_t p, Items items) const {
    if (items == 0) return {};
    const auto x = static_cast<double>(items);
    return {problem_.costs[p]->at(x).seconds,
            problem_.dynamic_w[p] * problem_.costs[p]->computing_s(x)};
  }

  [[nodiscard]] double value(double time_s, double dynamic_j) const {
    return SplitResult{time_s, problem_.static_w * time_s + dynamic_j}.of(objective_);
  }

  /// Finds the three latest ends. With them, the latest end among all units but two is known in
  /// O(1).
  void find_last_ends() {
    last_.fill(parts_.size());
    last_end_s_.fill(0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      std::size_t at = p;
      double end_s = parts_[p].end_s;
      for (std::size_t k = 0; k < last_.size(); ++k) {
        if (end_s > last_end_s_[k]) {
          std::swap(end_s, last_end_s_[k]);
          std::swap(at, last_[k]);
        }
      }
    }
  }

  [[nodiscard]] double last_end_without(std::size_t from, std::size_t to) const {
    for (std::size_t k = 0; k < last_.size(); ++k) {
      if (last_[k] != from && last_[k] != to) return last_end_s_[k];
    }
    return 0.0;
  }

  bool move_all_pairs(Items step) {
    bool any = false;
    for (std::size_t from = 0; from < shares_.size(); ++from) {
      for (std::size_t to = 0; to < shares_.size(); ++to) {
        if (from != to && shares_[from] > 0) {
          any = move(from, to, std::min(step, shares_[from])) || any;
        }
      }
    }
    return any;
  }

  /// Moves the partial grain away from the unit that has it, or exchanges it for a whole grain, if
  /// this improves the value.
  bool move_crumb() {
    const Items crumb = problem_.items % problem_.grain_items;
    for (std::size_t from = 0; from < shares_.size() && crumb > 0; ++from) {
      if (shares_[from] % problem_.grain_items == 0) continue;
      for (std::size_t to = 0; to < shares_.size(); ++to) {
        const Items missing = problem_.grain_items - crumb;
        if (from != to && (move(from, to, crumb) ||
                           (shares_[to] >= problem_.grain_items && move(to, from, missing)))) {
          return true;
        }
      }
    }
    return false;
  }

  bool move(std::size_t from, std::size_t to, Items items) {
    const Part less = part(from, shares_[from] - items);
    const Part more = part(to, shares_[to] + items);
    const double time_s = std::max({less.end_s, more.end_s, last_end_without(from, to)});
    const double dynamic_j = dynamic_j_ + less.dynamic_j - parts_[from].dynamic_j + more.dynamic_j -
                             parts_[to].dynamic_j;
    const double moved = value(time_s, dynamic_j);
    if (!(moved < value_ * (1.0 - 1e-12))) return false;
    shares_[from] -= items;
    shares_[to] += items;
    parts_[from] = less;
    parts_[to] = more;
    dynamic_j_ = dynamic_j;
    value_ = moved;
    find_last_ends();
    return true;
  }

  const EnergyProblem& problem_;
  Objective objective_;
  Shares shares_;
  std::vector<Part> parts_;
  double dynamic_j_ = 0.0;
  double value_ = 0.0;
  std::array<std::size_t, 3> last_{};
  std::array<double, 3> last_end_s_{};
};

/// The splits from which the search starts.
class Starts {
 public:
  Starts(const EnergyProblem& problem, Objective objective)
      : problem_(problem), objective_(objective) {
    const auto items = static_cast<double>(problem.items);
    for (const CostModel* cost : problem.costs) within_.emplace_back(*cost, items);
    add_prefixes();
    add_times();
    std::ranges::stable_sort(found_, {}, &Start::value);
    const auto same = [](const Start& a, const Start& b) { return a.shares == b.shares; };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  }

  struct Start {
    double value = 0.0;
    Shares shares;
  };
  [[nodiscard]] const std::vector<Start>& found() const { return found_; }

  /// The best split that fills units within one of `times_s`; nothing if none holds all items.
  [[nodiscard]] Shares best_within(std::span<const double> times_s) {
    found_.clear();
    for (const double time_s : times_s) fill_within(time_s);
    const auto best = std::ranges::min_element(found_, {}, &Start::value);
    return best == found_.end() ? Shares{} : std::move(best->shares);
  }

 private:
  void add(Shares shares) {
    const double value = evaluate_split(problem_, shares).of(objective_);
    found_.push_back({value, std::move(shares)});
  }

  /// The units in the order of their dynamic energy per item, each with a share of its given size.
  [[nodiscard]] std::vector<std::size_t> order_at(const std::vector<double>& items) const {
    std::vector<double> per_item_j;
    for (std::size_t p = 0; p < items.size(); ++p) {
      const double x = std::max(items[p], static_cast<double>(problem_.grain_items));
      per_item_j.push_back(problem_.dynamic_w[p] * problem_.costs[p]->computing_s(x) / x);
    }
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t p) { return per_item_j[p]; });
    return order;
  }

  /// The shares with which the first `count` units of `order` finish at the same time.
  [[nodiscard]] Shares end_together(const std::vector<std::size_t>& order,
                                    std::size_t count) const {
    std::vector<const CostModel*> costs;
    for (std::size_t k = 0; k < count; ++k) costs.push_back(problem_.costs[order[k]]);
    const Shares whole = equal_time_shares(costs, problem_.items, problem_.grain_items);
    Shares shares(order.size(), 0);
    for (std::size_t k = 0; k < count; ++k) shares[order[k]] = whole[k];
    return shares;
  }

  void add_prefixes() {
    const std::size_t n = problem_.costs.size();
    const std::vector<double> even(n, static_cast<double>(problem_.items) / static_cast<double>(n));
    const std::vector<std::size_t> order = order_at(even);
    for (std::size_t count = 1; count <= n; ++count) {
      const Shares shares = end_together(order, count);
      add(shares);
      const std::vector<std::size_t> again = order_at({shares.begin(), shares.end()});
      if (again != order) add(end_together(again, count));
    }
  }

  void add_times() {
    double least_s = evaluate_split(problem_, found_.back().shares).time_s;
    double most_s = 0.0;
    for (InverseCost& unit : within_) most_s = std::max(most_s, unit.longest_s());
    for (const Start& start : found_) {
      least_s = std::min(least_s, evaluate_split(problem_, start.shares).time_s);
    }
    const double ratio = std::pow(std::max(1.0, most_s / least_s), 1.0 / (times_tried - 1));
    for (int k = 0; k < times_tried; ++k) fill_within(least_s * std::pow(ratio, k));
  }

  /// Fills the units in the order of energy per item, each with the items it can do within
  /// `time_s`.
  void fill_within(double time_s) {
    std::vector<double> limits;
    for (InverseCost& unit : within_) limits.push_back(unit.within(time_s).items);
    Shares shares(limits.size(), 0);
    Items rest = problem_.items;
    for (const std::size_t p : order_at(limits)) {
      const auto grains = static_cast<Items>(limits[p]) / problem_.grain_items;
      const bool holds_all = limits[p] >= static_cast<double>(rest);
      shares[p] = holds_all ? rest : std::min(rest, grains * problem_.grain_items);
      rest -= shares[p];
    }
    if (rest == 0) add(std::move(shares));
  }

  const EnergyProblem& problem_;
  Objective objective_;
  std::vector<InverseCost> within_;
  std::vector<Start> found_;
};

}  // namespace

SplitResult evaluate_split(const EnergyProblem& problem, std::span<const Items> share_items) {
  SplitResult worth;
  for (std::size_t p = 0; p < share_items.size(); ++p) {
    if (share_items[p] == 0) continue;
    const auto x = static_cast<double>(share_items[p]);
    worth.time_s = std::max(worth.time_s, problem.costs[p]->at(x).seconds);
    worth.energy_j += problem.dynamic_w[p] * problem.costs[p]->computing_s(x);
  }
  worth.energy_j += problem.static_w * worth.time_s;
  return worth;
}

namespace {

constexpr Items grains_near = 2;
constexpr double within_rounding = 1.0 + 1e-12;  // a share that takes a time is done within it

/// The times at which units would end with one or two grains more or less: of those units that end
/// last, as many as times are tried at first.
std::vector<double> times_near(const EnergyProblem& problem, const Shares& shares) {
  std::vector<std::size_t> order;
  std::vector<double> ends_s(shares.size(), 0.0);
  for (std::size_t p = 0; p < shares.size(); ++p) {
    if (shares[p] == 0) continue;
    order.push_back(p);
    ends_s[p] = problem.costs[p]->at(static_cast<double>(shares[p])).seconds;
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t p) { return ends_s[p]; });
  std::vector<double> times_s;
  for (const std::size_t p : order) {
    if (times_s.size() >= times_tried) break;
    for (Items more = -grains_near; more <= grains_near; ++more) {
      const Items items = shares[p] + more * problem.grain_items;
      if (items <= 0 || items > problem.items) continue;
      times_s.push_back(problem.costs[p]->at(static_cast<double>(items)).seconds * within_rounding);
    }
  }
  return times_s;
}

}  // namespace

std::vector<Items> search_energy_split(const EnergyProblem& problem, Objective objective) {
  EQ_CHECK(!problem.costs.empty() && problem.costs.size() == problem.dynamic_w.size(),
           "a cost and a power for each unit");
  EQ_CHECK(problem.items > 0, "something to divide");
  Starts starts(problem, objective);
  Shares best;
  double least = 0.0;
  for (std::size_t k = 0; k < std::min(improved, starts.found().size()); ++k) {
    Shares shares = PairMoves(problem, objective, starts.found()[k].shares).improve();
    const double value = evaluate_split(problem, shares).of(objective);
    if (best.empty() || value < least) {
      least = value;
      best = std::move(shares);
    }
  }
  for (;;) {
    Shares shares = starts.best_within(times_near(problem, best));
    if (shares.empty()) return best;
    shares = PairMoves(problem, objective, std::move(shares)).improve();
    const double value = evaluate_split(problem, shares).of(objective);
    if (!(value < least * (1.0 - 1e-12))) return best;
    least = value;
    best = std::move(shares);
  }
}

ParameterInfo objective_parameter() {
  return {"objective", "time", "", "what is to be least: time, energy or edp (their product)",
          "the energy paper gives an optimum for each; time is what other policies aim at"};
}

Objective objective_of(const Parameters& parameters) {
  return parameters.choice<Objective>("objective", {"time", "energy", "edp"});
}

void check_objective(const Parameters& parameters, std::span<const Unit> units,
                     const std::string& policy) {
  if (objective_of(parameters) != Objective::time) {
    require_watts(units, "policy", policy + ":objective=" + parameters.text("objective"));
  }
}

double dynamic_w(const Unit& unit) {
  EQ_CHECK(unit.idle_w && unit.busy_w, "check_objective checks this");
  return *unit.busy_w - *unit.idle_w;
}

std::vector<Items> divide_for(Objective objective, const View& view,
                              std::span<const CostModel* const> costs) {
  std::vector<Items> shares(view.units().size(), 0);
  const std::vector<UnitId> units = present_units(view);
  if (units.empty()) return shares;
  EnergyProblem problem;
  for (const UnitState& unit : view.units()) problem.static_w += unit.unit.idle_w.value_or(0.0);
  std::vector<SequentialCost> sequential;
  std::vector<double> watts;
  for (const UnitId unit : units) {
    sequential.push_back(sequential_cost(view, unit, *costs[unit.index], BlockRule::cheapest));
    watts.push_back(dynamic_w(view.unit(unit).unit));
  }
  const std::vector<const CostModel*> list = pointers_to(sequential);
  problem.costs = list;
  problem.dynamic_w = watts;
  problem.items = view.workload().items;
  problem.grain_items = view.workload().grain_items;
  const std::vector<Items> found = search_energy_split(problem, objective);
  for (std::size_t i = 0; i < units.size(); ++i) shares[units[i].index] = found[i];
  return shares;
}

}  // namespace equipoise

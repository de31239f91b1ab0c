// In closed form, by going through the breakpoints of a piecewise-linear sum. Directly: Newton's
// method on the block sizes and the common finish time together; if it does not converge, or a cost
// falls somewhere, a bracketed search for the time with an inverse of each cost.
#include "shared_policies/solve/equal_finish.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/inverse_cost.hpp"

namespace equipoise {

std::vector<double> divide_by_lines(std::span<const CostLine> lines, double items) {
  struct Breakpoint {
    double at_s = 0.0;
    double items_per_s = 0.0;  // change of the slope of the sum
  };
  std::vector<Breakpoint> breakpoints;
  for (const CostLine& line : lines) {
    const double per_s = 1.0 / line.seconds_per_item;
    breakpoints.push_back({-line.advance_s, per_s});
    breakpoints.push_back({line.seconds_per_item * line.cap_items - line.advance_s, -per_s});
  }
  std::sort(breakpoints.begin(), breakpoints.end(),
            [](const Breakpoint& a, const Breakpoint& b) { return a.at_s < b.at_s; });
  double slope = 0.0;
  double sum = 0.0;
  double finish_s = breakpoints.empty() ? 0.0 : breakpoints.back().at_s;
  for (std::size_t i = 0; i + 1 < breakpoints.size(); ++i) {
    slope += breakpoints[i].items_per_s;
    const double grown = slope * (breakpoints[i + 1].at_s - breakpoints[i].at_s);
    if (sum + grown >= items) {
      finish_s = breakpoints[i].at_s + (items - sum) / slope;
      break;
    }
    sum += grown;
  }
  std::vector<double> shares;
  for (const CostLine& line : lines) {
    const double share = (finish_s + line.advance_s) / line.seconds_per_item;
    shares.push_back(std::clamp(share, 0.0, line.cap_items));
  }
  return shares;
}

namespace {

constexpr double exactness = 1e-12;
constexpr double next_to_nothing = 1e-12;  // of the items
constexpr int most_newton_steps = 40;
constexpr int most_search_steps = 400;

double limit_of(const SplitProblem& problem, std::size_t p) {
  return std::min(problem.cap_items[p], problem.items);
}

/// Newton's method for cost_p(x_p) = T of all active units, sum of all x_p = items.
///
/// Each step evaluates each cost once. With slopes b_p, the new T is the time at which the tangents
/// sum to `items`:
///
///     T = (items - sum_capped cap_p - sum_active (x_p - cost_p / b_p)) / sum_active 1 / b_p.
///
/// A unit that would get more than its limit is held there until its cost at the limit exceeds T. A
/// unit that would get less than nothing becomes idle if even its smallest block takes longer than
/// T.
class JointNewton {
 public:
  explicit JointNewton(const SplitProblem& problem)
      : problem_(problem), units_(problem.costs.size()) {
    const double even = problem.items / static_cast<double>(units_.size());
    for (std::size_t p = 0; p < units_.size(); ++p) {
      units_[p].limit = problem.cap_items[p];  // x may exceed the items during the iteration
      units_[p].x = std::min(even, units_[p].limit);
    }
  }

  [[nodiscard]] std::optional<Split> solve() {
    for (int step = 0; step < most_newton_steps; ++step) {
      if (!evaluate()) return std::nullopt;
      if (step > 0 && settled()) return answer();
      if (!find_time()) return std::nullopt;
      move();
    }
    return std::nullopt;
  }

 private:
  struct UnitAt {
    double x = 0.0;
    double limit = 0.0;
    double seconds = 0.0;
    double items_per_s = 0.0;  // 1 / slope
    bool active = true;
  };

  double least_items() const { return next_to_nothing * problem_.items; }

  double smallest_s(std::size_t p) const { return problem_.costs[p]->at(least_items()).seconds; }

  bool evaluate() {
    for (std::size_t p = 0; p < units_.size(); ++p) {
      UnitAt& unit = units_[p];
      if (unit.x == 0.0) {
        unit.active = smallest_s(p) < time_;
        if (!unit.active) continue;
        unit.x = std::min(1e-6 * problem_.items, unit.limit);
      }
      const CostAt here = problem_.costs[p]->at(unit.x);
      if (!(here.seconds_per_item > 0.0)) {
        return false;  // the cost is flat or falls here: leave it to TimeSearch
      }
      unit.seconds = here.seconds;
      unit.items_per_s = 1.0 / here.seconds_per_item;
      unit.active = unit.x < unit.limit || here.seconds > time_;
    }
    return true;
  }

  /// Whether the present sizes solve the problem for the present time.
  bool settled() const {
    double sum = 0.0;
    for (const UnitAt& unit : units_) {
      sum += unit.x;
      if (unit.active && std::abs(unit.seconds - time_) > exactness * time_) return false;
    }
    return std::abs(sum - problem_.items) <= 10.0 * exactness * problem_.items;
  }

  bool find_time() {
    double fixed = 0.0;
    double at_no_time = 0.0;
    double items_per_s = 0.0;
    for (const UnitAt& unit : units_) {
      if (unit.active) {
        at_no_time += unit.x - unit.seconds * unit.items_per_s;
        items_per_s += unit.items_per_s;
      } else {
        fixed += unit.x;
      }
    }
    time_ = (problem_.items - fixed - at_no_time) / items_per_s;
    return time_ > 0.0 && std::isfinite(time_);
  }

  void move() {
    for (std::size_t p = 0; p < units_.size(); ++p) {
      UnitAt& unit = units_[p];
      if (!unit.active) continue;
      const double x = unit.x + (time_ - unit.seconds) * unit.items_per_s;
      if (x > 0.0) {
        unit.x = std::min(x, unit.limit);
      } else {
        unit.x = smallest_s(p) >= time_ ? 0.0 : 0.1 * unit.x;
      }
    }
  }

  /// The finish time is that of the slowest unit that has work. `time_` is not used: if all working
  /// units are at their limits, it may belong to a unit that has almost no items.
  Split answer() const {
    Split split;
    split.status = SplitStatus::solved;
    split.items.reserve(units_.size());
    for (const UnitAt& unit : units_) {
      const bool works = unit.x > least_items();
      split.items.push_back(works ? unit.x : 0.0);
      if (works) split.finish_s = std::max(split.finish_s, unit.seconds);
    }
    return split;
  }

  const SplitProblem& problem_;
  std::vector<UnitAt> units_;
  double time_ = 0.0;
};

/// Finds the smallest T with sum_p x_p(T) >= items, by Newton steps within a bracket that always
/// shrinks.
class TimeSearch {
 public:
  explicit TimeSearch(const SplitProblem& problem)
      : items_(problem.items), low_(problem.costs.size(), 0.0), high_(problem.costs.size(), 0.0) {
    units_.reserve(problem.costs.size());
    for (std::size_t p = 0; p < problem.costs.size(); ++p) {
      units_.emplace_back(*problem.costs[p], limit_of(problem, p));
      high_s_ = std::max(high_s_, units_.back().longest_s());
      high_[p] = units_[p].limit_items();
      high_sum_ += high_[p];
    }
  }

  [[nodiscard]] Split solve() {
    double time = middle();
    double width = high_s_ - low_s_;
    for (int step = 0; step < most_search_steps && high_s_ - low_s_ > 1e-14 * high_s_; ++step) {
      const double items_per_s = probe(time);
      if (items_per_s > 0.0 && std::abs(sum_ - items_) <= 1e-13 * items_) return answer(time);
      // Step slightly beyond the root, so that the other end of the bracket moves, too.
      const double newton =
          time + (items_ - sum_) / items_per_s + std::copysign(4e-14 * time, items_ - sum_);
      const bool slow = step % 4 == 3 && high_s_ - low_s_ > 0.5 * width;
      if (step % 4 == 3) width = high_s_ - low_s_;
      time = newton > low_s_ && newton < high_s_ && !slow ? newton : middle();
    }
    return answer(high_s_);
  }

 private:
  double middle() const {
    return low_s_ > 0.0 && high_s_ > 4.0 * low_s_ ? std::sqrt(low_s_ * high_s_)
                                                  : 0.5 * (low_s_ + high_s_);
  }

  /// Moves one end of the bracket to `time` and returns the slope of the sum there.
  double probe(double time) {
    probe_.resize(units_.size());
    sum_ = 0.0;
    double items_per_s = 0.0;
    for (std::size_t p = 0; p < units_.size(); ++p) {
      const ItemsWithin within = units_[p].within(time);
      probe_[p] = within.items;
      sum_ += within.items;
      items_per_s += within.items_per_s;
    }
    const bool enough = sum_ >= items_ * (1.0 - 1e-15);
    (enough ? high_s_ : low_s_) = time;
    (enough ? high_sum_ : low_sum_) = sum_;
    (enough ? high_ : low_).swap(probe_);
    return items_per_s;
  }

  /// One end of the bracket lies at `time`. If the sum jumps there (a cost is flat or falls), the
  /// units that jump share the items that are still needed.
  Split answer(double time) const {
    Split split;
    split.status = SplitStatus::solved;
    split.finish_s = time;
    split.items.resize(units_.size());
    const double jump = high_sum_ - low_sum_;
    const double part = jump > 0.0 ? (items_ - low_sum_) / jump : 1.0;
    for (std::size_t p = 0; p < units_.size(); ++p) {
      split.items[p] = low_[p] + part * (high_[p] - low_[p]);
    }
    return split;
  }

  double items_;
  std::vector<InverseCost> units_;
  std::vector<double> low_, high_, probe_;
  double low_s_ = 0.0, high_s_ = 0.0;
  double low_sum_ = 0.0, high_sum_ = 0.0, sum_ = 0.0;
};

Split all_capped(const SplitProblem& problem) {
  Split split;
  split.status = SplitStatus::capped;
  for (std::size_t p = 0; p < problem.costs.size(); ++p) {
    split.items.push_back(problem.cap_items[p]);
    split.finish_s = std::max(split.finish_s, problem.costs[p]->at(problem.cap_items[p]).seconds);
  }
  return split;
}

}  // namespace

Split solve_equal_finish(const SplitProblem& problem) {
  EQ_CHECK(!problem.costs.empty() && problem.costs.size() == problem.cap_items.size(),
           "a cost and a cap for each unit");
  EQ_CHECK(problem.items > 0.0, "something to divide");
  double caps = 0.0;
  bool non_decreasing = true;
  for (std::size_t p = 0; p < problem.costs.size(); ++p) {
    EQ_CHECK(problem.cap_items[p] > 0.0, "a unit that takes part holds something");
    caps += problem.cap_items[p];
    non_decreasing = non_decreasing && problem.costs[p]->non_decreasing();
  }
  if (caps < problem.items) return all_capped(problem);
  if (non_decreasing) {
    if (auto split = JointNewton(problem).solve()) return *std::move(split);
  }
  return TimeSearch(problem).solve();
}

}  // namespace equipoise

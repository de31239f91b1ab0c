// The least energy under a limit on the time, by convolutions; and the limits that are worth
// trying.
#include "shared_policies/solve/pareto_front.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double equal_energies = 1e-12;  ///< relative difference

/// The least energies of k pieces at place k, `never` where a unit would take too long; places at
/// the end that are all `never` are left out.
using Energies = std::vector<double>;

/// The least energies of some units, a unit or two groups that were joined.
struct Group {
  Energies whole;
  Energies with_last;  ///< where one of the units has the last piece
  std::size_t unit_class = 0;
  const Group* first = nullptr;  ///< null: one unit, of `unit_class`
  const Group* second = nullptr;

  [[nodiscard]] const Energies& least(bool has_last) const { return has_last ? with_last : whole; }
};

/// Lowers the sums at places k >= `from` to the least a[i] + b[k - i].
void lower(Energies& sums, const Energies& a, const Energies& b, std::size_t from) {
  for (std::size_t i = 0; i < std::min(a.size(), sums.size()); ++i) {
    if (a[i] == never) continue;
    const double added = a[i];
    double* const sum = sums.data() + i;
    const std::size_t end = std::min(b.size(), sums.size() - i);
    for (std::size_t j = from > i ? from - i : 0; j < end; ++j) {
      sum[j] = std::min(sum[j], added + b[j]);
    }
  }
}

void leave_out_end(Energies& energies) {
  while (!energies.empty() && energies.back() == never) energies.pop_back();
}

/// Units with equal tables.
struct UnitClass {
  const UnitTables* tables = nullptr;
  std::vector<std::size_t> units;
};

std::vector<UnitClass> classes_of(const std::vector<UnitTables>& units) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < units.size(); ++p) order.push_back(p);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return units[a] < units[b]; });
  std::vector<UnitClass> classes;
  for (const std::size_t p : order) {
    if (classes.empty() || *classes.back().tables != units[p]) classes.push_back({&units[p], {}});
    classes.back().units.push_back(p);
  }
  return classes;
}

/// The divisions with the least energy under limits on the time.
class LeastEnergy {
 public:
  explicit LeastEnergy(const PieceProblem& problem)
      : problem_(problem), classes_(classes_of(problem.units)) {}

  /// All times of the tables, each once, in order.
  [[nodiscard]] std::vector<double> times() const {
    std::vector<double> times;
    for (const UnitClass& one : classes_) {
      for (std::size_t k = 1; k <= problem_.pieces; ++k) {
        times.push_back(one.tables->whole[k].seconds);
        if (problem_.last_is_smaller) times.push_back(one.tables->with_last[k].seconds);
      }
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  /// Whether each unit doing the most that it can within `limit_s` suffices. If not, no division
  /// takes so little time.
  [[nodiscard]] bool may_suffice(double limit_s) const {
    std::size_t sum = 0;
    for (const UnitClass& one : classes_) {
      std::size_t most = problem_.pieces;
      while (most > 0 && one.tables->whole[most].seconds > limit_s &&
             (!problem_.last_is_smaller || one.tables->with_last[most].seconds > limit_s)) {
        --most;
      }
      sum += most * one.units.size();
    }
    return sum >= problem_.pieces;
  }

  /// The division with the least energy among those that take at most `limit_s`; none if there is
  /// none.
  [[nodiscard]] std::optional<FrontPoint> within(double limit_s) {
    groups_.clear();
    const Group* all = nullptr;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const bool is_last = c + 1 == classes_.size();
      all = join_class(all, c, limit_s, is_last ? problem_.pieces : 0);
    }
    const Energies& least = all->least(problem_.last_is_smaller);
    if (least.size() <= problem_.pieces) return std::nullopt;
    FrontPoint point;
    point.dynamic_j = least[problem_.pieces];
    give_out(*all, {problem_.pieces, problem_.last_is_smaller}, point);
    return point;
  }

 private:
  const Group* single(std::size_t unit_class, double limit_s) {
    Group& group = groups_.emplace_back();
    group.unit_class = unit_class;
    group.whole.assign(problem_.pieces + 1, never);
    group.with_last = group.whole;
    group.whole[0] = 0.0;
    const UnitTables& tables = *classes_[unit_class].tables;
    for (std::size_t k = 1; k <= problem_.pieces; ++k) {
      const PieceCost& whole = tables.whole[k];
      if (whole.seconds <= limit_s) group.whole[k] = whole.dynamic_j;
      if (!problem_.last_is_smaller) continue;
      const PieceCost& with_last = tables.with_last[k];
      if (with_last.seconds <= limit_s) group.with_last[k] = with_last.dynamic_j;
    }
    leave_out_end(group.whole);
    leave_out_end(group.with_last);
    return &group;
  }

  /// The two groups together. Fewer than `from` pieces are of no interest.
  const Group* join(const Group* first, const Group* second, std::size_t from) {
    if (first == nullptr) return second;
    Group& both = groups_.emplace_back();
    both.first = first;
    both.second = second;
    both.whole.assign(problem_.pieces + 1, never);
    both.with_last = both.whole;
    lower(both.whole, first->whole, second->whole, from);
    lower(both.with_last, first->with_last, second->whole, from);
    lower(both.with_last, first->whole, second->with_last, from);
    leave_out_end(both.whole);
    leave_out_end(both.with_last);
    return &both;
  }

  /// `all` and the units of a class: groups of 1, 2, 4, ... of them, as the number of units needs.
  const Group* join_class(const Group* all, std::size_t unit_class, double limit_s,
                          std::size_t from) {
    const Group* power = single(unit_class, limit_s);
    for (std::size_t count = classes_[unit_class].units.size(); count > 0; count /= 2) {
      const std::size_t wanted = count == 1 ? from : 0;
      if (count % 2 == 1) all = join(all, power, wanted);
      if (count > 1) power = join(power, power, 0);
    }
    return all;
  }

  /// Puts the shares with which `all` takes the least energy for `given` into `point`, and the time
  /// that they take. Of the units of a class, the first get the most.
  void give_out(const Group& all, UnitPieces given, FrontPoint& point) const {
    std::vector<std::vector<UnitPieces>> by_class(classes_.size());
    divide(all, given, by_class);
    point.shares.assign(problem_.units.size(), {});
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      std::ranges::sort(by_class[c], [](const UnitPieces& a, const UnitPieces& b) {
        return a.pieces != b.pieces ? a.pieces > b.pieces : a.has_last < b.has_last;
      });
      for (std::size_t i = 0; i < classes_[c].units.size(); ++i) {
        const UnitPieces share = by_class[c][i];
        point.shares[classes_[c].units[i]] = share;
        if (share.pieces == 0) continue;
        const UnitTables& tables = *classes_[c].tables;
        const auto& costs = share.has_last ? tables.with_last : tables.whole;
        point.seconds = std::max(point.seconds, costs[share.pieces].seconds);
      }
    }
  }

  void divide(const Group& group, UnitPieces given,
              std::vector<std::vector<UnitPieces>>& by_class) const {
    if (group.first == nullptr) return by_class[group.unit_class].push_back(given);
    double least = never;
    UnitPieces best;
    for (const bool has_last : {false, true}) {
      if (has_last && !given.has_last) continue;
      const Energies& a = group.first->least(has_last);
      const Energies& b = group.second->least(given.has_last && !has_last);
      for (std::size_t i = 0; i < a.size() && i <= given.pieces; ++i) {
        const std::size_t rest = given.pieces - i;
        if (rest >= b.size() || !(a[i] + b[rest] < least)) continue;
        least = a[i] + b[rest];
        best = {i, has_last};
      }
    }
    divide(*group.first, best, by_class);
    divide(*group.second, {given.pieces - best.pieces, given.has_last && !best.has_last}, by_class);
  }

  const PieceProblem& problem_;
  std::vector<UnitClass> classes_;
  std::deque<Group> groups_;  // of the present limit; their places do not change
};

/// A time of the tables that was tried as a limit, by its place, and the least energy within it.
struct Tried {
  std::size_t at = 0;
  double dynamic_j = 0.0;
};

/// Tries limits on the time, and keeps what was found.
class FrontSearch {
 public:
  explicit FrontSearch(const PieceProblem& problem) : least_(problem), times_(least_.times()) {
    std::size_t low = 0;
    std::size_t high = times_.size() - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (least_.may_suffice(times_[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    find_fastest(low);
  }

  [[nodiscard]] double least_s() const { return times_[fastest_.at]; }

  /// Looks for points of at most `most_s`: for all, or, if `value` is not null, for that with the
  /// least value.
  void look(double most_s, const FrontValue* value) {
    value_ = value;
    note_value(fastest_.at);
    const auto after = std::upper_bound(times_.begin(), times_.end(), most_s);
    const auto last = static_cast<std::size_t>(after - times_.begin()) - 1;
    if (last <= fastest_.at || !is_worth(times_[fastest_.at + 1], 0.0)) return;
    const Tried longest = try_limit(last).value();
    note_value(longest.at);
    look_between(fastest_, {last, longest.dynamic_j});
  }

  /// What was found and is not beaten, the shortest first.
  [[nodiscard]] std::vector<FrontPoint> front() const {
    std::vector<FrontPoint> points;
    for (const auto& [at, point] : found_) {
      if (points.empty() || is_less(point.dynamic_j, points.back().dynamic_j)) {
        points.push_back(point);
      }
    }
    return points;
  }

 private:
  static bool is_less(double a_j, double b_j) { return a_j < b_j * (1.0 - equal_energies); }

  /// Tries the time at this place as limit. What is found is kept at the place of its own time.
  std::optional<Tried> try_limit(std::size_t at) {
    std::optional<FrontPoint> point = least_.within(times_[at]);
    if (!point) return std::nullopt;
    const auto own = std::lower_bound(times_.begin(), times_.end(), point->seconds);
    const Tried tried{static_cast<std::size_t>(own - times_.begin()), point->dynamic_j};
    found_.try_emplace(tried.at, std::move(*point));
    return tried;
  }

  /// The first time from `at` on that suffices: upwards by steps of 1, 2, 4, ..., then between.
  void find_fastest(std::size_t at) {
    std::size_t step = 1;
    std::size_t too_short = at;  // the first place that may suffice
    std::optional<Tried> enough = try_limit(at);
    while (!enough) {
      EQ_CHECK(at + 1 < times_.size(), "a unit alone can do all pieces in the greatest time");
      too_short = at + 1;
      at = std::min(at + step, times_.size() - 1);
      step *= 2;
      enough = try_limit(at);
    }
    while (too_short < enough->at) {
      const std::size_t middle = too_short + (enough->at - too_short) / 2;
      if (const std::optional<Tried> tried = try_limit(middle)) {
        enough = tried;
      } else {
        too_short = middle + 1;
      }
    }
    fastest_ = *enough;
  }

  void look_between(Tried low, Tried high) {
    if (high.at - low.at <= 1 || !is_less(high.dynamic_j, low.dynamic_j)) return;
    if (!is_worth(times_[low.at + 1], high.dynamic_j)) return;
    const std::size_t middle = low.at + (high.at - low.at) / 2;
    const Tried tried = try_limit(middle).value();
    note_value(tried.at);
    if (tried.at > low.at) look_between(low, tried);
    look_between({middle, tried.dynamic_j}, high);
  }

  void note_value(std::size_t at) {
    if (value_ == nullptr) return;
    const FrontPoint& point = found_.at(at);
    least_value_ = std::min(least_value_, (*value_)(point.seconds, point.dynamic_j));
  }

  /// Whether a point that takes at least this time and energy may be one that is looked for.
  [[nodiscard]] bool is_worth(double seconds, double dynamic_j) const {
    return value_ == nullptr || (*value_)(seconds, dynamic_j) < least_value_;
  }

  LeastEnergy least_;
  std::vector<double> times_;
  std::map<std::size_t, FrontPoint> found_;  // by the place of its time
  Tried fastest_;
  const FrontValue* value_ = nullptr;
  double least_value_ = never;
};

}  // namespace

std::vector<FrontPoint> pareto_front(const PieceProblem& problem) {
  FrontSearch search(problem);
  search.look(never, nullptr);
  return search.front();
}

FrontPoint best_of_front(const PieceProblem& problem, const FrontValue& value, double most_times) {
  FrontSearch search(problem);
  const double most_s = most_times * search.least_s();
  search.look(most_s, &value);
  std::vector<FrontPoint> front = search.front();
  std::erase_if(front, [&](const FrontPoint& point) { return point.seconds > most_s; });
  return *std::ranges::min_element(
      front, {}, [&](const FrontPoint& point) { return value(point.seconds, point.dynamic_j); });
}

}  // namespace equipoise

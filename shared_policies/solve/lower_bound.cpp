// Bisection for the smallest T in which the units and the links can do all work.
#include "shared_policies/solve/lower_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/packing_program.hpp"
#include "shared_policies/solve/unit_needs.hpp"

namespace equipoise {
namespace {

constexpr double time_exactness = 1e-12;
constexpr double safety = 1e-9;  // the bound is rounded down by this, to stay below in spite of
                                 // rounding errors

/// The time after which `scenario` changes nothing any more.
Seconds settles_at(const Scenario& scenario) {
  Seconds last;
  for (const Disturbance& event : scenario.events) {
    last = std::max(last, event.at);
    if (event.until < Seconds::infinity()) last = std::max(last, event.until);
    if (!event.profile.empty()) last = std::max(last, event.at + event.profile.back().since);
  }
  return last;
}

/// The lower bound of one iteration.
class IterationBound {
 public:
  IterationBound(const DisturbedPlatform& world, const Workload& workload,
                 std::span<const BlockTiming* const> timings, const ShareMeasure& measure)
      : world_(world), platform_(world.platform), workload_(workload) {
    const auto streams = resident_streams(platform_, workload);
    for (std::size_t p = 0; p < platform_.units.size(); ++p) {
      if (timings[p] != nullptr && largest_block(platform_.units[p].unit, workload) > 0) {
        needs_.emplace_back(world, workload, p, *timings[p], streams[p], measure);
      }
    }
    EQ_CHECK(!needs_.empty(), "a unit takes part");
    for (const RemoteNode& node : sharing_nodes(platform_)) {
      const CopySpeed trunk = copy_speed_of(platform_.links, {node.trunk});
      for (UnitNeeds& needs : needs_) {
        const UnitId unit{static_cast<std::uint32_t>(needs.unit)};
        if (std::ranges::count(node.units, unit) > 0)
          needs.share_setup(node, trunk.bandwidth_bytes_per_s);
      }
    }
    shared_ = find_shared_resources(world, needs_);
  }

  /// `setup_bytes` are sent to every unit that gets items. Nothing if `at_least` seconds, above 0,
  /// are enough.
  std::optional<LowerBound> solve(double setup_bytes, Seconds start, double at_least = 0.0) {
    begin_at(start);
    setup_bytes_ = setup_bytes;
    if (at_least > 0.0 && fits(at_least)) return std::nullopt;
    double low = at_least;
    double high = std::max(
        {static_cast<double>(workload_.items) * needs_.front().compute.front().takes.per_item(),
         at_least, 1e-9});
    while (!fits(high)) {
      if (will_never_fit(start + Seconds{high})) {
        return LowerBound{Seconds::infinity().value,
                          std::vector<double>(platform_.units.size(), 0.0), "no unit stays"};
      }
      low = high;
      high *= 2.0;
    }
    while (high - low > time_exactness * high) {
      const double middle = 0.5 * (low + high);
      (fits(middle) ? high : low) = middle;
    }
    return answer(high, low * (1.0 - safety));
  }

 private:
  void begin_at(Seconds start) {
    for (UnitNeeds& needs : needs_) needs.begin_at(start);
    for (SharedResource& resource : shared_) resource.offered = RateIntegral(resource.rate, start);
  }

  /// Whether the work that does not fit until `time` will never fit: all units are gone by then and
  /// none will come back.
  [[nodiscard]] bool will_never_fit(Seconds time) const {
    return time > settles_at(world_.scenario) &&
           std::none_of(needs_.begin(), needs_.end(),
                        [](const UnitNeeds& needs) { return needs.ends_present; });
  }

  /// The number of items that fit into `seconds` if what units share is ignored.
  double unit_within(const UnitNeeds& needs, double seconds) const {
    return std::min({needs.computed_within(seconds), needs.copies_within(seconds, setup_bytes_),
                     static_cast<double>(workload_.items)});
  }

  /// All items, reduced by the rounding error of the linear program.
  double all_items() const { return static_cast<double>(workload_.items) * (1.0 - 1e-12); }

  bool fits(double seconds) { return most_items(seconds) >= all_items(); }

  /// The largest number of items that all units together can do in `seconds`.
  double most_items(double seconds) {
    double sum = 0.0;
    limits_.clear();
    for (const UnitNeeds& needs : needs_) {
      limits_.push_back(unit_within(needs, seconds));
      sum += limits_.back();
    }
    if (shared_.empty() || sum < all_items()) return sum;
    if (solver_ == nullptr) solver_ = make_packing_solver();
    std::optional<Packing> packing = solver_->solve(program(seconds));
    EQ_CHECK(packing.has_value(), "a packing program has an optimum");
    packing_ = *std::move(packing);
    return packing_.gain;
  }

  PackingProblem program(double seconds) const {
    std::vector<std::vector<std::pair<int, double>>> columns(needs_.size());
    for (std::size_t row = 0; row < shared_.size(); ++row) {
      const double room = shared_[row].offered.over(seconds);
      if (room <= 0.0) continue;  // none of its units is there
      for (const SharedResource::User& user : shared_[row].users) {
        const double need =
            user.per_item * limits_[user.needs] + user.per_setup_byte * setup_bytes_;
        auto& column = columns[user.needs];
        if (!column.empty() && column.back().first == static_cast<int>(row)) {
          column.back().second += need / room;
        } else {
          column.emplace_back(static_cast<int>(row), need / room);
        }
      }
    }
    PackingProblem problem;
    problem.gains = limits_;
    problem.row_count = shared_.size();
    for (const auto& column : columns) {
      problem.column_starts.push_back(static_cast<int>(problem.rows.size()));
      for (const auto& [row, weight] : column) {
        problem.rows.push_back(row);
        problem.weights.push_back(weight);
      }
    }
    problem.column_starts.push_back(static_cast<int>(problem.rows.size()));
    return problem;
  }

  LowerBound answer(double reached_s, double bound_s) {
    const double most = most_items(reached_s);
    const double part = static_cast<double>(workload_.items) / most;
    LowerBound bound{bound_s, std::vector<double>(platform_.units.size(), 0.0), ""};
    double by_compute = 0.0;
    double by_copies = 0.0;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const double fraction = shared_.empty() ? 1.0 : packing_.fractions[i];
      bound.share_items[needs_[i].unit] = part * fraction * limits_[i];
      const bool compute =
          needs_[i].computed_within(reached_s) <= needs_[i].copies_within(reached_s, setup_bytes_);
      (compute ? by_compute : by_copies) += fraction * limits_[i];
    }
    bound.binding = by_compute >= by_copies ? "compute" : "copies";
    if (!shared_.empty()) {
      const auto dearest = std::max_element(packing_.row_prices.begin(), packing_.row_prices.end());
      if (*dearest > 1e-9 * most) {
        const auto l = static_cast<std::size_t>(dearest - packing_.row_prices.begin());
        bound.binding = shared_[l].name;
      }
    }
    return bound;
  }

  const DisturbedPlatform& world_;
  const Platform& platform_;
  const Workload& workload_;
  std::vector<UnitNeeds> needs_;
  std::vector<SharedResource> shared_;
  double setup_bytes_ = 0.0;
  std::vector<double> limits_;  // of the units that take part, at the last trial time
  Packing packing_;             // at the last trial time for which the linear program was solved
  std::unique_ptr<PackingSolver> solver_;  // null before the first program
};

/// The bounds that hold for an iteration: one if items are alike, else two (ShareMeasure).
class IterationBounds {
 public:
  IterationBounds(const DisturbedPlatform& world, const Workload& workload,
                  std::span<const BlockTiming* const> timings, const ItemCosts* costs)
      : in_work_(world, workload, timings,
                 costs == nullptr ? ShareMeasure{} : ShareMeasure{costs->least(), costs->most()}) {
    if (costs != nullptr) {
      in_items_.emplace(world, workload, timings, ShareMeasure{.counts_computing = false});
    }
  }

  LowerBound solve(double setup_bytes, Seconds start) {
    LowerBound bound = *in_work_.solve(setup_bytes, start);
    if (!in_items_ || !(bound.seconds < Seconds::infinity().value)) return bound;
    return in_items_->solve(setup_bytes, start, bound.seconds).value_or(bound);
  }

 private:
  IterationBound in_work_;
  std::optional<IterationBound> in_items_;
};

}  // namespace

LowerBound lower_bound(const Platform& platform, const Workload& workload,
                       std::span<const BlockTiming* const> timings, const Scenario& scenario,
                       Seconds start, Seconds merge, const ItemCosts* costs) {
  EQ_CHECK(timings.size() == platform.units.size(), "a timing or null for each unit");
  const DisturbedPlatform world(platform, scenario);
  IterationBounds iteration(world, workload, timings, costs);
  LowerBound bound = iteration.solve(workload.first_bytes(0), start);
  for (int done = 1; done < workload.iterations; ++done) {
    const Seconds begin = start + Seconds{bound.seconds} + merge;
    const double seconds = merge.value + iteration.solve(workload.iteration_bytes, begin).seconds;
    if (begin >= settles_at(scenario)) {  // all later iterations take the same time
      bound.seconds += static_cast<double>(workload.iterations - done) * seconds;
      break;
    }
    bound.seconds += seconds;
  }
  return bound;
}

}  // namespace equipoise

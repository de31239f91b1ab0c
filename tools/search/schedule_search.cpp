// The schedule search: initial candidates, balancing and local changes.
#include "tools/search/schedule_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/progress.hpp"
#include "tools/search/schedule_parts.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

constexpr double close_enough = 1.0002;  // relative to the lower bound: the search ends
constexpr double worth_it = 0.9998;      // relative to the best so far: counts as an improvement
constexpr int balancing_rounds = 8;
constexpr int change_rounds = 3;
constexpr double evaluations_max = 120.0;
constexpr double unit_evaluations_max = 12'000.0;
constexpr double worth_own_policy = 1.002;  // relative to the lower bound

/// A candidate for one phase and its simulated result.
struct Tried {
  Parts parts;
  double seconds = std::numeric_limits<double>::infinity();  ///< time of the phase alone
  double makespan_s = 0.0;                                   ///< including the phases before
  std::vector<double> end_s;  ///< (n) in the last iteration; 0 for units without work there

  [[nodiscard]] bool completes() const { return std::isfinite(seconds); }
};

/// The phases before the one that is searched.
struct PhasesBefore {
  BlockLists schedule;
  double end_s = 0.0;  ///< end of the last of them, with that schedule
};

/// The search for the last phase of a world.
class PhaseSearch {
 public:
  /// `division` is the division of the phase that `optimum` makes without a given schedule.
  PhaseSearch(const SimWorld& world, const Options& plain, std::vector<UnitInPhase> division,
              const PhasesBefore& before)
      : world_(world),
        options_(plain),
        workload_(world.setup.phases.back()),
        bound_(world.bound.phases.back()),
        bound_s_(bound_of(world, before)),
        division_(std::move(division)),
        before_(before),
        left_(static_cast<std::size_t>(
            std::clamp(unit_evaluations_max / static_cast<double>(world.units.size()), 10.0,
                       evaluations_max))),
        most_(left_),
        progress_(options_.quiet) {
    std::map<std::tuple<std::string, UnitKind, std::string>, std::size_t> known;
    for (std::size_t p = 0; p < world.units.size(); ++p) {
      const Unit& unit = world.units[p];
      const auto [place, is_new] =
          known.try_emplace({unit.node, unit.kind, unit.model}, alike_.size());
      if (is_new) alike_.emplace_back();
      alike_[place->second].push_back(p);
    }
  }

  /// Returns the best candidate. It does not complete if no candidate does.
  const Tried& run() {
    begin();
    if (!best_.completes()) return best_;
    balance();
    for (int round = 0; round < change_rounds && !is_done(); ++round) {
      if (!change_once()) break;
      balance();
    }
    return best_;
  }

 private:
  [[nodiscard]] bool is_done() const {
    return left_ == 0 || best_.seconds <= close_enough * bound_s_;
  }
  [[nodiscard]] bool anything_moves() const {
    for (const PlatformUnit& unit : world_.setup.platform.units) {
      if (!unit.in.links.empty() || !unit.out.links.empty()) return true;
    }
    return false;
  }

  /// A lower bound on the time of the phase, after the phases before it. Without a scenario it does
  /// not depend on the start of the phase. Under a scenario only the bound on the end of the phase
  /// holds.
  static double bound_of(const SimWorld& world, const PhasesBefore& before) {
    if (world.setup.scenario.events.empty()) return world.bound.phases.back().seconds;
    double end_s = 0.0;
    for (const LowerBound& bound : world.bound.phases) end_s += bound.seconds;
    return end_s - before.end_s;
  }

  void begin();
  void balance();
  bool change_once();
  void try_all(std::vector<Parts> candidates);
  void show_progress(std::size_t tried) {
    progress_.show(fmt::format("searching the best schedule: tried {} of at most {}", tried, most_),
                   static_cast<double>(tried) / static_cast<double>(most_));
  }
  [[nodiscard]] Tried tried_from(const SimulationResult& result, Parts parts) const;
  [[nodiscard]] Parts balanced(const Tried& tried, double damping) const;
  [[nodiscard]] std::vector<Parts> changes() const;

  const SimWorld& world_;
  const Options& options_;
  const Workload& workload_;
  const LowerBound& bound_;
  double bound_s_;
  std::vector<UnitInPhase> division_;
  const PhasesBefore& before_;
  std::vector<std::vector<std::size_t>> alike_;  // units that are changed together
  std::size_t left_;                             // remaining evaluations
  std::size_t most_;                             // all evaluations, unless the search ends early
  Progress progress_;
  Tried best_;
};

/// Reads the result of a run; a failed run has infinite time. The last iteration is taken to begin
/// after all but one of equally long iterations, because the units' ends in it show which units
/// have too many items.
Tried PhaseSearch::tried_from(const SimulationResult& result, Parts parts) const {
  Tried tried;
  tried.parts = std::move(parts);
  if (!result.failure.empty()) return tried;
  const RunReport& report = result.report;
  if (!report.run.verified) return tried;
  tried.makespan_s = report.run.numbers.makespan.value;
  tried.seconds = tried.makespan_s - before_.end_s;
  const auto iterations = static_cast<double>(workload_.iterations);
  const double begin_s = tried.makespan_s - tried.seconds / iterations;
  for (const UnitInPhase& unit : report.run.numbers.phases.back()) {
    tried.end_s.push_back(std::max(0.0, unit.last_end.value - begin_s));
  }
  return tried;
}

/// Tries the division of the oracle and the shares of the bound, with few blocks and with many.
void PhaseSearch::begin() {
  Parts division;
  Parts at_bound;
  const auto iterations = static_cast<Items>(workload_.iterations);
  for (std::size_t p = 0; p < world_.units.size(); ++p) {
    const UnitInPhase& unit = division_[p];
    division.push_back({static_cast<double>(unit.items) / static_cast<double>(iterations),
                        std::max<Items>(1, static_cast<Items>(unit.blocks) / iterations), 0, 0});
    at_bound.push_back(division.back());
    at_bound.back().share_items = bound_.share_items[p];
  }
  std::vector<Parts> candidates = {division, at_bound};
  if (anything_moves()) {
    for (const Items factor : {2, 4, 8, 16, 32}) {
      for (Parts parts : {division, at_bound}) {
        for (Part& part : parts) part.blocks *= factor;
        candidates.push_back(std::move(parts));
      }
    }
  }
  try_all(std::move(candidates));
}

/// Evaluates `candidates` and keeps the best one so far.
void PhaseSearch::try_all(std::vector<Parts> candidates) {
  candidates.resize(std::min(candidates.size(), left_));
  const PolicyChoice optimum = parse_policy("optimum");
  std::vector<SimulationResult> results(candidates.size());
  std::size_t ended = 0;
  run_simulations(
      candidates.size(),
      [&](std::size_t i) {
        Simulation simulation = simulation_of(world_, optimum, options_);
        simulation.schedule = before_.schedule;
        simulation.schedule.push_back(blocks_of(candidates[i], workload_, world_.units));
        return simulation;
      },
      [&](std::size_t i, SimulationResult result) {
        results[i] = std::move(result);
        show_progress(most_ - left_ + ++ended);
      });
  left_ -= candidates.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Tried tried = tried_from(results[i], std::move(candidates[i]));
    if (tried.seconds < best_.seconds) best_ = std::move(tried);
  }
}

/// Moves items from units that end late to units that end early, as long as that helps.
void PhaseSearch::balance() {
  for (int round = 0; round < balancing_rounds && !is_done(); ++round) {
    const double before_s = best_.seconds;
    std::vector<Parts> candidates;
    for (const double damping : {1.0, 0.5, 0.25}) candidates.push_back(balanced(best_, damping));
    try_all(std::move(candidates));
    if (best_.seconds > worth_it * before_s) return;
  }
}

/// The shares with which all units would end together if each kept its rate.
Parts PhaseSearch::balanced(const Tried& tried, double damping) const {
  double rate = 0.0;
  double ends = 0.0;
  const std::size_t n = tried.parts.size();
  std::vector<double> rates(n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    if (tried.parts[p].share_items <= 0.0 || tried.end_s[p] <= 0.0) continue;
    rates[p] = tried.parts[p].share_items / tried.end_s[p];
    rate += rates[p];
    ends += rates[p] * tried.end_s[p];
  }
  Parts parts = tried.parts;
  if (rate == 0.0) return parts;
  for (std::size_t p = 0; p < n; ++p) {
    const double moved = damping * rates[p] * (ends / rate - tried.end_s[p]);
    parts[p].share_items = std::max(0.0, parts[p].share_items + moved);
  }
  return parts;
}

/// Tries every change for each group of alike units. Returns whether one helped.
bool PhaseSearch::change_once() {
  const double before_s = best_.seconds;
  try_all(changes());
  return best_.seconds <= worth_it * before_s;
}

std::vector<Parts> PhaseSearch::changes() const {
  std::vector<Parts> candidates;
  const auto change = [&](const std::vector<std::size_t>& units, const auto& how) {
    Parts parts = best_.parts;
    for (const std::size_t p : units) how(parts[p]);
    if (parts != best_.parts) candidates.push_back(std::move(parts));
  };
  std::vector<std::size_t> all(world_.units.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> groups = {all};
  if (alike_.size() > 1) groups.insert(groups.end(), alike_.begin(), alike_.end());
  for (const std::vector<std::size_t>& units : groups) {
    change(units, [](Part& part) { part.blocks *= 2; });
    change(units, [](Part& part) { part.blocks = std::max<Items>(1, part.blocks / 2); });
    change(units, [](Part& part) { part.front = std::min(part.front + 2, 8); });
    change(units, [](Part& part) { part.back = std::min(part.back + 2, 8); });
    if (units.size() < all.size()) {
      change(units, [](Part& part) { part.share_items = 0.0; });
    }
  }
  return candidates;
}

/// The makespan of our own policy; nullopt if it does not complete all items.
std::optional<double> end_of_own_policy(const SimWorld& world, const Options& options) {
  const SimulationResult result =
      run_alone(simulation_of(world, parse_policy("equipoise"), options));
  if (!result.failure.empty()) return std::nullopt;
  const RunReport& report = result.report;
  return report.run.verified ? std::optional(report.run.numbers.makespan.value) : std::nullopt;
}

/// Whether our own policy is worth a run beside a search that came to `seconds`. With many units,
/// which it has to look at for every block, only if there is something to win.
bool is_own_policy_worth_it(const SimWorld& world, double seconds) {
  double bound_s = 0.0;
  for (const LowerBound& bound : world.bound.phases) bound_s += bound.seconds;
  return world.units.size() <= few_units || seconds > worth_own_policy * bound_s;
}

/// The units' items in a phase of a run; zeros if the run did not reach the phase.
std::vector<UnitInPhase> in_phase(const RunNumbers& numbers, std::size_t phase) {
  if (phase < numbers.phases.size()) return numbers.phases[phase];
  return std::vector<UnitInPhase>(numbers.units.size());
}

}  // namespace

BestKnown search_schedule(const SimWorld& world, const Options& options) {
  Options plain = options;
  plain.noise = false;
  plain.decision_cost = "none";
  const std::size_t phases = world.setup.phases.size();
  const SimulationResult result =
      run_alone(simulation_of(first_phases(world, phases), parse_policy("optimum"), plain));
  if (!result.failure.empty()) throw BackendError(result.failure);
  const RunReport& division = result.report;

  BestKnown best{{}, division.run.numbers.makespan.value, "optimum"};
  PhasesBefore done;
  for (std::size_t phase = 0; phase < phases; ++phase) {
    const SimWorld part = first_phases(world, phase + 1);
    PhaseSearch search(part, plain, in_phase(division.run.numbers, phase), done);
    const Tried& found = search.run();
    if (!found.completes()) break;
    done.schedule.push_back(blocks_of(found.parts, part.setup.phases.back(), part.units));
    done.end_s = found.makespan_s;
  }
  const bool searched = done.schedule.size() == phases;
  if (searched && (!division.run.verified || done.end_s <= best.seconds)) {
    best.schedule = std::move(done.schedule);
    best.seconds = done.end_s;
  } else if (!division.run.verified) {
    throw BackendError("no schedule completes: " + division.problem);
  }
  if (is_own_policy_worth_it(world, best.seconds)) {
    const std::optional<double> own_s = end_of_own_policy(world, plain);
    if (own_s && *own_s < best.seconds) {
      best.seconds = *own_s;
      best.policy = "equipoise";
    }
  }
  return best;
}

void find_best_schedule(SimWorld& world, const Options& options) {
  try {
    BestKnown best = search_schedule(world, options);
    world.schedule = std::move(best.schedule);
    world.best_known = {best.seconds, std::move(best.policy)};
  } catch (const BackendError& failure) {
    warn(fmt::format("the best schedule is not known: {}", failure.what()));
  }
}

}  // namespace equipoise

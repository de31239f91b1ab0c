// Tries candidates in the simulator, from divisions of the oracle and shares of the lower bound on.
// Shares become whole grains, in blocks that get smaller towards both ends.
#include "tools/search/phase_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "tools/console/terminal.hpp"
#include "tools/search/ideal_runs.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

constexpr double close_enough = 1.0002;  // relative to the lower bound: the search ends
constexpr double worth_it = 0.9998;      // relative to the best so far: counts as an improvement
constexpr int balancing_rounds = 8;
constexpr int change_rounds = 3;
constexpr double evaluations_max = 120.0;
constexpr double unit_evaluations_max = 12'000.0;
constexpr double for_energy = 2.0;            // so many times as many evaluations
constexpr std::size_t single_units_max = 12;  // with more, alike units give and get items together

/// The sizes of a block after repeated halving: s/2^k, s/2^k, s/2^(k-1), ..., s/2.
std::vector<double> halves(double items, int halvings) {
  std::vector<double> sizes;
  for (int i = 0; i < halvings; ++i) {
    items *= 0.5;
    sizes.push_back(items);
  }
  sizes.push_back(items);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

/// Rounds the shares to whole grains that add up to all items.
std::vector<Items> whole_shares(const Parts& parts, const Workload& workload) {
  const auto grain = static_cast<double>(workload.grain_items);
  const Items grains_in_all = (workload.items + workload.grain_items - 1) / workload.grain_items;
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0,
                                     [](double s, const Part& p) { return s + p.share_items; });
  std::vector<Items> grains;
  std::vector<std::pair<double, std::size_t>> rests;
  Items given = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const double exact =
        sum > 0.0 ? parts[p].share_items / sum * static_cast<double>(workload.items) / grain : 0.0;
    grains.push_back(static_cast<Items>(exact));
    given += grains.back();
    rests.emplace_back(std::floor(exact) - exact, p);
  }
  std::sort(rests.begin(), rests.end());
  for (std::size_t i = 0; given < grains_in_all; i = (i + 1) % rests.size(), ++given) {
    ++grains[rests[i].second];
  }
  return grains;
}

}  // namespace

BlockLists::value_type blocks_of(const Parts& parts, const Workload& workload,
                                 std::span<const Unit> units) {
  const std::vector<Items> grains = whole_shares(parts, workload);
  BlockLists::value_type blocks(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (grains[p] == 0) continue;
    const Part& part = parts[p];
    const auto share = static_cast<double>(grains[p]);
    const Items most = std::max<Items>(1, largest_block(units[p], workload) / workload.grain_items);
    const Items count = std::clamp<Items>(part.blocks, (grains[p] + most - 1) / most, grains[p]);
    std::vector<double> sizes(static_cast<std::size_t>(count), share / static_cast<double>(count));
    const std::vector<double> last = halves(sizes.back(), part.back);
    sizes.pop_back();
    sizes.insert(sizes.end(), last.rbegin(), last.rend());
    const std::vector<double> first = halves(sizes.front(), part.front);
    sizes.erase(sizes.begin());
    sizes.insert(sizes.begin(), first.begin(), first.end());
    double exact = 0.0;
    Items given = 0;
    for (const double size : sizes) {
      exact += size;
      const auto until = std::min(grains[p], static_cast<Items>(std::llround(exact)));
      if (until > given) blocks[p].push_back((until - given) * workload.grain_items);
      given = std::max(given, until);
    }
  }
  return blocks;
}

std::size_t evaluations_of(const Parts& parts, int iterations) {
  constexpr Items blocks_of_an_evaluation = 100'000;
  Items blocks = 0;
  for (const Part& part : parts) {
    if (part.share_items > 0.0) blocks += part.blocks;
  }
  return 1 + static_cast<std::size_t>(blocks * iterations / blocks_of_an_evaluation);
}

std::vector<std::vector<double>> energy_prefixes(
    const SimMachine& machine, const std::vector<std::vector<std::size_t>>& groups) {
  const KnownCosts known = known_costs(machine, machine.inputs->traces);
  const Workload& workload = machine.setup.phases.back();
  const std::size_t n = machine.units.size();
  const double even = std::max(1.0, static_cast<double>(workload.items) / static_cast<double>(n));
  std::vector<double> items_per_s(n);
  std::vector<double> per_item_j(n);
  for (std::size_t p = 0; p < n; ++p) {
    const Unit& unit = machine.units[p];
    const CostModel& cost = *known.phases[machine.setup.phases.size() - 1][p];
    items_per_s[p] = even / cost.at(even).seconds;
    per_item_j[p] = (*unit.busy_w - *unit.idle_w) * cost.computing_s(even) / even;
  }
  std::vector<std::vector<std::size_t>> order = groups;
  std::ranges::stable_sort(
      order, {}, [&](const std::vector<std::size_t>& group) { return per_item_j[group.front()]; });
  std::vector<std::vector<double>> prefixes;
  std::vector<double> shares(n, 0.0);
  const std::size_t count = std::min(order.size(), most_prefixes);
  for (std::size_t g = 0; g < order.size(); ++g) {
    for (const std::size_t p : order[g]) shares[p] = items_per_s[p];
    if ((g + 1) * count / order.size() > prefixes.size()) prefixes.push_back(shares);
  }
  return prefixes;
}

namespace {

/// A lower bound on the time of the phase, after the phases before it. Without a scenario it does
/// not depend on the start of the phase. Under a scenario only the bound on the end of the phase
/// holds.
double bound_of(const SimMachine& machine, const PhasesBefore& before) {
  if (machine.setup.scenario.events.empty()) return machine.bound.phases.back().seconds;
  double end_s = 0.0;
  for (const LowerBound& bound : machine.bound.phases) end_s += bound.seconds;
  return end_s - before.end_s;
}

/// The search for the last phase of a machine.
class PhaseSearch {
 public:
  PhaseSearch(const SimMachine& machine, const RunOptions& plain, Objective objective,
              const std::vector<std::vector<UnitInPhase>>& divisions, const PhasesBefore& before);

  /// Returns the best candidate.
  const Tried& run();

 private:
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] bool anything_moves() const;
  void begin();
  void balance();
  bool change_once();
  void move_between_units();
  bool spend_on(const Parts& parts);
  void try_all(std::vector<Parts> proposed);
  [[nodiscard]] Tried tried_from(const SimulationResult& result, Parts parts) const;
  [[nodiscard]] Parts balanced(const Tried& tried, double damping) const;
  [[nodiscard]] std::vector<Parts> changes() const;
  [[nodiscard]] std::vector<Parts> moves(double items) const;

  const SimMachine& machine_;
  const RunOptions& options_;
  Objective objective_;
  const Workload& workload_;
  const LowerBound& bound_;
  double bound_s_;
  const std::vector<std::vector<UnitInPhase>>& divisions_;
  const PhasesBefore& before_;
  bool is_for_time_;
  std::vector<std::vector<std::size_t>> alike_;  // units that are changed together
  std::size_t left_;                             // remaining evaluations
  std::size_t most_;                             // all evaluations, unless the search ends early
  Progress progress_;
  Tried best_;
};

PhaseSearch::PhaseSearch(const SimMachine& machine, const RunOptions& plain, Objective objective,
                         const std::vector<std::vector<UnitInPhase>>& divisions,
                         const PhasesBefore& before)
    : machine_(machine),
      options_(plain),
      objective_(objective),
      workload_(machine.setup.phases.back()),
      bound_(machine.bound.phases.back()),
      bound_s_(bound_of(machine, before)),
      divisions_(divisions),
      before_(before),
      is_for_time_(objective == Objective::time),
      left_(static_cast<std::size_t>(
          (is_for_time_ ? 1.0 : for_energy) *
          std::clamp(unit_evaluations_max / static_cast<double>(machine.units.size()), 10.0,
                     evaluations_max))),
      most_(left_),
      progress_(options_.quiet) {
  std::map<std::tuple<std::string, UnitKind, std::string>, std::size_t> known;
  for (std::size_t p = 0; p < machine.units.size(); ++p) {
    const Unit& unit = machine.units[p];
    const auto [place, is_new] =
        known.try_emplace({unit.node, unit.kind, unit.model}, alike_.size());
    if (is_new) alike_.emplace_back();
    alike_[place->second].push_back(p);
  }
}

const Tried& PhaseSearch::run() {
  begin();
  if (!best_.completes()) return best_;
  balance();
  for (int round = 0; round < change_rounds && !is_done(); ++round) {
    if (!change_once()) break;
    balance();
  }
  if (!is_for_time_) move_between_units();
  return best_;
}

bool PhaseSearch::is_done() const {
  return left_ == 0 || (is_for_time_ && best_.seconds <= close_enough * bound_s_);
}

bool PhaseSearch::anything_moves() const {
  for (const PlatformUnit& unit : machine_.setup.platform.units) {
    if (!unit.in.links.empty() || !unit.out.links.empty()) return true;
  }
  return false;
}

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
  tried.value = is_for_time_ ? tried.seconds : value_for(objective_, report.run.numbers);
  const auto iterations = static_cast<double>(workload_.iterations);
  const double begin_s = tried.makespan_s - tried.seconds / iterations;
  for (const UnitInPhase& unit : report.run.numbers.phases.back()) {
    tried.end_s.push_back(std::max(0.0, unit.last_end.value - begin_s));
  }
  return tried;
}

/// Tries the divisions of the oracle, the shares of the bound and, for energy or EDP, those of
/// `energy_prefixes`, with few blocks and with many.
void PhaseSearch::begin() {
  std::vector<Parts> starts;
  const auto iterations = static_cast<Items>(workload_.iterations);
  for (const std::vector<UnitInPhase>& division : divisions_) {
    Parts& parts = starts.emplace_back();
    for (const UnitInPhase& unit : division) {
      parts.push_back({static_cast<double>(unit.items) / static_cast<double>(iterations),
                       std::max<Items>(1, static_cast<Items>(unit.blocks) / iterations), 0, 0});
    }
  }
  std::vector<std::vector<double>> shares = {bound_.share_items};
  if (!is_for_time_) {
    for (auto& prefix : energy_prefixes(machine_, alike_)) shares.push_back(std::move(prefix));
  }
  for (const std::vector<double>& share_items : shares) {
    Parts parts = starts.front();
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p].share_items = share_items[p];
    starts.push_back(std::move(parts));
  }
  std::vector<Parts> candidates = starts;
  if (anything_moves()) {
    for (const Items factor : {2, 4, 8, 16, 32}) {
      for (Parts parts : starts) {
        for (Part& part : parts) part.blocks *= factor;
        candidates.push_back(std::move(parts));
      }
    }
  }
  try_all(std::move(candidates));
}

/// Whether evaluations are left for `parts`, which then count. The first candidate is always tried.
bool PhaseSearch::spend_on(const Parts& parts) {
  const std::size_t needed = evaluations_of(parts, workload_.iterations);
  if (needed > left_ && left_ < most_) return false;
  left_ -= std::min(needed, left_);
  return true;
}

/// Evaluates those of `proposed` that evaluations are left for, and keeps the best one so far.
void PhaseSearch::try_all(std::vector<Parts> proposed) {
  const std::size_t tried_before = most_ - left_;
  std::vector<Parts> candidates;
  for (Parts& parts : proposed) {
    if (spend_on(parts)) candidates.push_back(std::move(parts));
  }
  const PolicyChoice optimum = parse_policy("optimum");
  std::vector<SimulationResult> results(candidates.size());
  std::size_t ended = 0;
  run_simulations(
      candidates.size(),
      [&](std::size_t i) {
        Simulation simulation = simulation_of(machine_, optimum, options_);
        simulation.schedule = before_.schedule;
        simulation.schedule.push_back(blocks_of(candidates[i], workload_, machine_.units));
        return simulation;
      },
      [&](std::size_t i, SimulationResult result) {
        results[i] = std::move(result);
        const std::size_t tried = tried_before + ++ended;
        progress_.show(
            fmt::format("searching the best schedule: tried {} of at most {}", tried, most_),
            static_cast<double>(tried) / static_cast<double>(most_));
      });
  for (std::size_t i = 0; i < results.size(); ++i) {
    Tried tried = tried_from(results[i], std::move(candidates[i]));
    if (tried.value < best_.value) best_ = std::move(tried);
  }
}

/// Moves items from units that end late to units that end early, as long as that helps.
void PhaseSearch::balance() {
  for (int round = 0; round < balancing_rounds && !is_done(); ++round) {
    const double before = best_.value;
    std::vector<Parts> candidates;
    for (const double damping : {1.0, 0.5, 0.25}) candidates.push_back(balanced(best_, damping));
    try_all(std::move(candidates));
    if (best_.value > worth_it * before) return;
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
  const double before = best_.value;
  try_all(changes());
  return best_.value < worth_it * before;
}

/// Moves items from one unit to another, in smaller and smaller steps, as long as that helps.
void PhaseSearch::move_between_units() {
  const auto blocks = blocks_of(best_.parts, workload_, machine_.units);
  for (std::size_t p = 0; p < blocks.size(); ++p) {  // whole grains, so that a move is one, too
    best_.parts[p].share_items =
        static_cast<double>(std::accumulate(blocks[p].begin(), blocks[p].end(), Items{0}));
  }
  const auto grain = static_cast<double>(workload_.grain_items);
  double step = 0.5 * static_cast<double>(workload_.items);
  double before = 0.0;
  do {
    step = std::max(grain, grain * std::floor(step / grain));
    do {
      before = best_.value;
      try_all(moves(step));
    } while (!is_done() && best_.value < worth_it * before);
    step *= 0.25;
  } while (!is_done() && 4.0 * step > grain);
}

/// The best candidate with so many items, or all that there are, on another unit; with many units
/// all alike ones give, or get, equal parts of them.
std::vector<Parts> PhaseSearch::moves(double items) const {
  std::vector<std::vector<std::size_t>> groups = alike_;
  if (machine_.units.size() <= single_units_max) {
    groups.clear();
    for (std::size_t p = 0; p < machine_.units.size(); ++p) groups.push_back({p});
  }
  std::vector<Parts> candidates;
  for (const auto& from : groups) {
    for (const auto& to : groups) {
      if (&from == &to) continue;
      Parts parts = best_.parts;
      double moved = 0.0;
      for (const std::size_t p : from) {
        const double part =
            std::min(parts[p].share_items, items / static_cast<double>(from.size()));
        parts[p].share_items -= part;
        moved += part;
      }
      if (moved == 0.0) continue;
      for (const std::size_t p : to) {
        parts[p].share_items += moved / static_cast<double>(to.size());
      }
      candidates.push_back(std::move(parts));
    }
  }
  return candidates;
}

std::vector<Parts> PhaseSearch::changes() const {
  std::vector<Parts> candidates;
  const auto change = [&](const std::vector<std::size_t>& units, const auto& how) {
    Parts parts = best_.parts;
    for (const std::size_t p : units) how(parts[p]);
    if (parts != best_.parts) candidates.push_back(std::move(parts));
  };
  std::vector<std::size_t> all(machine_.units.size());
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

}  // namespace

Tried search_phase(const SimMachine& machine, const RunOptions& plain, Objective objective,
                   const std::vector<std::vector<UnitInPhase>>& divisions,
                   const PhasesBefore& before) {
  return PhaseSearch(machine, plain, objective, divisions, before).run();
}

}  // namespace equipoise

// Tries candidates in the simulator, from divisions of the oracle and shares of the lower bound on.
#include "tools/search/phase_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "tools/search/energy_prefixes.hpp"
#include "tools/search/ideal_runs.hpp"

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

/// A lower bound on the time of the phase, after the phases before it. Without a scenario it does
/// not depend on the start of the phase. Under a scenario only the bound on the end of the phase
/// holds.
double bound_of(const SimWorld& world, const PhasesBefore& before) {
  if (world.setup.scenario.events.empty()) return world.bound.phases.back().seconds;
  double end_s = 0.0;
  for (const LowerBound& bound : world.bound.phases) end_s += bound.seconds;
  return end_s - before.end_s;
}

}  // namespace

PhaseSearch::PhaseSearch(const SimWorld& world, const Options& plain,
                         std::vector<std::vector<UnitInPhase>> divisions,
                         const PhasesBefore& before)
    : world_(world),
      options_(plain),
      workload_(world.setup.phases.back()),
      bound_(world.bound.phases.back()),
      bound_s_(bound_of(world, before)),
      divisions_(std::move(divisions)),
      before_(before),
      is_for_time_(plain.objective == "time"),
      left_(static_cast<std::size_t>(
          (is_for_time_ ? 1.0 : for_energy) *
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
  for (const PlatformUnit& unit : world_.setup.platform.units) {
    if (!unit.in.links.empty() || !unit.out.links.empty()) return true;
  }
  return false;
}

void PhaseSearch::show_progress(std::size_t tried) {
  progress_.show(fmt::format("searching the best schedule: tried {} of at most {}", tried, most_),
                 static_cast<double>(tried) / static_cast<double>(most_));
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
  tried.value = is_for_time_ ? tried.seconds : value_for(options_.objective, report.run.numbers);
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
    for (auto& prefix : energy_prefixes(world_, alike_)) shares.push_back(std::move(prefix));
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
        Simulation simulation = simulation_of(world_, optimum, options_);
        simulation.schedule = before_.schedule;
        simulation.schedule.push_back(blocks_of(candidates[i], workload_, world_.units));
        return simulation;
      },
      [&](std::size_t i, SimulationResult result) {
        results[i] = std::move(result);
        show_progress(tried_before + ++ended);
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
  const auto blocks = blocks_of(best_.parts, workload_, world_.units);
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
  if (world_.units.size() <= single_units_max) {
    groups.clear();
    for (std::size_t p = 0; p < world_.units.size(); ++p) groups.push_back({p});
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

}  // namespace equipoise

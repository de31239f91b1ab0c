// Adds up the records of one run.
#include "shared_policies/run/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace equipoise {

double idle_fraction(const RunNumbers& numbers, std::size_t unit) {
  if (numbers.makespan <= Seconds{}) return 0.0;
  return std::clamp(1.0 - numbers.units[unit].occupied / numbers.makespan, 0.0, 1.0);
}

double share(const RunNumbers& numbers, std::size_t unit) {
  if (numbers.items == 0) return 0.0;
  return static_cast<double>(numbers.units[unit].items) / static_cast<double>(numbers.items);
}

double share_of(const std::vector<UnitInPhase>& units, std::size_t unit) {
  Items sum = 0;
  for (const UnitInPhase& each : units) sum += each.items;
  return sum == 0 ? 0.0 : static_cast<double>(units[unit].items) / static_cast<double>(sum);
}

Seconds end_of(const std::vector<UnitInPhase>& units) {
  Seconds last;
  for (const UnitInPhase& unit : units) last = std::max(last, unit.last_end);
  return last;
}

WithoutUnits time_without(const RunNumbers& numbers, std::span<const BoundPhase> bound) {
  WithoutUnits longer;
  for (std::size_t k = 0; k < std::min(bound.size(), numbers.phases.size()); ++k) {
    double used = 0.0;
    double unused = 0.0;
    double dropped = 0.0;
    bool any = false;
    for (std::size_t p = 0; p < bound[k].share_items.size(); ++p) {
      const UnitInPhase& unit = numbers.phases[k][p];
      any = any || unit.blocks > 0;
      double& items = unit.blocks > 0 ? used : (unit.dropped > 0 ? dropped : unused);
      items += bound[k].share_items[p];
    }
    if (!any || !(unused + dropped > 0.0)) continue;
    const Seconds time = used > 0.0 ? bound[k].time : numbers.makespan;
    const double others = used > 0.0 ? used : unused + dropped;
    longer.unused += (unused / others) * time;
    longer.dropped += (dropped / others) * time;
  }
  longer.unused = std::min(longer.unused, numbers.makespan);
  longer.dropped = std::min(longer.dropped, numbers.makespan - longer.unused);
  return longer;
}

double mean_idle_fraction(const RunNumbers& numbers) {
  double mean = 0.0;
  for (std::size_t i = 0; i < numbers.units.size(); ++i) {
    mean += idle_fraction(numbers, i) / static_cast<double>(numbers.units.size());
  }
  return mean;
}

Seconds finish_spread(const RunNumbers& numbers) {
  Seconds first = Seconds::infinity();
  Seconds last;
  for (const UnitNumbers& unit : numbers.units) {
    if (unit.last_end == Seconds{}) continue;
    first = std::min(first, unit.last_end);
    last = std::max(last, unit.last_end);
  }
  return first > last ? Seconds{} : last - first;
}

Metrics::Metrics(std::vector<Unit> units, std::vector<std::vector<RecordedSizes>> recorded,
                 std::string meter_note, CopyTimesAlone alone, bool repeats_blocks)
    : units_(std::move(units)),
      recorded_(std::move(recorded)),
      meter_note_(std::move(meter_note)),
      losses_(units_, std::move(alone), repeats_blocks) {
  sum_.units.resize(units_.size());
  times_.resize(units_.size());
}

UnitInPhase& Metrics::in_phase(const Block& block, UnitId unit) {
  const auto phase = static_cast<std::size_t>(block.phase);
  while (sum_.phases.size() <= phase) sum_.phases.emplace_back(units_.size());
  return sum_.phases[phase][unit.index];
}

void Metrics::block(const BlockRecord& record) {
  losses_.block(record);
  UnitNumbers& unit = sum_.units[record.unit.index];
  unit.items += record.block.items;
  ++unit.blocks;
  unit.busy.setup += record.times.setup;
  unit.busy.in += record.times.in;
  unit.busy.compute += record.times.compute;
  unit.busy.out += record.times.out;
  times_[record.unit.index].occupy(unit, record.end - total(record.times), record.end);
  UnitInPhase& phase = in_phase(record.block, record.unit);
  phase.items += record.block.items;
  ++phase.blocks;
  phase.last_end = std::max(phase.last_end, record.end);
  sum_.items += record.block.items;
  ++sum_.blocks;
  sum_.makespan = std::max(sum_.makespan, record.end);
  if (!recorded_.empty()) {
    const auto& of_phase = recorded_[static_cast<std::size_t>(record.block.phase)];
    const RecordedSizes& sizes = of_phase[record.unit.index];
    const auto items = static_cast<double>(record.block.items);
    if (items < sizes.least_items || items > sizes.most_items) {
      extrapolated_items_ += record.block.items;
    }
  }
}

/// The blocks of a unit are given in the order of their ends, but a later one may have begun
/// earlier.
void Metrics::UnitTime::occupy(UnitNumbers& of, Seconds from, Seconds until) {
  of.last_end = std::max(of.last_end, until);
  if (from > stretch.end) {
    stretch = {stretch.end, from, until};
    of.occupied += until - from;
    return;
  }
  const Seconds begin = std::max(std::min(stretch.begin, from), stretch.earlier_end);
  const Seconds end = std::max(stretch.end, until);
  of.occupied += (stretch.begin - begin) + (end - stretch.end);
  stretch.begin = begin;
  stretch.end = end;
}

/// Up to `until` the unit has worked on its lost blocks, of which nothing more will be known.
void Metrics::UnitTime::go_on(UnitNumbers& of, Seconds until) {
  if (going_on.empty()) return;
  const Seconds from = std::max(going_on.front().assigned, of.last_end);
  going_on.clear();
  if (until <= from) return;
  occupy(of, from, until);
  dropped += until - from;
}

void Metrics::decision(const DecisionRecord& record) {
  ++sum_.decisions;
  sum_.decisions_total += record.cost;
  sum_.decisions_max = std::max(sum_.decisions_max, record.cost);
  if (record.decision.is(DecisionKind::rebalance)) ++sum_.rebalances;
}

void Metrics::event(const EventRecord& record) {
  losses_.event(record);
  if (const auto* const lost = std::get_if<LostBlock>(&record.what)) {
    const bool was_begun = lost->by == LostBy::unit || lost->goes_on;
    sum_.items_redone += was_begun ? lost->block.items : 0;
    if (!lost->goes_on) return;
    times_[lost->unit.index].going_on.push_back({lost->block.id, lost->assigned});
    ++in_phase(lost->block, lost->unit).dropped;
  } else if (const auto* const late = std::get_if<LateEnd>(&record.what)) {
    UnitTime& time = times_[late->unit.index];
    std::erase_if(time.going_on, [&](const GoingOn& of) { return of.block == late->block.id; });
    time.occupy(sum_.units[late->unit.index], record.at - total(late->times), record.at);
    time.dropped += late->times.compute;
  } else if (const auto* const gone = std::get_if<UnitLost>(&record.what)) {
    times_[gone->unit.index].go_on(sum_.units[gone->unit.index], record.at);
  }
}

void Metrics::measured(const Measured& record) {
  if (record.domain == policy_domain) {
    if (record.what == answers_s) sum_.decisions_total += Seconds{record.value};
    if (record.what == longest_answer_s) {
      sum_.decisions_max = std::max(sum_.decisions_max, Seconds{record.value});
    }
    return;
  }
  if (record.what != "energy_j") return;
  EnergyReadings& readings = energy_[record.domain];
  if (readings.count++ == 0) readings.first_j = record.value;
  readings.last_j = record.value;
  readings.last_at = record.at;
}

RunNumbers Metrics::numbers() const {
  RunNumbers numbers = sum_;
  if (numbers.items > 0) {
    numbers.extrapolated_share =
        static_cast<double>(extrapolated_items_) / static_cast<double>(numbers.items);
  }
  numbers.losses = losses_.losses(numbers.makespan);
  std::vector<UnitTime> times = times_;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    times[i].go_on(numbers.units[i], numbers.makespan);
  }
  model_energy(numbers, times);
  measure_energy(numbers);
  return numbers;
}

std::string Metrics::why_unmeasured() const {
  if (std::ranges::any_of(energy_, [](const auto& of) { return of.second.count > 1; })) {
    return "no meter was read up to the end";
  }
  if (!energy_.empty()) return "no meter was read twice";
  if (meter_note_.empty()) return "no meter was read";
  return fmt::format("no meter was read ({})", meter_note_);
}

void Metrics::model_energy(RunNumbers& numbers, const std::vector<UnitTime>& times) const {
  double all_j = 0.0;
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (!units_[i].idle_w || !units_[i].busy_w) {
      unknown.push_back(units_[i].name);
      continue;
    }
    UnitNumbers& unit = numbers.units[i];
    unit.energy_j =
        *units_[i].idle_w * numbers.makespan.value +
        (*units_[i].busy_w - *units_[i].idle_w) * (unit.busy.compute + times[i].dropped).value;
    all_j += *unit.energy_j;
  }
  if (unknown.empty()) {
    numbers.energy_j = all_j;
    numbers.energy_from = EnergySource::modelled;
    if (!meter_note_.empty() || !energy_.empty()) numbers.energy_note = why_unmeasured();
  } else if (unknown.size() == units_.size()) {
    numbers.energy_note = why_unmeasured() + ", and no unit's watts are known";
  } else {
    numbers.energy_note = fmt::format("{}, and the watts of {} are unknown", why_unmeasured(),
                                      fmt::join(unknown, ", "));
  }
}

void Metrics::measure_energy(RunNumbers& numbers) const {
  double all_j = 0.0;
  std::vector<std::string> measured;
  std::vector<std::string> left_out;
  for (const auto& [domain, readings] : energy_) {
    if (readings.count == 1) {
      left_out.push_back(domain + ": read only once");
    } else if (readings.last_at < numbers.makespan) {
      left_out.push_back(
          fmt::format("{}: read only until {:.3g} s", domain, readings.last_at.value));
    } else {
      measured.push_back(domain);
      all_j += readings.last_j - readings.first_j;
    }
  }
  if (measured.empty()) return;
  numbers.energy_j = all_j;
  numbers.energy_from = EnergySource::measured;
  numbers.energy_note = fmt::format("of {}", fmt::join(measured, ", "));
  if (!left_out.empty()) {
    numbers.energy_note += fmt::format(", without {}", fmt::join(left_out, ", without "));
  }
  if (!meter_note_.empty()) numbers.energy_note += "; " + meter_note_;
  for (UnitNumbers& unit : numbers.units) unit.energy_j = std::nullopt;
}

}  // namespace equipoise

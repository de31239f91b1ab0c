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

Seconds time_of_unused(const RunNumbers& numbers, std::span<const BoundPhase> bound) {
  Seconds longer;
  for (std::size_t k = 0; k < std::min(bound.size(), numbers.phases.size()); ++k) {
    double used = 0.0;
    double unused = 0.0;
    bool any = false;
    for (std::size_t p = 0; p < bound[k].share_items.size(); ++p) {
      const bool has_block = numbers.phases[k][p].blocks > 0;
      any = any || has_block;
      (has_block ? used : unused) += bound[k].share_items[p];
    }
    if (!any || !(unused > 0.0)) continue;
    if (!(used > 0.0)) return numbers.makespan;
    longer += (unused / used) * bound[k].time;
  }
  return std::min(longer, numbers.makespan);
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
    if (unit.blocks == 0) continue;
    first = std::min(first, unit.last_end);
    last = std::max(last, unit.last_end);
  }
  return numbers.blocks == 0 ? Seconds{} : last - first;
}

Metrics::Metrics(std::vector<Unit> units, std::vector<std::vector<RecordedSizes>> recorded,
                 std::string meter_note, CopyTimesAlone alone, bool repeats_blocks)
    : units_(std::move(units)),
      recorded_(std::move(recorded)),
      meter_note_(std::move(meter_note)),
      losses_(units_, std::move(alone), repeats_blocks) {
  sum_.units.resize(units_.size());
  stretches_.resize(units_.size());
  dropped_.resize(units_.size());
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
  unit.last_end = std::max(unit.last_end, record.end);
  occupy(record.unit, record.end - total(record.times), record.end);
  const auto phase = static_cast<std::size_t>(record.block.phase);
  while (sum_.phases.size() <= phase) sum_.phases.emplace_back(units_.size());
  UnitInPhase& in_phase = sum_.phases[phase][record.unit.index];
  in_phase.items += record.block.items;
  ++in_phase.blocks;
  in_phase.last_end = std::max(in_phase.last_end, record.end);
  sum_.items += record.block.items;
  ++sum_.blocks;
  sum_.makespan = std::max(sum_.makespan, record.end);
  if (!recorded_.empty()) {
    const RecordedSizes& sizes = recorded_[phase][record.unit.index];
    const auto items = static_cast<double>(record.block.items);
    if (items < sizes.least_items || items > sizes.most_items) {
      extrapolated_items_ += record.block.items;
    }
  }
}

/// The blocks of a unit are given in the order of their ends, but a later one may have begun
/// earlier.
void Metrics::occupy(UnitId unit, Seconds from, Seconds until) {
  OccupiedStretch& stretch = stretches_[unit.index];
  Seconds& occupied = sum_.units[unit.index].occupied;
  if (from > stretch.end) {
    stretch = {stretch.end, from, until};
    occupied += until - from;
    return;
  }
  const Seconds begin = std::max(std::min(stretch.begin, from), stretch.earlier_end);
  const Seconds end = std::max(stretch.end, until);
  occupied += (stretch.begin - begin) + (end - stretch.end);
  stretch.begin = begin;
  stretch.end = end;
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
  }
  if (const auto* const late = std::get_if<LateEnd>(&record.what)) {
    occupy(late->unit, record.at - total(late->times), record.at);
    dropped_[late->unit.index] += late->times.compute;
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
  model_energy(numbers);
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

void Metrics::model_energy(RunNumbers& numbers) const {
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
        (*units_[i].busy_w - *units_[i].idle_w) * (unit.busy.compute + dropped_[i]).value;
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

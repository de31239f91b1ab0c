// What happens in SimGrid's kernel context: stages begin and end, units come and go, and the
// controller is woken.
#include <algorithm>
#include <optional>
#include <string>

#include "shared_policies/machine/copy_speed.hpp"
#include "sim/simgrid_executor.hpp"

namespace equipoise {
namespace {

/// Shorter stages take their undisturbed time: SimGrid could not distinguish their end from their
/// start.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

}  // namespace

std::optional<Seconds> SimExecutor::duration(UnitId unit, const PipelinedBlock& block, Stage stage,
                                             Seconds begin) const {
  if (stage == Stage::compute) {
    const Seconds time = compute_time(unit, block, begin);
    const bool is_known = time < shortest_activity || time == Seconds::infinity();
    return !setup_.activities_only || is_known ? std::optional(time) : std::nullopt;
  }
  const Seconds alone = time_of(block.alone, stage);
  const bool is_in = stage != Stage::out;
  const TransferRoute& route = is_in ? routes_[unit.index].in : routes_[unit.index].out;
  if (alone < shortest_activity) return alone;
  if (!route.is_private || (stage == Stage::setup && nodes_.shares(unit))) return std::nullopt;
  const CopySpeeds& speeds = units_[unit.index].copies;
  return disturbed_copy(is_in ? *speeds.in : *speeds.out,
                        setup_.platform.units[unit.index].unit.copy_engines,
                        is_in ? units_[unit.index].in : units_[unit.index].out, begin, alone);
}

void SimExecutor::launch(UnitId unit, const PipelinedBlock& block, Stage stage) {
  if (stage == Stage::compute) {
    activities_->compute(unit, routes_[unit.index].in.to, compute_time(unit, block, now()));
  } else if (stage != Stage::setup || has_to_fetch(unit, block)) {
    transfer(unit, stage, bytes_of(block, stage));
  }
}

void SimExecutor::transfer(UnitId unit, Stage stage, double bytes) {
  const UnitRoutes& routes = routes_[unit.index];
  links_->before_transfer();
  activities_->transfer(unit, stage, stage == Stage::out ? routes.out : routes.in, bytes);
}

/// Whether the unit fetches its resident data itself. If not, its setup ends when it has copied
/// them from its node.
bool SimExecutor::has_to_fetch(UnitId unit, const PipelinedBlock& block) {
  if (!nodes_.shares(unit)) return true;
  units_[unit.index].take_setup(block);
  const NodeResidents::Way way = nodes_.ask(unit, block.block.phase, block.block.iteration);
  if (way == NodeResidents::Way::take) take_from_node(unit);
  return way == NodeResidents::Way::fetch;
}

/// The data are in the node from now on.
void SimExecutor::take_from_node(UnitId unit) {
  pipelines_[unit].end_stage(Stage::setup, now() + units_[unit.index].copy_from_node());
  timeline_.set(pipelines_.device_of(unit).index, now());
}

/// Does not start what the end makes possible: that happens after all ends of this instant.
void SimExecutor::end(UnitId unit, Stage stage, bool is_failed) {
  if (is_over_) return;
  if (is_failed) {
    failure_ = "a transfer or computation of unit " + setup_.platform.units[unit.index].unit.name +
               " failed: the platform takes a link or host away";
    controller_->wake();
    return;
  }
  pipelines_[unit].end_stage(stage, now());
  timeline_.set(pipelines_.device_of(unit).index, now());
  for (const UnitId waiting : nodes_.arrived(unit)) take_from_node(waiting);
  controller_->call_at(now());
}

/// Whether `unit` is late, so that what ends is not reported; with the last, it takes part again.
bool SimExecutor::ends_given_up(UnitId unit, Seconds at) {
  std::size_t& given_up = units_[unit.index].given_up;
  if (given_up == 0) return false;
  if (--given_up == 0) join_again(unit, at);
  return true;
}

void SimExecutor::probed(UnitId unit, const PipelinedBlock& probe, Seconds at) {
  if (ends_given_up(unit, at)) return;
  ready_.push(end_of_probe(unit, probe, at));
  watch_.probe_ended(unit, probe.probe.value(), at);
  timeline_.set(watch_slot(), watch_.next_late());
}

void SimExecutor::finished(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) {
  if (ends_given_up(unit, at)) return;
  if (!is_dropped) contested_.done(block.block);
  ready_.push(end_of(unit, block, at, is_dropped));
  watch_.came_back(unit, block.block, at, block.times.setup);
  timeline_.set(watch_slot(), watch_.next_late());
}

/// Processes everything that is due.
void SimExecutor::advance() {
  const Seconds clock = now();
  while (timeline_.earliest() <= clock) {
    const std::uint32_t slot = timeline_.first();
    if (slot == changes_slot()) {
      change_machines();
      continue;
    }
    if (slot == watch_slot()) {
      lose_late_unit();
      continue;
    }
    pipelines_.advance(UnitId{slot}, clock);
    timeline_.set(slot, pipelines_.next_date(UnitId{slot}));
  }
}

/// Applies the next change of the scenario, after all stages that ended before or at its time.
void SimExecutor::change_machines() {
  const MachineChange& change = changes_[changes_done_++];
  const bool has_more = changes_done_ < changes_.size();
  timeline_.set(changes_slot(), has_more ? changes_[changes_done_].at : Seconds::infinity());
  if (change.kind == ChangeKind::bandwidth) {
    links_->set(change.index, change.bandwidth_bytes_per_s);
    return;
  }
  const UnitId unit{change.index};
  bool& is_present = units_[unit.index].is_present;
  const bool joins = change.kind == ChangeKind::join;
  const bool is_news = joins || is_present;  // else it kept a block for too long
  if (!is_news && units_[unit.index].given_up == 0) return;
  pipelines_.advance(pipelines_.device_of(unit), change.at);
  drop_blocks(unit);
  is_present = joins;
  if (joins) {
    watch_.joined(unit, change.at);
    timeline_.set(watch_slot(), watch_.next_late());
    ready_.push({change.at, UnitJoined{unit}});
  } else if (is_news) {
    ready_.push({change.at, UnitLost{unit}});
  }
}

/// Loses the unit that has been late for longest, unless its block ends in this instant.
void SimExecutor::lose_late_unit() {
  const Seconds at = watch_.next_late();
  const std::optional<UnitId> unit = watch_.late(at);
  if (unit) {
    const UnitId device = pipelines_.device_of(*unit);
    pipelines_.advance(device, at);
    timeline_.set(device.index, pipelines_.next_date(device));
    if (watch_.late(at) == unit) give_up(*unit, at);
  }
  timeline_.set(watch_slot(), watch_.next_late());
}

/// Loses `unit`, which is late and whose device has been advanced to this instant.
void SimExecutor::give_up(UnitId unit, Seconds at) {
  units_[unit.index].is_present = false;
  ready_.push({at, UnitLost{unit}});
  if (!watch_.takes_again()) return drop_blocks(unit);
  units_[unit.index].given_up = pipelines_.give_up(unit, at);
  contested_.lost(unit);
  fetch_for(nodes_.given_up(unit));
  const UnitId device = pipelines_.device_of(unit);
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.lost(unit);
  if (units_[unit.index].given_up == 0) join_again(unit, at);
}

/// A late unit is free, and takes part again.
void SimExecutor::join_again(UnitId unit, Seconds at) {
  units_[unit.index].is_present = true;
  fetch_for(nodes_.lost(unit));
  watch_.answered(unit, at);
  timeline_.set(watch_slot(), watch_.next_late());
  ready_.push({at, UnitJoined{unit}});
}

/// `unit`, if any, fetches the data that another unit was to fetch for its node.
void SimExecutor::fetch_for(std::optional<UnitId> unit) {
  if (unit) transfer(*unit, Stage::setup, units_[unit->index].setup_bytes);
}

/// Takes all blocks from `unit`, whose device has been advanced to this instant.
void SimExecutor::drop_blocks(UnitId unit) {
  const UnitId device = pipelines_.device_of(unit);
  pipelines_.clear(unit);
  contested_.lost(unit);
  activities_->cancel(unit);
  units_[unit.index].given_up = 0;
  fetch_for(nodes_.lost(unit));
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.lost(unit);
  timeline_.set(watch_slot(), watch_.next_late());
}

void SimExecutor::wake_or_arm() {
  const bool is_wanted = wants_events_ && (!ready_.empty() || is_idle());
  if (is_wanted || now() >= wake_at_) {
    controller_->wake();
  } else {
    controller_->call_at(std::min(timeline_.earliest(), wake_at_));
  }
}

}  // namespace equipoise

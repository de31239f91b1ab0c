// What the controller calls: blocks are handed out and taken back, and it waits for events.
#include "sim/sim_executor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/model/failure.hpp"
#include "sim/sim_module.hpp"
#include "sim/simcall.hpp"
#include "sim/simgrid_executor.hpp"

namespace equipoise {

namespace s4u = simgrid::s4u;

void SimExecutor::run(const std::function<void()>& body) {
  load();
  s4u::Actor::init("controller", s4u::Host::by_name(setup_.platform.master))->start([this, &body] {
    control(body);
  });
  engine_->run();
  if (thrown_) std::rethrow_exception(thrown_);
  if (!failure_.empty()) throw BackendError(failure_);
}

void SimExecutor::load() {
  try {
    engine_ = start_simgrid();
    EQ_CHECK(now() == Seconds{}, "SimGrid's clock starts at 0, one simulation a process");
    load_platform(*engine_, setup_.source);
    routes_ = find_routes(setup_.platform);
    const bool adds_up = transfers_add_up(setup_.source);
    for (UnitRoutes& routes : routes_) {
      for (TransferRoute* route : {&routes.in, &routes.out}) {
        route->is_private = route->is_private && adds_up && !setup_.activities_only;
      }
    }
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i].copies = copy_speeds_of(routes_[i]);
    links_.emplace(setup_.platform, setup_.source, changes_);
  } catch (const BackendError&) {
    throw;
  } catch (const std::exception& error) {
    throw BackendError(std::string("the simulated platform cannot be loaded: ") + error.what());
  }
  controller_ = make_controller_actor([this] {
    advance();
    wake_or_arm();
  });
  activities_ = make_stage_activities(
      pipelines_.size(),
      [this](UnitId unit, Stage stage, bool is_failed) { end(unit, stage, is_failed); });
  if (!changes_.empty()) timeline_.set(changes_slot(), changes_.front().at);
}

void SimExecutor::control(const std::function<void()>& body) {
  controller_->begin();
  try {
    body();
  } catch (const simgrid::ForcefulKillException&) {
    failure_ =
        "the simulation cannot continue: the platform turns off a link or host and never turns it "
        "on again";
    is_over_ = true;
    throw;
  } catch (...) {
    thrown_ = std::current_exception();
  }
  is_over_ = true;
  controller_->call_at(Seconds::infinity());
}

Seconds SimExecutor::start(const Block& block, UnitId unit) {
  const PipelinedBlock work =
      work_of(block, {pipelines_[unit].resident_data(block), now()}, setup_, units_[unit.index]);
  if (!units_[unit.index].is_present) return now();
  if (block.copy_of) contest(block);
  pipelines_[unit].add(work);
  const UnitId device = pipelines_.device_of(unit);
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.handed_out(unit, block.items, now());
  timeline_.set(watch_slot(), watch_.next_late());
  return now();
}

/// A copy of a block was given to another unit.
void SimExecutor::contest(const Block& copy) {
  std::optional<UnitId> other = pipelines_.unit_with(copy.original());
  if (other) bring_up_to_date(*other);
  other = pipelines_.unit_with(copy.original());
  const bool is_claimed = other && pipelines_[*other].contest(copy.original());
  contested_.add(copy, is_claimed ? other : std::nullopt);
  if (ready_.has_finished(copy.original())) contested_.done(copy);
  if (!other) return;
  const UnitId device = pipelines_.device_of(*other);
  timeline_.set(device.index, pipelines_.next_date(device));
}

Executor::TakenBack SimExecutor::take_back(const Block& block, UnitId unit) {
  bring_up_to_date(unit);
  const Fate fate = pipelines_.take_back(unit, block, now());
  const UnitId device = pipelines_.device_of(unit);
  timeline_.set(device.index, pipelines_.next_date(device));
  if (fate == Fate::not_begun) {
    watch_.withdrawn(unit, block.items);
    timeline_.set(watch_slot(), watch_.next_late());
  }
  return {fate, now()};
}

Seconds SimExecutor::probe(const Probe& probe, UnitId unit) {
  if (!units_[unit.index].is_present) return now();
  const CopySpeeds& speeds = units_[unit.index].copies;
  const PlatformUnit& described = setup_.platform.units[unit.index];
  if (described.in.links.empty() && described.out.links.empty()) {
    ready_.push(answered_at_once(unit, probe, now()));
    return now();
  }
  const Seconds there = speeds.in ? speeds.in->message_time(probe.there_bytes) : Seconds{};
  const Seconds back =
      speeds.out && probe.back_bytes ? speeds.out->message_time(*probe.back_bytes) : Seconds{};
  const Seconds ready = now() + setup_.costs[phase_].dispatch_of(unit.index);
  pipelines_[unit].add_probe(work_of(probe, now(), ready, there, back));
  const UnitId device = pipelines_.device_of(unit);
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.probe_sent(unit, probe, now());
  timeline_.set(watch_slot(), watch_.next_late());
  return now();
}

/// Lets all stages of the unit's device that are due by now end and begin, called by the
/// controller.
void SimExecutor::bring_up_to_date(UnitId unit) {
  simgrid::kernel::actor::simcall_answered(
      [this, device = pipelines_.device_of(unit)] { pipelines_.advance(device, now()); });
}

Seconds SimExecutor::begin_iteration(int phase, int iteration) {
  contested_.clear();
  phase_ = static_cast<std::size_t>(phase);
  watch_.begin_iteration(phase, iteration, setup_.phases[phase_]);
  timeline_.set(watch_slot(), watch_.next_late());
  const Seconds merge = setup_.costs[phase_].merge;
  return iteration == 0 ? now() : occupy(std::nullopt, merge);
}

Seconds SimExecutor::occupy(std::optional<UnitId> unit, Seconds span) {
  if (unit) {
    if (span > Seconds{}) pipelines_[*unit].add_decision_time(now(), span);
    return now();
  }
  const Seconds until = now() + span;
  while (now() < until) wait(until, false);
  return now();
}

std::optional<Event> SimExecutor::next(Seconds deadline) {
  for (;;) {
    settle();
    if (!failure_.empty()) throw BackendError(failure_);
    if (!ready_.empty() && ready_.earliest() <= deadline) return ready_.pop();
    if (now() >= deadline) return std::nullopt;
    if (is_idle() && deadline == Seconds::infinity()) return std::nullopt;
    wait(deadline, true);
  }
}

/// Processes everything that is due, called while the controller runs.
void SimExecutor::settle() {
  if (timeline_.earliest() <= now()) {
    simgrid::kernel::actor::simcall_answered([this] { advance(); });
  }
}

/// Suspends the controller until `until`, or, if it wants events, until there is an event.
void SimExecutor::wait(Seconds until, bool wants_events) {
  wake_at_ = until;
  wants_events_ = wants_events;
  controller_->call_at(std::min(timeline_.earliest(), until));
  controller_->sleep();
}

std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup) {
  static bool is_made = false;
  EQ_CHECK(!std::exchange(is_made, true), "one simulation a process: SimGrid has one engine");
  return std::make_unique<SimExecutor>(std::move(setup));
}

}  // namespace equipoise

// Executes blocks in virtual time on SimGrid's clock. A stage that nothing can disturb is an entry
// in the timeline; a stage on shared links is a SimGrid activity.
//
// One actor, the controller, runs the body. While it waits it is suspended, and everything happens
// in SimGrid's kernel context, in callbacks of one timer (set to the earliest time in the timeline)
// and of completed activities. These callbacks advance the units' pipelines, apply the scenario's
// changes, put events into `ready_` and resume the controller.
#include "sim/sim_executor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/machine_pipelines.hpp"
#include "shared_policies/machine/node_residents.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/block_watch.hpp"
#include "shared_policies/run/event_queue.hpp"
#include "sim/machine_changes.hpp"
#include "sim/sim_module.hpp"
#include "sim/simcall.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/simulated_units.hpp"
#include "sim/stage_activities.hpp"
#include "sim/timeline.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// Shorter stages take their undisturbed time: SimGrid could not distinguish their end from their
/// start.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

class SimExecutor final : public Executor, private PipelineStages {
 public:
  explicit SimExecutor(SimSetup setup)
      : setup_(std::move(setup)),
        units_(simulated_units(setup_)),
        nodes_(sharing_nodes(setup_.platform), setup_.platform.units.size()),
        timeline_(setup_.platform.units.size() + 2),
        changes_(machine_changes(setup_.scenario, setup_.platform)),
        watch_(setup_.platform.units.size(), setup_.block_timeout) {
    for (const PlatformUnit& unit : setup_.platform.units) {
      pipelines_.add_unit(unit.unit.copy_engines, device_of(unit.unit), *this);
    }
  }

  void run(const std::function<void()>& body) override;
  [[nodiscard]] Seconds now() const override { return {s4u::Engine::get_clock()}; }
  Seconds begin_iteration(int phase, int iteration) override;
  Seconds start(const Block& block, UnitId unit) override;
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override;
  std::optional<Event> next(Seconds deadline) override;

 private:
  // Interface of the pipelines; `launch` and `finished` are called in kernel context.
  [[nodiscard]] std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                Stage stage, Seconds begin) const override;
  Seconds stream_time(UnitId unit, const PipelinedBlock& block, Seconds at) const override {
    return units_[unit.index].stream_time(block, at);
  }
  void launch(UnitId unit, const PipelinedBlock& block, Stage stage) override;
  void finished(UnitId unit, const PipelinedBlock& block, Seconds at) override;

  [[nodiscard]] Seconds compute_time(UnitId unit, const PipelinedBlock& block, Seconds at) const {
    return units_[unit.index].speed.span_of(at, block.alone.compute);
  }
  void end(UnitId unit, Stage stage, bool is_failed);
  void transfer(UnitId unit, Stage stage, double bytes);
  [[nodiscard]] bool has_to_fetch(UnitId unit, const PipelinedBlock& block);
  void take_from_node(UnitId unit);

  // Virtual time. In kernel context, but settle() and wait() by the controller, arm() in both.
  void advance();
  void change_machines();
  void lose_late_unit();
  void drop_blocks(UnitId unit);
  void arm(Seconds at);
  void wake_or_arm();
  void settle();
  /// Nothing will happen by itself; if the controller still waited, SimGrid would see a deadlock.
  [[nodiscard]] bool is_idle() const { return timeline_.is_empty() && activities_->running() == 0; }
  void wait(Seconds until, bool wants_events);

  /// The timeline slot of the scenario's changes, after the slots of the units.
  [[nodiscard]] std::uint32_t changes_slot() const {
    return static_cast<std::uint32_t>(pipelines_.size());
  }
  /// The slot for the time when a unit will have kept a block for too long.
  [[nodiscard]] std::uint32_t watch_slot() const { return changes_slot() + 1; }

  void load();
  void control(const std::function<void()>& body);

  SimSetup setup_;
  EnginePtr engine_;
  std::vector<UnitRoutes> routes_;  ///< (units)
  std::vector<SimulatedUnit> units_;
  MachinePipelines pipelines_;  ///< (units)
  NodeResidents nodes_;
  std::unique_ptr<StageActivities> activities_;
  Timeline timeline_;  ///< (units + 2), for the devices, each as its first unit, and the others
  std::vector<MachineChange> changes_;
  std::size_t changes_done_ = 0;  ///< number of changes that have happened
  BlockWatch watch_;
  std::optional<ChangingLinks> links_;
  EventQueue ready_;  ///< events not yet reported

  s4u::ActorPtr controller_;
  Timer* timer_ = nullptr;
  Seconds timer_at_;
  Seconds wake_at_ = Seconds::infinity();
  bool wants_events_ = false;
  bool is_over_ = false;
  std::string failure_;  ///< a failure of the platform that ends the run
  std::exception_ptr thrown_;
};

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
  activities_ = make_stage_activities(
      pipelines_.size(),
      [this](UnitId unit, Stage stage, bool is_failed) { end(unit, stage, is_failed); });
  if (!changes_.empty()) timeline_.set(changes_slot(), changes_.front().at);
}

void SimExecutor::control(const std::function<void()>& body) {
  controller_ = s4u::Actor::self();
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
  arm(Seconds::infinity());
}

Seconds SimExecutor::start(const Block& block, UnitId unit) {
  const PipelinedBlock work =
      work_of(block, {pipelines_[unit].resident_data(block), now()}, setup_, units_[unit.index]);
  if (!units_[unit.index].is_present) return now();
  pipelines_[unit].add(work);
  const UnitId device = pipelines_.device_of(unit);
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.handed_out(unit, now());
  timeline_.set(watch_slot(), watch_.next_late());
  return now();
}

Seconds SimExecutor::begin_iteration(int phase, int iteration) {
  const Seconds merge = setup_.costs[static_cast<std::size_t>(phase)].merge;
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

/// Whether the unit fetches its resident data itself. If not, its setup ends when it has copied them
/// from its node.
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
    controller_->resume();
    return;
  }
  pipelines_[unit].end_stage(stage, now());
  timeline_.set(pipelines_.device_of(unit).index, now());
  for (const UnitId waiting : nodes_.arrived(unit)) take_from_node(waiting);
  arm(now());
}

void SimExecutor::finished(UnitId unit, const PipelinedBlock& block, Seconds at) {
  ready_.push({at, BlockFinished{unit, block.block, block.assigned, block.times, block.begins}});
  watch_.came_back(unit, at);
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
  if (change.kind == ChangeKind::loss && !is_present) return;  // it kept a block for too long
  pipelines_.advance(pipelines_.device_of(unit), change.at);
  drop_blocks(unit);
  is_present = change.kind == ChangeKind::join;
  if (is_present) {
    ready_.push({change.at, UnitJoined{unit}});
  } else {
    ready_.push({change.at, UnitLost{unit}});
  }
}

/// Loses the unit that is late first, unless its block ends in this instant.
void SimExecutor::lose_late_unit() {
  const Seconds at = watch_.next_late();
  const UnitId unit = watch_.first_late();
  const UnitId device = pipelines_.device_of(unit);
  pipelines_.advance(device, at);
  timeline_.set(device.index, pipelines_.next_date(device));
  if (!watch_.is_late(unit, at)) return;
  drop_blocks(unit);
  units_[unit.index].is_present = false;
  ready_.push({at, UnitLost{unit}});
}

/// Takes all blocks from `unit`, whose device has been advanced to this instant.
void SimExecutor::drop_blocks(UnitId unit) {
  const UnitId device = pipelines_.device_of(unit);
  pipelines_.clear(unit);
  activities_->cancel(unit);
  if (const std::optional<UnitId> next = nodes_.lost(unit)) {
    transfer(*next, Stage::setup, units_[next->index].setup_bytes);
  }
  timeline_.set(device.index, pipelines_.next_date(device));
  watch_.lost(unit);
  timeline_.set(watch_slot(), watch_.next_late());
}

void SimExecutor::arm(Seconds at) {
  if (timer_ != nullptr && timer_at_ == at) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  if (at == Seconds::infinity()) return;
  timer_at_ = at;
  timer_ = Timer::set(std::max(at, now()).value, [this] {
    timer_ = nullptr;
    advance();
    wake_or_arm();
  });
}

void SimExecutor::wake_or_arm() {
  const bool is_wanted = wants_events_ && (!ready_.empty() || is_idle());
  if (is_wanted || now() >= wake_at_) {
    controller_->resume();
  } else {
    arm(std::min(timeline_.earliest(), wake_at_));
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
  arm(std::min(timeline_.earliest(), until));
  s4u::this_actor::suspend();
}

}  // namespace

std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup) {
  static bool is_made = false;
  EQ_CHECK(!std::exchange(is_made, true), "one simulation a process: SimGrid has one engine");
  return std::make_unique<SimExecutor>(std::move(setup));
}

}  // namespace equipoise

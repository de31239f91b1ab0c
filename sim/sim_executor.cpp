// The executor in virtual time.
//
// One actor, the controller, runs the body. While it waits it is suspended, and everything happens
// in SimGrid's kernel context, in callbacks of one timer (set to the earliest time in the timeline)
// and of completed activities. These callbacks advance the units' pipelines, apply the scenario's
// changes, put events into `ready_` and resume the controller.
#include "sim/sim_executor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Activity.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Exec.hpp>
#include <simgrid/s4u/Host.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/contested_blocks.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/machine_pipelines.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/block_watch.hpp"
#include "shared_policies/run/event_queue.hpp"
#include "sim/sim_module.hpp"
#include "sim/simcall.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/simulated_machine.hpp"
#include "sim/timeline.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;
using simgrid::kernel::timer::Timer;

/// Shorter stages take their undisturbed time: SimGrid could not distinguish their end from their
/// start.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

constexpr std::array stages = {Stage::setup, Stage::in, Stage::compute, Stage::out};

/// The present time of SimGrid's clock.
Seconds simgrid_clock() { return {s4u::Engine::get_clock()}; }

/// The actor that runs the body, and the timer that interrupts its sleep.
class Controller {
 public:
  /// `on_time` is called in kernel context when the timer's time has come.
  explicit Controller(std::function<void()> on_time) : on_time_(std::move(on_time)) {}

  /// The calling actor is the controller.
  void begin() { actor_ = s4u::Actor::self(); }
  /// Suspends the controller, which calls it, until `wake`, which is called in kernel context.
  static void sleep() { s4u::this_actor::suspend(); }
  void wake() { actor_->resume(); }

  /// Sets the time of the timer, or of the next instant if `at` is past; infinity: none.
  void call_at(Seconds at) {
    if (timer_ != nullptr && timer_at_ == at) return;
    if (timer_ != nullptr) timer_->remove();
    timer_ = nullptr;
    if (at == Seconds::infinity()) return;
    timer_at_ = at;
    timer_ = Timer::set(std::max(at, simgrid_clock()).value, [this] {
      timer_ = nullptr;
      on_time_();
    });
  }

 private:
  std::function<void()> on_time_;
  s4u::ActorPtr actor_;
  Timer* timer_ = nullptr;
  Seconds timer_at_;
};

/// Stages that SimGrid simulates, at most one for each stage of a unit: transfers over shared links
/// and, only for a test, computations. All members except `running` are called in SimGrid's kernel
/// context: only activities that are started there report their completion.
class StageActivities {
 public:
  /// Called in kernel context at the end of every activity. `is_failed`: the platform turned a host
  /// or link off.
  using StageEnd = std::function<void(UnitId unit, Stage stage, bool is_failed)>;

  StageActivities(std::size_t units, StageEnd tell_end)
      : places_(units * stages.size()), tell_end_(std::move(tell_end)) {
    s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
    s4u::Exec::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
  }

  void transfer(UnitId unit, Stage stage, const TransferRoute& route, double bytes) {
    start(place(unit, stage), s4u::Comm::sendto_init(route.from, route.to)
                                  ->set_payload_size(static_cast<std::uint64_t>(bytes)));
  }

  void compute(UnitId unit, s4u::Host* host, Seconds span) {
    const s4u::ExecPtr exec = s4u::Exec::init();
    exec->set_flops_amount(span.value * host->get_speed());
    exec->set_host(host);
    start(place(unit, Stage::compute), exec);
  }

  /// Cancels the activities of `unit`; their ends are not reported.
  void cancel(UnitId unit) {
    for (const Stage stage : stages) {
      Place& place = this->place(unit, stage);
      if (place.activity == nullptr) continue;
      retire(place);
      place.spent->cancel();
    }
  }

  [[nodiscard]] std::size_t running() const { return running_; }

 private:
  /// The activity of one stage of a unit.
  struct Place {
    s4u::ActivityPtr activity;
    s4u::ActivityPtr spent;  ///< kept: SimGrid still accesses an activity after its completion
                             ///< callback
  };

  Place& place(UnitId unit, Stage stage) {
    return places_[unit.index * stages.size() + static_cast<std::size_t>(stage)];
  }

  void start(Place& place, const s4u::ActivityPtr& activity) {
    place.activity = activity;
    ++running_;
    activity->set_data(&place);
    activity->start();
  }

  void retire(Place& place) {
    place.spent = std::exchange(place.activity, nullptr);
    --running_;
  }

  void complete(const s4u::Activity& activity) {
    auto* const place = activity.get_data<Place>();
    if (place == nullptr || place->activity.get() != &activity) return;  // cancelled before
    retire(*place);
    const auto index = static_cast<std::size_t>(place - places_.data());
    tell_end_(UnitId{static_cast<std::uint32_t>(index / stages.size())},
              stages[index % stages.size()], activity.get_state() == s4u::Activity::State::FAILED);
  }

  std::vector<Place> places_;  ///< (units x stages)
  StageEnd tell_end_;
  std::size_t running_ = 0;
};

/// Executes blocks in virtual time on SimGrid's clock. A stage that nothing can disturb is an entry
/// in the timeline; a stage on shared links is a SimGrid activity.
class SimExecutor final : public Executor, private PipelineStages {
 public:
  explicit SimExecutor(SimSetup setup)
      : setup_(std::move(setup)),
        units_(simulated_units(setup_)),
        nodes_(sharing_nodes(setup_.platform), setup_.platform.units.size()),
        timeline_(setup_.platform.units.size() + 2),
        changes_(machine_changes(setup_.scenario, setup_.platform)),
        watch_(kinds_of(setup_.platform.units), setup_.block_timeout) {
    for (const PlatformUnit& unit : setup_.platform.units) {
      pipelines_.add_unit(unit.unit.copy_engines, device_of(unit.unit), *this);
    }
    for (const SimulatedUnit& unit : units_) {
      if (!unit.is_present) watch_.lost(UnitId{unit.index});
    }
  }

  void run(const std::function<void()>& body) override {
    load();
    s4u::Actor::init("controller", s4u::Host::by_name(setup_.platform.master))
        ->start([this, &body] { control(body); });
    engine_->run();
    if (thrown_) std::rethrow_exception(thrown_);
    if (!failure_.empty()) throw BackendError(failure_);
  }

  [[nodiscard]] Seconds now() const override { return simgrid_clock(); }

  Seconds begin_iteration(int phase, int iteration) override {
    contested_.clear();
    phase_ = static_cast<std::size_t>(phase);
    watch_.begin_iteration(phase, iteration, setup_.phases[phase_]);
    schedule_watch();
    return iteration == 0 ? now() : occupy(std::nullopt, setup_.costs[phase_].merge);
  }

  Seconds start(const Block& block, UnitId unit) override {
    const Seconds asked = now();
    if (units_[unit.index].is_present) occupy(std::nullopt, controller_work().block);
    const PipelinedBlock work = work_of(
        block, {pipelines_[unit].resident_data(block), asked, now()}, setup_, units_[unit.index]);
    if (!units_[unit.index].is_present) return asked;
    if (block.copy_of) contest(block);
    pipelines_[unit].add(work);
    schedule(unit);
    watch_.handed_out(unit, block.items, now());
    schedule_watch();
    stay_busy(copying_time(unit, work));  // what that takes from a unit is in its recorded waits
    return asked;
  }

  TakenBack take_back(const Block& block, UnitId unit) override {
    bring_up_to_date(unit);
    const Fate fate = pipelines_.take_back(unit, block, now());
    schedule(unit);
    if (fate == Fate::not_begun) {
      watch_.withdrawn(unit, block.items);
      schedule_watch();
    }
    return {fate, now()};
  }

  Seconds probe(const Probe& probe, UnitId unit) override {
    const Seconds asked = now();
    if (units_[unit.index].is_present) occupy(std::nullopt, controller_work().block);
    if (!units_[unit.index].is_present) return asked;
    const CopySpeeds& speeds = units_[unit.index].copies;
    const PlatformUnit& described = setup_.platform.units[unit.index];
    if (described.in.links.empty() && described.out.links.empty()) {
      ready_.push(answered_at_once(unit, probe, now()));
      return asked;
    }
    const Seconds there = speeds.in ? speeds.in->message_time(probe.there_bytes) : Seconds{};
    const Seconds back =
        speeds.out && probe.back_bytes ? speeds.out->message_time(*probe.back_bytes) : Seconds{};
    const Seconds ready =
        now() + under_way(setup_.costs[phase_].dispatch_of(unit.index), controller_work());
    pipelines_[unit].add_probe(work_of(probe, asked, ready, there, back));
    schedule(unit);
    watch_.probe_sent(unit, probe, now());
    schedule_watch();
    return asked;
  }

  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    if (unit) {
      if (span > Seconds{}) pipelines_[*unit].add_decision_time(now(), span);
      return now();
    }
    if (!(span > Seconds{})) return now();
    if (const std::optional<UnitId> on_its_core = setup_.costs[phase_].shares_core) {
      bring_up_to_date(*on_its_core);
      pipelines_[*on_its_core].lose_core(now(), span);
      schedule(*on_its_core);
    }
    stay_busy(span);
    return now();
  }

  std::optional<Event> next(Seconds deadline) override {
    for (;;) {
      settle();
      if (!failure_.empty()) throw BackendError(failure_);
      if (!ready_.empty() && ready_.earliest() <= deadline) {
        const Event event = ready_.pop();
        if (is_report(event)) occupy(std::nullopt, controller_work().report);
        return event;
      }
      if (now() >= deadline) return std::nullopt;
      if (is_idle() && deadline == Seconds::infinity()) return std::nullopt;
      wait(deadline, true);
    }
  }

 private:
  // -- The run and its controller -------------------------------------------------------------

  void load() {
    try {
      engine_ = start_simgrid();
      EQ_CHECK(now() == Seconds{}, "SimGrid's clock starts at 0, one simulation a process");
      load_platform(*engine_, setup_.source);
      set_links(setup_.platform);
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
    activities_.emplace(pipelines_.size(), [this](UnitId unit, Stage stage, bool is_failed) {
      end(unit, stage, is_failed);
    });
    if (!changes_.empty()) timeline_.set(changes_slot(), changes_.front().at);
  }

  void control(const std::function<void()>& body) {
    controller_.begin();
    try {
      body();
    } catch (const simgrid::ForcefulKillException&) {
      failure_ =
          "the simulation cannot continue: the platform turns off a link or host and never turns "
          "it on again";
      is_over_ = true;
      throw;
    } catch (...) {
      thrown_ = std::current_exception();
    }
    is_over_ = true;
    controller_.call_at(Seconds::infinity());
  }

  /// What the controller has to do in the present phase.
  [[nodiscard]] const ControllerWork& controller_work() const {
    return setup_.costs[phase_].controller;
  }
  /// How long the controller is busy with the copies of a block.
  [[nodiscard]] Seconds copying_time(UnitId unit, const PipelinedBlock& block) const {
    if (setup_.platform.units[unit.index].unit.copy_engines == 0) return {};  // it does them itself
    const double in_bytes = block.alone.in > Seconds{} ? block.in_bytes : 0.0;
    const double out_bytes = block.alone.out > Seconds{} ? block.out_bytes : 0.0;
    return Seconds{controller_work().byte_s * (in_bytes + out_bytes)};
  }

  /// Processes everything that is due, called while the controller runs.
  void settle() {
    if (timeline_.earliest() <= now()) simcall_answered([this] { advance(); });
  }

  void stay_busy(Seconds span) {
    const Seconds until = now() + span;
    while (now() < until) wait(until, false);
  }

  /// Suspends the controller until `until`, or, if it wants events, until there is an event.
  void wait(Seconds until, bool wants_events) {
    wake_at_ = until;
    wants_events_ = wants_events;
    controller_.call_at(std::min(timeline_.earliest(), until));
    Controller::sleep();
  }

  void wake_or_arm() {
    const bool is_wanted = wants_events_ && (!ready_.empty() || is_idle());
    if (is_wanted || now() >= wake_at_) {
      controller_.wake();
    } else {
      controller_.call_at(std::min(timeline_.earliest(), wake_at_));
    }
  }

  /// Nothing will happen by itself; if the controller still waited, SimGrid would see a deadlock.
  [[nodiscard]] bool is_idle() const {
    return timeline_.earliest() == Seconds::infinity() && activities_->running() == 0;
  }

  /// Lets all stages of the unit's device that are due by now end and begin, called by the
  /// controller.
  void bring_up_to_date(UnitId unit) {
    simcall_answered(
        [this, device = pipelines_.device_of(unit)] { pipelines_.advance(device, now()); });
  }

  /// A copy of a block was given to another unit.
  void contest(const Block& copy) {
    std::optional<UnitId> other = pipelines_.unit_with(copy.original());
    if (other) bring_up_to_date(*other);
    other = pipelines_.unit_with(copy.original());
    const bool is_claimed = other && pipelines_[*other].contest(copy.original());
    contested_.add(copy, is_claimed ? other : std::nullopt);
    if (ready_.has_finished(copy.original())) contested_.done(copy);
    if (other) schedule(*other);
  }

  // -- The timeline ---------------------------------------------------------------------------

  /// The slot of the scenario's changes, after the slots of the units.
  [[nodiscard]] std::uint32_t changes_slot() const {
    return static_cast<std::uint32_t>(pipelines_.size());
  }
  /// The slot for the time when a unit may have kept a block for too long.
  [[nodiscard]] std::uint32_t watch_slot() const { return changes_slot() + 1; }

  void schedule(UnitId unit) {
    const UnitId device = pipelines_.device_of(unit);
    timeline_.set(device.index, pipelines_.next_date(device));
  }
  void schedule_watch() { timeline_.set(watch_slot(), watch_.next_late()); }

  /// Processes everything that is due.
  void advance() {
    const Seconds clock = now();
    while (timeline_.earliest() <= clock) {
      const std::uint32_t slot = timeline_.first();
      if (slot == changes_slot()) {
        change_machines();
      } else if (slot == watch_slot()) {
        lose_late_unit();
      } else {
        pipelines_.advance(UnitId{slot}, clock);
        timeline_.set(slot, pipelines_.next_date(UnitId{slot}));
      }
    }
  }

  // -- Stages of blocks, called by the pipelines; `launch` and `finished` in kernel context ------

  [[nodiscard]] Seconds compute_time(UnitId unit, const PipelinedBlock& block, Seconds at) const {
    return units_[unit.index].speed.span_of(at, block.alone.compute);
  }

  [[nodiscard]] std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                Stage stage, Seconds begin) const override {
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
    const SimulatedUnit& of = units_[unit.index];
    return disturbed_copy(is_in ? *of.copies.in : *of.copies.out,
                          setup_.platform.units[unit.index].unit.copy_engines,
                          is_in ? of.in : of.out, begin, alone);
  }

  [[nodiscard]] Seconds stream_time(UnitId unit, const PipelinedBlock& block,
                                    Seconds at) const override {
    return units_[unit.index].stream_time(block, at);
  }

  void launch(UnitId unit, const PipelinedBlock& block, Stage stage) override {
    if (stage == Stage::compute) {
      activities_->compute(unit, routes_[unit.index].in.to, compute_time(unit, block, now()));
    } else if (stage != Stage::setup || has_to_fetch(unit, block)) {
      transfer(unit, stage, bytes_of(block, stage));
    }
  }

  [[nodiscard]] bool is_open(UnitId unit, const Block& block) const override {
    return contested_.is_open(unit, block);
  }
  bool claim(UnitId unit, const Block& block) override { return contested_.claim(unit, block); }

  void finished(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) override {
    if (ends_given_up(unit, at)) return;
    if (!is_dropped) contested_.done(block.block);
    ready_.push(end_of(unit, block, at, is_dropped));
    watch_.came_back(unit, block.block, at, block.times.setup);
    schedule_watch();
  }

  void probed(UnitId unit, const PipelinedBlock& probe, Seconds at) override {
    if (ends_given_up(unit, at)) return;
    ready_.push(end_of_probe(unit, probe, at));
    watch_.probe_ended(unit, probe.probe.value(), at);
    schedule_watch();
  }

  /// Whether `unit` is late, so that what ends is not reported; with the last, it takes part again.
  bool ends_given_up(UnitId unit, Seconds at) {
    std::size_t& given_up = units_[unit.index].given_up;
    if (given_up == 0) return false;
    if (--given_up == 0) join_again(unit, at);
    return true;
  }

  void transfer(UnitId unit, Stage stage, double bytes) {
    const UnitRoutes& routes = routes_[unit.index];
    links_->before_transfer();
    activities_->transfer(unit, stage, stage == Stage::out ? routes.out : routes.in, bytes);
  }

  /// Whether the unit fetches its resident data itself. If not, its setup ends when it has copied
  /// them from its node.
  [[nodiscard]] bool has_to_fetch(UnitId unit, const PipelinedBlock& block) {
    if (!nodes_.shares(unit)) return true;
    units_[unit.index].take_setup(block);
    const NodeResidents::Way way = nodes_.ask(unit, block.block.phase, block.block.iteration);
    if (way == NodeResidents::Way::take) take_from_node(unit);
    return way == NodeResidents::Way::fetch;
  }

  /// The data are in the node from now on.
  void take_from_node(UnitId unit) {
    pipelines_[unit].end_stage(Stage::setup, now() + units_[unit.index].copy_from_node());
    timeline_.set(pipelines_.device_of(unit).index, now());
  }

  /// An activity has ended. Does not start what the end makes possible: that happens after all ends
  /// of this instant.
  void end(UnitId unit, Stage stage, bool is_failed) {
    if (is_over_) return;
    if (is_failed) {
      failure_ = "a transfer or computation of unit " +
                 setup_.platform.units[unit.index].unit.name +
                 " failed: the platform takes a link or host away";
      controller_.wake();
      return;
    }
    pipelines_[unit].end_stage(stage, now());
    timeline_.set(pipelines_.device_of(unit).index, now());
    for (const UnitId waiting : nodes_.arrived(unit)) take_from_node(waiting);
    controller_.call_at(now());
  }

  // -- Units that come and go -----------------------------------------------------------------

  /// Applies the next change of the scenario, after all stages that ended before or at its time.
  void change_machines() {
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
      schedule_watch();
      ready_.push({change.at, UnitJoined{unit}});
    } else if (is_news) {
      ready_.push({change.at, UnitLost{unit}});
    }
  }

  /// Loses the unit that has been late for longest, unless its block ends in this instant.
  void lose_late_unit() {
    const Seconds at = watch_.next_late();
    if (const std::optional<UnitId> unit = watch_.late(at)) {
      pipelines_.advance(pipelines_.device_of(*unit), at);
      schedule(*unit);
      if (watch_.late(at) == unit) give_up(*unit, at);
    }
    schedule_watch();
  }

  /// Loses `unit`, which is late and whose device has been advanced to this instant.
  void give_up(UnitId unit, Seconds at) {
    units_[unit.index].is_present = false;
    ready_.push({at, UnitLost{unit}});
    if (!watch_.takes_again()) return drop_blocks(unit);
    units_[unit.index].given_up = pipelines_.give_up(unit, at);
    contested_.lost(unit);
    fetch_for(nodes_.given_up(unit));
    schedule(unit);
    watch_.lost(unit);
    if (units_[unit.index].given_up == 0) join_again(unit, at);
  }

  /// A late unit is free, and takes part again.
  void join_again(UnitId unit, Seconds at) {
    units_[unit.index].is_present = true;
    fetch_for(nodes_.lost(unit));
    watch_.answered(unit, at);
    schedule_watch();
    ready_.push({at, UnitJoined{unit}});
  }

  /// `unit`, if any, fetches the data that another unit was to fetch for its node.
  void fetch_for(std::optional<UnitId> unit) {
    if (unit) transfer(*unit, Stage::setup, units_[unit->index].setup_bytes);
  }

  /// Takes all blocks from `unit`, whose device has been advanced to this instant.
  void drop_blocks(UnitId unit) {
    pipelines_.clear(unit);
    contested_.lost(unit);
    activities_->cancel(unit);
    units_[unit.index].given_up = 0;
    fetch_for(nodes_.lost(unit));
    schedule(unit);
    watch_.lost(unit);
    schedule_watch();
  }

  SimSetup setup_;
  EnginePtr engine_;
  std::vector<UnitRoutes> routes_;  ///< (units)
  std::vector<SimulatedUnit> units_;
  MachinePipelines pipelines_;  ///< (units)
  NodeResidents nodes_;
  std::optional<StageActivities> activities_;
  Timeline timeline_;  ///< (units + 2), for the devices, each as its first unit, and the others
  std::vector<MachineChange> changes_;
  std::size_t changes_done_ = 0;  ///< number of changes that have happened
  BlockWatch watch_;
  std::optional<ChangingLinks> links_;
  EventQueue ready_;  ///< events not yet reported
  ContestedBlocks contested_;

  Controller controller_{[this] {
    advance();
    wake_or_arm();
  }};
  Seconds wake_at_ = Seconds::infinity();
  bool wants_events_ = false;
  std::size_t phase_ = 0;  ///< of the latest iteration
  bool is_over_ = false;
  std::string failure_;  ///< a failure of the platform that ends the run
  std::exception_ptr thrown_;
};

}  // namespace

std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup) {
  static bool is_made = false;
  EQ_CHECK(!std::exchange(is_made, true), "one simulation a process: SimGrid has one engine");
  return std::make_unique<SimExecutor>(std::move(setup));
}

extern "C" {
/// The table that the program looks up after it has opened the SimGrid module.
extern const SimModule equipoise_simgrid;
const SimModule equipoise_simgrid{&probe_with_simgrid, &make_simgrid_executor};
}

}  // namespace equipoise

// The executor in virtual time.
//
// One actor, the controller, runs the body; in a run of two levels, so does one for each node, its
// agent. While they wait they are suspended, and everything happens in SimGrid's kernel context, in
// callbacks of one timer (set to the earliest time in the timeline) and of completed activities.
// These callbacks advance the units' pipelines, apply the scenario's changes, give events to the
// actors that wait for them, and resume these.
#include "sim/sim_executor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
#include "shared_policies/run/two_levels.hpp"
#include "sim/alarm.hpp"
#include "sim/sim_module.hpp"
#include "sim/simcall.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/simulated_machine.hpp"
#include "sim/stage_activities.hpp"
#include "sim/timeline.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;

/// Shorter stages take their undisturbed time: SimGrid could not distinguish their end from their
/// start.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

/// One who hands out blocks: the master, or the agent of a node.
struct Desk {
  Desk(std::vector<UnitId> of, const std::vector<UnitKind>& kinds, BlockTimeout block_timeout,
       double timeout_factor)
      : units(std::move(of)),
        watch(kinds, timeout_factor * block_timeout,
              {.floor = timeout_factor * BlockWatch::floor}) {}

  std::vector<UnitId> units;  ///< of the machine; their places here are the ids of its run loop
  s4u::ActorPtr actor;
  EventQueue ready;       ///< events not yet reported, by the ids of its run loop
  BlockWatch watch;       ///< likewise
  std::size_t phase = 0;  ///< of the latest iteration
  bool sleeps = false;
  Seconds wake_at = Seconds::infinity();  ///< while it sleeps
  bool wants_events = false;              ///< or an event comes
  std::optional<UnitId> node;             ///< of an agent, among the units of the machine
  std::deque<Block> blocks;               ///< of its node, that it has not begun to divide
  bool wants_block = false;
};

/// Whose unit one of the machine is, and its id there.
struct Place {
  std::size_t desk = 0;
  UnitId unit;
};

/// The machine in virtual time, on SimGrid's clock. A stage that nothing can disturb is an entry in
/// the timeline; a stage on shared links is a SimGrid activity. In a run of two levels, a node is a
/// unit of it, too, which computes a block by letting its agent divide it.
class Machine final : public std::enable_shared_from_this<Machine>, private PipelineStages {
 public:
  explicit Machine(SimSetup setup)
      : setup_(with_nodes(std::move(setup))),
        units_(simulated_units(setup_)),
        nodes_(sharing_nodes(setup_.platform), setup_.platform.units.size()),
        timeline_(setup_.platform.units.size() + 2 + setup_.nodes.size()),
        changes_(machine_changes(setup_.scenario, setup_.platform)) {
    for (const PlatformUnit& unit : setup_.platform.units) {
      pipelines_.add_unit(unit.unit.copy_engines, device_of(unit.unit), *this);
    }
    make_desks();
    for (const SimulatedUnit& unit : units_) {
      if (!unit.is_present) watch_of(UnitId{unit.index}).lost(places_[unit.index].unit);
    }
  }

  /// The master's desk, and then those of the agents.
  [[nodiscard]] Desk& desk(std::size_t number) { return desks_[number]; }

  void run(const std::function<void()>& body) {
    load();
    start_actor(desks_.front(), body);
    for (std::size_t node = 0; node < setup_.nodes.size(); ++node) start_agent(node);
    engine_->run();
    if (thrown_) std::rethrow_exception(thrown_);
    if (!failure_.empty()) throw BackendError(failure_);
  }

  [[nodiscard]] static Seconds now() { return simgrid_clock(); }

  Seconds begin_iteration(Desk& desk, int phase, int iteration) {
    desk.phase = static_cast<std::size_t>(phase);
    desk.watch.begin_iteration(phase, setup_.phases[desk.phase]);
    schedule_watch(desk);
    if (desk.node) return now();
    contested_.clear();
    return iteration == 0 ? now() : occupy(desk, std::nullopt, setup_.costs[desk.phase].merge);
  }

  Seconds start(Desk& desk, const Block& block, UnitId unit) {
    const Seconds asked = now();
    if (units_[unit.index].is_present) occupy(desk, std::nullopt, controller_work(desk).block);
    PipelinedBlock work = work_of(block, {pipelines_[unit].resident_data(block), asked, now()},
                                  setup_, units_[unit.index]);
    if (is_node(unit)) work.first_use = {};  // that is of its units
    if (!units_[unit.index].is_present) return asked;
    if (block.copy_of) contest(desk, block);
    pipelines_[unit].add(work);
    schedule(unit);
    desk.watch.handed_out(places_[unit.index].unit, block, now());
    schedule_watch(desk);
    // What that takes from a unit is in its recorded waits.
    stay_busy(desk, copying_time(desk, unit, work));
    return asked;
  }

  Executor::TakenBack take_back(Desk& desk, const Block& block, UnitId unit) {
    bring_up_to_date(unit);
    const Fate fate = pipelines_.take_back(unit, block, now());
    schedule(unit);
    if (fate == Fate::not_begun) {
      desk.watch.withdrawn(places_[unit.index].unit, block.items);
      schedule_watch(desk);
    }
    return {fate, now()};
  }

  Seconds probe(Desk& desk, const Probe& probe, UnitId unit) {
    const Seconds asked = now();
    if (units_[unit.index].is_present) occupy(desk, std::nullopt, controller_work(desk).block);
    if (!units_[unit.index].is_present) return asked;
    const CopySpeeds& speeds = units_[unit.index].copies;
    const PlatformUnit& described = setup_.platform.units[unit.index];
    if (described.in.links.empty() && described.out.links.empty()) {
      desk.ready.push(answered_at_once(places_[unit.index].unit, probe, now()));
      return asked;
    }
    const Seconds there = speeds.in ? speeds.in->message_time(probe.there_bytes) : Seconds{};
    const Seconds back =
        speeds.out && probe.back_bytes ? speeds.out->message_time(*probe.back_bytes) : Seconds{};
    const Seconds ready =
        now() + under_way(setup_.costs[desk.phase].dispatch_of(unit.index), controller_work(desk));
    pipelines_[unit].add_probe(work_of(probe, asked, ready, there, back));
    schedule(unit);
    desk.watch.probe_sent(places_[unit.index].unit, probe, now());
    schedule_watch(desk);
    return asked;
  }

  Seconds occupy(Desk& desk, std::optional<UnitId> unit, Seconds span) {
    if (unit) {
      if (span > Seconds{}) pipelines_[*unit].add_decision_time(now(), span);
      return now();
    }
    if (!(span > Seconds{})) return now();
    const std::optional<UnitId> on_its_core = setup_.costs[desk.phase].shares_core;
    if (on_its_core && !desk.node) {
      bring_up_to_date(*on_its_core);
      pipelines_[*on_its_core].lose_core(now(), span);
      schedule(*on_its_core);
    }
    stay_busy(desk, span);
    return now();
  }

  std::optional<Event> next(Desk& desk, Seconds deadline) {
    for (;;) {
      settle();
      if (!failure_.empty()) throw BackendError(failure_);
      if (!desk.ready.empty() && desk.ready.earliest() <= deadline) {
        const Event event = desk.ready.pop();
        if (is_report(event)) occupy(desk, std::nullopt, controller_work(desk).report);
        return event;
      }
      if (now() >= deadline || (is_over_ && desk.node)) return std::nullopt;
      const bool has_timer = deadline < Seconds::infinity();
      if (!has_timer && (is_idle(&desk) || (desk.node && is_abandoned(desk)))) return std::nullopt;
      wait(desk, deadline, true);
    }
  }

  // -- Nodes of two levels: the blocks of an agent ---------------------------------------------

  std::optional<Block> next_block(Desk& desk) {
    while (desk.blocks.empty() && !is_over_) {
      desk.wants_block = true;
      wait(desk, Seconds::infinity(), false);
      desk.wants_block = false;
    }
    if (is_over_) return std::nullopt;
    const Block block = desk.blocks.front();
    desk.blocks.pop_front();
    return block;
  }

  /// The agent's node has computed `block`, unless that was taken from it meanwhile.
  void end_block(const Desk& desk, const Block& block) {
    if (computed_[desk.node->index] != block.id) return;
    simcall_answered([this, node = *desk.node] { end(node, Stage::compute, false); });
  }

  /// The agent of a node has ended. If the run goes on, none of the node's units is left: the node
  /// is lost.
  void end_node(const Desk& desk) {
    if (is_over_) return;
    simcall_answered([this, node = *desk.node] {
      pipelines_.advance(pipelines_.device_of(node), now());
      drop_blocks(node);
      if (!std::exchange(units_[node.index].is_present, false)) return;
      desk_of(node).ready.push({now(), UnitLost{places_[node.index].unit}});
      wake_wanted();
    });
  }

  [[nodiscard]] bool is_over() const { return is_over_; }

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
    activities_ = make_stage_activities(
        pipelines_.size(),
        [this](UnitId unit, Stage stage, bool is_failed) { end(unit, stage, is_failed); });
    if (!changes_.empty()) timeline_.set(changes_slot(), changes_.front().at);
  }

  void make_desks() {
    const std::size_t units = setup_.platform.units.size() - setup_.nodes.size();
    const auto add_desk = [this](std::vector<UnitId> of, double timeout_factor) {
      std::vector<UnitKind> kinds;
      for (const UnitId unit : of) kinds.push_back(setup_.platform.units[unit.index].unit.kind);
      desks_.emplace_back(std::move(of), kinds, setup_.block_timeout, timeout_factor);
    };
    std::vector<UnitId> of_master;
    const std::size_t first = setup_.nodes.empty() ? 0 : units;
    for (std::size_t i = first; i < setup_.platform.units.size(); ++i) {
      of_master.push_back(UnitId{static_cast<std::uint32_t>(i)});
    }
    add_desk(std::move(of_master), setup_.nodes.empty() ? 1.0 : timeout_factor_of_nodes);
    for (std::size_t node = 0; node < setup_.nodes.size(); ++node) {
      add_desk(setup_.nodes[node].units, 1.0);
      desks_.back().node = id_of_node(units, node);
    }
    places_.resize(setup_.platform.units.size());
    computed_.resize(places_.size(), no_block);
    for (std::size_t desk = 0; desk < desks_.size(); ++desk) {
      for (std::uint32_t i = 0; i < desks_[desk].units.size(); ++i) {
        places_[desks_[desk].units[i].index] = {desk, UnitId{i}};
      }
    }
  }

  void start_actor(Desk& desk, std::function<void()> body) {
    s4u::Actor::init("controller", s4u::Host::by_name(setup_.platform.master))
        ->start([this, &desk, body = std::move(body)] { control(desk, body); });
  }
  void start_agent(std::size_t node);

  void control(Desk& desk, const std::function<void()>& body) {
    desk.actor = s4u::Actor::self();
    try {
      body();
    } catch (const simgrid::ForcefulKillException&) {
      failure_ =
          "the simulation cannot continue: the platform turns off a link or host and never turns "
          "it on again";
      is_over_ = true;
      throw;
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
      if (desk.node) failure_ = "the agent of a node has failed";
    }
    has_ended(desk);
  }

  /// The master's end is that of the run.
  void has_ended(Desk& desk) {
    desk.actor = nullptr;
    if (!desk.node) {
      is_over_ = true;
      alarm_.call_at(Seconds::infinity());
    }
    if (!is_over_ && failure_.empty()) return set_alarm();
    simcall_answered([this] {
      for (Desk& other : desks_) wake(other);
    });
  }

  /// Whether no unit of `desk` is there, and none will join.
  [[nodiscard]] bool is_abandoned(const Desk& desk) const {
    const auto is_there = [this](UnitId unit) {
      return units_[unit.index].is_present || units_[unit.index].given_up > 0;
    };
    if (std::ranges::any_of(desk.units, is_there)) return false;
    const auto to_come = std::span(changes_).subspan(changes_done_);
    return std::ranges::none_of(to_come, [&desk](const MachineChange& change) {
      return change.kind == ChangeKind::join &&
             std::ranges::count(desk.units, UnitId{change.index}) > 0;
    });
  }

  /// What the controller has to do in the present phase.
  [[nodiscard]] const ControllerWork& controller_work(const Desk& desk) const {
    return setup_.costs[desk.phase].controller;
  }
  /// How long the controller is busy with the copies of a block.
  [[nodiscard]] Seconds copying_time(const Desk& desk, UnitId unit,
                                     const PipelinedBlock& block) const {
    if (setup_.platform.units[unit.index].unit.copy_engines == 0) return {};  // it does them itself
    const double in_bytes = block.alone.in > Seconds{} ? block.in_bytes : 0.0;
    const double out_bytes = block.alone.out > Seconds{} ? block.out_bytes : 0.0;
    return Seconds{controller_work(desk).byte_s * (in_bytes + out_bytes)};
  }

  /// Processes everything that is due, called while an actor runs.
  void settle() {
    if (timeline_.earliest() > now()) return;
    simcall_answered([this] {
      advance();
      wake_wanted();
    });
  }

  void stay_busy(Desk& desk, Seconds span) {
    const Seconds until = now() + span;
    while (now() < until) wait(desk, until, false);
  }

  /// Suspends the actor of `desk`, which calls it, until `until`, or, if it wants events, until
  /// there is one.
  void wait(Desk& desk, Seconds until, bool wants_events) {
    desk.wake_at = until;
    desk.wants_events = wants_events;
    desk.sleeps = true;
    set_alarm();
    s4u::this_actor::suspend();
    desk.wake_at = Seconds::infinity();
    desk.wants_events = false;
  }

  /// One that is about to fall asleep in this instant is woken by the alarm.
  void wake(Desk& desk) {
    if (!desk.sleeps) return;
    if (!desk.actor->is_suspended()) return alarm_.call_at(now());
    desk.sleeps = false;
    desk.actor->resume();
  }

  /// Whether one who sleeps has something to do.
  [[nodiscard]] bool is_wanted(const Desk& desk) const {
    const bool has_failed = !failure_.empty();
    const bool has_event = desk.wants_events && (!desk.ready.empty() || is_over_ || has_failed);
    const bool has_block = desk.wants_block && (!desk.blocks.empty() || is_over_);
    return has_event || has_block || now() >= desk.wake_at;
  }

  /// Wakes those who have something to do.
  void wake_wanted() {
    const bool nothing_happens = is_idle(nullptr);
    for (Desk& desk : desks_) {
      if (is_wanted(desk) || (desk.wants_events && nothing_happens)) wake(desk);
    }
  }

  void set_alarm() {
    const auto is_there = [](const Desk& desk) { return desk.actor != nullptr; };
    if (std::ranges::none_of(desks_, is_there)) return alarm_.call_at(Seconds::infinity());
    Seconds at = timeline_.earliest();
    for (const Desk& desk : desks_) {
      if (desk.sleeps) at = std::min(at, is_wanted(desk) ? now() : desk.wake_at);
    }
    if (is_idle(nullptr)) at = now();  // those who wait for events have to know
    alarm_.call_at(at);
  }

  /// Nothing will happen by itself: all others than `asking` sleep, without an end. If all still
  /// waited, SimGrid would see a deadlock.
  [[nodiscard]] bool is_idle(const Desk* asking) const {
    if (timeline_.earliest() != Seconds::infinity() || activities_->running() > 0) return false;
    return std::ranges::all_of(desks_, [this, asking](const Desk& desk) {
      const bool waits = desk.sleeps && desk.wake_at == Seconds::infinity() && !is_wanted(desk);
      return &desk == asking || waits || desk.actor == nullptr;
    });
  }

  /// Lets all stages of the unit's device that are due by now end and begin, called by the
  /// controller.
  void bring_up_to_date(UnitId unit) {
    simcall_answered(
        [this, device = pipelines_.device_of(unit)] { pipelines_.advance(device, now()); });
  }

  /// A copy of a block was given to another unit.
  void contest(const Desk& desk, const Block& copy) {
    std::optional<UnitId> other = pipelines_.unit_with(copy.original());
    if (other) bring_up_to_date(*other);
    other = pipelines_.unit_with(copy.original());
    const bool is_claimed = other && pipelines_[*other].contest(copy.original());
    contested_.add(copy, is_claimed ? other : std::nullopt);
    if (desk.ready.has_finished(copy.original())) contested_.done(copy);
    if (other) schedule(*other);
  }

  // -- The timeline ---------------------------------------------------------------------------

  /// The slot of the scenario's changes, after the slots of the units.
  [[nodiscard]] std::uint32_t changes_slot() const {
    return static_cast<std::uint32_t>(pipelines_.size());
  }
  /// The first of the slots (desks) for the time when a unit may have kept a block for too long.
  [[nodiscard]] std::uint32_t watch_slot() const { return changes_slot() + 1; }

  void schedule(UnitId unit) {
    const UnitId device = pipelines_.device_of(unit);
    timeline_.set(device.index, pipelines_.next_date(device));
  }
  void schedule_watch(const Desk& desk) {
    const auto number = static_cast<std::uint32_t>(&desk - &desks_.front());
    timeline_.set(watch_slot() + number, desk.watch.next_late());
  }

  [[nodiscard]] Desk& desk_of(UnitId unit) { return desks_[places_[unit.index].desk]; }
  [[nodiscard]] BlockWatch& watch_of(UnitId unit) { return desk_of(unit).watch; }

  /// Processes everything that is due.
  void advance() {
    const Seconds clock = now();
    while (timeline_.earliest() <= clock) {
      const std::uint32_t slot = timeline_.first();
      if (slot == changes_slot()) {
        change_machines();
      } else if (slot >= watch_slot()) {
        lose_late_unit(desks_[slot - watch_slot()]);
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
    if (stage == Stage::compute && is_node(unit)) return std::nullopt;
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
    if (stage == Stage::compute && is_node(unit)) {
      computed_[unit.index] = block.block.id;
      desks_[1 + unit.index - (units_.size() - setup_.nodes.size())].blocks.push_back(block.block);
    } else if (stage == Stage::compute) {
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
    Desk& desk = desk_of(unit);
    const UnitId there = places_[unit.index].unit;
    desk.ready.push(end_of(there, block, at, is_dropped));
    desk.watch.came_back(there, block.block, at, block.times.setup);
    schedule_watch(desk);
  }

  void probed(UnitId unit, const PipelinedBlock& probe, Seconds at) override {
    if (ends_given_up(unit, at)) return;
    Desk& desk = desk_of(unit);
    const UnitId there = places_[unit.index].unit;
    desk.ready.push(end_of_probe(there, probe, at));
    desk.watch.probe_ended(there, probe.probe.value(), at);
    schedule_watch(desk);
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
      for (Desk& desk : desks_) wake(desk);
      return;
    }
    if (is_node(unit) && stage == Stage::compute) computed_[unit.index] = no_block;
    pipelines_[unit].end_stage(stage, now());
    timeline_.set(pipelines_.device_of(unit).index, now());
    for (const UnitId waiting : nodes_.arrived(unit)) take_from_node(waiting);
    alarm_.call_at(now());
  }

  /// Whether it is a node of a run of two levels.
  [[nodiscard]] bool is_node(UnitId unit) const {
    return unit.index >= units_.size() - setup_.nodes.size();
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
    Desk& desk = desk_of(unit);
    const UnitId there = places_[unit.index].unit;
    if (joins) {
      desk.watch.joined(there, change.at);
      schedule_watch(desk);
      desk.ready.push({change.at, UnitJoined{there}});
    } else if (is_news) {
      desk.ready.push({change.at, UnitLost{there}});
    }
  }

  /// Loses the unit that has been late for longest, unless its block ends in this instant.
  void lose_late_unit(Desk& desk) {
    const Seconds at = desk.watch.next_late();
    if (const std::optional<UnitId> there = desk.watch.late(at)) {
      const UnitId unit = desk.units[there->index];
      pipelines_.advance(pipelines_.device_of(unit), at);
      schedule(unit);
      if (desk.watch.late(at) == there) give_up(unit, at);
    }
    schedule_watch(desk);
  }

  /// Loses `unit`, which is late and whose device has been advanced to this instant.
  void give_up(UnitId unit, Seconds at) {
    Desk& desk = desk_of(unit);
    units_[unit.index].is_present = false;
    desk.ready.push({at, UnitLost{places_[unit.index].unit}});
    if (!desk.watch.takes_again() || is_node(unit)) return drop_blocks(unit);
    units_[unit.index].given_up = pipelines_.give_up(unit, at);
    contested_.lost(unit);
    fetch_for(nodes_.given_up(unit));
    schedule(unit);
    desk.watch.lost(places_[unit.index].unit);
    if (units_[unit.index].given_up == 0) join_again(unit, at);
  }

  /// A late unit is free, and takes part again.
  void join_again(UnitId unit, Seconds at) {
    units_[unit.index].is_present = true;
    fetch_for(nodes_.lost(unit));
    Desk& desk = desk_of(unit);
    desk.watch.answered(places_[unit.index].unit, at);
    schedule_watch(desk);
    desk.ready.push({at, UnitJoined{places_[unit.index].unit}});
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
    if (is_node(unit)) computed_[unit.index] = no_block;
    desk_of(unit).watch.lost(places_[unit.index].unit);
    schedule_watch(desk_of(unit));
  }

  SimSetup setup_;
  EnginePtr engine_;
  std::vector<UnitRoutes> routes_;  ///< (units)
  std::vector<SimulatedUnit> units_;
  MachinePipelines pipelines_;  ///< (units)
  NodeResidents nodes_;
  std::unique_ptr<StageActivities> activities_;
  /// (units + 1 + desks), for the devices, each as its first unit, and the others.
  Timeline timeline_;
  std::vector<MachineChange> changes_;
  std::size_t changes_done_ = 0;  ///< number of changes that have happened
  std::optional<ChangingLinks> links_;
  ContestedBlocks contested_;
  std::vector<Desk> desks_;              ///< of the master, and then of the nodes' agents
  std::vector<Place> places_;            ///< (units)
  std::vector<std::uint64_t> computed_;  ///< (units), the block that a node computes; or no_block

  Alarm alarm_{[this] {
    advance();
    wake_wanted();
    set_alarm();
  }};
  bool is_over_ = false;
  std::string failure_;  ///< a failure of the platform that ends the run
  std::exception_ptr thrown_;
};

/// The machine as the run loop of one desk sees it.
class DeskExecutor final : public Executor {
 public:
  DeskExecutor(std::shared_ptr<Machine> machine, std::size_t desk)
      : machine_(std::move(machine)), desk_(machine_->desk(desk)) {}

  void run(const std::function<void()>& body) override {
    if (desk_.node) return body();
    machine_->run(body);
  }
  [[nodiscard]] Seconds now() const override { return Machine::now(); }
  Seconds begin_iteration(int phase, int iteration) override {
    return machine_->begin_iteration(desk_, phase, iteration);
  }
  Seconds start(const Block& block, UnitId unit) override {
    return machine_->start(desk_, block, desk_.units[unit.index]);
  }
  TakenBack take_back(const Block& block, UnitId unit) override {
    return machine_->take_back(desk_, block, desk_.units[unit.index]);
  }
  Seconds probe(const Probe& probe, UnitId unit) override {
    return machine_->probe(desk_, probe, desk_.units[unit.index]);
  }
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    if (unit) unit = desk_.units[unit->index];
    return machine_->occupy(desk_, unit, span);
  }
  std::optional<Event> next(Seconds deadline) override { return machine_->next(desk_, deadline); }

 private:
  std::shared_ptr<Machine> machine_;
  Desk& desk_;
};

/// The blocks of a node, for its agent.
class DeskBlocks final : public NodeBlocks {
 public:
  DeskBlocks(Machine& machine, Desk& desk) : machine_(machine), desk_(desk) {}
  std::optional<Block> next() override { return machine_.next_block(desk_); }
  void done(const Block& block) override { machine_.end_block(desk_, block); }
  bool is_over() const override { return machine_.is_over(); }

 private:
  Machine& machine_;
  Desk& desk_;
};

void Machine::start_agent(std::size_t node) {
  Desk& desk = desks_[1 + node];
  start_actor(desk, [this, node, &desk] {
    DeskExecutor executor(shared_from_this(), 1 + node);
    DeskBlocks blocks(*this, desk);
    static_cast<void>(setup_.agents->run(node, executor, blocks));
    end_node(desk);
  });
}

}  // namespace

std::unique_ptr<Executor> make_simgrid_executor(SimSetup setup) {
  static bool is_made = false;
  EQ_CHECK(!std::exchange(is_made, true), "one simulation a process: SimGrid has one engine");
  return std::make_unique<DeskExecutor>(std::make_shared<Machine>(std::move(setup)), 0);
}

extern "C" {
/// The table that the program looks up after it has opened the SimGrid module.
extern const SimModule equipoise_simgrid;
const SimModule equipoise_simgrid{&probe_with_simgrid, &make_simgrid_executor};
}

}  // namespace equipoise

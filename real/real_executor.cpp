// The controller's side of real runs: hands blocks to workers, and merges their reports and the
// changes of a scenario into one ordered sequence of events.
#include "real/real_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "real/core_watch.hpp"
#include "real/disturbances.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/wake_signal.hpp"
#include "real/worker.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/block_watch.hpp"

namespace equipoise {
namespace {

/// The controller's state of one unit.
struct UnitSlot {
  std::unique_ptr<Worker> worker;
  std::size_t outstanding = 0;            ///< blocks and probes
  bool is_up = false;                     ///< its worker has come up
  bool is_lost = false;                   ///< absent, for now or until the end of the run
  bool is_late = false;                   ///< lost until it has answered
  bool is_broken = false;                 ///< it has failed and does not join again
  bool has_stalled = false;               ///< a block did not come back in time
  bool has_lost_a_grain = false;          ///< and has done no block since
  std::vector<std::uint64_t> going_on{};  ///< blocks that were taken back and have not ended
};

/// How long the end of a run waits for a unit after a stop or a timeout.
constexpr std::chrono::milliseconds stop_patience{1000};
/// How long it waits otherwise; the time that the run took is added.
constexpr std::chrono::milliseconds end_patience{120'000};
/// How long it waits before it says so.
constexpr std::chrono::milliseconds silent_patience{2000};

/// Keeps the calling thread, the controller, on its cores. If units compute there, it also makes
/// the thread run as soon as it is woken.
class ControllerPinning {
 public:
  explicit ControllerPinning(const Placement& placement) : before_(cores_of_this_thread()) {
    pin_this_thread(placement.controller());
    if (placement.waiting_compute) prompt_.emplace();
  }
  ~ControllerPinning() { pin_this_thread(before_); }

 private:
  std::vector<int> before_;
  std::optional<PromptThread> prompt_;
};

/// How often a waiting controller checks for a stop request.
constexpr std::chrono::milliseconds stop_poll{50};
/// A controller that has not looked for longer was late itself: it did not run, or was busy.
constexpr Seconds longest_look{0.1};
/// How long a waiting controller polls for reports before it sleeps: on its own core, and on one
/// where a unit computes (not at all, because with a real-time priority it would take that core).
constexpr std::chrono::microseconds patience_alone{2000};
constexpr std::chrono::microseconds patience_sharing{0};
/// The distance between two events to which the clock gives the same time.
constexpr Seconds tick{1e-9};

class RealExecutor final : public Executor {
 public:
  explicit RealExecutor(RealSetup setup)
      : setup_(std::move(setup)),
        placement_(setup_.placement ? *setup_.placement
                                    : place_units(setup_.units, this_machine())),
        changes_(unit_changes(setup_.units, setup_.scenario)),
        signal_(std::make_shared<WakeSignal>(placement_.waiting_compute ? patience_sharing
                                                                        : patience_alone)) {
    EQ_CHECK(!setup_.report_cores || setup_.time_scale == 1.0,
             "waits are in seconds of the machine");
    EQ_CHECK(placement_.cores.size() == setup_.units.size(), "every unit has its cores");
  }

  void run(const std::function<void()>& body) override {
    for (const RealPhase& phase : setup_.phases) {
      if (phase.kernel != nullptr) phase.kernel->clear_results();
    }
    reset();
    NodesUp nodes(*this);
    run_units(body);
    const NodesRunEnd ended = nodes.end();
    if (setup_.nodes && setup_.report_clocks) setup_.report_clocks(setup_.nodes->clocks());
    for (const auto& [event, share] : ended.loads) {
      if (setup_.report_load) setup_.report_load({&setup_.scenario.events[event], share});
    }
    const PacingReport pacing = together(lateness_->report(), ended.pacing);
    if (setup_.report_pacing && pacing.blocks > 0) setup_.report_pacing(pacing);
  }

  Seconds now() const override { return std::max(clock_->now(), last_); }

  Seconds begin_iteration(int phase, int iteration) override {
    const RealPhase& work = setup_.phases[static_cast<std::size_t>(phase)];
    watch_.begin_iteration(phase, iteration, work.workload);
    phase_ = phase;
    for (const UnitSlot& slot : slots_) {
      if (!slot.going_on.empty()) slot.worker->begin_iteration();
    }
    if (iteration > 0 && work.kernel != nullptr) {
      work.kernel->begin_iteration(iteration);
    } else if (iteration > 0) {
      wait(work.merge);
    }
    return now();
  }

  Seconds start(const Block& block, UnitId unit) override {
    UnitSlot& slot = slots_[unit.index];
    if (slot.is_lost) return now();
    const Command command{block, now()};
    if (times_) times_->asked(command.assigned);
    ++outstanding_;
    ++slot.outstanding;
    watch_.handed_out(unit, block.items, command.assigned);
    slot.worker->queue(command, block.copy_of ? claim_of(block) : nullptr);
    if (times_) times_->block_s.push_back((now() - command.assigned).value);
    return command.assigned;
  }

  TakenBack take_back(const Block& block, UnitId unit) override {
    UnitSlot& slot = slots_[unit.index];
    const Fate fate = slot.is_lost ? Fate::too_late : slot.worker->take_back(block.id);
    if (fate == Fate::not_begun) {
      --outstanding_;
      --slot.outstanding;
      watch_.withdrawn(unit, block.items);
    } else if (fate == Fate::goes_on) {
      slot.going_on.push_back(block.id);
    }
    return {fate, now()};
  }

  Seconds probe(const Probe& probe, UnitId unit) override {
    UnitSlot& slot = slots_[unit.index];
    if (slot.is_lost) return now();
    const Command command{
        .block = {.id = no_block, .phase = phase_}, .assigned = now(), .probe = probe};
    ++outstanding_;
    ++slot.outstanding;
    watch_.probe_sent(unit, probe, command.assigned);
    slot.worker->queue(command, nullptr);
    return command.assigned;
  }

  Seconds occupy(std::optional<UnitId> /*unit*/, Seconds /*span*/) override { return now(); }

  std::optional<Event> next(Seconds deadline) override {
    bool is_due = false;
    do {
      is_due = now() >= deadline;
      if (!pending_) collect();
    } while (!pending_ && !is_due && await(deadline));
    if (!pending_ || pending_->at > deadline) return std::nullopt;
    if (times_ && std::holds_alternative<BlockFinished>(pending_->what)) times_->told(now());
    return std::exchange(pending_, std::nullopt);
  }

 private:
  /// The run on the nodes, if there are any, which outlasts the workers here.
  class NodesUp {
   public:
    explicit NodesUp(RealExecutor& executor) : executor_(executor) {
      if (!executor_.setup_.nodes) return;
      const RealSetup& setup = executor_.setup_;
      NodesRun run{.phases = executor_.worker_phases(),
                   .scenario = setup.scenario,
                   .draws = setup.draws,
                   .time_scale = setup.time_scale,
                   .measures_waits = static_cast<bool>(setup.report_cores)};
      setup.nodes->begin_run(run);
      is_up_ = true;
    }
    NodesUp(const NodesUp&) = delete;
    NodesUp& operator=(const NodesUp&) = delete;
    ~NodesUp() {
      if (is_up_) static_cast<void>(end());
    }
    NodesRunEnd end() {
      if (!std::exchange(is_up_, false)) return {};
      NodesRunEnd ended =
          executor_.setup_.nodes->end_run({executor_.stops(), end_patience + executor_.ran()});
      for (const std::string& warning : ended.warnings) executor_.warn(warning);
      return ended;
    }

   private:
    RealExecutor& executor_;
    bool is_up_ = false;
  };

  /// Keeps the workers up during its lifetime.
  class WorkersUp {
   public:
    explicit WorkersUp(RealExecutor& executor) : executor_(executor) {
      for (std::uint32_t i = 0; i < executor_.setup_.units.size(); ++i) {
        UnitSlot& slot = executor_.slots_.emplace_back();
        slot.worker = executor_.make_worker(i);
        slot.is_lost = !executor_.setup_.scenario.presence_of(executor_.name_of(slot)).at_start;
        if (slot.is_lost) executor_.watch_.lost(UnitId{i});
      }
    }
    WorkersUp(const WorkersUp&) = delete;
    WorkersUp& operator=(const WorkersUp&) = delete;
    ~WorkersUp() { executor_.take_down(); }

   private:
    RealExecutor& executor_;
  };

  /// Brings the units up, runs `body`, and takes them down.
  void run_units(const std::function<void()>& body) {
    const WorkersUp up(*this);
    for (UnitSlot& slot : slots_) {
      slot.worker->await_up();
      slot.is_up = true;
    }
    if (setup_.meters) setup_.meters->begin();
    clock_->start();
    if (setup_.nodes) setup_.nodes->start_clock(*clock_);
    // Before ControllerPinning: new threads inherit the scheduling of this one.
    loads_.start(setup_.scenario, setup_.units, placement_.cores, *clock_);
    if (setup_.meters) setup_.meters->sample(*clock_, placement_.others());
    const ControllerPinning place(placement_);
    const CoreWatch watch(placement_);
    body();
    if (setup_.meters) setup_.meters->end(now());
    if (setup_.report_core_use) setup_.report_core_use(watch.since());
    if (times_) setup_.report_controller(*times_);
    tell_loads();
  }

  void reset() {
    slots_.clear();
    clock_ = setup_.clock ? setup_.clock : make_steady_clock(setup_.time_scale);
    began_ = std::chrono::steady_clock::now();
    lateness_ = std::make_shared<Lateness>();
    outstanding_ = 0;
    phase_ = 0;
    changes_done_ = 0;
    pending_.reset();
    last_ = Seconds{};
    const double by_clock = 1.0 / setup_.time_scale;
    times_.reset();
    if (setup_.report_controller) times_.emplace();
    watch_ = BlockWatch(kinds_of(setup_.units), setup_.block_timeout,
                        {by_clock * BlockWatch::floor, by_clock * longest_look});
  }

  [[nodiscard]] std::vector<WorkerPhase> worker_phases() const {
    std::vector<WorkerPhase> phases;
    for (const RealPhase& phase : setup_.phases) phases.push_back({&phase.workload, phase.kernel});
    return phases;
  }

  std::unique_ptr<Worker> make_worker(std::size_t unit) {
    const UnitSpec& spec = setup_.units[unit];
    WorkerSetup setup{.unit = spec.unit,
                      .cores = placement_.cores[unit],
                      .waiting = placement_.others(),
                      .copies_first = placement_.copies_first(),
                      .rates = spec.rates(setup_.scenario),
                      .phases = worker_phases(),
                      .draws = setup_.draws,
                      .clock = clock_,
                      .controller = signal_,
                      .lateness = lateness_,
                      .measures_waits = static_cast<bool>(setup_.report_cores)};
    return spec.factory->make_worker(std::move(setup));
  }

  /// Ends the workers. Leaves a unit behind if its block does not come back, and after a stop also
  /// a unit whose block takes long, so that the program ends soon. Otherwise a unit may take as
  /// long as the run and a bit more: it ends a block that was given up, or waits for its device.
  void take_down() {
    if (setup_.meters) setup_.meters->stop();
    const bool is_stopped = stops();
    for (UnitSlot& slot : slots_) {
      slot.worker->abandon(Abandoned::with_unit);
      slot.worker->stop();
    }
    for (UnitSlot& slot : slots_) {
      const bool is_impatient = slot.is_up && (is_stopped || slot.has_stalled);
      if (slot.worker->has_ended(is_impatient ? stop_patience : silent_patience)) continue;
      if (is_impatient || !has_ended_at_last(slot, end_patience + ran()))
        slot.worker->leave_behind();
    }
    loads_.end();  // after the units, for whose kernels a load on a GPU has to wait
    slots_.clear();
  }

  /// Says that the end of the run waits for a unit, and waits. Returns false if it took too long.
  bool has_ended_at_last(const UnitSlot& slot, std::chrono::milliseconds patience) const {
    using std::chrono::steady_clock;
    warn(
        fmt::format("unit {} has not ended with the run: a block that was given up still computes, "
                    "or its device does not answer; the program waits for it, at most {} s",
                    name_of(slot), patience.count() / 1000));
    const auto deadline = steady_clock::now() + patience;
    while (steady_clock::now() < deadline && !stops()) {
      if (slot.worker->has_ended(stop_poll)) return true;
    }
    warn(
        fmt::format("unit {} is left behind: it works until the program ends, and may disturb what "
                    "runs until then",
                    name_of(slot)));
    return false;
  }

  void tell_loads() const {
    loads_.tell(now(), [this](const Disturbance& load, double share) {
      if (setup_.report_load) setup_.report_load({&load, share});
    });
  }

  [[nodiscard]] std::chrono::milliseconds ran() const {
    return duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_);
  }
  [[nodiscard]] bool stops() const { return setup_.stop_requested && setup_.stop_requested(); }

  /// Waits for `span`, or until the run is asked to stop.
  void wait(Seconds span) {
    const Seconds slice{std::chrono::duration<double>(stop_poll).count() / setup_.time_scale};
    const Seconds end = now() + span;
    const GivesUp never = [] { return false; };
    while (now() < end && !stops()) clock_->wait_until(std::min(end, now() + slice), never);
  }

  [[nodiscard]] UnitId id_of(const UnitSlot& slot) const {
    return UnitId{static_cast<std::uint32_t>(&slot - slots_.data())};
  }

  void warn(const std::string& text) const {
    if (setup_.warn) setup_.warn(text);
  }

  [[nodiscard]] const std::string& name_of(const UnitSlot& slot) const {
    return setup_.units[id_of(slot).index].unit.name;
  }

  [[nodiscard]] Seconds next_change() const {
    return changes_done_ < changes_.size() ? changes_[changes_done_].at : Seconds::infinity();
  }

  /// The unit whose oldest report has the earliest end, or nullptr if none has one.
  UnitSlot* earliest() {
    UnitSlot* first = nullptr;
    for (UnitSlot& slot : slots_) {
      if (slot.is_broken || slot.worker->report() == nullptr) continue;
      if (first == nullptr || slot.worker->report()->end < first->worker->report()->end) {
        first = &slot;
      }
    }
    return first;
  }

  /// A late unit that has ended what it had begun, or nullptr if none has.
  UnitSlot* answering() {
    const auto found = std::ranges::find_if(
        slots_, [](UnitSlot& slot) { return slot.is_late && slot.worker->is_free(); });
    return found == slots_.end() ? nullptr : &*found;
  }

  /// What `copy` shares with the block of the same items, which a unit has; else that has ended, or
  /// its unit is lost, which may not have been told yet.
  [[nodiscard]] ResultClaimPtr claim_of(const Block& copy) const {
    for (const UnitSlot& slot : slots_) {
      if (ResultClaimPtr claim = slot.worker->contest(copy.original())) return claim;
    }
    auto claim = std::make_shared<ResultClaim>();
    const auto* const done = pending_ ? std::get_if<BlockFinished>(&pending_->what) : nullptr;
    if (done != nullptr && done->block.original() == copy.original()) {
      static_cast<void>(claim->take());
    }
    return claim;
  }

  /// Makes the earliest event that was not reported yet the pending event.
  void collect() {
    while (!pending_) {
      const Seconds now = clock_->now();  // read first, so that all ends up to `now` are found
      UnitSlot* const slot = earliest();
      const Seconds change = next_change();
      if (slot != nullptr && slot->worker->report()->end <= change) {
        take_report(*slot);
      } else if (change <= now) {
        change_unit(changes_[changes_done_++]);
      } else if (!take_answer(now) && !take_timeout(now)) {
        return;
      }
    }
  }

  void take_report(UnitSlot& slot) {
    const Report report = *slot.worker->report();
    slot.worker->drop_report();
    if (report.kind == ReportKind::failed) {
      slot.is_broken = true;
      slot.is_late = false;
      if (!slot.is_lost) lose(slot, clock_->now(), report.why);
      return;
    }
    last_ = std::max(report.end, last_ + tick);
    --outstanding_;
    --slot.outstanding;
    if (report.command.probe) return end_probe(slot, report);
    watch_.came_back(id_of(slot), report.command.block, last_, report.times.setup,
                     report.kind != ReportKind::lost);
    const bool was_going_on = std::erase(slot.going_on, report.command.block.id) > 0;
    if (was_going_on || report.kind == ReportKind::dropped) {
      pending_ = Event{last_, LateEnd{id_of(slot), report.command.block, report.command.assigned,
                                      report.times, report.begins}};
      return;
    }
    if (report.kind == ReportKind::lost) {
      lose_block(slot, report);
      return;
    }
    slot.has_lost_a_grain = false;
    if (setup_.report_cores) setup_.report_cores(id_of(slot), report.cores);
    pending_ = Event{last_, BlockFinished{id_of(slot), report.command.block,
                                          report.command.assigned, report.times, report.begins}};
  }

  void end_probe(const UnitSlot& slot, const Report& report) {
    Probed probed{id_of(slot), report.command.probe.value()};
    if (report.kind == ReportKind::done) {
      probed.times =
          ProbeTimes{report.begins.in, report.times.in, report.begins.out, report.times.out};
    }
    watch_.probe_ended(probed.unit, probed.probe, last_);
    pending_ = Event{last_, probed};
    if (probed.times) return;
    warn(fmt::format("unit {} could not do a probe: {}", name_of(slot), report.why));
  }

  /// The unit goes on with blocks of half the size. One that cannot do a grain gets another one; if
  /// it cannot do that either, it has failed.
  void lose_block(UnitSlot& slot, const Report& report) {
    const Block& block = report.command.block;
    const Items grain = setup_.phases[static_cast<std::size_t>(block.phase)].workload.grain_items;
    if (block.items <= grain && slot.has_lost_a_grain) {
      slot.is_broken = true;
      lose(slot, last_, report.why);
      return;
    }
    slot.has_lost_a_grain = block.items <= grain;
    const Items cap = std::max(grain, block.items / 2 / grain * grain);
    pending_ = Event{last_, BlockLost{id_of(slot), block, cap}};
    warn(fmt::format("unit {} could not do a block of {} items: {}; from now on it gets at most {}",
                     name_of(slot), block.items, report.why, cap));
  }

  void change_unit(const UnitChange& change) {
    UnitSlot& slot = slots_[change.unit.index];
    if (!change.present) {
      if (!slot.is_lost) {
        lose(slot, change.at, {});
      } else if (std::exchange(slot.is_late, false)) {
        slot.worker->abandon(Abandoned::with_unit);
      }
    } else if (!slot.is_broken && slot.is_lost) {
      watch_.joined(change.unit, change.at);
      join(slot, change.at);
    }
  }

  void join(UnitSlot& slot, Seconds at) {
    slot.is_lost = false;
    slot.is_late = false;
    last_ = std::max(at, last_ + tick);
    pending_ = Event{last_, UnitJoined{id_of(slot)}};
  }

  /// Lets a late unit that has answered by `now` take part again. Returns false if none has.
  bool take_answer(Seconds now) {
    UnitSlot* const slot = answering();
    if (slot == nullptr) return false;
    slot->has_stalled = false;
    watch_.answered(id_of(*slot), now);
    join(*slot, now);
    warn("unit " + name_of(*slot) + " has answered after all, and takes part again");
    return true;
  }

  /// Loses the unit that has kept its blocks longer than the timeout allows by `now`. Returns false
  /// if none has.
  bool take_timeout(Seconds now) {
    const std::optional<UnitId> late = watch_.late(now);
    if (!late) return false;
    UnitSlot& slot = slots_[late->index];
    slot.has_stalled = true;
    slot.is_late = watch_.takes_again();
    lose(slot, now, fmt::format("nothing came back for {:.3g} s", watch_.waited(*late, now).value));
    return true;
  }

  /// `why` is empty if the scenario takes the unit away.
  void lose(UnitSlot& slot, Seconds at, const std::string& why) {
    slot.worker->abandon(slot.is_late ? Abandoned::late : Abandoned::with_unit);
    slot.is_lost = true;
    outstanding_ -= std::exchange(slot.outstanding, 0);
    slot.going_on.clear();
    watch_.lost(id_of(slot));
    last_ = std::max(at, last_ + tick);
    pending_ = Event{last_, UnitLost{id_of(slot)}};
    if (why.empty()) return;
    const char* const rest =
        std::ranges::all_of(slots_, &UnitSlot::is_lost) ? "" : "; the others do its work";
    warn(fmt::format("unit {} is lost: {}{}", name_of(slot), why, rest));
  }

  /// Waits for a report, `deadline`, a change, a timeout, or a stop request. Returns false if there
  /// is nothing left to wait for.
  bool await(Seconds deadline) {
    if (stops()) return false;
    if (times_) times_->asked(now());
    Seconds until = std::min(deadline, next_change());
    const bool waits = outstanding_ > 0 || std::ranges::any_of(slots_, &UnitSlot::is_late);
    const bool is_in_vain = !waits || clock_->now() >= watch_.stop_waiting_at();
    if (until == Seconds::infinity() && is_in_vain) return false;
    until = std::min(until, watch_.next_late());
    const auto poll = std::chrono::steady_clock::now() + stop_poll;
    signal_->wait([this] { return earliest() != nullptr || answering() != nullptr; },
                  std::min(clock_->moment(until), poll));
    return true;
  }

  RealSetup setup_;
  Placement placement_;
  std::vector<UnitChange> changes_;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<WakeSignal> signal_;  ///< shared with threads that may be left behind
  std::shared_ptr<Lateness> lateness_;
  std::vector<UnitSlot> slots_;
  RunLoads loads_;
  std::chrono::steady_clock::time_point began_;
  Seconds last_;                          ///< time of the last event
  std::optional<ControllerTimes> times_;  ///< none: nobody asks for them
  BlockWatch watch_{{}, {}};
  std::size_t changes_done_ = 0;  ///< how many of the scenario's changes have happened
  std::size_t outstanding_ = 0;   ///< blocks and probes
  int phase_ = 0;                 ///< that goes on
  std::optional<Event> pending_;
};

}  // namespace

std::unique_ptr<Executor> make_real_executor(RealSetup setup) {
  return std::make_unique<RealExecutor>(std::move(setup));
}

}  // namespace equipoise

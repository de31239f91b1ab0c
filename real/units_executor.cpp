// The controller's side of the units of one level.
#include "real/units_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "real/threads/this_thread.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long the end of a run waits for a unit after a stop or a timeout.
constexpr std::chrono::milliseconds stop_patience{1000};
/// How long it waits otherwise; the time that the run took is added.
constexpr std::chrono::milliseconds end_patience{120'000};
/// How long it waits before it says so.
constexpr std::chrono::milliseconds silent_patience{2000};

/// How often a waiting controller checks for a stop request.
constexpr std::chrono::milliseconds stop_poll{50};
/// A controller that has not looked for longer was late itself: it did not run, or was busy.
constexpr Seconds longest_look{0.1};
/// The distance between two events to which the clock gives the same time.
constexpr Seconds tick{1e-9};

}  // namespace

/// The controller's state of one unit.
struct UnitsExecutor::UnitSlot {
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

UnitsExecutor::UnitsExecutor(DrivenUnits units)
    : units_(std::move(units)),
      changes_(unit_changes(units_.units, units_.scenario)),
      signal_(std::make_shared<WakeSignal>(units_.patience)) {
  EQ_CHECK(!units_.report_cores || units_.time_scale == 1.0, "waits are in seconds of the machine");
  EQ_CHECK(units_.placement.cores.size() == units_.units.size(), "every unit has its cores");
}

UnitsExecutor::~UnitsExecutor() = default;

Seconds UnitsExecutor::now() const { return std::max(run_.clock->now(), last_); }

Seconds UnitsExecutor::begin_iteration(int phase, int /*iteration*/) {
  watch_.begin_iteration(phase, *run_.phases[static_cast<std::size_t>(phase)].workload);
  phase_ = phase;
  for (const UnitSlot& slot : slots_) slot.worker->begin_iteration();
  return now();
}

Seconds UnitsExecutor::start(const Block& block, UnitId unit) {
  UnitSlot& slot = slots_[unit.index];
  if (slot.is_lost) return now();
  const Command command{block, now()};
  if (times_) times_->asked(command.assigned);
  ++outstanding_;
  ++slot.outstanding;
  watch_.handed_out(unit, block, command.assigned);
  slot.worker->queue(command, block.copy_of ? claim_of(block) : nullptr);
  if (times_) times_->block_s.push_back((now() - command.assigned).value);
  return command.assigned;
}

Executor::TakenBack UnitsExecutor::take_back(const Block& block, UnitId unit) {
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

Seconds UnitsExecutor::probe(const Probe& probe, UnitId unit) {
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

Seconds UnitsExecutor::occupy(std::optional<UnitId> /*unit*/, Seconds /*span*/) { return now(); }

std::optional<Event> UnitsExecutor::next(Seconds deadline) {
  bool is_due = false;
  do {
    is_due = now() >= deadline;
    if (!pending_) collect();
  } while (!pending_ && !is_due && await(deadline));
  if (!pending_ || pending_->at > deadline) return std::nullopt;
  if (times_ && std::holds_alternative<BlockFinished>(pending_->what)) times_->told(now());
  return std::exchange(pending_, std::nullopt);
}

void UnitsExecutor::bring_up(UnitsRun run) {
  reset(std::move(run));
  try {
    for (std::uint32_t i = 0; i < units_.units.size(); ++i) {
      UnitSlot& slot = slots_.emplace_back();
      slot.worker = make_worker(i);
      slot.is_lost = !units_.scenario.presence_of(name_of(slot)).at_start;
      if (slot.is_lost) watch_.lost(UnitId{i});
    }
    for (UnitSlot& slot : slots_) {
      slot.worker->await_up();
      slot.is_up = true;
    }
  } catch (...) {
    std::erase_if(slots_, [](const UnitSlot& slot) { return slot.worker == nullptr; });
    take_down();
    throw;
  }
}

void UnitsExecutor::reset(UnitsRun run) {
  run_ = std::move(run);
  began_ = std::chrono::steady_clock::now();
  outstanding_ = 0;
  phase_ = 0;
  changes_done_ = 0;
  pending_.reset();
  last_ = Seconds{};
  const double by_clock = 1.0 / units_.time_scale;
  times_.reset();
  if (units_.takes_times) times_.emplace();
  watch_ =
      BlockWatch(kinds_of(units_.units), units_.timeout_factor * units_.block_timeout,
                 {by_clock * units_.timeout_factor * BlockWatch::floor, by_clock * longest_look});
}

std::unique_ptr<Worker> UnitsExecutor::make_worker(std::size_t unit) const {
  const UnitSpec& spec = units_.units[unit];
  WorkerSetup setup{.unit = spec.unit,
                    .cores = units_.placement.cores[unit],
                    .waiting = units_.placement.others(),
                    .copies_first = units_.placement.copies_first(),
                    .rates = spec.rates(units_.scenario),
                    .phases = run_.phases,
                    .draws = run_.draws,
                    .clock = run_.clock,
                    .controller = signal_,
                    .lateness = run_.lateness,
                    .outer = run_.outer,
                    .measures_waits = static_cast<bool>(units_.report_cores)};
  return spec.factory->make_worker(std::move(setup));
}

void UnitsExecutor::take_down() {
  const bool is_stopped = stops();
  for (UnitSlot& slot : slots_) {
    slot.worker->abandon(Abandoned::with_unit);
    slot.worker->stop();
  }
  for (UnitSlot& slot : slots_) {
    const bool is_impatient = slot.is_up && (is_stopped || slot.has_stalled);
    if (slot.worker->has_ended(is_impatient ? stop_patience : silent_patience)) continue;
    if (is_impatient || !has_ended_at_last(slot, patience_at_end())) slot.worker->leave_behind();
  }
  slots_.clear();
}

/// Says that the end of the run waits for a unit, and waits. Returns false if it took too long.
bool UnitsExecutor::has_ended_at_last(const UnitSlot& slot,
                                      std::chrono::milliseconds patience) const {
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

std::chrono::milliseconds UnitsExecutor::patience_at_end() const {
  using std::chrono::milliseconds;
  return end_patience + duration_cast<milliseconds>(std::chrono::steady_clock::now() - began_);
}

bool UnitsExecutor::stops() const { return units_.stop_requested && units_.stop_requested(); }

/// Waits for `span`, or until the run is asked to stop.
void UnitsExecutor::wait(Seconds span) {
  const Seconds slice{std::chrono::duration<double>(stop_poll).count() / units_.time_scale};
  const Seconds end = now() + span;
  const GivesUp never = [] { return false; };
  while (now() < end && !stops()) run_.clock->wait_until(std::min(end, now() + slice), never);
}

UnitId UnitsExecutor::id_of(const UnitSlot& slot) const {
  return UnitId{static_cast<std::uint32_t>(&slot - slots_.data())};
}

void UnitsExecutor::warn(const std::string& text) const {
  if (units_.warn) units_.warn(text);
}

const std::string& UnitsExecutor::name_of(const UnitSlot& slot) const {
  return units_.units[id_of(slot).index].unit.name;
}

Seconds UnitsExecutor::next_change() const {
  return changes_done_ < changes_.size() ? changes_[changes_done_].at : Seconds::infinity();
}

/// The unit whose oldest report has the earliest end, or nullptr if none has one.
UnitsExecutor::UnitSlot* UnitsExecutor::earliest() {
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
UnitsExecutor::UnitSlot* UnitsExecutor::answering() {
  const auto found = std::ranges::find_if(
      slots_, [](UnitSlot& slot) { return slot.is_late && slot.worker->is_free(); });
  return found == slots_.end() ? nullptr : &*found;
}

/// What `copy` shares with the block of the same items, which a unit has; else that has ended, or
/// its unit is lost, which may not have been told yet.
ResultClaimPtr UnitsExecutor::claim_of(const Block& copy) const {
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
void UnitsExecutor::collect() {
  while (!pending_) {
    const Seconds now = run_.clock->now();  // read first, so that all ends up to `now` are found
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

void UnitsExecutor::take_report(UnitSlot& slot) {
  const Report report = *slot.worker->report();
  slot.worker->drop_report();
  if (report.kind == ReportKind::failed) {
    slot.is_broken = true;
    slot.is_late = false;
    if (!slot.is_lost) lose(slot, run_.clock->now(), report.why);
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
  if (units_.report_cores) units_.report_cores(id_of(slot), report.cores);
  pending_ = Event{last_, BlockFinished{id_of(slot), report.command.block, report.command.assigned,
                                        report.times, report.begins}};
}

void UnitsExecutor::end_probe(const UnitSlot& slot, const Report& report) {
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
void UnitsExecutor::lose_block(UnitSlot& slot, const Report& report) {
  const Block& block = report.command.block;
  const Items grain = run_.phases[static_cast<std::size_t>(block.phase)].workload->grain_items;
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

void UnitsExecutor::change_unit(const UnitChange& change) {
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

void UnitsExecutor::join(UnitSlot& slot, Seconds at) {
  slot.is_lost = false;
  slot.is_late = false;
  last_ = std::max(at, last_ + tick);
  pending_ = Event{last_, UnitJoined{id_of(slot)}};
}

/// Lets a late unit that has answered by `now` take part again. Returns false if none has.
bool UnitsExecutor::take_answer(Seconds now) {
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
bool UnitsExecutor::take_timeout(Seconds now) {
  const std::optional<UnitId> late = watch_.late(now);
  if (!late) return false;
  UnitSlot& slot = slots_[late->index];
  slot.has_stalled = true;
  slot.is_late = watch_.takes_again();
  lose(slot, now, fmt::format("nothing came back for {:.3g} s", watch_.waited(*late, now).value));
  return true;
}

/// `why` is empty if the scenario takes the unit away.
void UnitsExecutor::lose(UnitSlot& slot, Seconds at, const std::string& why) {
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
bool UnitsExecutor::await(Seconds deadline) {
  if (stops()) return false;
  if (times_) times_->asked(now());
  Seconds until = std::min(deadline, next_change());
  const bool waits = outstanding_ > 0 || std::ranges::any_of(slots_, &UnitSlot::is_late);
  const bool is_in_vain = !waits || run_.clock->now() >= watch_.stop_waiting_at();
  if (until == Seconds::infinity() && is_in_vain) return false;
  until = std::min(until, watch_.next_late());
  const auto poll = std::chrono::steady_clock::now() + stop_poll;
  signal_->wait([this] { return earliest() != nullptr || answering() != nullptr; },
                std::min(run_.clock->moment(until), poll));
  return true;
}

ControllerPinning::ControllerPinning(const std::vector<int>& cores, bool waiting_compute)
    : before_(cores_of_this_thread()) {
  pin_this_thread(cores);
  if (waiting_compute) prompt_.emplace();
}

ControllerPinning::~ControllerPinning() { pin_this_thread(before_); }

}  // namespace equipoise

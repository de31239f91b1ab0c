// Gives events to the policy and carries out its decisions until every item is done.
#include "shared_policies/run/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/least_time.hpp"
#include "shared_policies/run/block_ledger.hpp"
#include "shared_policies/run/idle_offers.hpp"
#include "shared_policies/run/run_timers.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {
namespace {

/// If a policy only sets timers and probes while no block is outstanding, it is stalled after so
/// many of them.
constexpr int idle_waits_max = 10'000;

/// So many blocks are taken back at one time at most: a policy might take back what it has just
/// given, for ever.
constexpr int take_backs_max = 10'000;
/// And so many probes are sent at one time, because some are answered at once.
constexpr int probes_max = 10'000;
/// Larger numbers of bytes may not be whole ones.
constexpr double probe_bytes_max = 9007199254740992.0;

/// While this object lives, the time that passes is not charged to the policy: an executor starts a
/// block or a journal is written.
class MeterPause {
 public:
  explicit MeterPause(CostMeter* meter) : meter_(meter) {
    if (meter_ != nullptr) meter_->pause();
  }
  MeterPause(const MeterPause&) = delete;
  MeterPause& operator=(const MeterPause&) = delete;
  ~MeterPause() {
    if (meter_ != nullptr) meter_->resume();
  }

 private:
  CostMeter* meter_;
};

/// A copy whose time is below the least one takes none.
void keep_copy_to_least_time(Seconds& copy) {
  if (copy < least_time) copy = Seconds{};
}

/// Gives no stage a time below the least one.
void keep_to_least_time(StageTimes& times) {
  for (Seconds* const copy : {&times.setup, &times.in, &times.out}) keep_copy_to_least_time(*copy);
  if (times.compute > Seconds{}) times.compute = std::max(times.compute, least_time);
}

/// How many of something a policy has done at the present time.
class CountAtOneTime {
 public:
  explicit CountAtOneTime(int most) : most_(most) {}
  /// Counts one more. Returns whether that is not too many.
  bool add(Seconds now) {
    if (std::exchange(at_, now) != now) count_ = 0;
    return ++count_ <= most_;
  }

 private:
  int most_;
  Seconds at_;
  int count_ = 0;
};

class RunLoop final : private Decisions {
 public:
  RunLoop(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal)
      : executor_(executor),
        policy_(policy),
        setup_(setup),
        journal_(journal),
        view_(setup.units, setup.phases),
        offered_(setup.units.size()),
        ledger_(executor, journal, view_, offered_, [this](const Event& event) { answer(event); }) {
  }

  RunOutcome run() {
    for (const Workload& phase : setup_.phases) {
      for (const Unit& unit : setup_.units) {
        EQ_CHECK(holds_a_grain(unit, phase), "a unit that takes part holds at least one grain");
      }
    }
    executor_.run([this] { body(); });
    return outcome_;
  }

 private:
  void body() {
    for (const UnitId unit : setup_.absent_at_start) view_.mark_absent(unit);
    deliver({view_.now(), RunStarted{}});
    for (size_t phase = 0; phase < setup_.phases.size(); ++phase) {
      deliver({view_.now(), PhaseStarted{static_cast<int>(phase)}});
      for (int iteration = 0; iteration < setup_.phases[phase].iterations; ++iteration) {
        const Seconds begin = executor_.begin_iteration(static_cast<int>(phase), iteration);
        if (iteration > 0) take_until(begin);  // the pool is still empty: nothing is handed out
        ledger_.begin_iteration(setup_.phases[phase]);
        view_.pass(begin);
        ledger_.tell({view_.now(), IterationBegin{}});
        deliver({view_.now(), IterationStarted{iteration}});
        if (!drive()) {
          ledger_.tell_outstanding();
          return tell_answers();
        }
        EQ_CHECK(ledger_.covers(setup_.phases[phase]), "every item was done exactly once");
      }
    }
    outcome_.complete = true;
    tell_answers();
  }

  /// Runs one iteration up to its barrier. Returns false if the run ends early.
  bool drive() {
    offer_all();
    while (ledger_.remaining() > 0 || view_.outstanding() > 0) {
      offer_idles();
      if (ledger_.remaining() > 0 && view_.outstanding() == 0 && is_stuck() && !take_over()) {
        return false;
      }
      if (!advance()) return false;
    }
    return true;
  }

  /// Whether nothing will make the policy ask for work.
  [[nodiscard]] bool is_stuck() const {
    const bool waits = !timers_.empty() || view_.probes() > 0 || view_.going_on() > 0;
    return !waits || (idle_waits_ > idle_waits_max && !outcome_.policy_stalled);
  }

  /// If a unit is present, finishes greedily the work that the policy left; otherwise waits for a
  /// unit. Returns false if no unit is present and none will join.
  bool take_over() {
    const auto units = view_.units();
    if (std::none_of(units.begin(), units.end(), [](const auto& u) { return u.present; })) {
      std::optional<Event> event = executor_.next(Seconds::infinity());
      if (stop_requested() || !event) return false;
      take_instant(*event);
      return true;
    }
    EQ_CHECK(!outcome_.policy_stalled, "greedy does not stall");
    outcome_.policy_stalled = true;
    ledger_.tell({view_.now(), PolicyStall{}});
    offer_all();
    offer_idles();
    return true;
  }

  /// Waits for the next event and processes all events of the same instant. Returns false if the
  /// run ends early.
  bool advance() {
    const bool waits_for_units =
        view_.outstanding() > 0 || view_.going_on() > 0 || view_.probes() > 0;
    if (!waits_for_units && timers_.empty()) return !stop_requested();
    const Seconds deadline = timers_.earliest();
    std::optional<Event> event = executor_.next(deadline);
    if (stop_requested()) return false;
    if (!event) {
      if (timers_.empty()) return stop_waiting();
      if (executor_.now() >= deadline) fire_timer();
      return true;
    }
    take_instant(*event);
    return true;
  }

  /// No unit will report anything more: from now on the policy is stuck unless it asks for work.
  /// Returns whether the run goes on, because only probes or lost blocks were waited for.
  bool stop_waiting() {
    idle_waits_ = idle_waits_max + 1;
    return view_.outstanding() == 0 && !outcome_.policy_stalled;
  }

  /// Processes `first` and all other events of the same instant.
  void take_instant(Event& first) {
    take(first);
    take_until(first.at);
  }

  /// Processes the events that have happened by `at`, which has come.
  void take_until(Seconds at) {
    while (std::optional<Event> event = executor_.next(at)) take(*event);
  }

  bool stop_requested() {
    outcome_.interrupted = setup_.stop_requested && setup_.stop_requested();
    return outcome_.interrupted;
  }

  void fire_timer() {
    const RunTimers::Timer timer = timers_.take();
    if (view_.outstanding() == 0) ++idle_waits_;
    ledger_.tell({timer.at, TimerEnd{}});
    deliver({timer.at, TimerFired{timer.timer}});
  }

  /// Processes one event of the executor.
  void take(Event& event) {
    if (auto* finished = std::get_if<BlockFinished>(&event.what)) {
      keep_to_least_time(finished->times);
      ledger_.finish(event, *finished);
    } else if (const auto* late = std::get_if<LateEnd>(&event.what)) {
      ledger_.end_late(event, *late);
    } else if (auto* probed = std::get_if<Probed>(&event.what)) {
      end_probe(event, *probed);
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      ledger_.lose(event.at, *lost);
    } else if (const auto* gone = std::get_if<UnitLost>(&event.what)) {
      ledger_.lose_unit(event, gone->unit);
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      ledger_.tell({event.at, *joined});
      deliver(event);
      offered_.add(joined->unit);
    } else {
      EQ_CHECK(false, "an executor reports finishes, late ends, probes, losses and joins");
    }
  }

  void end_probe(const Event& event, Probed& probed) {
    if (view_.outstanding() == 0) ++idle_waits_;
    if (probed.times) {
      keep_copy_to_least_time(probed.times->there);
      keep_copy_to_least_time(probed.times->back);
    }
    ledger_.end_probe(event, probed);
  }

  /// Journals the time of the policy that no decision's record contains.
  void tell_answers() {
    if (answers_ == Seconds{}) return;
    journal_.measured({view_.now(), policy_domain, answers_s, answers_.value});
    journal_.measured({view_.now(), policy_domain, longest_answer_s, longest_answer_.value});
  }

  void offer_all() {
    for (const UnitState& unit : view_.units()) offered_.add(unit.id);
  }

  void offer_idles() {
    while (const std::optional<UnitId> next = offered_.take()) {
      const UnitState& unit = view_.unit(*next);
      if (ledger_.remaining() == 0 || !unit.is_idle()) continue;
      if (outcome_.policy_stalled) {
        ledger_.hand_out(unit.id, greedy_items(), BlockTag::run, 0);
      } else {
        deliver({view_.now(), UnitIdle{unit.id}});
      }
    }
  }

  /// The block size when the loop finishes the work greedily: about ten blocks for each unit.
  [[nodiscard]] Items greedy_items() const {
    const auto units = static_cast<Items>(setup_.units.size());
    return std::max<Items>(view_.workload().grain_items, view_.workload().items / (10 * units));
  }

  void deliver(const Event& event) {
    view_.include(event);
    answer(event);
  }

  /// Lets the policy answer `event`, which the View includes, and then what its answers caused.
  void answer(const Event& event) {
    call_policy(event);
    while (const std::optional<Event> next = ledger_.untold()) call_policy(*next);
  }

  void call_policy(const Event& event) {
    if (outcome_.policy_stalled) return;
    CostMeter* const meter = setup_.cost_meter;
    if (meter == nullptr) return policy_.decide(view_, event, *this);
    answer_ = {};
    meter->begin(view_.phase());
    policy_.decide(view_, event, *this);
    meter->pause();
    charge(meter->price_answer(true));
    answers_ += answer_;
    longest_answer_ = std::max(longest_answer_, answer_);
  }

  /// Lets `cost` pass. The View does not show it: it shows times of events, as the journal does.
  void charge(Seconds cost) {
    if (cost <= Seconds{}) return;
    executor_.occupy(std::nullopt, cost);
    answer_ += cost;
  }

  // -- The interface Decisions, called by the policy -----------------------------------------

  Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) override {
    const MeterPause pause(setup_.cost_meter);
    if (items <= 0 || ledger_.remaining() == 0 || !view_.unit(unit).present) return 0;
    charge_answer();
    idle_waits_ = 0;
    return ledger_.hand_out(unit, items, tag, group);
  }

  bool withdraw(UnitId unit, std::uint64_t block) override {
    const MeterPause pause(setup_.cost_meter);
    if (ledger_.find(unit, block) == nullptr) return false;
    if (!taken_back_.add(view_.now())) return false;
    charge_answer();
    return ledger_.take_back(unit, block);
  }

  Items grant_copy(std::uint64_t block, UnitId of, UnitId unit) override {
    const MeterPause pause(setup_.cost_meter);
    if (!ledger_.can_give_twice(block, of, unit)) return 0;
    charge_answer();
    idle_waits_ = 0;
    return ledger_.give_twice(block, of, unit);
  }

  bool send_probe(UnitId unit, double bytes_there, std::optional<double> bytes_back,
                  std::uint64_t number) override {
    const MeterPause pause(setup_.cost_meter);
    const auto is_sound = [](double bytes) { return bytes >= 0.0 && bytes <= probe_bytes_max; };
    if (!is_sound(bytes_there) || !is_sound(bytes_back.value_or(0.0))) return false;
    if (!view_.unit(unit).present || !probes_.add(view_.now())) return false;
    charge_answer();
    if (bytes_back) bytes_back = std::ceil(*bytes_back);
    ledger_.probe(unit, {0, number, std::ceil(bytes_there), bytes_back});
    return true;
  }

  void wake(Seconds at, std::uint64_t timer) override { timers_.set(at, timer); }

  /// Lets what the call has cost up to a request pass before the request takes effect.
  void charge_answer() {
    if (setup_.cost_meter != nullptr) charge(setup_.cost_meter->price_answer(false));
  }

  void decided(const Decision& decision) override {
    const MeterPause pause(setup_.cost_meter);
    expect_own_word(decision);
    const Seconds price =
        setup_.cost_meter != nullptr ? setup_.cost_meter->price(decision) : Seconds{};
    const Seconds at = view_.now();
    view_.pass(executor_.occupy(decision.unit, price));
    journal_.decision({at, price, view_.now(), decision});
  }

  /// Run files tell kinds of decisions apart by their words.
  void expect_own_word(const Decision& decision) const {
    const auto* const own = std::get_if<OwnDecisionKind>(&decision.what);
    if (own == nullptr || decision_called(own->word) == decision.what) return;
    throw InputError("", fmt::format("a decision of the policy at {} s has an OwnDecisionKind that "
                                     "is spelled {}; give it DecisionKind::{} or another word",
                                     view_.now().value, own->word, own->word));
  }

  void note(const std::string& what) override {
    const MeterPause pause(setup_.cost_meter);
    if (event_called(what)) {
      throw InputError("",
                       fmt::format("a note of the policy at {} s is spelled {}, as an event is; "
                                   "give the note another word",
                                   view_.now().value, what));
    }
    ledger_.tell({view_.now(), Note{what}});
  }

  Executor& executor_;
  Policy& policy_;
  const RunSetup& setup_;
  Journal& journal_;
  View view_;
  IdleOffers offered_;  ///< units to be told that they are idle, after the events of this instant
  BlockLedger ledger_;
  RunOutcome outcome_;
  RunTimers timers_;
  int idle_waits_ = 0;  ///< timers and probes that ended while no block was outstanding
  CountAtOneTime taken_back_{take_backs_max};
  CountAtOneTime probes_{probes_max};
  Seconds answer_;   ///< charged for this call, besides decisions
  Seconds answers_;  ///< for all calls
  Seconds longest_answer_;
};

}  // namespace

RunOutcome run_policy(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal) {
  return RunLoop(executor, policy, setup, journal).run();
}

}  // namespace equipoise

// Gives events to the policy and carries out its decisions until every item is done.
#include "shared_policies/run/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <queue>
#include <string>
#include <tuple>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/least_time.hpp"
#include "shared_policies/run/pool.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {
namespace {

/// If a policy only sets timers while no block is outstanding, it is stalled after this many
/// timers.
constexpr int idle_timers_max = 10'000;

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

/// Gives no stage a time below the least one: a copy takes no time then.
void keep_to_least_time(StageTimes& times) {
  for (Seconds* const copy : {&times.setup, &times.in, &times.out}) {
    if (*copy < least_time) *copy = Seconds{};
  }
  if (times.compute > Seconds{}) times.compute = std::max(times.compute, least_time);
}

class RunLoop final : private Decisions {
 public:
  RunLoop(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal)
      : executor_(executor),
        policy_(policy),
        setup_(setup),
        journal_(journal),
        view_(setup.units, setup.phases),
        is_offered_(setup.units.size(), 0) {}

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
  struct Timer {
    Seconds at;
    std::uint64_t order;
    std::uint64_t timer;
    bool operator>(const Timer& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };

  void body() {
    for (const UnitId unit : setup_.absent_at_start) view_.mark_absent(unit);
    deliver({view_.now(), RunStarted{}});
    for (size_t phase = 0; phase < setup_.phases.size(); ++phase) {
      deliver({view_.now(), PhaseStarted{static_cast<int>(phase)}});
      for (int iteration = 0; iteration < setup_.phases[phase].iterations; ++iteration) {
        const Seconds begin = executor_.begin_iteration(static_cast<int>(phase), iteration);
        if (iteration > 0) take_until(begin);  // the pool is still empty: nothing is handed out
        pool_ = Pool(setup_.phases[phase].items, setup_.phases[phase].grain_items);
        coverage_ = Coverage();
        view_.pass(begin);
        tell({view_.now(), IterationBegin{}});
        deliver({view_.now(), IterationStarted{iteration}});
        if (!drive()) {
          tell_outstanding();
          return tell_answers();
        }
        EQ_CHECK(coverage_.covers(setup_.phases[phase].items), "every item was done exactly once");
      }
    }
    outcome_.complete = true;
    tell_answers();
  }

  /// Runs one iteration up to its barrier. Returns false if the run ends early.
  bool drive() {
    offer_all();
    while (pool_.remaining() > 0 || view_.outstanding() > 0) {
      offer_idles();
      if (pool_.remaining() > 0 && view_.outstanding() == 0 && is_stuck() && !take_over()) {
        return false;
      }
      if (!advance()) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_stuck() const { return timers_.empty() || idle_timers_ > idle_timers_max; }

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
    tell({view_.now(), PolicyStall{}});
    offer_all();
    offer_idles();
    return true;
  }

  /// Waits for the next event and processes all events of the same instant. Returns false if the
  /// run ends early.
  bool advance() {
    if (view_.outstanding() == 0 && timers_.empty()) return !stop_requested();
    const Seconds deadline = timers_.empty() ? Seconds::infinity() : timers_.top().at;
    std::optional<Event> event = executor_.next(deadline);
    if (stop_requested()) return false;
    if (!event) {
      if (timers_.empty()) return false;  // no unit is left to finish the outstanding blocks
      if (executor_.now() >= deadline) fire_timer();
      return true;
    }
    take_instant(*event);
    return true;
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
    const Timer timer = timers_.top();
    timers_.pop();
    if (view_.outstanding() == 0) ++idle_timers_;
    tell({timer.at, TimerEnd{}});
    deliver({timer.at, TimerFired{timer.timer}});
  }

  /// Processes one event of the executor.
  void take(Event& event) {
    if (auto* finished = std::get_if<BlockFinished>(&event.what)) {
      keep_to_least_time(finished->times);
      finish(event, *finished);
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      lose(event.at, lost->unit, lost->block.id, lost->cap_items);
    } else if (const auto* gone = std::get_if<UnitLost>(&event.what)) {
      lose_unit(event, gone->unit);
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      tell({event.at, *joined});
      deliver(event);
      offer(joined->unit);
    } else {
      EQ_CHECK(false, "an executor reports finishes, losses and joins");
    }
  }

  void finish(const Event& event, const BlockFinished& finished) {
    const OutstandingBlock* const found = find_outstanding(finished.unit, finished.block.id);
    if (found == nullptr) return;  // a late result of a block that was already lost
    coverage_.add({finished.block.first, finished.block.items});
    journal_.block({finished.unit, finished.block, finished.assigned, finished.times,
                    finished.begins, event.at, found->after_events});
    ++events_;
    deliver(event);
    offer(finished.unit);
  }

  void lose(Seconds at, UnitId unit, std::uint64_t id, std::optional<Items> cap_items) {
    const OutstandingBlock* const found = find_outstanding(unit, id);
    if (found == nullptr) return;
    const Block block = found->block;
    // A unit may be lost while the master is busy, before the block is handed out.
    at = std::max(at, found->assigned);
    pool_.put_back({block.first, block.items});
    tell({at, LostBlock{unit, block, found->assigned, found->after_events, cap_items}});
    deliver({at, BlockLost{unit, block, cap_items}});
    offer_all();
  }

  /// The journal records the loss of the unit before the losses of its blocks: the cause comes
  /// first.
  void lose_unit(const Event& event, UnitId unit) {
    view_.mark_absent(unit);
    tell({event.at, UnitLost{unit}});
    while (!view_.unit(unit).outstanding.empty()) {
      lose(event.at, unit, view_.unit(unit).outstanding.front().block.id, std::nullopt);
    }
    deliver(event);
  }

  void tell(const EventRecord& record) {
    journal_.event(record);
    if (is_counted(record.what)) ++events_;
  }

  /// Journals the outstanding blocks of a run that ends early; without them its decisions could not
  /// be checked.
  void tell_outstanding() {
    for (const UnitState& unit : view_.units()) {
      for (const OutstandingBlock& b : unit.outstanding) {
        tell({view_.now(), UnfinishedBlock{unit.id, b.block, b.assigned, b.after_events}});
      }
    }
  }

  /// Journals the time of the policy that no decision's record contains.
  void tell_answers() {
    if (answers_ == Seconds{}) return;
    journal_.measured({view_.now(), policy_domain, answers_s, answers_.value});
    journal_.measured({view_.now(), policy_domain, longest_answer_s, longest_answer_.value});
  }

  /// The outstanding block of `unit` with this id, or null.
  [[nodiscard]] const OutstandingBlock* find_outstanding(UnitId unit, std::uint64_t id) const {
    const auto& blocks = view_.unit(unit).outstanding;
    const auto found =
        std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.block.id == id; });
    return found == blocks.end() ? nullptr : &*found;
  }

  /// Marks `unit` to be told that it is idle, after the events of this instant.
  void offer(UnitId unit) {
    if (is_offered_[unit.index] != 0) return;
    is_offered_[unit.index] = 1;
    offered_.push(unit.index);
  }

  void offer_all() {
    for (const UnitState& unit : view_.units()) offer(unit.id);
  }

  void offer_idles() {
    while (!offered_.empty()) {
      const UnitState& unit = view_.units()[offered_.top()];
      is_offered_[offered_.top()] = 0;
      offered_.pop();
      if (pool_.remaining() == 0 || !wants_work(unit)) continue;
      if (outcome_.policy_stalled) {
        hand_out(unit.id, greedy_items(), BlockTag::run, 0);
      } else {
        deliver({view_.now(), UnitIdle{unit.id}});
      }
    }
  }

  [[nodiscard]] static bool wants_work(const UnitState& unit) {
    return unit.present && unit.outstanding.size() < static_cast<size_t>(unit.unit.slots);
  }

  /// The block size when the loop finishes the work greedily: about ten blocks for each unit.
  [[nodiscard]] Items greedy_items() const {
    const auto units = static_cast<Items>(setup_.units.size());
    return std::max<Items>(view_.workload().grain_items, view_.workload().items / (10 * units));
  }

  void deliver(const Event& event) {
    view_.include(event);
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
    if (items <= 0 || pool_.remaining() == 0 || !view_.unit(unit).present) return 0;
    if (setup_.cost_meter != nullptr) charge(setup_.cost_meter->price_answer(false));
    return hand_out(unit, items, tag, group);
  }

  void wake(Seconds at, std::uint64_t timer) override {
    if (at < Seconds::infinity()) timers_.push({at, timers_set_++, timer});
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
    tell({view_.now(), Note{what}});
  }

  /// Cuts a block of `items` > 0 from the pool, which is not empty, and starts it on a unit that is
  /// present. Returns its number of items.
  Items hand_out(UnitId id, Items items, BlockTag tag, std::uint32_t group) {
    const UnitState& unit = view_.unit(id);
    const ItemRange range = pool_.cut(items, unit.cap_items);
    const Block block{blocks_granted_++, range.first, range.items, view_.phase(),
                      view_.iteration(), tag,         group};
    view_.grant({block, executor_.start(block, id), events_}, id);
    idle_timers_ = 0;
    if (wants_work(unit)) offer(id);
    return range.items;
  }

  Executor& executor_;
  Policy& policy_;
  const RunSetup& setup_;
  Journal& journal_;
  View view_;
  Pool pool_;  ///< of the current iteration
  Coverage coverage_;
  RunOutcome outcome_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t timers_set_ = 0;
  int idle_timers_ = 0;
  std::uint64_t blocks_granted_ = 0;
  std::uint64_t events_ = 0;  ///< counted like OutstandingBlock::after_events
  Seconds answer_;            ///< charged for this call, besides decisions
  Seconds answers_;           ///< for all calls
  Seconds longest_answer_;
  std::vector<char> is_offered_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> offered_;
};

}  // namespace

RunOutcome run_policy(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal) {
  return RunLoop(executor, policy, setup, journal).run();
}

}  // namespace equipoise

// Gives events to the policy and carries out its decisions until every item is done. `BlockLedger`
// has the blocks of the run, `RunLoop` the conversation between policy and executor.
#include "shared_policies/run/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/flat_set.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/pool.hpp"
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

/// Owns the items of the current iteration. Starts blocks and probes on the executor, keeps the
/// View up to date, and records every event of a run in the journal, whose order it counts.
class BlockLedger {
 public:
  /// Lets the policy answer an event that the View includes.
  using Answer = std::function<void(const Event&)>;

  /// All of them outlive it.
  BlockLedger(Executor& executor, Journal& journal, View& view, std::uint64_t first_block,
              Answer answer)
      : executor_(executor),
        journal_(journal),
        view_(view),
        answer_(std::move(answer)),
        first_block_(first_block),
        next_block_(first_block) {}

  /// All items of `range` are to be done, as parts of `node_block` if there is one.
  void begin_iteration(ItemRange range, std::optional<std::uint64_t> node_block) {
    pool_ = Pool(range, view_.workload().grain_items);
    coverage_ = Coverage();
    node_block_ = node_block;
  }

  [[nodiscard]] Items remaining() const { return pool_.remaining(); }
  /// Whether the accepted items are those of `range`, each once.
  [[nodiscard]] bool covers(ItemRange range) const { return coverage_.covers(range); }

  /// The outstanding block `id` of `unit`, or null.
  [[nodiscard]] const OutstandingBlock* find(UnitId unit, std::uint64_t id) const {
    const auto& blocks = view_.unit(unit).outstanding;
    const auto found =
        std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.block.id == id; });
    return found == blocks.end() ? nullptr : &*found;
  }

  /// Cuts a block of `items` > 0 from the pool, which is not empty, and starts it on a unit that is
  /// present. Returns its number of items.
  Items hand_out(UnitId unit, Items items, BlockTag tag, std::uint32_t group) {
    const ItemRange range = pool_.cut(items, view_.unit(unit).cap_items);
    Block block{next_block_++,     range.first, range.items, view_.phase(),
                view_.iteration(), tag,         group};
    block.node_block = node_block_;
    start(block, unit);
    return range.items;
  }

  /// Decisions::take_back of a block that is outstanding. The policy is not told yet: see `untold`.
  bool take_back(UnitId unit, std::uint64_t id) {
    const OutstandingBlock lost = *find(unit, id);
    const Executor::TakenBack taken = executor_.take_back(lost.block, unit);
    if (taken.fate == Fate::too_late) return false;
    drop(unit, lost, LostBy::take_back, taken);
    return true;
  }

  /// Whether Decisions::give_twice can be done.
  [[nodiscard]] bool can_give_twice(std::uint64_t id, UnitId of, UnitId unit) const {
    const OutstandingBlock* const found = find(of, id);
    const UnitState& to = view_.unit(unit);
    return found != nullptr && unit != of && to.present && !twins_.contains(id) &&
           found->block.items <= to.cap_items;
  }

  /// Does it, if it can be done.
  Items give_twice(std::uint64_t id, UnitId of, UnitId unit) {
    Block copy = find(of, id)->block;
    copy.copy_of = copy.original();
    copy.id = next_block_++;
    copy.group = 0;
    twins_[id] = {unit, copy.id};
    twins_[copy.id] = {of, id};
    start(copy, unit);
    return copy.items;
  }

  /// Sends a probe to a unit that is present. Its id is set here.
  void probe(UnitId unit, Probe probe) {
    probe.id = probes_granted_++;
    const Seconds asked = executor_.probe(probe, unit);
    view_.grant(OutstandingProbe{probe, asked}, unit);
    tell({asked, ProbeBegin{unit, probe, next_block_ - first_block_}});
  }

  /// The next loss of which the policy was not told, because it caused it itself; none: none.
  [[nodiscard]] std::optional<Event> untold() {
    if (untold_.empty()) return std::nullopt;
    const Event next = untold_.front();
    untold_.pop_front();
    return next;
  }

  /// Events of the executor. A block or unit that is not known any more is passed over.
  void finish(const Event& event, const BlockFinished& finished) {
    const OutstandingBlock* const found = find(finished.unit, finished.block.id);
    if (found == nullptr) return;  // a late result of a block that was already lost
    coverage_.add({finished.block.first, finished.block.items});
    journal_.block({finished.unit, finished.block, finished.assigned, finished.times,
                    finished.begins, event.at, found->after_events});
    ++events_;
    view_.include(event);
    if (const std::optional<Handed> copy = part_from_copy(finished.block.id)) {
      const OutstandingBlock lost = *find(copy->unit, copy->id);
      Executor::TakenBack taken = executor_.take_back(lost.block, copy->unit);
      // Its late end, or the loss of its unit, was not reported yet.
      if (taken.fate == Fate::too_late) taken.fate = Fate::goes_on;
      drop(copy->unit, lost, LostBy::copy, taken);
    }
    answer_(event);
    offered_.insert(finished.unit);
  }

  void end_late(const Event& event, const LateEnd& late) {
    std::optional<Event> loss;
    if (const OutstandingBlock* const found = find(late.unit, late.block.id)) {
      // Its copy copies the results, and has not ended; or the unit with the copy is lost by now.
      const bool has_copy = part_from_copy(late.block.id).has_value();
      loss = record_loss(late.unit, *found, LostBy::copy, {Fate::goes_on, event.at}, !has_copy);
    } else {
      const auto& going_on = view_.unit(late.unit).going_on;
      const auto is_it = [&](const OutstandingBlock& b) { return b.block.id == late.block.id; };
      if (std::ranges::none_of(going_on, is_it)) return;  // its unit was lost meanwhile
    }
    tell({event.at, late});  // right behind the loss: see journal_check.cpp
    if (loss) deliver(*loss);
    deliver(event);
    offered_.insert(late.unit);
  }

  void end_probe(const Event& event, const Probed& probed) {
    const auto& under_way = view_.unit(probed.unit).probes;
    const auto is_it = [&](const OutstandingProbe& p) { return p.probe.id == probed.probe.id; };
    if (std::ranges::none_of(under_way, is_it)) return;  // its unit was lost meanwhile
    tell({event.at, probed});
    deliver(event);
  }

  void lose(Seconds at, const BlockLost& lost) {
    const OutstandingBlock* const found = find(lost.unit, lost.block.id);
    if (found == nullptr) return;
    // A unit may be lost while the master is busy, before the block is handed out.
    at = std::max(at, found->assigned);
    const bool returns_items = !part_from_copy(lost.block.id);
    deliver(record_loss(lost.unit, *found, LostBy::unit, {Fate::not_begun, at}, returns_items,
                        lost.cap_items));
  }

  /// The journal records the loss of the unit before the losses of its blocks and the ends of its
  /// probes: the cause comes first.
  void lose_unit(const Event& event, UnitId unit) {
    view_.mark_absent(unit);
    tell({event.at, UnitLost{unit}});
    while (!view_.unit(unit).outstanding.empty()) {
      lose(event.at, {unit, view_.unit(unit).outstanding.front().block});
    }
    while (!view_.unit(unit).probes.empty()) {
      const OutstandingProbe probe = view_.unit(unit).probes.front();
      const Seconds at = std::max(event.at, probe.asked);
      const Probed ended{unit, probe.probe};
      end_probe({at, ended}, ended);
    }
    deliver(event);
  }

  /// Records an event.
  void tell(const EventRecord& record) {
    journal_.event(record);
    if (is_counted(record.what)) ++events_;
  }

  /// Records the outstanding blocks of a run that ends early; without them its decisions could not
  /// be checked.
  void tell_outstanding() {
    for (const UnitState& unit : view_.units()) {
      for (const OutstandingBlock& b : unit.outstanding) {
        tell({view_.now(), UnfinishedBlock{unit.id, b.block, b.assigned, b.after_events}});
      }
    }
  }

  /// Shows `event` in the View and lets the policy answer it.
  void deliver(const Event& event) {
    view_.include(event);
    answer_(event);
  }

  /// Notes that all units, or this one, may be idle, for after the events of an instant.
  void offer_all() {
    const auto units = view_.units();
    std::for_each(units.rbegin(), units.rend(), [this](const auto& unit) { offer(unit.id); });
  }
  void offer(UnitId unit) { offered_.insert(unit); }
  /// The first unit of which that was noted, which is over then; none: of none.
  [[nodiscard]] std::optional<UnitId> take_offer() {
    if (offered_.empty()) return std::nullopt;
    const auto first = std::prev(offered_.end());
    const UnitId unit = *first;
    offered_.erase(first);
    return unit;
  }

 private:
  /// A block on a unit.
  struct Handed {
    UnitId unit;
    std::uint64_t id;
  };

  void start(const Block& block, UnitId unit) {
    view_.grant(OutstandingBlock{block, executor_.start(block, unit), events_}, unit);
    if (view_.unit(unit).is_idle()) offered_.insert(unit);
  }

  /// Records that `lost` of `unit` is lost, and that its items are in the pool again if they are.
  /// Returns what the policy is to be told.
  Event record_loss(UnitId unit, const OutstandingBlock& lost, LostBy by,
                    const Executor::TakenBack& taken, bool returns_items,
                    std::optional<Items> cap_items = std::nullopt) {
    const Block& block = lost.block;
    const bool goes_on = taken.fate == Fate::goes_on;
    if (returns_items) pool_.put_back({block.first, block.items});
    tell({taken.at,
          LostBlock{unit, block, lost.assigned, lost.after_events, cap_items, by, goes_on}});
    if (returns_items) offer_all();
    offered_.insert(unit);
    return {taken.at, BlockLost{unit, block, cap_items, by, goes_on, returns_items}};
  }

  /// The same, of a block that the policy's own call has lost: it is told when that is over.
  void drop(UnitId unit, const OutstandingBlock& lost, LostBy by,
            const Executor::TakenBack& taken) {
    const bool returns_items = by == LostBy::take_back && !part_from_copy(lost.block.id);
    untold_.push_back(record_loss(unit, lost, by, taken, returns_items));
    view_.include(untold_.back());
  }

  /// If `id` and another outstanding block have the same items, forgets that and returns the other.
  std::optional<Handed> part_from_copy(std::uint64_t id) {
    const auto found = twins_.find(id);
    if (found == twins_.end()) return std::nullopt;
    const Handed other = found->second;
    twins_.erase(found);
    twins_.erase(other.id);
    return other;
  }

  Executor& executor_;
  Journal& journal_;
  View& view_;
  Answer answer_;
  Pool pool_;
  Coverage coverage_;
  std::map<std::uint64_t, Handed> twins_;  ///< by id: the other outstanding block of its items
  std::deque<Event> untold_;
  boost::container::flat_set<UnitId, std::greater<>> offered_;  ///< may be idle; the first is last
  std::uint64_t first_block_;
  std::uint64_t next_block_;
  std::optional<std::uint64_t> node_block_;  ///< that is being divided
  std::uint64_t probes_granted_ = 0;
  std::uint64_t events_ = 0;  ///< counted like OutstandingBlock::after_events
};

class RunLoop final : private Decisions {
 public:
  RunLoop(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal)
      : executor_(executor),
        policy_(policy),
        setup_(setup),
        journal_(journal),
        view_(setup.units, setup.phases),
        ledger_(executor, journal, view_, setup.first_block,
                [this](const Event& event) { answer(event); }) {}

  /// Runs all phases.
  RunOutcome run() {
    run([this] { return run_phases(); });
    return outcome_;
  }

  /// Runs the blocks of a node.
  RunOutcome run(NodeBlocks& blocks) {
    run([this, &blocks] { return run_blocks(blocks); });
    return outcome_;
  }

 private:
  /// Does `all`, which returns whether everything was done.
  void run(const std::function<bool()>& all) {
    for (const Workload& phase : setup_.phases) {
      for (const Unit& unit : setup_.units) {
        EQ_CHECK(holds_a_grain(unit, phase), "a unit that takes part holds at least one grain");
      }
    }
    executor_.run([this, &all] {
      for (const UnitId unit : setup_.absent_at_start) view_.mark_absent(unit);
      ledger_.deliver({view_.now(), RunStarted{}});
      outcome_.complete = all();
      if (!outcome_.complete) ledger_.tell_outstanding();
      tell_answers();
    });
  }

  [[nodiscard]] bool run_phases() {
    for (size_t phase = 0; phase < setup_.phases.size(); ++phase) {
      ledger_.deliver({view_.now(), PhaseStarted{static_cast<int>(phase)}});
      for (int iteration = 0; iteration < setup_.phases[phase].iterations; ++iteration) {
        const Seconds begin = executor_.begin_iteration(static_cast<int>(phase), iteration);
        if (iteration > 0) take_until(begin);  // the pool is still empty: nothing is handed out
        view_.pass(begin);
        if (!run_iteration(iteration, {0, setup_.phases[phase].items}, {})) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool run_blocks(NodeBlocks& blocks) {
    while (const std::optional<Block> block = blocks.next()) {
      const ItemRange range{block->first, block->items};
      const Seconds begin = executor_.begin_iteration(block->phase, block->iteration);
      take_until(begin);
      view_.pass(begin);
      view_.begin_part(block->phase, range);
      ledger_.deliver({view_.now(), PhaseStarted{block->phase}});
      if (!run_iteration(block->iteration, range, block)) return false;
      blocks.done(*block);
    }
    return true;
  }

  /// Does all items of `range`, those of `node_block` if there is one. Returns false if the run
  /// ends early.
  [[nodiscard]] bool run_iteration(int iteration, ItemRange range,
                                   const std::optional<Block>& node_block) {
    ledger_.begin_iteration(range, node_block ? std::optional(node_block->id) : std::nullopt);
    ledger_.tell({view_.now(), IterationBegin{node_block}});
    ledger_.deliver({view_.now(), IterationStarted{iteration}});
    if (!drive()) return false;
    EQ_CHECK(ledger_.covers(range), "every item was done exactly once");
    return true;
  }

  /// Runs one iteration up to its barrier. Returns false if the run ends early.
  bool drive() {
    ledger_.offer_all();
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
    ledger_.offer_all();
    offer_idles();
    return true;
  }

  /// Waits for the next event and processes all events of the same instant. Returns false if the
  /// run ends early.
  bool advance() {
    const bool waits_for_units =
        view_.outstanding() > 0 || view_.going_on() > 0 || view_.probes() > 0;
    if (!waits_for_units && timers_.empty()) return !stop_requested();
    const Seconds deadline = timers_.empty() ? Seconds::infinity() : timers_.begin()->first;
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
    const auto [at, timer] = *timers_.begin();
    timers_.erase(timers_.begin());
    if (view_.outstanding() == 0) ++idle_waits_;
    ledger_.tell({at, TimerEnd{}});
    ledger_.deliver({at, TimerFired{timer}});
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
      ledger_.deliver(event);
      ledger_.offer(joined->unit);
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
    if (all_calls_ == Seconds{}) return;
    journal_.measured({view_.now(), policy_domain, answers_s, all_calls_.value});
    journal_.measured({view_.now(), policy_domain, longest_answer_s, longest_call_.value});
  }

  void offer_idles() {
    while (const std::optional<UnitId> next = ledger_.take_offer()) {
      const UnitState& unit = view_.unit(*next);
      if (ledger_.remaining() == 0 || !unit.is_idle()) continue;
      if (outcome_.policy_stalled) {
        ledger_.hand_out(unit.id, greedy_items(), BlockTag::run, 0);
      } else {
        ledger_.deliver({view_.now(), UnitIdle{unit.id}});
      }
    }
  }

  /// The block size when the loop finishes the work greedily: about ten blocks for each unit.
  [[nodiscard]] Items greedy_items() const {
    const auto units = static_cast<Items>(setup_.units.size());
    return std::max<Items>(view_.workload().grain_items, view_.workload().items / (10 * units));
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
    this_call_ = {};
    meter->begin(view_.phase());
    policy_.decide(view_, event, *this);
    meter->pause();
    charge(meter->price_answer(true));
    all_calls_ += this_call_;
    longest_call_ = std::max(longest_call_, this_call_);
  }

  /// Lets `cost` pass. The View does not show it: it shows times of events, as the journal does.
  void charge(Seconds cost) {
    if (cost <= Seconds{}) return;
    executor_.occupy(std::nullopt, cost);
    this_call_ += cost;
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
    if (!setup_.may_take_back || ledger_.find(unit, block) == nullptr) return false;
    if (!taken_back_.add(view_.now())) return false;
    charge_answer();
    return ledger_.take_back(unit, block);
  }

  Items grant_copy(std::uint64_t block, UnitId of, UnitId unit) override {
    const MeterPause pause(setup_.cost_meter);
    if (!setup_.may_take_back || !ledger_.can_give_twice(block, of, unit)) return 0;
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

  void wake(Seconds at, std::uint64_t timer) override {
    if (at < Seconds::infinity()) timers_.emplace(at, timer);
  }

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
  BlockLedger ledger_;
  RunOutcome outcome_;
  std::multimap<Seconds, std::uint64_t> timers_;  ///< by time, then in the order of setting
  int idle_waits_ = 0;  ///< timers and probes that ended while no block was outstanding
  CountAtOneTime taken_back_{take_backs_max};
  CountAtOneTime probes_{probes_max};
  Seconds this_call_;  ///< what was charged for the policy's present call, besides decisions
  Seconds all_calls_;  ///< for all calls
  Seconds longest_call_;
};

}  // namespace

RunOutcome run_policy(Executor& executor, Policy& policy, const RunSetup& setup, Journal& journal) {
  return RunLoop(executor, policy, setup, journal).run();
}

RunOutcome run_node(Executor& executor, NodeBlocks& blocks, Policy& policy, const RunSetup& setup,
                    Journal& journal) {
  return RunLoop(executor, policy, setup, journal).run(blocks);
}

}  // namespace equipoise

// Watches the blocks that are out, and gives those that would end last to idle units, too.
#include "shared_policies/policies/backup_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/unheard_copies.hpp"
#include "shared_policies/run/block_watch.hpp"

namespace equipoise {
namespace {

constexpr std::uint64_t own_timer = 0;

/// The decisions of the inner policy, whose timers are numbered anew: none is `own_timer`.
class InnerDecisions final : public Decisions {
 public:
  using Timers = std::map<std::uint64_t, std::uint64_t>;  ///< inner timers by our numbers

  InnerDecisions(Decisions& outer, Timers& timers, std::uint64_t& timers_set)
      : outer_(outer), timers_(timers), timers_set_(timers_set) {}

  void decided(const Decision& decision) override { outer_.decided(decision); }
  void note(const std::string& what) override { outer_.note(what); }

 private:
  Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) override {
    return outer_.assign(unit, items, tag, group);
  }
  bool withdraw(UnitId unit, std::uint64_t block) override { return outer_.take_back(unit, block); }
  Items grant_copy(std::uint64_t block, UnitId of, UnitId unit) override {
    return outer_.give_twice(block, of, unit);
  }
  bool send_probe(UnitId unit, double bytes_there, std::optional<double> bytes_back,
                  std::uint64_t number) override {
    return outer_.probe(unit, bytes_there, bytes_back, number);
  }
  void wake(Seconds at, std::uint64_t timer) override {
    timers_.emplace(++timers_set_, timer);
    outer_.set_timer(at, timers_set_);
  }

  Decisions& outer_;
  Timers& timers_;
  std::uint64_t& timers_set_;
};

/// What is known of a unit in this phase: of the latest of its blocks in each octave of sizes.
class Pace {
 public:
  void add(double items, const StageTimes& times) {
    if (!is_known()) setup_s_ = times.setup.value;
    latest_[std::ilogb(items)] = {items, block_duration_s(times),
                                  std::max({times.in.value, times.compute.value, times.out.value})};
  }
  /// A phase begins.
  void forget() {
    latest_.clear();
    setup_s_ = 0.0;
  }
  [[nodiscard]] bool is_known() const { return !latest_.empty(); }
  /// The time of a block of x items, and of its longest stage.
  [[nodiscard]] Seconds block(double x) const {
    const Measured& of = nearest(x);
    return Seconds{of.block_s * std::max(1.0, x / of.items)};
  }
  [[nodiscard]] Seconds stage(double x) const {
    const Measured& of = nearest(x);
    return Seconds{of.stage_s * std::max(1.0, x / of.items)};
  }
  [[nodiscard]] Seconds setup() const { return Seconds{setup_s_}; }  ///< of its first block

  Seconds last_end;  ///< of a block

 private:
  struct Measured {
    double items = 0.0;
    double block_s = 0.0;
    double stage_s = 0.0;
  };
  /// The latest block of the octave of x, or of the next larger octave that has one; else of the
  /// largest.
  [[nodiscard]] const Measured& nearest(double x) const {
    const auto found = latest_.lower_bound(std::ilogb(x));
    return found == latest_.end() ? std::prev(found)->second : found->second;
  }

  std::map<int, Measured> latest_;
  double setup_s_ = 0.0;
};

/// A block that is out, with what is expected of it.
struct Expected {
  UnitId unit;
  Block block;
  Seconds patience;       ///< how overdue it may be while the policy holds items back
  Seconds due;            ///< when the first block of its unit should end
  Seconds behind;         ///< how much later than that one it ends
  bool is_known = false;  ///< whether by the unit's own pace
  Seconds takes;          ///< what the block was expected to take

  /// Whether doing the block again, which takes `again`, is expected to end it sooner.
  [[nodiscard]] bool is_sooner(Seconds again, Seconds now) const {
    return now >= overdue_by(again) || (is_known && due + behind > now + again);
  }
  /// When it needs as long as `again` because it is overdue.
  [[nodiscard]] Seconds overdue_by(Seconds again) const { return due + (again - behind); }
  [[nodiscard]] Seconds end(Seconds now) const { return std::max(due, now + (now - due)) + behind; }
  [[nodiscard]] bool is_overdue(Seconds now) const { return now > due + behind; }
  /// Whether to expect it to end before `other`, of the same items. What is overdue has shown that
  /// its expectation was wrong. Two units that are both late are not both slow: their items are
  /// dear. Then the one that has done more of them ends first.
  [[nodiscard]] bool is_before(const Expected& other, Seconds now) const {
    if (is_overdue(now) != other.is_overdue(now)) return other.is_overdue(now);
    if (!is_overdue(now)) return end(now) < other.end(now);
    return done(now) > other.done(now);
  }
  /// How long it has run, in times of what it was expected to take; 0 behind another block.
  [[nodiscard]] double done(Seconds now) const {
    return behind > Seconds{} ? 0.0 : (now - (due - takes)) / takes;
  }
};

/// The pace by which a unit is judged, and how many times as long it may take while the policy
/// holds items back.
struct Judge {
  const Pace& pace;
  double slower = 2.0;
};

/// The one or two blocks of the same items.
struct Candidate {
  Expected first;  ///< expected to end first
  std::optional<Expected> other;
};

class BackupTasks final : public EventPolicy {
 public:
  explicit BackupTasks(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

 private:
  void on_event(const Event& event) override {
    learn(event);
    tell(event);
    if (view().outstanding() == 0) return;
    if (view().remaining() == 0 || is_own_timer(event)) {
      back_up();
    } else if (is_refused(event)) {
      set_timer(view().now());  // fires when all idle units were offered
    }
  }

  void learn(const Event& event) {
    paces_.resize(view().units().size());
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      for (Pace& pace : paces_) pace.forget();
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      given_.clear();
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      Pace& pace = paces_[finished->unit.index];
      pace.add(items_of(finished->block), finished->times);
      pace.last_end = event.at;
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      paces_[lost->unit.index].last_end = event.at;
    } else if (const auto* late = std::get_if<LateEnd>(&event.what)) {
      paces_[late->unit.index].last_end = event.at;
    }
  }

  static bool is_own_timer(const Event& event) {
    const auto* const fired = std::get_if<TimerFired>(&event.what);
    return fired != nullptr && fired->timer == own_timer;
  }

  /// Whether the event offered a unit to the policy, which gave it nothing, and it could do blocks
  /// again.
  [[nodiscard]] bool is_refused(const Event& event) const {
    const auto* const offer = std::get_if<UnitIdle>(&event.what);
    return offer != nullptr && is_free(view().unit(offer->unit));
  }

  void tell(const Event& event) {
    if (!copies_.hears(event)) return;
    InnerDecisions inner(decisions(), timers_, timers_set_);
    const auto* const fired = std::get_if<TimerFired>(&event.what);
    if (fired == nullptr) return policy_->decide(view(), event, inner);
    if (fired->timer == own_timer) {
      if (event.at >= wakes_at_) wakes_at_ = Seconds::infinity();
      return;
    }
    const std::uint64_t timer = timers_.extract(fired->timer).mapped();
    policy_->decide(view(), {event.at, TimerFired{timer}}, inner);
  }

  void back_up() {
    Seconds wake = view().now();
    while (wake == view().now()) wake = give_one();
    set_timer(wake);
  }

  void set_timer(Seconds wake) {
    if (wake < wakes_at_) decisions().set_timer(wakes_at_ = wake, own_timer);
  }

  /// Gives one block again and returns the time of now; if none is to be given, returns when one
  /// may be.
  Seconds give_one() {
    const std::vector<UnitId> idle = idle_units();
    Seconds wake = Seconds::infinity();
    if (idle.empty()) return wake;
    for (const Candidate& candidate : candidates()) {
      const std::optional<UnitId> best = quickest(idle, candidate.first.block.items);
      if (!best) continue;
      const Seconds at = given_at(candidate, paces_[best->index]);
      if (at == view().now() && give_again(candidate, *best)) return at;
      if (at > view().now()) wake = std::min(wake, at);
    }
    return wake;
  }

  /// When the items are to be given to an idle unit of this pace; not before now.
  [[nodiscard]] Seconds given_at(const Candidate& candidate, const Pace& idle) const {
    const auto& [first, other] = candidate;
    const auto given = given_.find(first.block.original());
    const double backoff = given == given_.end() ? 1.0 : std::exp2(given->second);
    const Seconds again = backoff * idle.block(items_of(first.block));
    const auto given_for = [&](const Expected& of) {
      if (view().remaining() > 0) {
        return std::max(view().now(), of.overdue_by(std::max(again, of.patience)));
      }
      return of.is_sooner(again, view().now()) ? view().now() : of.overdue_by(again);
    };
    return other ? std::max(given_for(first), given_for(*other)) : given_for(first);
  }

  /// At most two blocks have the same items: of two, the one that is expected to end later is taken
  /// back.
  bool give_again(const Candidate& candidate, UnitId unit) {
    const auto& [first, other] = candidate;
    if (other && !decisions().take_back(other->unit, other->block.id)) return false;
    if (!copies_.give_twice(view(), decisions(), first.block.id, first.unit, unit)) return false;
    ++given_[first.block.original()];
    return true;
  }

  [[nodiscard]] static double items_of(const Block& block) {
    return static_cast<double>(block.items);
  }

  /// Whether a unit has nothing to do and has ended a block of this phase.
  [[nodiscard]] bool is_free(const UnitState& unit) const {
    return unit.present && unit.outstanding.empty() && unit.going_on.empty() &&
           paces_[unit.id.index].is_known();
  }

  [[nodiscard]] std::vector<UnitId> idle_units() const {
    std::vector<UnitId> idle;
    for (const UnitState& unit : view().units()) {
      if (is_free(unit)) idle.push_back(unit.id);
    }
    return idle;
  }

  [[nodiscard]] std::optional<UnitId> quickest(const std::vector<UnitId>& idle, Items items) const {
    std::optional<UnitId> best;
    for (const UnitId unit : idle) {
      const auto x = static_cast<double>(items);
      const bool is_quicker = !best || paces_[unit.index].block(x) < paces_[best->index].block(x);
      if (items <= view().unit(unit).cap_items && is_quicker) best = unit;
    }
    return best;
  }

  /// All that is out, the items that are expected to be done last first.
  [[nodiscard]] std::vector<Candidate> candidates() const {
    const Seconds now = view().now();
    std::map<std::uint64_t, Candidate> by_items;
    for (const UnitState& unit : view().units()) {
      for (const Expected& one : expected_of(unit)) {
        const auto [there, is_new] = by_items.try_emplace(one.block.original(), Candidate{one, {}});
        if (is_new) continue;
        there->second.other = one;
        if (one.is_before(there->second.first, now)) {
          std::swap(there->second.first, *there->second.other);
        }
      }
    }
    std::vector<Candidate> all;
    for (const auto& [original, candidate] : by_items) all.push_back(candidate);
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [now](const Candidate& of) { return of.first.end(now); });
    return all;
  }

  /// What is expected of the outstanding blocks of `unit`. Some unit's pace is known.
  [[nodiscard]] std::vector<Expected> expected_of(const UnitState& unit) const {
    const Pace& own = paces_[unit.id.index];
    std::vector<Expected> all;
    Seconds due;
    Seconds behind;
    for (const OutstandingBlock& b : unit.outstanding) {
      const double x = items_of(b.block);
      const Judge judge = judge_of(unit, x);
      const Pace& pace = judge.pace;
      if (!all.empty()) {
        behind += pace.stage(x);
      } else if (own.is_known()) {
        due = std::max(b.assigned + pace.block(x), own.last_end + pace.stage(x));
      } else {
        due = b.assigned + pace.block(x) + pace.setup();
      }
      Seconds patience = (judge.slower - 1.0) * pace.block(x);
      if (!own.is_known()) patience += first_copies(view().workload(), x);
      all.push_back({unit.id, b.block, patience, due, behind, own.is_known(), pace.block(x)});
    }
    return all;
  }

  /// What the copies of a unit's first block may take, as in BlockWatch.
  [[nodiscard]] static Seconds first_copies(const Workload& work, double x) {
    const double bytes = work.in_bytes_per_item + work.out_bytes_per_item;
    return Seconds{(work.resident_bytes + x * bytes) / BlockWatch::slowest_link};
  }

  /// By what `of` is judged with a block of x items. While the policy holds items back, units that
  /// have ended none are judged as by BlockWatch.
  [[nodiscard]] Judge judge_of(const UnitState& of, double x) const {
    const Pace& own = paces_[of.id.index];
    if (own.is_known()) return {own};
    if (view().remaining() == 0) return {quickest_pace(x)};
    const Pace* slowest = nullptr;
    bool is_of_kind = false;
    for (const UnitState& unit : view().units()) {
      const Pace& pace = paces_[unit.id.index];
      const bool is_alike = unit.unit.kind == of.unit.kind;
      if (!pace.is_known() || (is_of_kind && !is_alike)) continue;
      if (slowest == nullptr || is_alike != is_of_kind || pace.block(x) > slowest->block(x)) {
        slowest = &pace;
        is_of_kind = is_alike;
      }
    }
    const bool is_core_beside_accelerators = !is_of_kind && of.unit.kind == UnitKind::cpu;
    return {*slowest, is_core_beside_accelerators ? BlockWatch::difference : BlockWatch::noise};
  }

  [[nodiscard]] const Pace& quickest_pace(double x) const {
    return *std::ranges::min_element(paces_, {}, [x](const Pace& pace) {
      return pace.is_known() ? pace.block(x) : Seconds::infinity();
    });
  }

  std::unique_ptr<Policy> policy_;
  std::vector<Pace> paces_;  // (n)
  UnheardCopies copies_;
  std::map<std::uint64_t, int> given_;  // how often, by the number of the block given first
  InnerDecisions::Timers timers_;
  std::uint64_t timers_set_ = own_timer;
  Seconds wakes_at_ = Seconds::infinity();  ///< of the latest timer of our own that has not fired
};

}  // namespace

ParameterInfo backup_parameter(bool is_on_unless_given) {
  return {"backup", is_on_unless_given ? "on" : "off", "",
          "on: when nothing is left to hand out, idle units do blocks again that are overdue, or "
          "that they would end sooner, and while the policy holds items back, blocks that take "
          "twice as long as expected; the first result counts",
          "on: Dean and Ghemawat, MapReduce, OSDI 2004, section 3.6; off: no paper of another "
          "policy has it"};
}

std::unique_ptr<Policy> make_backup_tasks(std::unique_ptr<Policy> policy) {
  return std::make_unique<BackupTasks>(std::move(policy));
}

}  // namespace equipoise

// Watches the blocks that are out, and gives those that would end last to idle units, too.
#include "shared_policies/policies/backup_tasks.hpp"

#include <algorithm>
#include <boost/container/flat_map.hpp>
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
#include "shared_policies/policies/rounds.hpp"
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
  /// A block that has ended.
  struct Measured {
    double items = 0.0;
    double block_s = 0.0;
    double stage_s = 0.0;

    /// The time that a block of x items is expected to take, and that of its longest stage.
    [[nodiscard]] Seconds block(double x) const {
      return Seconds{block_s * std::max(1.0, x / items)};
    }
    [[nodiscard]] Seconds stage(double x) const {
      return Seconds{stage_s * std::max(1.0, x / items)};
    }
  };
  /// The latest block of an octave, or of the next larger octave that has one; else of the largest.
  [[nodiscard]] const Measured& nearest(int octave) const {
    const auto found = latest_.lower_bound(octave);
    return found == latest_.end() ? std::prev(found)->second : found->second;
  }
  [[nodiscard]] Seconds block(double x) const { return nearest(std::ilogb(x)).block(x); }
  [[nodiscard]] Seconds stage(double x) const { return nearest(std::ilogb(x)).stage(x); }
  [[nodiscard]] Seconds setup() const { return Seconds{setup_s_}; }  ///< of its first block

  Seconds last_end;  ///< of a block

 private:
  boost::container::flat_map<int, Measured> latest_;  ///< by octave
  double setup_s_ = 0.0;
};

/// Units whose pace is known, and which of them does a block first. For each octave of sizes, those
/// are kept apart to which no other one is preferred for every block of it: there are few.
class Quickest {
 public:
  explicit Quickest(const std::vector<Pace>& paces) : paces_(&paces) {}

  /// To be called in the order of their ids. `cap_items`: the unit's largest block.
  void add(UnitId unit, Items cap_items) { units_.push_back({unit, cap_items}); }
  [[nodiscard]] bool empty() const { return units_.empty(); }

  void remove(UnitId unit) {
    std::erase_if(units_, [unit](const auto& one) { return one.first == unit; });
    for (auto& [octave, of] : octaves_) {
      std::erase_if(of.units, [unit](const Quick& one) { return one.unit == unit; });
      of.find_best();
    }
  }

  /// The first of the quickest units whose caps allow a block of so many items; none: nothing.
  [[nodiscard]] std::optional<UnitId> unit(Items items) {
    const auto x = static_cast<double>(items);
    std::optional<std::pair<Seconds, UnitId>> best;
    for (const Quick& one : octave(std::ilogb(x)).best) {
      const std::pair takes{one.measured.block(x), one.unit};
      if (items <= one.cap_items && (!best || takes < *best)) best = takes;
    }
    return best ? std::optional(best->second) : std::nullopt;
  }

 private:
  struct Quick {
    Pace::Measured measured;  ///< by which blocks of the octave are judged
    Items cap_items = 0;
    UnitId unit;

    /// Whether no block of the octave is one that `other` would end sooner, or alone could hold.
    [[nodiscard]] bool is_preferred(const Quick& other) const {
      return measured.block_s <= other.measured.block_s && measured.items >= other.measured.items &&
             cap_items >= other.cap_items;
    }
  };
  struct Octave {
    std::vector<Quick> units;  ///< by the time of their blocks, then by id
    std::vector<Quick> best;

    void find_best() {
      best.clear();
      for (const Quick& one : units) {
        const auto is_before = [&one](const Quick& other) { return other.is_preferred(one); };
        if (std::ranges::none_of(best, is_before)) best.push_back(one);
      }
    }
  };

  Octave& octave(int exponent) {
    const auto [there, is_new] = octaves_.try_emplace(exponent);
    Octave& of = there->second;
    if (!is_new) return of;
    for (const auto& [unit, cap_items] : units_) {
      of.units.push_back({(*paces_)[unit.index].nearest(exponent), cap_items, unit});
    }
    std::ranges::stable_sort(of.units, {}, [](const Quick& one) { return one.measured.block_s; });
    of.find_best();
    return of;
  }

  const std::vector<Pace>* paces_;
  std::vector<std::pair<UnitId, Items>> units_;  ///< with their caps
  std::map<int, Octave> octaves_;                ///< those that were asked for
};

/// A block that is out, with what is expected of it.
struct Expected {
  UnitId unit;
  std::uint64_t id;
  std::uint64_t original;  ///< of which it may be a copy
  Items items;
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
  const Pace* pace = nullptr;
  double slower = 2.0;
};

/// That of units that have ended no block, by their kind and the items of a block.
using OthersJudges = std::map<std::pair<UnitKind, Items>, Judge>;

/// The one or two blocks of the same items.
struct Candidate {
  const Expected* first = nullptr;  ///< expected to end first
  const Expected* other = nullptr;  ///< or null
};

class BackupTasks final : public EventPolicy {
 public:
  explicit BackupTasks(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

 private:
  void on_event(const Event& event) override {
    learn(event);
    tell(event);
    if (view().outstanding() == 0) return;
    rounds_.count_event();
    if (view().remaining() == 0 || is_own_timer(event)) {
      if (rounds_.is_due(view().outstanding(), view().now())) {
        back_up();
      } else {
        set_timer(rounds_.due_at());
      }
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
      rounds_.begin_iteration(event.at);
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
    rounds_.begin(view().now());
    Seconds wake = view().now();
    while (wake == view().now()) wake = give_due();
    set_timer(wake);
  }

  void set_timer(Seconds wake) {
    if (wake < wakes_at_) decisions().set_timer(wakes_at_ = wake, own_timer);
  }

  /// Gives the blocks again that are to be, the items that are expected to be done last first, and
  /// returns the time of now; if none is to be given, returns when one may be.
  Seconds give_due() {
    const Seconds now = view().now();
    Seconds wake = Seconds::infinity();
    Quickest idle(paces_);
    std::vector<const UnitState*> busy;
    for (const UnitState& unit : view().units()) {
      if (is_free(unit)) {
        idle.add(unit.id, unit.cap_items);
      } else if (!unit.outstanding.empty()) {
        busy.push_back(&unit);
      }
    }
    if (idle.empty()) return wake;
    const std::vector<Expected> out = expected_of(busy);
    std::vector<Candidate> due;
    for (const Candidate& candidate : candidates(out)) {
      const Seconds at = given_at(candidate, idle);
      if (at == now) due.push_back(candidate);
      if (at > now) wake = std::min(wake, at);
    }
    const auto ends_before = [now](const Candidate& a, const Candidate& b) {
      return std::pair(a.first->end(now), b.first->original) <
             std::pair(b.first->end(now), a.first->original);
    };
    std::ranges::make_heap(due, ends_before);
    bool is_any_given = false;
    while (!due.empty() && !idle.empty()) {
      std::ranges::pop_heap(due, ends_before);
      const Candidate last = due.back();
      due.pop_back();
      if (given_at(last, idle) > view().now()) continue;
      const UnitId best = *idle.unit(last.first->items);
      if (!give_again(last, best)) continue;
      if (last.other != nullptr) return now;  // what was behind what is taken back ends sooner
      is_any_given = true;
      idle.remove(best);
    }
    return is_any_given ? now : wake;
  }

  /// When the items are to be given to the quickest idle unit; not before now. Never if none can
  /// hold them.
  [[nodiscard]] Seconds given_at(const Candidate& candidate, Quickest& idle) const {
    const Expected& first = *candidate.first;
    const std::optional<UnitId> best = idle.unit(first.items);
    if (!best) return Seconds::infinity();
    const auto given = given_.find(first.original);
    const double backoff = given == given_.end() ? 1.0 : std::exp2(given->second);
    const Seconds again = backoff * paces_[best->index].block(static_cast<double>(first.items));
    const auto given_for = [&](const Expected& of) {
      if (view().remaining() > 0) {
        return std::max(view().now(), of.overdue_by(std::max(again, of.patience)));
      }
      return of.is_sooner(again, view().now()) ? view().now() : of.overdue_by(again);
    };
    if (candidate.other == nullptr) return given_for(first);
    return std::max(given_for(first), given_for(*candidate.other));
  }

  /// At most two blocks have the same items: of two, the one that is expected to end later is taken
  /// back.
  bool give_again(const Candidate& candidate, UnitId unit) {
    const auto& [first, other] = candidate;
    if (other != nullptr && !decisions().take_back(other->unit, other->id)) return false;
    if (!copies_.give_twice(view(), decisions(), first->id, first->unit, unit)) return false;
    ++given_[first->original];
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

  /// What is expected of all that is out on `units`, in the order in which items were handed out
  /// first.
  [[nodiscard]] std::vector<Expected> expected_of(
      const std::vector<const UnitState*>& units) const {
    std::vector<Expected> out;
    OthersJudges judges;
    for (const UnitState* const unit : units) add_expected(*unit, judges, out);
    std::ranges::stable_sort(out, {}, &Expected::original);
    return out;
  }

  [[nodiscard]] std::vector<Candidate> candidates(const std::vector<Expected>& out) const {
    std::vector<Candidate> all;
    for (const Expected& one : out) {
      if (all.empty() || all.back().first->original != one.original) {
        all.push_back({&one});
        continue;
      }
      auto& [first, other] = all.back();
      other = &one;
      if (one.is_before(*first, view().now())) std::swap(first, other);
    }
    return all;
  }

  /// Adds what is expected of the outstanding blocks of `unit`. Some unit's pace is known.
  void add_expected(const UnitState& unit, OthersJudges& judges, std::vector<Expected>& all) const {
    const Pace& own = paces_[unit.id.index];
    Seconds due;
    Seconds behind;
    bool is_first = true;
    for (const OutstandingBlock& b : unit.outstanding) {
      const double x = items_of(b.block);
      const Judge judge = judge_of(unit, b.block.items, judges);
      const Pace& pace = *judge.pace;
      if (!std::exchange(is_first, false)) {
        behind += pace.stage(x);
      } else if (own.is_known()) {
        due = std::max(b.assigned + pace.block(x), own.last_end + pace.stage(x));
      } else {
        due = b.assigned + pace.block(x) + pace.setup();
      }
      Seconds patience = (judge.slower - 1.0) * pace.block(x);
      if (!own.is_known()) patience += first_copies(view().workload(), x);
      all.push_back({unit.id, b.block.id, b.block.original(), b.block.items, patience, due, behind,
                     own.is_known(), pace.block(x)});
    }
  }

  /// What the copies of a unit's first block may take, as in BlockWatch.
  [[nodiscard]] static Seconds first_copies(const Workload& work, double x) {
    const double bytes = work.in_bytes_per_item + work.out_bytes_per_item;
    return Seconds{(work.resident_bytes + x * bytes) / BlockWatch::slowest_link};
  }

  /// By what `of` is judged with a block of so many items.
  [[nodiscard]] Judge judge_of(const UnitState& of, Items items, OthersJudges& judges) const {
    const Pace& own = paces_[of.id.index];
    if (own.is_known()) return {&own};
    const auto [there, is_new] = judges.try_emplace({of.unit.kind, items});
    if (is_new) there->second = others_judge(of.unit.kind, static_cast<double>(items));
    return there->second;
  }

  /// By what units of a kind are judged that have ended no block, with a block of x items: while
  /// the policy holds items back, as by BlockWatch.
  [[nodiscard]] Judge others_judge(UnitKind kind, double x) const {
    if (view().remaining() == 0) return {&quickest_pace(x)};
    Judge slowest;
    bool is_of_kind = false;
    for (const UnitState& unit : view().units()) {
      const Pace& pace = paces_[unit.id.index];
      const bool is_alike = unit.unit.kind == kind;
      if (!pace.is_known() || (is_of_kind && !is_alike)) continue;
      if (slowest.pace == nullptr || is_alike != is_of_kind ||
          pace.block(x) > slowest.pace->block(x)) {
        slowest.pace = &pace;
        is_of_kind = is_alike;
      }
    }
    const bool is_core_beside_accelerators = !is_of_kind && kind == UnitKind::cpu;
    slowest.slower = is_core_beside_accelerators ? BlockWatch::difference : BlockWatch::noise;
    return slowest;
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
  Rounds rounds_;                           ///< over the blocks that are out
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

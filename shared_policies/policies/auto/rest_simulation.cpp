// A list-scheduling model of units and master, in which a policy decides as in a run.
#include "shared_policies/policies/auto/rest_simulation.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "shared_policies/run/pool.hpp"

namespace equipoise {
namespace {

/// Does nothing that a policy asks for.
class NothingIsDone : public Decisions {
 public:
  void decided(const Decision& /*decision*/) final {}
  void note(const std::string& /*what*/) final {}

 private:
  Items grant(UnitId /*unit*/, Items /*items*/, BlockTag /*tag*/,
              std::uint32_t /*group*/) override {
    return 0;
  }
  bool withdraw(UnitId /*unit*/, std::uint64_t /*block*/) final { return false; }
  Items grant_copy(std::uint64_t /*block*/, UnitId /*of*/, UnitId /*unit*/) final { return 0; }
  bool send_probe(UnitId /*unit*/, double /*bytes_there*/, std::optional<double> /*bytes_back*/,
                  std::uint64_t /*number*/) final {
    return false;
  }
  void wake(Seconds /*at*/, std::uint64_t /*timer*/) final {}
};

/// Ids of simulated blocks begin here, far from those of the run.
constexpr std::uint64_t first_simulated_id = std::uint64_t{1} << 62U;

/// The items that are not handed out.
Pool pool_of(const View& view) {
  Pool pool;
  for (const ItemRange& range : view.not_handed_out()) {
    if (pool.remaining() > 0) {
      pool.put_back(range);
    } else {
      pool = Pool(range, view.workload().grain_items);
    }
  }
  return pool;
}

class RestSimulation final : private NothingIsDone {
 public:
  RestSimulation(const RestOfLoop& rest, Policy& policy, std::int64_t blocks_most)
      : rest_(rest),
        policy_(policy),
        blocks_most_(blocks_most),
        view_(rest.view),
        pool_(pool_of(rest.view)),
        start_(rest.view.now()),
        now_(start_),
        master_free_(start_) {
    for (const UnitState& unit : view_.units()) last_ends_.push_back(rest.loop.last_end(unit.id));
  }

  SimulatedRest run(double limit_s) {
    begin_midway(policy_, view_, rest_.past);
    for (const UnitState& unit : rest_.view.units()) expect_outstanding(unit);
    for (const UnitState& unit : rest_.view.units()) offer(unit.id);
    double seconds = std::numeric_limits<double>::infinity();
    while (pool_.remaining() > 0 && !is_exhausted_ && !ends_.empty()) {
      const End next = ends_.top();
      ends_.pop();
      now_ = next.at;
      if ((now_ - start_).value > limit_s) return {seconds, longest_s_, blocks_};
      end(next);
    }
    if (pool_.remaining() == 0) seconds = (latest_end_ - start_).value;
    if (is_exhausted_) seconds = extrapolated_s();
    return {seconds, longest_s_, blocks_};
  }

 private:
  /// When a block ends.
  struct End {
    Seconds at;
    UnitId unit;
    Block block;
    Seconds assigned;
    double busy_s = 0.0;
    bool is_late = false;  ///< it was lost and goes on

    /// For a queue whose top ends first.
    bool operator<(const End& other) const {
      return std::tie(other.at, other.unit, other.block.id) < std::tie(at, unit, block.id);
    }
  };

  /// Expects the ends of the blocks that a unit has in the run.
  void expect_outstanding(const UnitState& unit) {
    const UnitPace& pace = rest_.model.paces[unit.id.index];
    const auto expect = [&](const OutstandingBlock& one, bool is_late) {
      const double busy_s = pace.busy_s(static_cast<double>(one.block.items));
      Seconds& last_end = last_ends_[unit.id.index];
      const Seconds due =
          std::max(one.assigned + Seconds{pace.latency_s}, last_end) + Seconds{busy_s};
      last_end = std::max(due, start_ + (start_ - due));
      push({last_end, unit.id, one.block, one.assigned, busy_s, is_late});
    };
    for (const OutstandingBlock& one : unit.going_on) expect(one, true);
    for (const OutstandingBlock& one : unit.outstanding) expect(one, false);
  }

  void push(const End& end) {
    ends_.push(end);
    if (!end.is_late) latest_end_ = std::max(latest_end_, end.at);
  }

  /// Tells of a block's end, and offers its unit.
  void end(const End& ended) {
    const double computing = rest_.model.paces[ended.unit.index].computing;
    StageTimes times;
    times.compute = Seconds{computing * ended.busy_s};
    times.in = Seconds{ended.busy_s} - times.compute;
    const StageTimes begins = back_to_back(times, now_);
    Event event{now_, BlockFinished{ended.unit, ended.block, ended.assigned, times, begins}};
    if (ended.is_late) {
      event.what = LateEnd{ended.unit, ended.block, ended.assigned, times, begins};
    }
    view_.include(event);
    policy_.decide(view_, event, *this);
    offer(ended.unit);
  }

  void offer(UnitId unit) {
    Items before = pool_.remaining() + 1;
    while (view_.unit(unit).is_idle() && pool_.remaining() > 0 && pool_.remaining() < before) {
      before = pool_.remaining();
      policy_.decide(view_, {now_, UnitIdle{unit}}, *this);
    }
  }

  /// Where the number of blocks was used up. At least the time that the rest takes if all units
  /// share it.
  [[nodiscard]] double extrapolated_s() const {
    const auto all = static_cast<double>(rest_.view.remaining());
    const auto done = all - static_cast<double>(pool_.remaining());
    const double cost_of_rest_s = rest_.costs.between(done, all - done);
    const double passed_s = (now_ - start_).value;
    double speed = 0.0;
    for (const UnitState& unit : view_.units()) {
      if (unit.present) speed += 1.0 / rest_.model.paces[unit.id.index].slowness;
    }
    return passed_s + std::max(passed_s * cost_of_rest_s / rest_.costs.between(0.0, done),
                               cost_of_rest_s / speed);
  }

  Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) override {
    const UnitState& state = view_.unit(unit);
    if (items <= 0 || pool_.remaining() == 0 || !state.present) return 0;
    is_exhausted_ = is_exhausted_ || blocks_ == blocks_most_;
    if (is_exhausted_) return 0;
    const Items given = rest_.view.remaining() - pool_.remaining();
    const ItemRange range = pool_.cut(items, state.cap_items);
    const Block block{first_simulated_id + static_cast<std::uint64_t>(blocks_++),
                      range.first,
                      range.items,
                      view_.phase(),
                      view_.iteration(),
                      tag,
                      group};
    const Seconds assigned = std::max(now_, master_free_);
    master_free_ = assigned + Seconds{rest_.model.master_s};
    const UnitPace& pace = rest_.model.paces[unit.index];
    const double cost_s =
        rest_.costs.between(static_cast<double>(given), static_cast<double>(range.items));
    const double busy_s = pace.fixed_s + cost_s * pace.slowness;
    Seconds& last_end = last_ends_[unit.index];
    last_end = std::max(assigned + Seconds{pace.latency_s}, last_end) + Seconds{busy_s};
    longest_s_ = std::max(longest_s_, busy_s);
    push({last_end, unit, block, assigned, busy_s});
    view_.grant(OutstandingBlock{block, assigned}, unit);
    return range.items;
  }

  const RestOfLoop& rest_;
  Policy& policy_;
  std::int64_t blocks_most_;
  View view_;
  Pool pool_;
  Seconds start_;
  Seconds now_;
  Seconds master_free_;
  std::vector<Seconds> last_ends_;  ///< (n), of the block handed out last
  Seconds latest_end_;
  std::priority_queue<End> ends_;
  double longest_s_ = 0.0;
  std::int64_t blocks_ = 0;
  bool is_exhausted_ = false;
};

}  // namespace

void begin_midway(Policy& policy, const View& view, std::span<const Event> past) {
  NothingIsDone nothing;
  policy.decide(view, {view.now(), RunStarted{}}, nothing);
  policy.decide(view, {view.now(), PhaseStarted{view.phase()}}, nothing);
  policy.decide(view, {view.now(), IterationStarted{view.iteration()}}, nothing);
  for (const Event& event : past) policy.decide(view, event, nothing);
}

SimulatedRest simulate_rest(const RestOfLoop& rest, Policy& policy, std::int64_t blocks_most,
                            double limit_s) {
  return RestSimulation(rest, policy, blocks_most).run(limit_s);
}

}  // namespace equipoise

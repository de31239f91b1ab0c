// equipoise: our own policy.
//
// 1. When a block finishes, the policy computes when all units would end if the remaining items
//    were divided at the rates that the units have shown, in O(n); no model is solved for this:
//    end = (remaining + sum r_p b_p) / sum r_p.
// 2. Costs are learned block by block (RunningCost): a line, corrected where blocks of a size took
//    another time. It forgets old times when a unit changes, and one outlier does not mislead it.
// 3. A block takes half of the time left. It is shorter if the unit's times scatter (`cushion`),
//    longer if the fixed costs require it, and smaller if smaller blocks cost less per item
//    (NextBlock).
// 4. The last block of a unit ends when all others end. A unit takes its last block as soon as
//    halving it would cost more fixed time than the scatter of its times costs (`caution`).
// 5. The first blocks are small, larger on accelerators; later blocks grow up to eightfold each
//    time (`growth`).
// 6. Units queue as many blocks as are needed to hide copies and the latency of the controller
//    (PipelineCost); blocks are shorter where copies overlap. The last grains are assigned one by
//    one. The work of a lost unit is divided like the rest.
// 7. A remote unit is left out until its resident data can arrive in time. greedy, which starts
//    such units, takes 8 to 83 times as long for a matrix product of order 4096 on the papers'
//    clusters.
//
// Effect of each part: mean makespan divided by the lower bound (or by the best schedule known, if
// a link is the bottleneck), geometric means by `equipoise sweep tools/campaigns/ablation.json
// --out DIR`, with noise:
//                                           recorded machines  papers' clusters   disturbed
//                                             small   large     small   large
//   the policy as it is                       1.073   0.999     1.651   1.117      1.015
//   no cushion (cushion=0)                    1.090   1.030     1.697   1.119      1.043
//   no limit on growth (growth=1e9)           1.086   1.022     1.702   1.168      1.018
//   no smaller, cheaper blocks (least_gain=1) 1.080   1.007     1.652   1.111      1.015
//   blocks not enlarged for fixed costs (overhead_share=1e9)
//                                             1.083   1.004     1.663   1.160      1.015
//   the rest as one last block (caution=1e-6) 1.360   1.272     1.616   1.225      1.314
//   halving to the end (caution=1e6)          1.112   1.001     1.656   1.158      1.017
//   small blocks throughout (slack=0.1)       1.138   1.008     1.641   1.209      1.012
//   accelerators begin like CPUs              1.128   1.009     1.579   1.186      1.011
//   first blocks 10 to 40 times as large      1.076   1.029     1.670   1.168      1.019
//   greedy                                    1.845   1.168     7.931   2.484      1.149
// Differences below 0.005 are within the confidence intervals. Handling an event takes 0.5 us of a
// core with 2 units, 4 us with 28 (equipoise_bench, controller_blocks). No event counts as a
// decision, because no model is solved.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shared_policies/policies/equipoise/first_blocks.hpp"
#include "shared_policies/policies/equipoise/list_scheduling.hpp"
#include "shared_policies/policies/equipoise/next_block.hpp"
#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/policies/equipoise/ready_time.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// The options that a user may set; all have defaults.
struct Choices {
  FirstShares first;
  BlockSizing sizing;
};

/// If at most this many grains per unit remain, they are assigned one by one.
constexpr Items few_grains_a_unit = 4;
/// Limit on a unit's rate: this many times the rate of the largest block that it may be given next,
/// even if a larger block seems to take hardly more time.
constexpr double rate_factor_max = 2.0;

class Equipoise final : public Policy {
 public:
  Equipoise(const Choices& choices, Experience experience)
      : choices_(choices), experience_(std::move(experience)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    ended_.reset();
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      learned_ = &kernels_[view.workload().kernel];
      for (std::size_t p = learned_->size(); p < view.units().size(); ++p) {
        learned_->emplace_back(view.units()[p].unit.copy_engines > 0);
        const auto& before = before_run(view, p);
        if (before) learned_->back().start_from(*before);
      }
      units_.assign(view.units().size(), {});
      kept_out_.assign(view.units().size(), false);
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      begin(view, decisions);
      assign_all(view, decisions);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      learn(*finished, event.at);
      ended_ = finished->unit;
      assign_all(view, decisions);
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      units_[joined->unit.index] = {};
      assign_all(view, decisions);
    } else if (std::holds_alternative<UnitLost>(event.what) ||
               std::holds_alternative<TimerFired>(event.what) ||
               (std::holds_alternative<UnitIdle>(event.what) && view.outstanding() == 0)) {
      assign_all(view, decisions);
    }
  }

 private:
  /// The state of a unit in this phase, and its part in the last plan.
  struct UnitNow {
    bool has_data = false;   ///< it has finished a block, so it has the resident data
    Seconds last_end;        ///< end of the last block that finished
    bool is_answer = false;  ///< its last block was handed out when another of its blocks ended
    double ready_s = 0.0;    ///< when its outstanding blocks will have ended
    double rate = 0.0;       ///< items/s without the fixed costs; 0: takes no part
    double begin_s = 0.0;    ///< ready_s plus the fixed costs of its later blocks
    double blocks = 1.0;     ///< how many later blocks it will take
    double items = 0.0;      ///< size of the next block; 0 before the first plan
    Items grains = 0;        ///< how many of the last grains it is to get
  };

  void begin(const View& view, Decisions& decisions);
  void learn(const BlockFinished& finished, Seconds at);
  void assign_all(const View& view, Decisions& decisions);
  void assign_one_grain(const View& view, Decisions& decisions);
  void assign_blocks(const View& view, const UnitState& unit, Decisions& decisions);
  void keep_out(const View& view);
  void plan(const View& view);
  void enter(const View& view, const UnitState& unit);
  void drop_late_units();
  void assign_last_grains(const View& view);
  [[nodiscard]] double ready_at(const View& view, const UnitState& unit) const {
    return ready_s(unit, learned(unit.id), units_[unit.id.index].last_end, view.now());
  }
  [[nodiscard]] double rate_of_kind(const View& view, UnitKind kind) const;
  [[nodiscard]] NextBlock sizes_of(UnitId id) const;
  double give(const View& view, UnitId id, double items, Decisions& decisions);

  /// What earlier runs showed of unit `p` in this phase.
  [[nodiscard]] std::optional<LearnedCost> before_run(const View& view, std::size_t p) const {
    return experience_.empty() ? std::nullopt
                               : experience_[static_cast<std::size_t>(view.phase())][p];
  }
  [[nodiscard]] const PipelineCost& learned(UnitId id) const { return (*learned_)[id.index]; }

  Choices choices_;
  Experience experience_;
  std::map<std::string, std::vector<PipelineCost>> kernels_;  // by kernel name, (n)
  std::vector<PipelineCost>* learned_ = nullptr;              // of this phase's kernel
  std::vector<UnitNow> units_;                                // (n)
  std::vector<bool> kept_out_;                                // (n) left out, lacking resident data
  ExpectedIteration expected_;                                // times of this iteration
  double rate_ = 0.0;                                         // sum over the units that take part
  double work_ = 0.0;                                         // remaining + sum of rate x begin
  std::optional<UnitId> ended_;                               // whose block this event ended
  bool few_grains_ = false;
};

void Equipoise::begin(const View& view, Decisions& decisions) {
  expected_ = {view.now().value, view.now().value};
  double first_s = 0.0;
  for (const UnitState& unit : view.units()) {
    UnitNow& now = units_[unit.id.index];
    now.items = 0.0;
    now.blocks = 1.0;
    const double data_s = now.has_data ? 0.0 : fetch_s(view, unit);
    if (data_s > 0.0) first_s = data_s;  // the same for all units
  }
  if (first_s > 0.0) decisions.set_timer(view.now() + Seconds{waiting_share * first_s});
}

void Equipoise::learn(const BlockFinished& finished, Seconds at) {
  UnitNow& unit = units_[finished.unit.index];
  const Seconds heard = unit.is_answer ? finished.assigned - unit.last_end : Seconds{};
  (*learned_)[finished.unit.index].add(finished, at, unit.last_end, !unit.has_data, heard);
  unit.has_data = true;
  unit.last_end = at;
}

/// Gives every unit that should have more work its next blocks.
void Equipoise::assign_all(const View& view, Decisions& decisions) {
  if (view.remaining() == 0) return;
  keep_out(view);
  plan(view);
  keep_out(view);
  for (const UnitState& unit : view.units()) {
    if (unit.present) assign_blocks(view, unit, decisions);
  }
  if (view.outstanding() == 0) assign_one_grain(view, decisions);
}

/// Leaves out units whose resident data could not arrive in time, according to the last plan.
void Equipoise::keep_out(const View& view) {
  for (const UnitState& unit : view.units()) {
    const bool lacks_data = !units_[unit.id.index].has_data && unit.outstanding.empty();
    kept_out_[unit.id.index] =
        lacks_data && is_kept_out(fetch_s(view, unit), view.now().value, expected_);
  }
}

/// Gives one grain to the unit that needs the least time for it. Called when no block is
/// outstanding although work remains: the plan found no unit worth using.
void Equipoise::assign_one_grain(const View& view, Decisions& decisions) {
  const auto grain = static_cast<double>(view.workload().grain_items);
  const UnitState* best = nullptr;
  double best_s = 0.0;
  for (const UnitState& unit : view.units()) {
    if (!unit.present || kept_out_[unit.id.index]) continue;
    const double takes_s = learned(unit.id).is_known() ? learned(unit.id).queued().seconds(grain)
                                                       : std::numeric_limits<double>::max();
    if (best == nullptr || takes_s < best_s) {
      best = &unit;
      best_s = takes_s;
    }
  }
  if (best != nullptr) give(view, best->id, grain, decisions);
}

void Equipoise::assign_blocks(const View& view, const UnitState& unit, Decisions& decisions) {
  if (kept_out_[unit.id.index]) return;
  if (!learned(unit.id).is_known()) {
    if (unit.outstanding.empty() &&
        may_try(view, unit, choices_.first, expected_, *learned_, kept_out_)) {
      give(view, unit.id, first_items(view, unit, choices_.first), decisions);
    }
    return;
  }
  UnitNow& now = units_[unit.id.index];
  const RunningCost& cost = learned(unit.id).queued();
  const NextBlock sizes = sizes_of(unit.id);
  const auto grain = static_cast<double>(view.workload().grain_items);
  for (std::size_t queued = unit.outstanding.size(); queued < learned(unit.id).depth(); ++queued) {
    if (view.remaining() == 0 || (few_grains_ ? now.grains == 0 : now.rate == 0.0)) return;
    double items =
        sizes.items(cost, expected_.end_s - now.ready_s, static_cast<double>(unit.cap_items));
    if (few_grains_) {
      items = std::clamp(items, grain, grain * static_cast<double>(now.grains));
    } else if (cost.seconds(grain) > expected_.end_s - now.ready_s) {
      return;
    }
    items = give(view, unit.id, items, decisions);
    now.grains -= static_cast<Items>(std::round(items / grain));
    now.ready_s += cost.seconds(items);
  }
}

/// Hands out `items`, rounded to grains, at least one; returns the number of items granted.
double Equipoise::give(const View& view, UnitId id, double items, Decisions& decisions) {
  const Items grain = view.workload().grain_items;
  const auto grains = static_cast<Items>(std::round(items / static_cast<double>(grain)));
  units_[id.index].is_answer = ended_ == id;
  return static_cast<double>(decisions.assign(id, std::max<Items>(grains, 1) * grain));
}

/// Divides the remaining items:
///
///     end = (remaining + sum_p r_p b_p) / sum_p r_p   over the units with b_p < end,
///
/// where unit p does r_p items/s from b_p on: b_p is the time when its outstanding blocks have
/// ended, plus the fixed costs of the blocks that it will take.
void Equipoise::plan(const View& view) {
  rate_ = 0.0;
  work_ = static_cast<double>(view.remaining());
  for (const UnitState& unit : view.units()) enter(view, unit);
  if (rate_ == 0.0) return;
  drop_late_units();
  const auto grain = view.workload().grain_items;
  few_grains_ = view.remaining() <= few_grains_a_unit * grain * static_cast<Items>(units_.size());
  for (const UnitState& unit : view.units()) {
    UnitNow& now = units_[unit.id.index];
    now.items = 0.0;
    if (now.rate == 0.0 || !learned(unit.id).is_known()) continue;
    const RunningCost& cost = learned(unit.id).queued();
    const auto cap = static_cast<double>(unit.cap_items);
    const double left_s = expected_.end_s - now.ready_s;
    const double last_s = sizes_of(unit.id).last_block_s(cost);
    now.items = sizes_of(unit.id).items(cost, left_s, cap);
    now.blocks = left_s > last_s ? 1.0 + std::log2(left_s / last_s) : 1.0;
    now.blocks = std::max(now.blocks, now.rate * (expected_.end_s - now.begin_s) / cap);
  }
  if (few_grains_) assign_last_grains(view);
}

/// Adds one unit to the sums of the plan.
void Equipoise::enter(const View& view, const UnitState& unit) {
  UnitNow& now = units_[unit.id.index];
  now.rate = 0.0;
  if (!unit.present || kept_out_[unit.id.index]) return;
  if (learned(unit.id).is_known()) {
    const RunningCost& cost = learned(unit.id).queued();
    const double size = now.items > 0.0 ? now.items : cost.largest_items();
    now.ready_s = ready_at(view, unit);
    const double most = choices_.sizing.growth * cost.largest_items();
    const double moving_s = std::max(cost.seconds(size) - cost.fixed_s(), 0.0);
    const double most_rate = rate_factor_max * most / cost.seconds(most);
    now.rate = size < most_rate * moving_s ? size / moving_s : most_rate;
    now.begin_s = now.ready_s + now.blocks * cost.fixed_s();
  } else if (!unit.outstanding.empty()) {
    now.ready_s = now.begin_s = view.now().value;
    now.rate = rate_of_kind(view, unit.unit.kind);
    const OutstandingBlock& first = unit.outstanding.front();
    const double elapsed_s = now.ready_s - first.assigned.value;
    if (now.rate == 0.0 && elapsed_s > 0.0) {  // assumes that half of it is done
      now.rate = 0.5 * static_cast<double>(first.block.items) / elapsed_s;
    }
  }
  rate_ += now.rate;
  work_ += now.rate * now.begin_s;
}

/// Leaves out the units that would begin after the end, and repeats this until none is left. A unit
/// is first tried with a single block.
void Equipoise::drop_late_units() {
  for (bool changed = true; changed;) {
    changed = false;
    expected_.end_s = work_ / rate_;
    for (UnitNow& now : units_) {
      if (now.rate == 0.0 || now.begin_s < expected_.end_s || rate_ <= now.rate * (1.0 + 1e-9))
        continue;
      if (now.blocks > 1.0) {
        work_ -= now.rate * (now.begin_s - now.ready_s) * (1.0 - 1.0 / now.blocks);
        now.begin_s = now.ready_s + (now.begin_s - now.ready_s) / now.blocks;
        now.blocks = 1.0;
        changed = true;
        continue;
      }
      rate_ -= now.rate;
      work_ -= now.rate * now.begin_s;
      now.rate = 0.0;
      changed = true;
    }
  }
}

/// The mean rate of the known units of a kind; 0 if there are none.
double Equipoise::rate_of_kind(const View& view, UnitKind kind) const {
  double sum = 0.0;
  double count = 0.0;
  for (const UnitState& unit : view.units()) {
    if (!unit.present || unit.unit.kind != kind || !learned(unit.id).is_known()) continue;
    const RunningCost& cost = learned(unit.id).queued();
    sum += cost.largest_items() / cost.seconds(cost.largest_items());
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

/// Assigns the last grains one by one, each to the unit that would finish it first.
void Equipoise::assign_last_grains(const View& view) {
  const auto grain = static_cast<double>(view.workload().grain_items);
  std::vector<GrainCost> times(units_.size());
  for (const UnitState& unit : view.units()) {
    if (!unit.present || kept_out_[unit.id.index] || !learned(unit.id).is_known()) continue;
    const RunningCost& cost = learned(unit.id).queued();
    const double one_s = cost.seconds(grain);
    const bool only_one = static_cast<double>(unit.cap_items) < 2.0 * grain;
    const double more_s = only_one ? one_s : std::max(cost.seconds(2.0 * grain) - one_s, 0.0);
    times[unit.id.index] = {true, ready_at(view, unit) + one_s, more_s};
  }
  const Items grain_items = view.workload().grain_items;
  const std::vector<Items> given =
      list_schedule(times, (view.remaining() + grain_items - 1) / grain_items);
  for (std::size_t p = 0; p < given.size(); ++p) units_[p].grains = given[p];
}

NextBlock Equipoise::sizes_of(UnitId id) const {
  return {choices_.sizing, expected_.end_s - expected_.began_s,
          learned(id).overlaps() && learned(id).depth() > 1};
}

std::unique_ptr<Policy> make_equipoise(const Parameters& read, const KnownCosts* known) {
  Choices choices;
  choices.first.cpu = read.number("first_share", 0.0, 1.0);
  choices.first.accelerator = read.number("first_accelerator_share", 0.0, 1.0);
  choices.sizing.growth = read.number("growth", 1.0, 1e9);
  choices.sizing.slack = read.number("slack", 1e-6, 1.0);
  choices.sizing.cushion = read.number("cushion", 0.0, 1e9);
  choices.sizing.overhead = read.number("overhead_share", 1e-9, 1e9);
  choices.sizing.gain = read.number("least_gain", 0.0, 1.0);
  choices.sizing.caution = read.number("caution", 1e-9, 1e9);
  return std::make_unique<Equipoise>(choices, known == nullptr ? Experience() : known->experience);
}

}  // namespace

PolicyInfo equipoise_info() {
  return {"equipoise",
          "divides the remaining items anew whenever a block ends; block sizes follow scatter and "
          "time left",
          "this project",
          {{"first_share", "0.0005", "share of the items", "first blocks of all units together"},
           {"first_accelerator_share", "0.02", "share of the items",
            "the same for units that are not CPUs"},
           {"growth", "8", "x", "a block is at most this times the unit's largest so far"},
           {"slack", "0.5", "x time left", "longest block of a unit whose times do not scatter"},
           {"cushion", "2.5", "standard deviations",
            "by which a block is shortened because its time varies"},
           {"overhead_share", "0.01", "x block time",
            "blocks are enlarged until their fixed time is at most this share"},
           {"least_gain", "0.02", "x time per item", "gain for which a smaller block is chosen"},
           {"caution", "0.5", "x",
            "weight of scatter relative to fixed time when the last block is chosen"}},
          Foresight::none,
          0.0,
          make_equipoise,
          nullptr,
          {},
          {},
          true};
}

}  // namespace equipoise

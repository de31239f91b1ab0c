// equipoise: our own policy. Whenever a block ends, the remaining items are divided at the rates
// that the units have shown, so that all end together: sums of rates, which need no solver.
//
// 1. Costs are learned block by block: time is a line over size (RunningCost), one for blocks that
//    met an empty unit and one for queued blocks (PipelineCost). A time that is far from the line
//    counts only if the next one is, too.
// 2. When all will end at the rates shown (Forecast), and with it the time left.
// 3. A block takes half of the time left (NextBlock): less if times scatter (a safety margin:
//    `cushion`), if it hides copies (`overlap`, and its own copy in is to be hidden), or if larger
//    blocks cost more an item; more if fixed costs require it. Blocks that overlap share the unit's
//    memory.
// 4. A unit's last block ends when all others end. It is taken once halving it would cost more
//    fixed time than its scatter costs (risk aversion: `caution`). The last grains are assigned one
//    by one (list_schedule).
// 5. First blocks are small, larger on accelerators; later ones grow up to twofold each time
//    (`growth`), eightfold on accelerators and over networks (`accelerator_growth`). Units queue as
//    many blocks as hide copies and the latency of the controller.
// 6. Links to other nodes are asked what they carry (Network). Remote units take part if what they
//    have to fetch takes less than the time left, iterations to come included (RemoteUnits).
// 7. Earlier runs (`--experience`) count as up to three blocks, the fewer the older they are. What
//    first blocks contradict is forgotten, also of all units that have not confirmed it.
// 8. Items may cost more in some places than in others. Where small blocks cost nothing, blocks are
//    small from the start (`least_slack`), and they are so everywhere once it is seen that dear
//    items lie together (ItemDifferences). From then on, costs are means over all places, in which
//    older blocks weigh a little less.
// 9. A block is expected to need as long again as it is overdue. When nothing is left to hand out,
//    idle units do overdue blocks again (`backup`, BackupTasks). Lost work is divided again.
//
// block_costs.hpp has 1, forecast.hpp 2 to 4, remote_units.hpp 6, item_differences.hpp 8; this file
// puts them together.
//
// `equipoise sweep tools/campaigns/ablation.json --out DIR` compares the policy with itself with
// one part at a time removed or changed; tools/campaigns/RESULTS.md has what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/equipoise/block_costs.hpp"
#include "shared_policies/policies/equipoise/forecast.hpp"
#include "shared_policies/policies/equipoise/item_differences.hpp"
#include "shared_policies/policies/equipoise/remote_units.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/policies/rounds.hpp"

namespace equipoise {
namespace {

/// The parts of all units are computed anew once in (units / this) finished blocks, so that what a
/// block costs the master hardly grows with the number of units. While few grains remain, they are
/// also when a unit is idle, but of many units not every time (Rounds).
constexpr std::size_t units_renewed_a_block = 8;

class Equipoise final : public EventPolicy {
 public:
  Equipoise(const Parameters& read, const KnownCosts* known)
      : experience_(known == nullptr ? Experience() : known->experience),
        sizing_{read.number("first_share", 0.0, 1.0),
                read.number("first_accelerator_share", 0.0, 1.0),
                read.number("growth", 1.0, 1e9),
                read.number("accelerator_growth", 1.0, 1e9),
                read.number("slack", 1e-6, 1.0),
                read.number("least_slack", 1e-6, 1.0),
                read.number("overlap", 1e-6, 1.0),
                read.number("cushion", 0.0, 1e9),
                read.number("overhead_share", 1e-9, 1e9),
                read.number("caution", 1e-9, 1e9)},
        forecast_(sizing_) {}

 private:
  // -- Events ------------------------------------------------------------------------------------

  void on_event(const Event& /*event*/) override {
    ended_.reset();
    forecast_.look(view());
  }

  void on_phase() override {
    learned_ = &kernels_[view().workload().kernel];
    for (std::size_t p = learned_->costs.size(); p < view().units().size(); ++p) {
      learned_->costs.emplace_back(view().units()[p].unit.copy_engines > 0);
      if (experience_.empty()) continue;
      const auto& before = experience_[static_cast<std::size_t>(view().phase())][p];
      if (before) learned_->costs.back().start_from(*before);
    }
    order_units();
    forecast_.begin_phase(learned_->costs, learned_->differences.are_found());
    remote_units_.begin_phase();
    blocks_ = 0;
    is_reported_ = false;
    remote_units_.ask(decisions());
  }

  void on_iteration() override {
    forecast_.begin_iteration();
    rounds_.begin_iteration(view().now());
    divide();
  }

  void on_finished(const BlockFinished& finished) override {
    learn(finished);
    ended_ = finished.unit;
    if (is_renewal_due()) {
      divide();
    } else if (view().remaining() > 0) {
      hand_out(finished.unit);
    }
  }

  void on_idle(UnitId unit) override {
    const bool is_due = rounds_.is_due(view().units().size(), view().now());
    if (view().outstanding() == 0 || (forecast_.has_few_grains() && is_due)) {
      divide();
    } else if (view().unit(unit).outstanding.empty()) {
      hand_out(unit);
    }
  }

  void on_late_end(const LateEnd& late) override { forecast_.part(late.unit).last_end = at(); }
  void on_timer(std::uint64_t /*timer*/) override { divide(); }

  void on_probed(const Probed& probed) override {
    remote_units_.learn(probed, decisions());
    if (remote_units_.know_links()) divide();
  }

  void on_unit_lost(UnitId /*unit*/) override { divide_anew(); }

  void on_unit_joined(UnitId unit) override {
    forecast_.part(unit) = {};
    divide_anew();
  }

  // -- Learning ----------------------------------------------------------------------------------

  void learn(const BlockFinished& finished) {
    UnitPart& part = forecast_.part(finished.unit);
    const Seconds heard = part.is_answer ? finished.assigned - part.last_end : Seconds{};
    PipelineCost& cost = learned_->costs[finished.unit.index];
    if (cost.add(finished, at(), part.last_end, !part.has_data, heard)) forget_unconfirmed();
    notice_differences(finished.unit, cost);
    part.has_data = true;
    part.largest_items = std::max(part.largest_items, static_cast<double>(finished.block.items));
    part.last_end = at();
  }

  /// Takes note of whether the unit's block, and the one that ended before it, took longer than
  /// expected because of where they lay.
  void notice_differences(UnitId unit, const PipelineCost& cost) {
    ItemDifferences& differences = learned_->differences;
    if (differences.are_found() || !cost.last_error()) return;
    differences.add(unit, *cost.last_error());
    if (!differences.are_found()) return;
    for (PipelineCost& each : learned_->costs) each.items_differ();
    forecast_.items_differ();
  }

  /// Forgets what earlier runs showed of all units that have not confirmed it: it was wrong of one.
  void forget_unconfirmed() {
    for (const UnitState& unit : view().units()) {
      PipelineCost& cost = learned_->costs[unit.id.index];
      if (cost.is_unconfirmed()) cost.forget();
    }
  }

  // -- Dividing ----------------------------------------------------------------------------------

  /// Counts a finished block. Returns whether to renew all parts: at first more often than later.
  bool is_renewal_due() {
    ++blocks_;
    rounds_.count_event();
    return rounds_.events() * units_renewed_a_block >= std::min(view().units().size(), blocks_) ||
           view().outstanding() == 0;
  }

  /// Divides the remaining items, and gives its next blocks to every unit that should have more
  /// work.
  void divide() {
    if (view().remaining() == 0) return;
    rounds_.begin(view().now());
    remote_units_.keep_out();
    forecast_.update();
    if (remote_units_.let_in()) forecast_.update();
    if (!is_reported_) report();
    for (const UnitId unit : cpus_last_) assign_blocks(view().unit(unit));
    if (view().outstanding() == 0) assign_one_grain();
    if (!remote_units_.know_links()) return;
    if (const auto at = remote_units_.next_look()) decisions().set_timer(*at);
  }

  /// CPUs come last: a grain may be too large for them.
  void order_units() {
    cpus_last_.clear();
    for (const UnitState& unit : view().units()) cpus_last_.push_back(unit.id);
    const auto is_no_cpu = [&](UnitId unit) {
      return view().unit(unit).unit.kind != UnitKind::cpu;
    };
    std::stable_partition(cpus_last_.begin(), cpus_last_.end(), is_no_cpu);
  }

  /// A unit has come or gone.
  void divide_anew() {
    remote_units_.ask(decisions());
    blocks_ = 0;
    is_reported_ = false;
    divide();
  }

  // -- Handing out -------------------------------------------------------------------------------

  /// Gives a unit its next blocks; the others' parts are as they were.
  void hand_out(UnitId id) {
    forecast_.renew(id);
    assign_blocks(view().unit(id));
  }

  /// Once the costs of all units that take part are known, and again after a unit came or left:
  /// reports these costs, and the sizes of the next blocks as if nothing but time and memory
  /// limited them.
  void report() {
    Decision decision{.what = DecisionKind::divide};
    for (const UnitState& unit : view().units()) {
      if (!forecast_.takes_part(unit)) continue;
      if (!forecast_.cost_of(unit.id).is_known()) return;
      const RunningCost& cost = forecast_.cost_of(unit.id).queued();
      const double left_s = forecast_.end_s() - forecast_.part(unit.id).ready_s;
      const double items =
          forecast_.sizes(unit.id).items(cost, left_s, forecast_.most_items(unit), left_s);
      decision.estimates.push_back(
          {.unit = unit.id,
           .cost = fmt::format("{:.6g} + {:.6g} x", cost.fixed_s(), cost.item_s()),
           .block_items = static_cast<Items>(std::round(items))});
    }
    is_reported_ = true;
    decisions().decided(decision);
  }

  /// Gives a grain to the unit that needs the least time for it, where none was found worth using.
  void assign_one_grain() {
    const auto takes_s = [&](const UnitState& unit) {
      const PipelineCost& cost = forecast_.cost_of(unit.id);
      return forecast_.takes_part(unit) && cost.is_known()
                 ? cost.queued().seconds(grain())
                 : std::numeric_limits<double>::infinity();
    };
    const auto best = std::ranges::min_element(view().units(), {}, takes_s);
    if (std::isfinite(takes_s(*best))) give(best->id, grain());
  }

  /// Gives the unit blocks until its queue is as deep as its cost asks for, or nothing of its part
  /// of the remaining items is left.
  void assign_blocks(const UnitState& unit) {
    UnitPart& part = forecast_.part(unit.id);
    const PipelineCost& known = forecast_.cost_of(unit.id);
    if (!forecast_.takes_part(unit)) return;
    if (!known.is_known()) {
      if (unit.outstanding.empty()) give(unit.id, first_items(unit));
      return;
    }
    const std::size_t depth = part.has_data ? known.depth() : 1;
    const bool few = forecast_.has_few_grains();
    double busy_s = part.ready_s - view().now().value;  // without the copy in of a block given now
    for (std::size_t queued = unit.outstanding.size(); queued < depth; ++queued) {
      if (view().remaining() == 0 || (few ? part.grains == 0 : part.rate == 0.0)) return;
      const double left_s = forecast_.end_s() - part.ready_s;
      const bool is_last = left_s <= forecast_.sizes(unit.id).last_block_s(known.queued());
      const RunningCost& cost = queued == 0 && is_last ? known.alone() : known.queued();
      const double hidden_s = known.longest_hidden_s(busy_s, left_s);
      double items = forecast_.sizes(unit.id).items(cost, left_s, largest_next(unit), hidden_s);
      if (few) {
        items = std::clamp(items, grain(), grain() * static_cast<double>(part.grains));
      } else if (cost.seconds(grain()) > left_s) {
        return;
      }
      items = give(unit.id, items);
      part.grains -= static_cast<Items>(std::round(items / grain()));
      busy_s += known.queued().seconds(items);
      forecast_.took(unit.id, (queued == 0 ? known.alone() : known.queued()).seconds(items));
    }
  }

  /// The size of a first block; small on a unit away from the input.
  [[nodiscard]] double first_items(const UnitState& unit) const {
    const double share =
        unit.unit.kind == UnitKind::cpu ? sizing_.first : sizing_.first_accelerator;
    const double items = share * all_items() / static_cast<double>(view().units().size());
    if (!unit.unit.is_remote) return items;
    return std::min(items, remote_units_.most_items(unit));
  }

  /// The largest block that a unit may be given next: its memory limits it, and `growth` times its
  /// largest in this phase or, where earlier runs may be wrong, as if nothing were known.
  [[nodiscard]] double largest_next(const UnitState& unit) const {
    const UnitPart& part = forecast_.part(unit.id);
    double tried = std::numeric_limits<double>::infinity();
    if (forecast_.cost_of(unit.id).is_unconfirmed()) tried = first_items(unit);
    if (part.has_data) tried = part.largest_items;
    return std::min(forecast_.most_items(unit), forecast_.sizing_of(unit.id).growth * tried);
  }

  /// Hands out `items`, rounded to grains, at least one; returns the number of items granted.
  double give(UnitId id, double items) {
    const Items grain = view().workload().grain_items;
    const auto grains = static_cast<Items>(std::round(items / static_cast<double>(grain)));
    forecast_.part(id).is_answer = ended_ == id;
    return static_cast<double>(decisions().assign(id, std::max<Items>(grains, 1) * grain));
  }

  /// What is known of one kernel.
  struct Learned {
    std::vector<PipelineCost> costs;  // (n)
    ItemDifferences differences;
  };

  Experience experience_;                   // of earlier runs; may be empty
  std::map<std::string, Learned> kernels_;  // by kernel name
  Learned* learned_ = nullptr;              // of this phase's kernel
  BlockSizing sizing_;
  Forecast forecast_;
  RemoteUnits remote_units_{forecast_};
  std::vector<UnitId> cpus_last_;  // (n)
  std::size_t blocks_ = 0;         // that have ended since a phase began or a unit came or left
  Rounds rounds_;                  // over the units: divisions
  bool is_reported_ = false;       // since the last unit that came or left
  std::optional<UnitId> ended_;    // whose block this event ended
};

}  // namespace

PolicyInfo equipoise_info() {
  return {
      .name = "equipoise",
      .line =
          "re-divides what remains whenever a block ends; blocks shrink as times scatter "
          "and the end nears",
      .source = "this project",
      .parameters = {{"first_share", "0.0005", "share of the items",
                      "size of the first blocks of all units together"},
                     {"first_accelerator_share", "0.02", "share of the items",
                      "the same for GPUs and other accelerators"},
                     {"growth", "2", "x",
                      "a block is at most so many times the unit's largest so far"},
                     {"accelerator_growth", "8", "x",
                      "the same for accelerators, and units that a network copies items to, until "
                      "items are seen to differ"},
                     {"slack", "0.5", "x time left",
                      "how long a block may take on a unit whose times do not scatter"},
                     {"least_slack", "0.05", "x time left",
                      "the same while small blocks cost a CPU nothing, or once items are seen to "
                      "differ"},
                     {"overlap", "0.7", "x slack",
                      "the same on a unit that copies the next block while it computes"},
                     {"cushion", "2.5", "standard deviations",
                      "safety margin: blocks are shortened by so much, because their times vary"},
                     {"overhead_share", "0.01", "x block time",
                      "blocks are at least so large that their fixed time is at most this share"},
                     {"caution", "0.5", "x",
                      "how much scatter of times counts, compared with fixed time, for the size of "
                      "the last block"}},
      .make = make_a<Equipoise>,
      .uses_experience = true,
      .backs_up = true};
}

}  // namespace equipoise

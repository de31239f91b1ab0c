// Rounds of hierarchical plans. The paper knows neither losses nor several kernels nor a load that
// is to be done only once; what happens then is ours:
//
//  * a load that is done once is learned in slices of growing size; when the times of a slice
//    agree, all the rest is one round;
//  * lost blocks return to the pool: a later round has them, and in the last one whoever is idle
//    takes them in pieces;
//  * units that come take part from the next round on; a round in which units came or went says
//    nothing about nodes;
//  * the models of a kernel are kept from phase to phase.
#include "shared_policies/policies/hierarchical/hierarchical_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"

namespace equipoise {
namespace {

/// What is known of one kernel.
struct KernelKnowledge {
  KernelKnowledge(std::size_t units, OldTotals old_totals) : models(units, old_totals) {}

  PerformanceModels models;
  int iterations = 0;     ///< begun
  bool balanced = false;  ///< the times of the last round agreed, under a plan by the models
  bool is_plan_learned = false;
  HierarchicalPlan plan;  ///< of the last round
  Items plan_items = 0;
  std::vector<std::vector<UnitId>> plan_nodes;  ///< present when it was made
};

/// A group that is on its way.
struct GroupProgress {
  std::uint32_t group = 0;
  std::size_t blocks = 0;
  Items items = 0;          ///< that came back
  std::size_t back = 0;     ///< blocks that came back
  double resident_s = 0.0;  ///< of the copies in: resident data
};

/// What one unit does in a round.
struct UnitRound {
  std::vector<GroupProgress> groups;
  std::size_t current = 0;  ///< position in `groups`
  Items items = 0;          ///< that came back
  Seconds end;              ///< of the last block
  Seconds group_begin;      ///< end of the group before
  double resident_s = 0.0;  ///< of the copies in: resident data
};

class HierarchicalRounds final : public Policy {
 public:
  explicit HierarchicalRounds(HierarchicalOptions options) : options_(std::move(options)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<RunStarted>(event.what)) {
      return;
    }
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      begin_phase(view);
      return;
    }
    if (std::holds_alternative<IterationStarted>(event.what)) {
      begin_iteration();
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      on_finished(view, event.at, *finished, decisions);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      is_served_[lost->unit.index] = 0;
    }
    if (std::holds_alternative<BlockLost>(event.what) ||
        std::holds_alternative<UnitLost>(event.what) ||
        std::holds_alternative<UnitJoined>(event.what)) {
      is_disturbed_ = true;
      kernel_->balanced = false;
    }
    if (view.remaining() > 0 && view.outstanding() == 0) {
      begin_round(view, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      offer_lost_work(view, idle->unit, decisions);
    }
  }

 private:
  void begin_phase(const View& view) {
    const std::size_t n = view.units().size();
    kernel_ = &kernels_.try_emplace(view.workload().kernel, n, options_.old_totals).first->second;
    is_served_.assign(n, 0);
    nobodys_.clear(view);
  }

  void begin_iteration() {
    const bool in_slices = options_.mode == RoundMode::slices && kernel_->iterations == 0;
    next_slice_ = in_slices ? 0 : options_.slice_shares.size();
    ++kernel_->iterations;
  }

  // -- Rounds ----------------------------------------------------------------------------------

  /// Everything that remains, or the next slice: at least a grain for each unit, so that all are
  /// measured.
  [[nodiscard]] Items next_load(const View& view, std::size_t units) {
    const bool learned_enough = kernel_->balanced && next_slice_ > 0;
    if (learned_enough || next_slice_ >= options_.slice_shares.size()) {
      return view.remaining();
    }
    const Items grain = view.workload().grain_items;
    const double share =
        options_.slice_shares[next_slice_++] * static_cast<double>(view.workload().items);
    const Items grains =
        std::max(static_cast<Items>(units), static_cast<Items>(share / static_cast<double>(grain)));
    return std::min(view.remaining(), grains * grain);
  }

  void begin_round(const View& view, Decisions& decisions) {
    const auto nodes = present_nodes(view);
    std::size_t units = 0;
    for (const std::vector<UnitId>& node : nodes) {
      units += node.size();
    }
    if (units == 0) {
      return;
    }
    const Items load = next_load(view, units);
    round_begin_ = view.now();
    plan_round(view, nodes, load, decisions);
    is_disturbed_ = false;
    const Items left = view.remaining();
    is_last_ = hand_out(view, decisions) >= left;
  }

  /// A plan whose times agreed is kept for as long as it fits what is to be done. The initial one
  /// never is: equal units agree under it, however badly their blocks overlap.
  void plan_round(const View& view, const std::vector<std::vector<UnitId>>& nodes, Items load,
                  Decisions& decisions) {
    KernelKnowledge& kernel = *kernel_;
    if (kernel.balanced && load == kernel.plan_items && nodes == kernel.plan_nodes) {
      kernel.models.begin_round(true);
      return;
    }
    const bool knows_one = std::any_of(view.units().begin(), view.units().end(),
                                       [&](const auto& u) { return kernel.models.knows(u.id); });
    kernel.is_plan_learned = knows_one;
    kernel.models.begin_round(knows_one);
    kernel.plan = knows_one ? learned_plan(view, kernel.models, load, options_.rule)
                            : initial_plan(view, load, options_.rule);
    kernel.plan_items = load;
    kernel.plan_nodes = nodes;
    if (knows_one) {
      explain(view, decisions);
    }
  }

  void explain(const View& view, Decisions& decisions) const {
    Decision decision{{}, "rebalance", {}};
    for (const UnitState& unit : view.units()) {
      if (unit.present && kernel_->models.knows(unit.id)) {
        const ModelPoints points = kernel_->models.points(unit.id);
        decision.beliefs.push_back(
            {unit.id,
             fmt::format("speeds at {} sizes, {} repeated", points.sizes, points.repeated),
             {},
             {},
             kernel_->plan.share(unit.id)});
      }
    }
    decisions.decided(decision);
  }

  /// All blocks of the plan; how many items they ask for.
  Items hand_out(const View& view, Decisions& decisions) {
    Items sum = 0;
    rounds_.assign(view.units().size(), UnitRound{});
    for (const UnitState& unit : view.units()) {
      UnitRound& round = rounds_[unit.id.index];
      round.end = round.group_begin = round_begin_;
      for (const std::vector<Items>& blocks : kernel_->plan.units[unit.id.index]) {
        round.groups.push_back({++last_group_, blocks.size()});
        for (const Items items : blocks) {
          decisions.assign(unit.id, items, BlockTag::run, last_group_);
          sum += items;
        }
      }
    }
    return sum;
  }

  /// In the last round what is in the pool was lost.
  void offer_lost_work(const View& view, UnitId unit, Decisions& decisions) {
    if (is_last_) {
      is_disturbed_ = true;
      nobodys_.offer(view, unit, decisions);
    }
  }

  // -- Measurements ----------------------------------------------------------------------------

  void on_finished(const View& view, Seconds at, const BlockFinished& finished,
                   Decisions& decisions) {
    const double resident_s = resident_time(view, finished);
    StageTimes times = finished.times;
    times.in.value -= resident_s;
    kernel_->models.add_block(finished.unit, finished.block.items, times);

    UnitRound& round = rounds_[finished.unit.index];
    round.end = at;
    round.items += finished.block.items;
    round.resident_s += resident_s;
    follow_group(finished, at, resident_s);
    if (view.outstanding() == 0) {
      end_round(decisions);
    }
  }

  /// The part of a copy in that was resident data, by its bytes: it comes with the first block of a
  /// unit in a phase and says nothing of later ones. (The paper has no resident data.)
  [[nodiscard]] double resident_time(const View& view, const BlockFinished& finished) {
    char& is_served = is_served_[finished.unit.index];
    if (std::exchange(is_served, 1) != 0) {
      return 0.0;
    }
    const Workload& workload = view.workload();
    const double block_bytes =
        workload.in_bytes_per_item * static_cast<double>(finished.block.items);
    const double bytes = workload.resident_bytes + block_bytes;
    return bytes > 0.0 ? finished.times.in.value * workload.resident_bytes / bytes : 0.0;
  }

  /// Groups are done one after another; lost blocks leave a group incomplete and unmeasured.
  void follow_group(const BlockFinished& finished, Seconds at, double resident_s) {
    if (finished.block.group == 0) {
      return;
    }
    UnitRound& round = rounds_[finished.unit.index];
    while (round.current < round.groups.size() &&
           round.groups[round.current].group != finished.block.group) {
      ++round.current;
    }
    if (round.current == round.groups.size()) {
      return;
    }
    GroupProgress& group = round.groups[round.current];
    group.items += finished.block.items;
    group.resident_s += resident_s;
    if (++group.back == group.blocks) {
      if (group.blocks > 1) {
        kernel_->models.add_together(finished.unit, group.items,
                                     at - round.group_begin - Seconds{group.resident_s});
      }
      round.group_begin = at;
    }
  }

  void end_round(Decisions& decisions) {
    const bool was_balanced = kernel_->balanced;
    kernel_->balanced = false;
    if (is_disturbed_) {
      return;
    }
    std::vector<double> unit_times_s;
    std::vector<double> node_times_s;
    for (const std::vector<UnitId>& node : kernel_->plan_nodes) {
      Items items = 0;
      double longest_s = 0.0;
      for (const UnitId unit : node) {
        const UnitRound& round = rounds_[unit.index];
        if (round.items > 0) {
          const Seconds time = round.end - round_begin_ - Seconds{round.resident_s};
          unit_times_s.push_back(time.value);
          items += round.items;
          longest_s = std::max(longest_s, time.value);
          if (round.groups.size() > 1) {
            kernel_->models.add_together(unit, round.items, time);
          }
        }
      }
      if (items > 0) {
        kernel_->models.add_node(node, items, Seconds{longest_s});
        node_times_s.push_back(longest_s);
      }
    }
    kernel_->balanced = kernel_->is_plan_learned &&
                        agree(options_.balance == BalanceOf::units ? unit_times_s : node_times_s);
    if (kernel_->balanced && !was_balanced) {
      decisions.note("load_balanced");
    }
  }

  /// max |T_i - T_j| / max T <= threshold.
  [[nodiscard]] bool agree(const std::vector<double>& times_s) const {
    const auto [shortest, longest] = std::minmax_element(times_s.begin(), times_s.end());
    return *longest - *shortest <= options_.threshold * *longest;
  }

  HierarchicalOptions options_;
  std::map<std::string, KernelKnowledge> kernels_;
  KernelKnowledge* kernel_ = nullptr;  ///< of this phase
  std::vector<char> is_served_;        ///< (n): the unit has the phase's resident data
  std::size_t next_slice_ = 0;
  bool is_last_ = false;       ///< the round was handed all that remained
  bool is_disturbed_ = false;  ///< units came or went, or did more than was planned
  Seconds round_begin_;
  std::vector<UnitRound> rounds_;  ///< (n)
  std::uint32_t last_group_ = 0;
  BlockPlan nobodys_;  ///< plans nothing: all that is in the pool is for whoever is idle
};

}  // namespace

std::vector<ParameterInfo> hierarchical_parameters() {
  return {
      {"mode", "slices", "",
       "slices: learn in growing parts of the first iteration; repeat: whole iterations (paper)"},
      {"slice_shares", "0.0625/0.125/0.25", "share of the items", "the slices before the rest"},
      {"threshold", "0.05", "", "relative difference of times up to which a plan is kept"},
      {"old_totals", "replaced", "",
       "totals of earlier rounds: replaced by newer ones of nearly the same size, or averaged with "
       "those of the same size (the paper)"},
      {"balance", "units", "", "whose times are compared: units, or nodes (the paper)"}};
}

HierarchicalOptions read_hierarchical_options(const Parameters& read) {
  HierarchicalOptions options;
  options.mode = static_cast<RoundMode>(read.choice("mode", {"slices", "repeat"}));
  options.slice_shares = read.positive_list("slice_shares");
  options.threshold = read.number("threshold", 0.0, 1.0);
  options.old_totals = static_cast<OldTotals>(read.choice("old_totals", {"replaced", "averaged"}));
  options.balance = static_cast<BalanceOf>(read.choice("balance", {"units", "nodes"}));
  return options;
}

std::unique_ptr<Policy> make_hierarchical_rounds(HierarchicalOptions options) {
  return std::make_unique<HierarchicalRounds>(std::move(options));
}

}  // namespace equipoise

// What the paper of hierarchical leaves out: it processes one load again and again, all of it, on
// units that are present throughout.
//
//  - With mode=slices, a load that is done only once is learned in slices of growing size; when the
//    times of a slice agree, all the rest is one round. As published, it is done by the first plan.
//  - Lost blocks return to the pool. A later round includes them; in the last round, idle units
//    take them in pieces.
//  - Units that join take part from the next round on. A round in which units joined or were lost
//    adds nothing to the models of nodes.
//  - Phases: the models of a kernel are kept.
//  - The setup of a unit's first blocks does not predict later blocks and is left out of all times.
#include <algorithm>
#include <variant>

#include "shared_policies/policies/hierarchical/hierarchical.hpp"

namespace equipoise {

void Hierarchical::change(const View& view, const Event& event) {
  if (std::holds_alternative<PhaseStarted>(event.what)) {
    const std::size_t n = view.units().size();
    kernel_ = &kernels_.try_emplace(view.workload().kernel, n, options_.old_totals).first->second;
    unplanned_.clear(view);
  } else if (std::holds_alternative<IterationStarted>(event.what)) {
    const bool in_slices = options_.mode == RoundMode::slices && kernel_->iterations == 0;
    next_slice_ = in_slices ? 0 : options_.slice_shares.size();
    ++kernel_->iterations;
  } else if (std::holds_alternative<BlockLost>(event.what) ||
             std::holds_alternative<UnitLost>(event.what) ||
             std::holds_alternative<UnitJoined>(event.what)) {
    is_disturbed_ = true;
    kernel_->balanced = false;
  }
}

/// All remaining items, or the next slice: at least one grain per unit, so that all are measured.
Items Hierarchical::next_load(const View& view, const std::vector<std::vector<UnitId>>& nodes) {
  const bool learned_enough = kernel_->balanced && next_slice_ > 0;
  if (learned_enough || next_slice_ >= options_.slice_shares.size()) return view.remaining();
  std::size_t units = 0;
  for (const std::vector<UnitId>& node : nodes) units += node.size();
  const Items grain = view.workload().grain_items;
  const double share =
      options_.slice_shares[next_slice_++] * static_cast<double>(view.workload().items);
  const Items grains =
      std::max(static_cast<Items>(units), static_cast<Items>(share / static_cast<double>(grain)));
  return std::min(view.remaining(), grains * grain);
}

/// In the last round, the items in the pool are those of lost blocks.
void Hierarchical::offer_lost_work(const View& view, UnitId unit, Decisions& decisions) {
  if (!is_last_) return;
  is_disturbed_ = true;
  unplanned_.offer(view, unit, decisions);
}

}  // namespace equipoise

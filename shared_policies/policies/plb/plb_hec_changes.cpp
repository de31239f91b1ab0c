// What PLB-HeC's paper leaves out: it has one load, done once, on units that are present
// throughout.
//
//  - Phases: models are kept for every kernel; a phase with a known kernel does not train.
//  - Iterations: a later iteration continues with the blocks of the one before. They are chosen
//    anew if the last choice was for less than a step, or if a rebalancing was about to change
//    them.
//  - Units that are lost or join: the present units share the steps from then on, by the existing
//    fits, without a barrier. If all units waited for a unit that is lost, the waiting ends.
//  - A unit that joins after training, or got no block in it, trains by itself while the others
//    work. It takes part in the steps after as many rounds as the others had.
//  - If the work ends during training, its last items are handed out, to the fastest unit first,
//    and the journal notes it.
#include <memory>
#include <variant>

#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/plb_hec.hpp"

namespace equipoise {

void PlbHec::change(const View& view, const Event& event, Decisions& decisions) {
  if (std::holds_alternative<PhaseStarted>(event.what)) {
    begin_phase(view);
  } else if (std::holds_alternative<IterationStarted>(event.what)) {
    begin_iteration(view, decisions);
  } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    change_units(view, lost->unit, DecisionKind::unit_lost, decisions);
  } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
    change_units(view, joined->unit, DecisionKind::unit_joined, decisions);
  }
}

void PlbHec::begin_phase(const View& view) {
  const std::size_t n = view.units().size();
  std::unique_ptr<BlockTimeModel>& of_kernel = kernels_[view.workload().kernel];
  if (of_kernel == nullptr) of_kernel = make_model_(n);
  model_ = of_kernel.get();
  training_ = TrainingRounds(n, initial_block(view, options_.initial_block_items),
                             options_.multipliers, options_.ratio_mode);
  repeated_ = RepeatedBlocks(n);
  left_out_ = LeftOutUnits(n);
  stage_ = model_->knows_any() ? Stage::run : Stage::train;
  round_ = 0;
  rebalance_ = false;
  solved_for_ = SolvedFor::nothing;
}

/// No block of the last iteration is outstanding: if the units waited for all blocks, the wait is
/// over.
void PlbHec::begin_iteration(const View& view, Decisions& decisions) {
  if (stage_ == Stage::synchronize) {
    end_rebalancing(view, decisions);
  } else if (stage_ == Stage::run && (rebalance_ || solved_for_ != SolvedFor::a_step)) {
    determine_curves(view);
    solve_equation_system(view, rebalance_ ? DecisionKind::rebalance : DecisionKind::iteration,
                          decisions);
  }
}

void PlbHec::change_units(const View& view, UnitId unit, DecisionKind what, Decisions& decisions) {
  if (stage_ == Stage::run && model_->knows(unit)) {
    solve_equation_system(view, what, decisions);
    distribute_tasks(view, decisions);
    return;
  }
  if (stage_ == Stage::synchronize && model_->knows(unit)) solved_for_ = SolvedFor::nothing;
  if (waits_for_all() && all_are_back(view)) synchronized(view, decisions);
}

void PlbHec::train_late_unit(UnitId unit, Decisions& decisions) {
  decisions.assign(unit, training_.size(unit, training_.blocks(unit) + 1), BlockTag::train);
}

void PlbHec::learn_late_unit(const View& view, UnitId unit, Decisions& decisions) {
  if (training_.blocks(unit) < options_.min_rounds) return;
  determine_curves(view);
  solve_equation_system(view, DecisionKind::unit_joined, decisions);
  distribute_tasks(view, decisions);
}

void PlbHec::note_exhaustion(const View& view, Decisions& decisions) const {
  const bool is_done = view.remaining() == 0 && view.outstanding() == 0;
  if (is_done && view.iteration() == 0) decisions.note("exhausted_in_training");
}

}  // namespace equipoise

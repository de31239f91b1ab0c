// All that we add to PLB-HeC, whose paper has one load, done once, on units that are present
// throughout and all take part in every step. plb_hec.cpp calls it where it says "ours".
//
//  - Phases: models are kept for every kernel; a phase with a known kernel does not train.
//  - Iterations: a later iteration continues with the blocks of the one before. They are chosen
//    anew if the last choice was for less than a step, or if a rebalancing was about to change
//    them.
//  - Units that are lost or join: the present units share the steps from then on, by the existing
//    fits, without a barrier. If all units waited for a unit that is lost, the waiting ends.
//  - If no work is left, solving is postponed until there is some: the chosen blocks may belong to
//    units that are lost, and lost items may return.
//  - A unit that two solutions in a row leave out gets a grain (LeftOutUnits).
//  - With tail_resolve, X is solved for once more when less than a step is left.
//  - With async_train, no barrier between training rounds, as in PLB-HAC.
//  - A unit that joins after training, or got no block in it, trains by itself while the others
//    work. It takes part in the steps after as many rounds as the others had.
//  - If the work ends during training, its last items are handed out, to the fastest unit first,
//    and the journal notes it.
#include <algorithm>
#include <memory>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/plb_hec.hpp"

namespace equipoise {

// -- Phases, iterations, units -----------------------------------------------------------------

void PlbHec::on_phase() {
  const std::size_t n = view().units().size();
  std::unique_ptr<BlockTimeModel>& of_kernel = kernels_[view().workload().kernel];
  if (of_kernel == nullptr) of_kernel = make_model_(n);
  model_ = of_kernel.get();
  training_ =
      TrainingRounds(n, initial_block(view(), initial_block_items_), multipliers_, ratio_mode_);
  repeated_ = RepeatedBlocks(n);
  left_out_ = LeftOutUnits(n);
  stage_ = model_->knows_any(view()) ? Stage::run : Stage::train;
  round_ = 0;
  rebalance_ = false;
  solved_for_ = SolvedFor::nothing;
}

/// No block of the last iteration is outstanding: if the units waited for all blocks, the wait is
/// over.
void PlbHec::on_iteration() {
  if (stage_ == Stage::synchronize) {
    end_rebalancing();
  } else if (stage_ == Stage::run && (rebalance_ || solved_for_ != SolvedFor::a_step)) {
    determine_curves();
    solve_equation_system(rebalance_ ? DecisionKind::rebalance : DecisionKind::iteration);
  }
}

void PlbHec::change_units(UnitId unit, DecisionKind what) {
  if (stage_ == Stage::run && model_->knows(unit)) {
    solve_equation_system(what);
    distribute_tasks();
    return;
  }
  if (stage_ == Stage::synchronize && model_->knows(unit)) solved_for_ = SolvedFor::nothing;
  if (waits_for_all() && all_are_back()) synchronized();
}

// -- Solutions that are postponed, corrected, or made once more --------------------------------

bool PlbHec::postpones_solving() {
  solved_for_ = remaining() < step_items() ? SolvedFor::less_than_a_step : SolvedFor::a_step;
  if (remaining() == 0.0) solved_for_ = SolvedFor::nothing;
  return remaining() == 0.0;
}

void PlbHec::let_left_out_units_back_in(std::vector<Items>& block_items) {
  for (const UnitId unit : left_out_.let_back_in(view(), *model_, 0, block_items)) {
    repeated_.choose_uncompared(unit, block_items[unit.index]);
  }
}

/// Whether what was solved for before all units waited is of no use any more.
bool PlbHec::is_out_of_date() const {
  return solved_for_ == SolvedFor::nothing || !repeated_.anyone_works(view());
}

/// Solves for X if it is out of date, and once more if less than a step is left: then units that
/// had no block in the old X get one too, besides `asking`, which gets one anyway.
void PlbHec::update_blocks(UnitId asking) {
  if (!model_->knows(asking)) return;
  if (solved_for_ == SolvedFor::nothing) solve_equation_system(DecisionKind::block_lost);
  const bool is_tail =
      tail_resolve_ && solved_for_ == SolvedFor::a_step && remaining() < step_items();
  if (!is_tail) return;
  solve_equation_system(DecisionKind::tail);
  for (const UnitState& unit : view().units()) {
    if (unit.outstanding.empty() && unit.id != asking) {
      decisions().assign(unit.id, repeated_.items(unit.id));
    }
  }
}

// -- Training without barriers, late, or to the end --------------------------------------------

void PlbHec::train_without_barriers() {
  const bool is_trained = training_.fewest_blocks(view()) >= rule_.min_rounds;
  if (!rule_.async || view().remaining() == 0) return;
  if (!is_trained && !share_is_used_up()) return;
  determine_curves();
  if (is_good() || share_is_used_up()) execute();
}

/// The block of the unit's own next round. A unit that is ahead of the others gets the size of the
/// last round again.
Items PlbHec::own_next_block(UnitId unit) const {
  const Items fewest = training_.fewest_blocks(view());
  const Items furthest = std::max(rule_.min_rounds, fewest + 1);
  return training_.size(unit, std::min(training_.blocks(unit) + 1, furthest));
}

void PlbHec::train_late_unit(UnitId unit) {
  decisions().assign(unit, training_.size(unit, training_.blocks(unit) + 1), BlockTag::train);
}

void PlbHec::learn_late_unit(UnitId unit) {
  if (training_.blocks(unit) < rule_.min_rounds) return;
  determine_curves();
  solve_equation_system(DecisionKind::unit_joined);
  distribute_tasks();
}

void PlbHec::note_exhaustion() const {
  const bool is_done = view().remaining() == 0 && view().outstanding() == 0;
  if (is_done && view().iteration() == 0) decisions().note("exhausted_in_training");
}

}  // namespace equipoise

// What PLB-HAC's paper leaves out: it has one load, done once, on units that are present
// throughout.
//
//  - Phases: what was learned of a kernel is kept; a phase with a known kernel does not train.
//  - Iterations: each begins with new block sizes of full steps, and has its own tail.
//  - Units that are lost or join: the present units share the steps from then on, without a
//    barrier.
//  - A unit that joins after training trains by itself while the others work.
//  - If the work ends during training, its last items are handed out, and the journal notes it.
#include <variant>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/plb_hac.hpp"

namespace equipoise {

void PlbHac::change(const View& view, const Event& event, Decisions& decisions) {
  if (std::holds_alternative<PhaseStarted>(event.what)) {
    begin_phase(view);
  } else if (std::holds_alternative<IterationStarted>(event.what)) {
    tail_.reset();
    if (is_trained_) evaluate(view, DecisionKind::iteration, {}, decisions);
  } else if (const auto* block = std::get_if<BlockLost>(&event.what)) {
    expected_ends_.lose(*block);
  } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    units_[lost->unit.index] = {};
    expected_ends_.lose(lost->unit);
    change_units(view, DecisionKind::unit_lost, decisions);
  } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
    units_[joined->unit.index].step = solved_step_;
    change_units(view, DecisionKind::unit_joined, decisions);
  }
}

void PlbHac::begin_phase(const View& view) {
  const std::size_t n = view.units().size();
  learned_ = &kernels_.try_emplace(view.workload().kernel, n, options_.memory).first->second;
  is_trained_ = learned_->any_fit();
  expected_ends_ = ExpectedEnds(n);
  first_block_items_ = initial_block(view, options_.initial_block_items);
  training_ = TrainingRounds(n, first_block_items_, {1.0, 2.0}, RatioMode::first);
  units_.assign(n, {});
  block_items_.assign(n, 0);
  left_out_ = LeftOutUnits(n);
  solved_step_ = 0;
}

void PlbHac::change_units(const View& view, DecisionKind what, Decisions& decisions) {
  if (!is_trained_) {
    end_training(view, decisions);
  } else if (view.remaining() > 0) {
    evaluate(view, what, {}, decisions);
  }
}

void PlbHac::train_late_unit(const View& view, UnitId unit, Decisions& decisions) {
  if (training_.blocks(unit) < training_blocks) {
    train(view, unit, decisions);
  } else {
    units_[unit.index].is_waiting = true;
    evaluate(view, DecisionKind::unit_joined, {}, decisions);
  }
}

void PlbHac::note_exhaustion(const View& view, Decisions& decisions) const {
  if (!is_trained_ && view.remaining() == 0 && view.outstanding() == 0) {
    decisions.note("exhausted_in_training");
  }
}

}  // namespace equipoise

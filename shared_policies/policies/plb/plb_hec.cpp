// plb-hec: PLB-HeC (2015), in the order of its section III: models of block times are learned in
// rounds of growing blocks; then blocks are chosen that should take all units the same time, and
// chosen anew when their times differ.
//
//     Algorithm 1, determineModel()                                        determine_model
//       blockSizeList <- initialBlockSize, i <- 1                          next_block_sizes
//       while i <= 4                                                       determine_model
//         finishTimes <- executeTasks(blockSizeList)                       determine_model
//         blockSizeList <- setNextBlockSizes(finishTimes), i <- i + 1      next_block_sizes
//       fitValues <- determineCurveProcessor()                             determine_curves
//       while fitValues.error >= 0.7                                       is_good
//         executeTasks, setNextBlockSizes, determineCurveProcessor         determine_model
//     Algorithm 2, PLB-HeC()                                               execute
//       fitValues <- determineModel()                                      determine_model
//       X <- solveEquationSystem(fitValues)                                solve_equation_system
//       for each proc: distributeTasks(X, proc)                            distribute_tasks
//     FinishedTaskExecution(proc, finishTime)                              finished_task
//       if rebalance                                                       finished_task
//         fitValues <- determineCurveProcessor()                           determine_curves
//         X <- solveEquationSystem(fitValues)                              solve_equation_system
//         synchronize(), rebalance <- false                                synchronized
//       if there is data                                                   on_idle
//         if maxDifference(finishTime) >= threshold: rebalance <- true     is_unbalanced
//         distributeTask(X, proc)                                          answer
//
// The paper's code is a loop that waits. Here each function covers what happens between two waits.
// Where the paper is silent or contradicts itself, or its text and its code differ, a parameter
// decides; the catalog says which. What we add is in plb_hec_changes.cpp; calls of it say so.
#include "shared_policies/policies/plb/plb_hec.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {

// -- B. Processing unit performance modeling (its equations 1 and 2: FittedCurves) -------------

/// Algorithm 1, determineModel(), from one executeTasks to the next. Called when all units are
/// back, or at the start of the run.
void PlbHec::determine_model() {
  if (round_ >= rule_.min_rounds) {  // while i <= 4
    determine_curves();              // fitValues <- determineCurveProcessor()
    // "If the coefficient of determination is greater than 0.7 for all processing units."
    if (is_good() || share_is_used_up()) return execute();
  }
  ++round_;
  const std::vector<Items> block_sizes = next_block_sizes();
  if (std::reduce(block_sizes.begin(), block_sizes.end()) == 0) return execute();
  for (const UnitId unit : training_.fastest_first()) {
    decisions().assign(unit, block_sizes[unit.index], BlockTag::train);  // executeTasks
  }
}

/// setNextBlockSizes(finishTimes): x0, then 2, 4, 8 x0 t_f / t_k (see TrainingRounds). Rounds after
/// the first four are scaled down to what is left of the 20 % of the items that training may use.
std::vector<Items> PlbHec::next_block_sizes() const {
  std::vector<Items> sizes;
  for (const UnitState& unit : view().units()) {
    sizes.push_back(unit.present ? training_.size(unit.id, round_) : 0);
  }
  const auto sum = static_cast<double>(std::reduce(sizes.begin(), sizes.end()));
  const double left = training_share_max_ * all_items() - static_cast<double>(training_.items());
  if (round_ > rule_.min_rounds && sum > left) {
    const Items grain = view().workload().grain_items;
    for (Items& size : sizes) {
      size = static_cast<Items>(static_cast<double>(size) * left / sum) / grain * grain;
    }
  }
  return sizes;
}

/// "Or when 20% of the application data is processed."
bool PlbHec::share_is_used_up() const {
  return static_cast<double>(training_.items()) >= training_share_max_ * all_items();
}

// -- C. Block size selection -------------------------------------------------------------------

/// X <- solveEquationSystem(fitValues): the x_g with
///
///     sum x_g = step                                                                          (3)
///     E_1(x_1) = E_2(x_2) = ... = E_n(x_n)                                                    (4)
///     E_g(x_g) = F_g(x_g) + G_g(x_g)                                                          (5)
///
/// rounded to the closest valid sizes.
void PlbHec::solve_equation_system(DecisionKind what) {
  rebalance_ = false;
  if (postpones_solving()) return;  // ours
  const double items = std::min(step_items(), remaining());
  std::vector<Items> x = model_->solve(view(), items, decisions());
  repeated_.choose(x);
  let_left_out_units_back_in(x);  // ours
  decisions().decided(model_->explain(what, x));
}

/// The sum of the x_g. In eq. 3 they add up to 1, that is all of the data. Its text and figures
/// contradict it: a unit "requests another task of the same size" until all are done (III.D),
/// several tasks of each and a rebalancing are in Fig. 3, the threshold is a part of the time "of a
/// single block", and Fig. 6 has the data "allocated on a single step". So a step is a part of the
/// items. With step_fraction=1 each unit gets one block, and nothing corrects what four training
/// blocks said of a block many times as large.
double PlbHec::step_items() const {
  const auto n = static_cast<double>(view().units().size());
  const bool doubled = step_ == StepRule::doubled && training_.latest_items() > 0;
  const double step =
      doubled ? 2.0 * static_cast<double>(training_.latest_items()) : step_fraction_ * all_items();
  return std::max(std::round(step), n * grain());
}

// -- D, E. Execution and rebalancing -----------------------------------------------------------

/// Algorithm 2, PLB-HeC(), from after determineModel() on.
void PlbHec::execute() {
  if (!is_good()) decisions().note("poor_fit");
  stage_ = Stage::run;
  solve_equation_system(DecisionKind::fit);
  distribute_tasks();
}

/// for each proc from processorList: distributeTasks(X, proc).
void PlbHec::distribute_tasks() {
  if (waits_for_all() && view().outstanding() > 0) return;
  bool is_first = true;
  for (const UnitState& unit : view().units()) {
    if (!unit.present || !unit.outstanding.empty()) continue;
    if (is_first && model_->knows(unit.id)) {
      answer(unit.id);
      is_first = false;
    } else {
      distribute_task(unit.id);
    }
  }
}

/// The last line of FinishedTaskExecution, distributeTask(X, proc).
void PlbHec::answer(UnitId unit) {
  update_blocks(unit);  // ours
  distribute_task(unit);
}

/// distributeTask(X, proc).
void PlbHec::distribute_task(UnitId unit) {
  if (!model_->knows(unit)) return train_late_unit(unit);  // ours
  decisions().assign(unit, repeated_.items(unit));
}

/// Algorithm 2, FinishedTaskExecution(proc, finishTime), without its last line: the next block is
/// the answer to UnitIdle. The unit that detects the imbalance gets one more block (figure 3).
void PlbHec::finished_task(UnitId unit) {
  if (rebalance_) {
    stage_ = Stage::synchronize;
    if (sync_order_ == SyncOrder::fit_then_sync) {  // as in the paper's code
      determine_curves();
      solve_equation_system(DecisionKind::rebalance);
    }
  } else if (is_unbalanced()) {
    rebalance_ = true;
    decisions().assign(unit, repeated_.items(unit));
  }
}

/// maxDifference(finishTime) >= threshold.
bool PlbHec::is_unbalanced() const {
  return repeated_.are_unbalanced(view(), balance_, model_->relative_noise(view()));
}

/// The end of synchronize(): all blocks are back.
void PlbHec::synchronized() {
  if (stage_ == Stage::train) return determine_model();
  end_rebalancing();
  distribute_tasks();
}

/// Computes new curves and a new X, unless this was done before all units waited.
void PlbHec::end_rebalancing() {
  stage_ = Stage::run;
  if (sync_order_ == SyncOrder::drain_then_fit || is_out_of_date() /* ours */) {
    determine_curves();
    solve_equation_system(DecisionKind::rebalance);
  }
}

bool PlbHec::waits_for_all() const {
  return stage_ == Stage::synchronize || (stage_ == Stage::train && !rule_.async);
}

// -- Events ------------------------------------------------------------------------------------

void PlbHec::on_finished(const BlockFinished& finished) {
  learn(finished);
  if (stage_ == Stage::train) {
    train_without_barriers();  // ours
    note_exhaustion();         // ours
  } else if (stage_ == Stage::run && model_->knows(finished.unit)) {
    finished_task(finished.unit);
  } else if (stage_ == Stage::run) {
    learn_late_unit(finished.unit);  // ours
  }
}

void PlbHec::on_idle(UnitId unit) {
  if (waits_for_all()) {
    if (all_are_back()) synchronized();
  } else if (stage_ == Stage::train) {
    decisions().assign(unit, own_next_block(unit), BlockTag::train);  // ours
  } else {
    answer(unit);
  }
}

void PlbHec::learn(const BlockFinished& finished) {
  const double seconds = block_duration_s(finished.times);
  model_->add(finished);
  if (finished.block.tag == BlockTag::train) {
    training_.remember(finished.unit, finished.block.items, seconds);
  } else {
    repeated_.finished(finished.unit, finished.block.items, seconds);
  }
}

// -- Catalog -----------------------------------------------------------------------------------

std::vector<ParameterInfo> plb_hec_loop_parameters(const std::string& sync_order) {
  return {initial_block_parameter(),
          {"multipliers", "1/2/4/8", "x initial block",
           "sizes of the training rounds; doubles after the last",
           "PLB-HeC III.B; does not say for rounds after the fourth; DLB-GPU III: doubles"},
          {"ratio_mode", "normalised", "",
           "training speed ratios: of items per second of the latest round (normalised), of round "
           "1 (first), of raw times of the latest round (literal)",
           "III.B: tf / tk, of equal blocks; does not say for later rounds; chosen because raw "
           "times of unequal blocks would make round 3 equal-sized"},
          {"training_share_max", "0.2", "share of the items", "training ends here at the latest",
           "PLB-HeC III.B; DLB-GPU: not said; chosen because training has to end"},
          {"threshold", "0.1", "x block time", "spread of block times that starts a rebalancing",
           "PLB-HeC III.D, V.A: 10 % of a block's time; DLB-GPU III: found empirically"},
          {"noise_allowance", "0", "standard errors",
           "part of the spread attributed to noise: compares means since the last solve, less this "
           "many standard errors; 0: compares the latest times",
           "PLB-HeC III.D, Alg. 2 line 15; DLB-GPU III, Alg. 2: the plain difference"},
          {"step_fraction", "0.05", "share of the items", "items of one step, one block a unit",
           "not said: eq. 3 adds up to all items (step_fraction=1), and yet III.D has units ask "
           "for more tasks of the same size, Fig. 3 shows several, and V.b speaks of the data of a "
           "single step; chosen because 20 steps repeat blocks and leave time to rebalance, which "
           "one step cannot"},
          {"step", "fraction", "",
           "fraction: step_fraction of the items; doubled: twice the last training round",
           "not said; see step_fraction"},
          {"sync_order", sync_order, "",
           "on imbalance: fit what is there, then wait for all (fit_then_sync), or wait, then fit "
           "(drain_then_fit)",
           "PLB-HeC III.D: synchronizes, then fits (Alg. 2 has the reverse); DLB-GPU III, Alg. 2: "
           "fits, then synchronizes"},
          {"tail_resolve", "false", "", "solve once more when less than a step remains",
           "PLB-HeC III.D, DLB-GPU III: blocks of the same size until all are done"}};
}

Preset plb_hec_robust() {
  return {
      "robust",
      "times that scatter do not rebalance at every step, and smaller steps end closer together",
      {{"noise_allowance", "6"}, {"step_fraction", "0.02"}}};
}

PlbHec::PlbHec(const Parameters& read, const TrainingRule& rule, BlockTimeModelMaker make_model)
    : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
      multipliers_(read.positive_list("multipliers")),
      ratio_mode_(read.choice<RatioMode>("ratio_mode", {"normalised", "first", "literal"})),
      training_share_max_(read.number("training_share_max", 0.0, 1.0)),
      balance_{read.number("threshold", 0.0, 1e9), read.number("noise_allowance", 0.0, 1e9)},
      step_fraction_(read.number("step_fraction", 0.0, 1.0)),
      step_(read.choice<StepRule>("step", {"fraction", "doubled"})),
      sync_order_(read.choice<SyncOrder>("sync_order", {"drain_then_fit", "fit_then_sync"})),
      tail_resolve_(read.flag("tail_resolve")),
      rule_(rule),
      make_model_(std::move(make_model)) {}

namespace {

std::vector<ParameterInfo> plb_hec_parameters() {
  std::vector<ParameterInfo> list = plb_hec_loop_parameters("drain_then_fit");
  list.insert(
      list.end(),
      {{"min_rounds", "4", "rounds", "training rounds before the first fit",
        "III.B; Alg. 1 line 4"},
       {"min_r2", "0.7", "", "coefficient of determination that every fit must exceed",
        "III.B (Alg. 1 line 10 goes on while the error is at least 0.7)"},
       {"async_train", "false", "", "no barrier between training rounds",
        "Alg. 1 line 5: executeTasks returns the times of all units"},
       fit_parameter("four points"),
       {"adjusted_r2", "false", "", "coefficients of determination adjusted for degrees of freedom",
        "III.B: the coefficient of determination"},
       solver_parameter("III.C, IV: Ipopt")});
  return list;
}

std::unique_ptr<Policy> make_plb_hec(const Parameters& read, const KnownCosts* /*known*/) {
  const FitOptions fit{.mode = read_fit(read), .adjusted_r2 = read.flag("adjusted_r2")};
  const Solver solver = read_solver(read);
  const TrainingRule rule{read.items("min_rounds", 1), read.number("min_r2", -1e9, 1.0),
                          read.flag("async_train")};
  return std::make_unique<PlbHec>(read, rule, [=](std::size_t units) {
    return std::make_unique<FittedCurves>(units, fit, solver);
  });
}

}  // namespace

PolicyInfo plb_hec_info() {
  return {.name = "plb-hec",
          .line = "learns block times in training rounds, then repeats blocks that end together",
          .source = "PLB-HeC (2015), algorithms 1 and 2",
          .parameters = plb_hec_parameters(),
          .paper_decision_s = 0.170,
          .make = make_plb_hec,
          .presets = {plb_hec_robust()}};
}

}  // namespace equipoise

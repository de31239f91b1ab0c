// plb-hec: PLB-HeC (2015), in the order of its section III: models of block times are learned in
// rounds of growing blocks; then blocks are chosen that should take all units the same time, and
// chosen anew when their times differ.
//
// The paper's code is a loop that waits. Here each function covers what happens between two waits,
// and has the paper's name for it. Where the paper is silent or contradicts itself, or its text and
// its code differ, a parameter decides; the catalog says which. What we add is in
// plb_hec_changes.cpp.
#include "shared_policies/policies/plb/plb_hec.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <variant>

#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/plb/learned_costs.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {

PlbHec::PlbHec(PlbHecOptions options, BlockTimeModelMaker make_model)
    : options_(std::move(options)), make_model_(std::move(make_model)) {}

// -- B. Processing unit performance modeling ---------------------------------------------------

namespace {

struct CurveOptions {
  double min_r2 = 0.7;
  FitMode fit = FitMode::subset;
  bool adjusted_r2 = false;
  BlockChooser::Solver solver = BlockChooser::Solver::direct;
};

/// E_p(x) = F_p(x) + G_p(x), by least squares from all samples:
///
///     F_p(x) = a_1 f_1(x) + ... + a_n f_n(x),   f_i of ln x, x, x^2, x^3, e^x, x e^x, x ln x  (1)
///     G_p(x) = a_1 x + a_2                                                                    (2)
class FittedCurves final : public BlockTimeModel {
 public:
  FittedCurves(std::size_t units, const CurveOptions& options)
      : options_(options), learned_(units), chooser_(options.solver) {}

  void add(const BlockFinished& finished) override { learned_.add(finished); }

  void fit(const View& view) override {
    FitOptions fit;
    fit.mode = options_.fit;
    fit.scale_items = static_cast<double>(view.workload().items);
    fit.adjusted_r2 = options_.adjusted_r2;
    learned_.fit(fit);
  }

  [[nodiscard]] bool knows(UnitId unit) const override { return learned_.fit_of(unit).has_value(); }
  [[nodiscard]] bool knows_any() const override { return learned_.any_fit(); }

  /// "If the coefficient of determination is greater than 0.7 for all processing units."
  [[nodiscard]] bool is_good(const View& view) const override {
    return learned_.worst_r2(view) > options_.min_r2;
  }
  [[nodiscard]] double relative_noise() const override { return learned_.relative_noise(); }

  /// C. Block size selection: the x_g with
  ///
  ///     sum x_g = step                                                                        (3)
  ///     E_1(x_1) = E_2(x_2) = ... = E_n(x_n)                                                  (4)
  ///     E_g(x_g) = F_g(x_g) + G_g(x_g)                                                        (5)
  ///
  /// rounded to the closest valid sizes.
  [[nodiscard]] std::vector<Items> solve(const View& view, double items,
                                         Decisions& decisions) override {
    std::vector<Items> blocks = chooser_.choose(view, learned_, items);
    if (chooser_.failed()) decisions.note("ipopt_failed");
    return blocks;
  }

  [[nodiscard]] Decision explain(DecisionKind what,
                                 const std::vector<Items>& block_items) const override {
    return decision_of(what, learned_, block_items);
  }

 private:
  CurveOptions options_;
  LearnedCosts learned_;
  BlockChooser chooser_;
};

}  // namespace

/// Algorithm 1, determineModel(), from one executeTasks to the next. Called when all units are
/// back, or at the start of the run.
void PlbHec::determine_model(const View& view, Decisions& decisions) {
  if (round_ >= options_.min_rounds) {  // while i <= 4
    determine_curves(view);             // fitValues <- determineCurveProcessor()
    if (model_->is_good(view) || share_is_used_up(view)) return execute(view, decisions);
  }
  ++round_;
  const std::vector<Items> block_sizes = next_block_sizes(view);
  if (std::reduce(block_sizes.begin(), block_sizes.end()) == 0) return execute(view, decisions);
  for (const UnitId unit : training_.fastest_first()) {
    decisions.assign(unit, block_sizes[unit.index], BlockTag::train);  // executeTasks
  }
}

/// setNextBlockSizes(finishTimes): x0, then 2, 4, 8 x0 t_f / t_k (see TrainingRounds). Rounds after
/// the first four are scaled down to what is left of the 20 % of the items that training may use.
std::vector<Items> PlbHec::next_block_sizes(const View& view) const {
  std::vector<Items> sizes;
  for (const UnitState& unit : view.units()) {
    sizes.push_back(unit.present ? training_.size(unit.id, round_) : 0);
  }
  const auto sum = static_cast<double>(std::reduce(sizes.begin(), sizes.end()));
  const double left = options_.training_share_max * static_cast<double>(view.workload().items) -
                      static_cast<double>(training_.items());
  if (round_ > options_.min_rounds && sum > left) {
    const Items grain = view.workload().grain_items;
    for (Items& size : sizes) {
      size = static_cast<Items>(static_cast<double>(size) * left / sum) / grain * grain;
    }
  }
  return sizes;
}

/// "Or when 20% of the application data is processed."
bool PlbHec::share_is_used_up(const View& view) const {
  return static_cast<double>(training_.items()) >=
         options_.training_share_max * static_cast<double>(view.workload().items);
}

// -- C. Block size selection -------------------------------------------------------------------

/// X <- solveEquationSystem(fitValues). If no work is left, solving is postponed until there is
/// some: the chosen blocks may belong to units that are lost, and lost items may return. A unit
/// that the last solution left out gets a grain (see LeftOutUnits).
void PlbHec::solve_equation_system(const View& view, DecisionKind what, Decisions& decisions) {
  const auto left = static_cast<double>(view.remaining());
  const double step = step_items(view);
  rebalance_ = false;
  solved_for_ = SolvedFor::nothing;
  if (left == 0.0) return;
  std::vector<Items> blocks = model_->solve(view, std::min(step, left), decisions);
  const auto knows = [this](UnitId unit) { return model_->knows(unit); };
  const std::vector<UnitId> back = left_out_.let_back_in(view, knows, 0, blocks);
  repeated_.choose(blocks);
  for (const UnitId unit : back) repeated_.leave_uncompared(unit);
  decisions.decided(model_->explain(what, blocks));
  solved_for_ = left < step ? SolvedFor::less_than_a_step : SolvedFor::a_step;
}

/// The sum of the x_g. In eq. 3 they add up to 1, that is all of the data. Its text and figures
/// contradict it: a unit "requests another task of the same size" until all are done (III.D),
/// several tasks of each and a rebalancing are in Fig. 3, the threshold is a part of the time "of a
/// single block", and Fig. 6 has the data "allocated on a single step". So a step is a part of the
/// items. With step_fraction=1 each unit gets one block, and nothing corrects what four training
/// blocks said of a block many times as large.
double PlbHec::step_items(const View& view) const {
  const Workload& workload = view.workload();
  const auto n = static_cast<double>(view.units().size());
  const bool doubled = options_.step == StepRule::doubled && training_.latest_items() > 0;
  const double step = doubled ? 2.0 * static_cast<double>(training_.latest_items())
                              : options_.step_fraction * static_cast<double>(workload.items);
  return std::max(std::round(step), n * static_cast<double>(workload.grain_items));
}

// -- D, E. Execution and rebalancing -----------------------------------------------------------

/// Algorithm 2, PLB-HeC(), from after determineModel() on.
void PlbHec::execute(const View& view, Decisions& decisions) {
  if (!model_->is_good(view)) decisions.note("poor_fit");
  stage_ = Stage::run;
  solve_equation_system(view, DecisionKind::fit, decisions);
  distribute_tasks(view, decisions);
}

/// for each proc from processorList: distributeTasks(X, proc). The first call makes sure that X is
/// up to date.
void PlbHec::distribute_tasks(const View& view, Decisions& decisions) {
  if (waits_for_all() && view.outstanding() > 0) return;
  bool is_first = true;
  for (const UnitState& unit : view.units()) {
    if (!unit.present || !unit.outstanding.empty()) continue;
    if (is_first && model_->knows(unit.id)) {
      answer(view, unit.id, decisions);
      is_first = false;
    } else {
      distribute_task(unit.id, decisions);
    }
  }
}

/// distributeTask(X, proc).
void PlbHec::distribute_task(UnitId unit, Decisions& decisions) {
  if (model_->knows(unit)) {
    decisions.assign(unit, repeated_.items(unit));
  } else {
    train_late_unit(unit, decisions);
  }
}

/// Algorithm 2, FinishedTaskExecution(proc, finishTime), without its last line: the next block is
/// the answer to UnitIdle. The unit that detects the imbalance gets one more block (figure 3).
void PlbHec::finished_task(const View& view, UnitId unit, Decisions& decisions) {
  if (rebalance_) {
    stage_ = Stage::synchronize;
    if (options_.sync_order == SyncOrder::fit_then_sync) {  // as in the paper's code
      determine_curves(view);
      solve_equation_system(view, DecisionKind::rebalance, decisions);
    }
  } else if (is_unbalanced(view)) {
    rebalance_ = true;
    decisions.assign(unit, repeated_.items(unit));
  }
}

/// maxDifference(finishTime) >= threshold.
bool PlbHec::is_unbalanced(const View& view) const {
  return repeated_.are_unbalanced(view, options_.balance, model_->relative_noise());
}

/// The end of synchronize(): all blocks are back.
void PlbHec::synchronized(const View& view, Decisions& decisions) {
  if (stage_ == Stage::train) {
    determine_model(view, decisions);
  } else {
    end_rebalancing(view, decisions);
    distribute_tasks(view, decisions);
  }
}

/// Computes new curves and a new X, unless this was done before all units waited.
void PlbHec::end_rebalancing(const View& view, Decisions& decisions) {
  stage_ = Stage::run;
  if (options_.sync_order == SyncOrder::drain_then_fit || solved_for_ == SolvedFor::nothing ||
      !repeated_.anyone_works(view)) {
    determine_curves(view);
    solve_equation_system(view, DecisionKind::rebalance, decisions);
  }
}

bool PlbHec::waits_for_all() const {
  return stage_ == Stage::synchronize || (stage_ == Stage::train && !options_.async_train);
}

// -- Events ------------------------------------------------------------------------------------

void PlbHec::decide(const View& view, const Event& event, Decisions& decisions) {
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    learn(*finished);
    if (stage_ == Stage::train) {
      train_without_barriers(view, decisions);
      note_exhaustion(view, decisions);
    } else if (stage_ == Stage::run && model_->knows(finished->unit)) {
      finished_task(view, finished->unit, decisions);
    } else if (stage_ == Stage::run) {
      learn_late_unit(view, finished->unit, decisions);
    }
  } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
    if (waits_for_all()) {
      if (all_are_back(view)) synchronized(view, decisions);
    } else if (stage_ == Stage::train) {
      decisions.assign(idle->unit, own_next_block(view, idle->unit), BlockTag::train);
    } else {
      answer(view, idle->unit, decisions);
    }
  } else {
    change(view, event, decisions);
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

/// The last line of FinishedTaskExecution, distributeTask(X, proc). If X was solved once more,
/// units that had no block in the old X get one too.
void PlbHec::answer(const View& view, UnitId id, Decisions& decisions) {
  if (model_->knows(id) && update_blocks(view, decisions)) {
    for (const UnitState& unit : view.units()) {
      if (unit.outstanding.empty() && unit.id != id) {
        decisions.assign(unit.id, repeated_.items(unit.id));
      }
    }
  }
  distribute_task(id, decisions);
}

/// Solves for X if it is out of date, and (ours) once more if less than a step is left; returns
/// whether it did the latter.
bool PlbHec::update_blocks(const View& view, Decisions& decisions) {
  if (solved_for_ == SolvedFor::nothing) {
    solve_equation_system(view, DecisionKind::block_lost, decisions);
  }
  const bool is_tail = options_.tail_resolve && solved_for_ == SolvedFor::a_step &&
                       static_cast<double>(view.remaining()) < step_items(view);
  if (is_tail) solve_equation_system(view, DecisionKind::tail, decisions);
  return is_tail;
}

// -- Training without barriers: as in PLB-HAC --------------------------------------------------

void PlbHec::train_without_barriers(const View& view, Decisions& decisions) {
  const bool is_trained = training_.fewest_blocks(view) >= options_.min_rounds;
  if (!options_.async_train || view.remaining() == 0) return;
  if (!is_trained && !share_is_used_up(view)) return;
  determine_curves(view);
  if (model_->is_good(view) || share_is_used_up(view)) execute(view, decisions);
}

/// The block of the unit's own next round. A unit that is ahead of the others gets the size of the
/// last round again.
Items PlbHec::own_next_block(const View& view, UnitId unit) const {
  const Items fewest = training_.fewest_blocks(view);
  const Items furthest = std::max(options_.min_rounds, fewest + 1);
  return training_.size(unit, std::min(training_.blocks(unit) + 1, furthest));
}

// -- Catalog -----------------------------------------------------------------------------------

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
       {"fit", "subset", "", "choice of functions: subset, single, full_ridge, nnls",
        "not said (eq. 1: seven functions, fitted to four points); chosen because few terms "
        "that predict left-out points do not overfit, e^x alone, a constant where x is small, only "
        "if sizes are three times apart: noise makes times of nearer sizes alike"},
       {"adjusted_r2", "false", "", "coefficients of determination adjusted for degrees of freedom",
        "III.B: the coefficient of determination"},
       {"solver", "direct", "", "direct or ipopt",
        "III.C, IV: Ipopt; direct finds the same sizes in every build"}});
  return list;
}

std::unique_ptr<Policy> make_plb_hec(const Parameters& read, const KnownCosts* /*known*/) {
  PlbHecOptions options = read_plb_hec_options(read);
  options.min_rounds = read.items("min_rounds", 1);
  options.async_train = read.flag("async_train");
  CurveOptions curves;
  curves.min_r2 = read.number("min_r2", -1e9, 1.0);
  curves.fit = static_cast<FitMode>(read.choice("fit", {"subset", "single", "full_ridge", "nnls"}));
  curves.adjusted_r2 = read.flag("adjusted_r2");
  curves.solver = read_solver(read);
  return std::make_unique<PlbHec>(std::move(options), [curves](std::size_t units) {
    return std::make_unique<FittedCurves>(units, curves);
  });
}

}  // namespace

PolicyInfo plb_hec_info() {
  return {"plb-hec",
          "learns block times in training rounds, then repeats blocks that end together",
          "PLB-HeC (2015), algorithms 1 and 2",
          plb_hec_parameters(),
          Foresight::none,
          0.170,
          make_plb_hec,
          nullptr,
          {plb_hec_robust()}};
}

}  // namespace equipoise

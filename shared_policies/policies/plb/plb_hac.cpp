// plb-hac: PLB-HAC (2019), the successor of PLB-HeC, in the order of its section 3: two training
// blocks per unit without a barrier between them, one barrier, then virtual steps. The first unit
// to enter a step fits and solves anew; every unit uses its latest block size; a unit that ended
// early fills the gap; and blocks shrink towards the end. There is no test of R^2.
//
// Functions have the paper's names. Where the paper contradicts itself, or its text and its code
// differ, a parameter decides; its description names the reading. Departures:
//  - Algorithm 1 counts a whole step as assigned when its first unit enters it, and assigns nothing
//    beyond the total, so the blocks of slower units are never assigned: here blocks are counted
//    one by one.
//  - Its branch for gaps passes X instead of the size of the gap: gap_fill.
//  - Blocks that shrink by a tenth from step to step never add up to the rest of the work if a step
//    is less than 3.3 % of all work: min_block_items is the smallest block; 0 shows the stall.
//  - A fit of "all measurements" cannot follow a slow-down as the paper's figure does: forgetting,
//    window.
// What we add is in plb_hac_changes.cpp.
#include "shared_policies/policies/plb/plb_hac.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/inverse_cost.hpp"

namespace equipoise {

// -- 3.1 Processing unit performance modeling --------------------------------------------------

/// The unit's next training block: 2 x_init for the first unit that finishes, 2 x_init R_p for the
/// others; their R_p = t_f / t_p is known by then. After two blocks follows the only barrier of the
/// run.
void PlbHac::train(const View& view, UnitId unit, Decisions& decisions) {
  const Items done = training_.blocks(unit);
  if (done < training_blocks) {
    decisions.assign(unit, training_.size(unit, done + 1), BlockTag::train);
  } else {
    end_training(view, decisions);
  }
}

void PlbHac::end_training(const View& view, Decisions& decisions) {
  if (all_are_back(view) && training_.fewest_blocks(view) >= training_blocks) {
    is_trained_ = true;
    for (SteppingUnit& unit : units_) unit.is_waiting = true;
    evaluate(view, DecisionKind::fit, {}, decisions);
  }
}

/// fitValues <- determineModel(), by least squares from all measurements, or the latest ones:
///
///     F_p(x) = a_1 f_1(x) + ... + a_n f_n(x),   f_i of x, x^2, x^3, e^x, ln x, x e^x, x ln x  (1)
///     G_p(x) = a_1 x + a_2                                                                    (2)
void PlbHac::determine_model(const View& view) {
  FitOptions fit;
  fit.mode = options_.fit;
  fit.scale_items = static_cast<double>(view.workload().items);
  learned_->fit(fit);
  learned_->step();
}

// -- 3.2 Block size selection ------------------------------------------------------------------

/// X <- solveEquationSystem(fitValues), and in the tail X <- X k:
///
///     E_1(x_1) = F_1(x_1) + G_1(x_1), ..., E_1(x_1) = E_2(x_2) = ... = E_n(x_n)               (3)
///     sum x_p = step, or what is left / k
///
/// or, with tail_of=step, for the sum k step. A unit that the last solution left out gets a
/// smallest block (see LeftOutUnits).
void PlbHac::solve_equation_system(const View& view, Decisions& decisions) {
  const Workload& workload = view.workload();
  const auto grain = static_cast<double>(workload.grain_items);
  const auto n = static_cast<double>(view.units().size());
  const auto left = static_cast<double>(view.remaining());
  const double k = tail_.factor();
  const double step =
      std::max(options_.step_fraction * static_cast<double>(workload.items), n * grain);
  const Items floor = min_block(view);
  if (floor == 0 && k * step < 0.5 * grain) {  // the step has shrunk to nothing
    std::fill(block_items_.begin(), block_items_.end(), 0);
    return;
  }
  // The step is at least one smallest block per unit: in a smaller step, units with high fixed
  // costs would get no block for the rest of the run.
  const double least = static_cast<double>(floor) * n;
  const bool shrinks_blocks = options_.tail.of == TailOf::blocks;
  const double sum =
      shrinks_blocks ? std::max(step, least) : std::max({k * step, least, 0.5 * grain});
  const double factor = shrinks_blocks ? k : 1.0;
  const std::vector<Items> chosen =
      chooser_.choose(view, *learned_, factor * sum > left ? left / factor : sum);
  if (chooser_.failed()) decisions.note("ipopt_failed");
  std::vector<double> shrunk(chosen.begin(), chosen.end());
  for (double& items : shrunk) items *= factor;
  block_items_ = whole_blocks(view, shrunk);
  for (const UnitState& unit : view.units()) {
    Items& items = block_items_[unit.id.index];
    if (chosen[unit.id.index] > 0) items = std::min(std::max(items, floor), unit.cap_items);
  }
  const auto knows = [this](UnitId unit) { return learned_->fit_of(unit).has_value(); };
  left_out_.let_back_in(view, knows, floor, block_items_);
}

/// "A minimum block size that does not underutilize the GPUs", in whole grains; 0 for no minimum.
Items PlbHac::min_block(const View& view) const {
  const Items grain = view.workload().grain_items;
  const Items least = options_.min_block_items.value_or(std::max(grain, first_block_items_ / 4));
  return (least + grain - 1) / grain * grain;
}

// -- 3.3 Execution phase -----------------------------------------------------------------------

/// One model evaluation, "M" in figure 3: fits, solves, and hands blocks to waiting units.
void PlbHac::evaluate(const View& view, DecisionKind what, std::optional<UnitId> entering,
                      Decisions& decisions) {
  determine_model(view);
  solve_equation_system(view, decisions);
  solved_at_ = view.now();
  Decision decision = decision_of(what, *learned_, block_items_);
  decision.unit = solving_unit(view, entering);
  decisions.decided(decision);
  for (const UnitState& unit : view.units()) {
    if (unit.present && unit.id != entering && units_[unit.id.index].is_waiting) {
      units_[unit.id.index].step = solved_step_;
      distribute_task(unit.id, decisions);
    }
  }
}

/// "The first CPU to become idle": the CPU that has been idle longest, or is expected to be idle
/// first. If there is no CPU, the unit that enters the step, or else the master.
std::optional<UnitId> PlbHac::solving_unit(const View& view, std::optional<UnitId> entering) const {
  if (options_.solve_on == SolveOn::entering_unit) return entering;
  std::optional<UnitId> first;
  Seconds first_idle = Seconds::infinity();
  for (const UnitState& state : view.units()) {
    if (!state.present || state.unit.kind != UnitKind::cpu) continue;
    const Seconds idle = expected_ends_.idle_at(state);
    if (idle < first_idle) {
      first = state.id;
      first_idle = idle;
    }
  }
  return first ? first : entering;
}

// -- 3.4 Algorithm 1 ---------------------------------------------------------------------------

/// Function PLB-HAC(proc).
void PlbHac::plb_hac(const View& view, UnitId unit, Decisions& decisions) {
  if (units_[unit.index].ended_step && enters_virtual_step_first(view, unit)) {
    tail_.step(view);  // if assignedData >= 0.7 totalData: X <- X k
    evaluate(view, DecisionKind::step, unit, decisions);
  }
  distribute_task(unit, decisions);
}

/// proc = firstProcessVirtualStep(proc).
bool PlbHac::enters_virtual_step_first(const View& view, UnitId id) {
  SteppingUnit& unit = units_[id.index];
  unit.ended_step = false;
  ++unit.step;
  Items entered = unit.step;
  if (options_.update_on == UpdateOn::all_units) {
    for (const UnitState& state : view.units()) {
      if (state.present && block_items_[state.id.index] > 0) {
        entered = std::min(entered, units_[state.id.index].step);
      }
    }
  }
  if (entered <= solved_step_) return false;
  if (view.now() - solved_at_ < Seconds{options_.min_solve_interval_s}) {
    unit.step = solved_step_;
    return false;
  }
  solved_step_ = entered;
  return true;
}

/// distributeTask(X[proc], proc).
void PlbHac::distribute_task(UnitId id, Decisions& decisions) {
  const Items items = block_items_[id.index];
  units_[id.index].is_waiting = items == 0 || !learned_->fit_of(id);
  if (units_[id.index].is_waiting) return;
  decisions.assign(id, items);
  const double expected_s = learned_->fit_of(id)->curve.at(static_cast<double>(items)).seconds;
  expected_ends_.ask(id, items, Seconds{expected_s});
}

/// Function FinishedTaskExecution(proc, finishTime), first part: learns from the block. The next
/// block is the answer to UnitIdle.
void PlbHac::finished_task(const View& view, const BlockFinished& finished, Seconds at) {
  SteppingUnit& unit = units_[finished.unit.index];
  learned_->add(finished);
  const auto outcome = expected_ends_.finish(finished, at);
  unit.gap_end.reset();
  if (finished.block.tag == BlockTag::train) {
    training_.remember(finished.unit, finished.block.items, block_duration_s(finished.times));
    return;
  }
  if (finished.block.tag == BlockTag::run) {
    unit.ended_step = true;
    if (outcome && ended_early(*outcome)) unit.gap_end = outcome->expected_end;
  }
  if (view.unit(finished.unit).outstanding.empty()) expected_ends_.lose(finished.unit);
}

/// The text: predicted - actual time >= 400 ms; the code: finishedTime / predictedTime <=
/// gapThreshold.
bool PlbHac::ended_early(const ExpectedEnds::Outcome& block) const {
  return options_.gap_rule == GapRule::difference
             ? block.expected - block.actual >= Seconds{options_.gap_threshold_s}
             : block.actual <= options_.gap_ratio * block.expected;
}

/// Function FinishedTaskExecution, second part: fills a gap, or else calls PLB-HAC().
void PlbHac::request_task(const View& view, UnitId unit, Decisions& decisions) {
  const Items gap = view.unit(unit).outstanding.empty() ? gap_block(view, unit) : 0;
  if (gap > 0) {
    decisions.assign(unit, gap, BlockTag::gap);
  } else {
    plb_hac(view, unit, decisions);
  }
}

/// determineGapBlockSize(): the size that fits into the time until the unit was expected to end; 0
/// if there is no gap, or if it is too small.
Items PlbHac::gap_block(const View& view, UnitId unit) {
  const std::optional<Seconds> gap_end = std::exchange(units_[unit.index].gap_end, std::nullopt);
  if (!gap_end || *gap_end <= view.now()) return 0;
  const Items grain = view.workload().grain_items;
  Items items = block_items_[unit.index];
  if (options_.gap_fill == GapFill::fitting) {
    InverseCost inverse(learned_->fit_of(unit)->curve,
                        static_cast<double>(view.unit(unit).cap_items));
    const double fitting = inverse.within((*gap_end - view.now()).value).items;
    items = static_cast<Items>(fitting * (1.0 + 1e-9)) / grain * grain;
  }
  return items < std::max(grain, min_block(view)) ? 0 : items;
}

// -- Events ------------------------------------------------------------------------------------

void PlbHac::decide(const View& view, const Event& event, Decisions& decisions) {
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    finished_task(view, *finished, event.at);
    note_exhaustion(view, decisions);
  } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
    const bool is_free = view.unit(idle->unit).outstanding.empty();
    if (is_trained_ && learned_->fit_of(idle->unit)) {
      request_task(view, idle->unit, decisions);
    } else if (is_trained_ && is_free) {
      train_late_unit(view, idle->unit, decisions);
    } else if (is_free) {
      train(view, idle->unit, decisions);
    }
  } else {
    change(view, event, decisions);
  }
}

// -- Catalog -----------------------------------------------------------------------------------

namespace {

ParameterInfo first_block_parameter() {
  ParameterInfo info = initial_block_parameter();
  info.source =
      "3.1: defined by the user (5.1: its tests used 1024 elements and do not say of what; on five "
      "machines 1024 rows a unit would be three times all of order 4096, of which 5.3 has idle "
      "times); auto as for all policies";
  return info;
}

std::vector<ParameterInfo> plb_hac_parameters() {
  return {
      first_block_parameter(),
      {"step_fraction", "0.05", "share of the items", "items of one step, one block a unit",
       "not said (eq. 3 adds up to all items, and yet there are many virtual steps: 3.3, Figs 3 "
       "and "
       "6); chosen like PLB-HeC's"},
      {"update_on", "first_unit", "",
       "blocks are chosen anew when the first unit enters a step (the code), or when all units "
       "have ended one (all_units: the text)",
       "Alg. 1, 3.4, Fig. 3 (3.3: when all units have finished, which would be a hidden barrier)"},
      {"solve_on", "first_cpu", "",
       "who spends the time of solving: the first CPU to be idle, or the entering_unit",
       "3.1, 3.3"},
      {"min_solve_interval_s", "0", "s", "steps that begin sooner keep the last block sizes",
       "Alg. 1: every virtual step is solved for"},
      {"gap_threshold_s", "0.4", "s", "how much too early a block must end to leave a gap", "3.3"},
      {"gap_rule", "difference", "",
       "a gap is a difference of at least gap_threshold_s (the text), or a ratio of at most "
       "gap_ratio (the code)",
       "3.3 (Alg. 1: a ratio)"},
      {"gap_ratio", "0.9", "x expected time", "for gap_rule=ratio",
       "not said; chosen because blocks that end a tenth early leave a gap worth filling"},
      {"gap_fill", "fitting", "", "a block that fits the gap, or a whole one as the code passes",
       "3.3, determineGapBlockSize of Alg. 1 (which then passes X)"},
      {"tail_start", "0.7", "share of the items", "from here on blocks shrink", "3.3, Alg. 1"},
      {"tail_from", "assigned", "", "the share that is assigned (the code) or processed (the text)",
       "Alg. 1: assignedData (3.3: processed)"},
      {"tail_shrink", "0.1", "", "alpha: blocks shrink to 1 - alpha", "3.3"},
      {"tail_rule", "compounding", "",
       "by 1 - alpha from step to step (compounding), or the same once and for all (constant)",
       "3.3: a gradual decrease, Fig. 3: progressively (Alg. 1 does not define k)"},
      {"tail_of", "blocks", "",
       "the factor is on the blocks that end together in a whole step (blocks: X k), or on the "
       "step "
       "that blocks are chosen for (step), so that they still end together",
       "Alg. 1: X <- X * k"},
      {"min_block_items", "auto", "items",
       "smallest block; auto: a quarter of the initial block; 0: none, as in algorithm 1",
       "3.2: one that does not underutilize the GPUs; does not say how large; chosen because "
       "smaller "
       "ones were never measured"},
      {"forgetting", "1", "x a step", "weight of a measurement after one step; 1: all count alike",
       "3.3: all measurements collected"},
      {"window", "0", "blocks", "only this many latest blocks of each unit are used; 0: all",
       "3.3: all measurements collected"},
      {"narrow_span", "3", "largest / smallest size",
       "where less is remembered, proportion is fitted instead of a curve; 0: never",
       "not said, because nothing is forgotten; chosen because sizes close together give any "
       "slope"},
      {"fit", "subset", "", "choice of functions: subset, single, full_ridge, nnls",
       "not said (eq. 1: seven functions, fitted to two points at first); chosen because few terms "
       "that predict left-out points do not overfit, e^x alone, a constant where x is small, only "
       "if sizes are three times apart: noise makes times of nearer sizes alike"},
      {"solver", "direct", "", "direct or ipopt",
       "3.2: interior point; direct finds the same sizes in every build"}};
}

std::unique_ptr<Policy> make_plb_hac(const Parameters& read, const KnownCosts* /*known*/) {
  PlbHacOptions options;
  options.initial_block_items = read.items_or_auto("initial_block_items", 1);
  options.step_fraction = read.number("step_fraction", 0.0, 1.0);
  options.update_on = static_cast<UpdateOn>(read.choice("update_on", {"first_unit", "all_units"}));
  options.solve_on = static_cast<SolveOn>(read.choice("solve_on", {"first_cpu", "entering_unit"}));
  options.min_solve_interval_s = read.number("min_solve_interval_s", 0.0, 1e9);
  options.gap_threshold_s = read.number("gap_threshold_s", 0.0, 1e9);
  options.gap_rule = static_cast<GapRule>(read.choice("gap_rule", {"difference", "ratio"}));
  options.gap_ratio = read.number("gap_ratio", 0.0, 1.0);
  options.gap_fill = static_cast<GapFill>(read.choice("gap_fill", {"fitting", "whole"}));
  options.tail.start = read.number("tail_start", 0.0, 1.0);
  options.tail.from = static_cast<TailFrom>(read.choice("tail_from", {"assigned", "processed"}));
  options.tail.shrink = read.number("tail_shrink", 0.0, 1.0);
  options.tail.rule = static_cast<TailRule>(read.choice("tail_rule", {"compounding", "constant"}));
  options.tail.of = static_cast<TailOf>(read.choice("tail_of", {"blocks", "step"}));
  options.min_block_items = read.items_or_auto("min_block_items", 0);
  options.memory.forgetting = read.number("forgetting", 0.001, 1.0);
  options.memory.window = read.items("window", 0);
  options.memory.narrow_span = read.number("narrow_span", 0.0, 1e9);
  options.fit =
      static_cast<FitMode>(read.choice("fit", {"subset", "single", "full_ridge", "nnls"}));
  options.solver = read_solver(read);
  return std::make_unique<PlbHac>(options);
}

}  // namespace

PolicyInfo plb_hac_info() {
  return {"plb-hac",
          "re-solves at every step, fills gaps, and shrinks blocks towards the end",
          "PLB-HAC (2019), algorithm 1",
          plb_hac_parameters(),
          Foresight::none,
          0.100,
          make_plb_hac,
          nullptr,
          {{"robust",
            "old measurements count less, so that blocks follow a unit that slows down, and the "
            "blocks of the tail end together",
            {{"forgetting", "0.5"}, {"tail_of", "step"}}}}};
}

}  // namespace equipoise

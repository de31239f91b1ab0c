// plb-hac: PLB-HAC (2019), the successor of PLB-HeC, in the order of its section 3: two training
// blocks per unit without a barrier between them, one barrier, then virtual steps. The first unit
// to enter a step fits and solves anew; every unit uses its latest block size; a unit that ended
// early fills the gap; and blocks shrink towards the end. There is no test of R^2.
//
//     3.1: x_init to each unit, then 2 x_init R_p, then wait for all   train, end_training
//     Algorithm 1, PLB-HAC(proc)                                       plb_hac
//       firstProc <- firstProcessVirtualStep(proc)                     enters_virtual_step_first
//       if proc = firstProc                                            plb_hac
//         fitValues <- determineModel()                                determine_model
//         X <- solveEquationSystem(fitValues)                          solve_equation_system
//         if assignedData >= 0.7 totalData: X <- X k                   ShrinkingTail
//         assignedData <- assignedData + sum(X)                        (the run loop counts)
//       distributeTask(X[proc], proc)                                  distribute_task
//     FinishedTaskExecution(proc, finishTime)                          finished_task
//       if assignedData <= totalData                                   on_idle
//         if finishedTime / predictedTime <= gapThreshold              ended_early
//           assignedData <- assignedData + determineGapBlockSize()     gap_block
//           distributeTask(X, proc)                                    request_task
//         else PLB-HAC()                                               request_task
//
// Where the paper contradicts itself, or its text and its code differ, a parameter decides; its
// description names the reading. One departure has no parameter: algorithm 1 counts a whole step as
// assigned when its first unit enters it, and assigns nothing beyond the total, so the blocks of
// slower units are never assigned; here blocks are counted one by one. And blocks that shrink by a
// tenth from step to step never add up to the rest of the work if a step is less than 3.3 % of all
// work: min_block_items=0 shows the stall.
//
// What we add stands apart, under "What we add"; calls of it say "ours".
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/plb/block_time_model.hpp"
#include "shared_policies/policies/plb/left_out_units.hpp"
#include "shared_policies/policies/plb/shrinking_tail.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/inverse_cost.hpp"

namespace equipoise {
namespace {

/// A block leaves a gap if its time is less than expected by a given difference, or by a given
/// ratio.
enum class GapRule { difference, ratio };
/// What fills a gap: a block that fits, or a whole one.
enum class GapFill { fitting, whole };
/// A virtual step begins when its first unit enters it, or when all units have ended the step
/// before.
enum class UpdateOn { first_unit, all_units };
/// Which unit spends the time of solving.
enum class SolveOn { first_cpu, entering_unit };

/// Keeps, for every unit, the time that its blocks were expected to take when they were requested.
/// A block begins when it is handed out, or when the block before it on its unit has ended.
class ExpectedEnds {
 public:
  /// The times of a finished block, expected and actual.
  struct Outcome {
    Seconds expected;      ///< duration
    Seconds actual;        ///< duration without waiting in the queue and without setup
    Seconds expected_end;  ///< point in time, given the setup that the block had
  };

  ExpectedEnds() = default;
  explicit ExpectedEnds(std::size_t n) : units_(n) {}

  /// Records that a block of `items` was requested and is expected to take `span`.
  void ask(UnitId unit, Items items, Seconds span) {
    units_[unit.index].asked.push_back({items, span});
  }
  /// Handles a block that ended at `at`. Returns nothing if no time was expected for it: the run
  /// loop granted another size than was requested, or `ask` was not called.
  std::optional<Outcome> finish(const BlockFinished& finished, Seconds at) {
    Expecting& unit = units_[finished.unit.index];
    const Seconds begun = std::max(unit.last_end, finished.assigned);
    unit.last_end = at;
    const std::optional<Seconds> expected = take(finished.unit, finished.block.items);
    if (!expected) return {};
    const Seconds setup = finished.times.setup;
    return Outcome{*expected, at - begun - setup, begun + setup + *expected};
  }
  /// Handles a lost block.
  void lose(const BlockLost& lost) { (void)take(lost.unit, lost.block.items); }
  /// Handles a lost unit: its blocks are lost with it.
  void lose(UnitId unit) { units_[unit.index].asked.clear(); }

  /// When the unit became idle, or when it is expected to become idle.
  [[nodiscard]] Seconds idle_at(const UnitState& state) const {
    const Expecting& unit = units_[state.id.index];
    Seconds idle = unit.last_end;
    if (!state.outstanding.empty()) {
      idle = std::max(idle, state.outstanding.front().assigned);
      for (const Asked& asked : unit.asked) idle += asked.span;
    }
    return idle;
  }

 private:
  struct Asked {
    Items items = 0;
    Seconds span;
  };
  struct Expecting {
    std::deque<Asked> asked;  // in the order of the requests
    Seconds last_end;
  };
  /// Removes the unit's first block of this size and returns its expected time.
  std::optional<Seconds> take(UnitId id, Items items) {
    std::deque<Asked>& asked = units_[id.index].asked;
    const auto found = std::ranges::find(asked, items, &Asked::items);
    if (found == asked.end()) return {};
    const Seconds span = found->span;
    asked.erase(found);
    return span;
  }

  std::vector<Expecting> units_;
};

class PlbHac final : public EventPolicy {
 public:
  explicit PlbHac(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        step_fraction_(read.number("step_fraction", 0.0, 1.0)),
        update_on_(read.choice<UpdateOn>("update_on", {"first_unit", "all_units"})),
        solve_on_(read.choice<SolveOn>("solve_on", {"first_cpu", "entering_unit"})),
        min_solve_interval_{read.number("min_solve_interval_s", 0.0, 1e9)},
        gap_threshold_{read.number("gap_threshold_s", 0.0, 1e9)},
        gap_rule_(read.choice<GapRule>("gap_rule", {"difference", "ratio"})),
        gap_ratio_(read.number("gap_ratio", 0.0, 1.0)),
        gap_fill_(read.choice<GapFill>("gap_fill", {"fitting", "whole"})),
        tail_of_(read.choice<TailOf>("tail_of", {"blocks", "step"})),
        tail_({.start = read.number("tail_start", 0.0, 1.0),
               .shrink = read.number("tail_shrink", 0.0, 1.0),
               .rule = read.choice<TailRule>("tail_rule", {"compounding", "constant"}),
               .from = read.choice<TailFrom>("tail_from", {"assigned", "processed"})}),
        min_block_items_(read.items_or_auto("min_block_items", 0)),
        memory_{.forgetting = read.number("forgetting", 0.001, 1.0),
                .window = read.items("window", 0),
                .narrow_span = read.number("narrow_span", 0.0, 1e9)},
        fit_{.mode = read_fit(read)},
        solver_(read_solver(read)) {}

 private:
  struct SteppingUnit {
    Items step = 0;                  ///< the virtual step it is in
    bool ended_step = false;         ///< its block of this step is back
    bool is_waiting = false;         ///< it requested a block and got none
    std::optional<Seconds> gap_end;  ///< if it ended early: when it was expected to end
  };

  static constexpr Items training_blocks = 2;  ///< x_init, then 2 x_init R

  // -- 3.1 Processing unit performance modeling --------------------------------------------------

  /// The unit's next training block: 2 x_init for the first unit that finishes, 2 x_init R_p for
  /// the others; their R_p = t_f / t_p is known by then. After two blocks follows the only barrier
  /// of the run.
  void train(UnitId unit) {
    const Items done = training_.blocks(unit);
    if (done < training_blocks) {
      decisions().assign(unit, training_.size(unit, done + 1), BlockTag::train);
    } else {
      end_training();
    }
  }

  void end_training() {
    if (all_are_back() && training_.fewest_blocks(view()) >= training_blocks) {
      is_trained_ = true;
      for (SteppingUnit& unit : units_) unit.is_waiting = true;
      evaluate(DecisionKind::fit, {});
    }
  }

  /// fitValues <- determineModel(), by least squares from all measurements, or the latest ones:
  ///
  ///     F_p(x) = a_1 f_1(x) + ... + a_n f_n(x),   f_i of x, x^2, x^3, e^x, ln x, x e^x, x ln x (1)
  ///     G_p(x) = a_1 x + a_2                                                                   (2)
  void determine_model() {
    model_->fit(view());
    model_->end_step();
  }

  // -- 3.2 Block size selection ------------------------------------------------------------------

  /// X <- solveEquationSystem(fitValues), and in the tail X <- X k:
  ///
  ///     E_1(x_1) = F_1(x_1) + G_1(x_1), ..., E_1(x_1) = E_2(x_2) = ... = E_n(x_n)             (3)
  ///     sum x_p = step, or what is left / k
  ///
  /// or, with tail_of=step, for the sum k step.
  void solve_equation_system() {
    const auto n = static_cast<double>(view().units().size());
    const double k = tail_.factor();
    const double step = std::max(step_fraction_ * all_items(), n * grain());
    const Items floor = min_block();
    if (floor == 0 && k * step < 0.5 * grain()) {  // the step has shrunk to nothing
      std::fill(block_items_.begin(), block_items_.end(), 0);
      return;
    }
    // The step is at least one smallest block per unit: in a smaller step, units with high fixed
    // costs would get no block for the rest of the run.
    const double least = static_cast<double>(floor) * n;
    const bool shrinks_blocks = tail_of_ == TailOf::blocks;
    const double sum =
        shrinks_blocks ? std::max(step, least) : std::max({k * step, least, 0.5 * grain()});
    const double factor = shrinks_blocks ? k : 1.0;
    const std::vector<Items> chosen =
        model_->solve(view(), factor * sum > remaining() ? remaining() / factor : sum, decisions());
    std::vector<double> shrunk(chosen.begin(), chosen.end());
    for (double& items : shrunk) items *= factor;
    block_items_ = whole_blocks(view(), shrunk);
    for (const UnitState& unit : view().units()) {
      Items& items = block_items_[unit.id.index];
      if (chosen[unit.id.index] > 0) items = std::min(std::max(items, floor), unit.cap_items);
    }
    left_out_.let_back_in(view(), *model_, min_block(), block_items_);  // ours
  }

  /// "A minimum block size that does not underutilize the GPUs", in whole grains; 0 for no minimum.
  [[nodiscard]] Items min_block() const {
    const Items grain = view().workload().grain_items;
    const Items least = min_block_items_.value_or(std::max(grain, first_block_items_ / 4));
    return (least + grain - 1) / grain * grain;
  }

  // -- 3.3 Execution phase -----------------------------------------------------------------------

  /// One model evaluation, "M" in figure 3: fits, solves, and hands blocks to waiting units.
  void evaluate(DecisionKind what, std::optional<UnitId> entering) {
    determine_model();
    solve_equation_system();
    solved_at_ = view().now();
    Decision decision = model_->explain(what, block_items_);
    decision.unit = solving_unit(entering);
    decisions().decided(decision);
    for (const UnitState& unit : view().units()) {
      if (unit.present && unit.id != entering && units_[unit.id.index].is_waiting) {
        units_[unit.id.index].step = solved_step_;
        distribute_task(unit.id);
      }
    }
  }

  /// "The first CPU to become idle": the CPU that has been idle longest, or is expected to be idle
  /// first. If there is no CPU, the unit that enters the step, or else the master.
  [[nodiscard]] std::optional<UnitId> solving_unit(std::optional<UnitId> entering) const {
    if (solve_on_ == SolveOn::entering_unit) return entering;
    std::optional<UnitId> first;
    Seconds first_idle = Seconds::infinity();
    for (const UnitState& state : view().units()) {
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
  void plb_hac(UnitId unit) {
    if (units_[unit.index].ended_step && enters_virtual_step_first(unit)) {
      tail_.step(view());  // if assignedData >= 0.7 totalData: X <- X k
      evaluate(DecisionKind::step, unit);
    }
    distribute_task(unit);
  }

  /// proc = firstProcessVirtualStep(proc).
  [[nodiscard]] bool enters_virtual_step_first(UnitId id) {
    SteppingUnit& unit = units_[id.index];
    unit.ended_step = false;
    ++unit.step;
    Items entered = unit.step;
    if (update_on_ == UpdateOn::all_units) {
      for (const UnitState& state : view().units()) {
        if (state.present && block_items_[state.id.index] > 0) {
          entered = std::min(entered, units_[state.id.index].step);
        }
      }
    }
    if (entered <= solved_step_) return false;
    if (view().now() - solved_at_ < min_solve_interval_) {
      unit.step = solved_step_;
      return false;
    }
    solved_step_ = entered;
    return true;
  }

  /// distributeTask(X[proc], proc).
  void distribute_task(UnitId id) {
    const Items items = block_items_[id.index];
    units_[id.index].is_waiting = items == 0 || !model_->knows(id);
    if (units_[id.index].is_waiting) return;
    decisions().assign(id, items);
    const double expected_s = model_->curve(id).at(static_cast<double>(items)).seconds;
    expected_ends_.ask(id, items, Seconds{expected_s});
  }

  /// Function FinishedTaskExecution(proc, finishTime), first part: learns from the block. The next
  /// block is the answer to UnitIdle.
  void finished_task(const BlockFinished& finished) {
    SteppingUnit& unit = units_[finished.unit.index];
    model_->add(finished);
    const auto outcome = expected_ends_.finish(finished, at());
    unit.gap_end.reset();
    if (finished.block.tag == BlockTag::train) {
      training_.remember(finished.unit, finished.block.items, block_duration_s(finished.times));
      return;
    }
    if (finished.block.tag == BlockTag::run) {
      unit.ended_step = true;
      if (outcome && ended_early(*outcome)) unit.gap_end = outcome->expected_end;
    }
    if (view().unit(finished.unit).outstanding.empty()) expected_ends_.lose(finished.unit);
  }

  /// The text: predicted - actual time >= 400 ms; the code: finishedTime / predictedTime <=
  /// gapThreshold.
  [[nodiscard]] bool ended_early(const ExpectedEnds::Outcome& block) const {
    return gap_rule_ == GapRule::difference ? block.expected - block.actual >= gap_threshold_
                                            : block.actual <= gap_ratio_ * block.expected;
  }

  /// Function FinishedTaskExecution, second part: fills a gap, or else calls PLB-HAC().
  void request_task(UnitId unit) {
    const Items gap = view().unit(unit).outstanding.empty() ? gap_block(unit) : 0;
    if (gap > 0) {
      decisions().assign(unit, gap, BlockTag::gap);
    } else {
      plb_hac(unit);
    }
  }

  /// determineGapBlockSize(): the size that fits into the time until the unit was expected to end;
  /// 0 if there is no gap, or if it is too small.
  [[nodiscard]] Items gap_block(UnitId unit) {
    const std::optional<Seconds> gap_end = std::exchange(units_[unit.index].gap_end, std::nullopt);
    if (!gap_end || *gap_end <= view().now()) return 0;
    const Items grain = view().workload().grain_items;
    Items items = block_items_[unit.index];
    if (gap_fill_ == GapFill::fitting) {
      InverseCost inverse(model_->curve(unit), static_cast<double>(view().unit(unit).cap_items));
      const double fitting = inverse.within((*gap_end - view().now()).value).items;
      items = static_cast<Items>(fitting * (1.0 + 1e-9)) / grain * grain;
    }
    return items < std::max(grain, min_block()) ? 0 : items;
  }

  // -- Events ------------------------------------------------------------------------------------

  void on_finished(const BlockFinished& finished) override {
    finished_task(finished);
    note_exhaustion();  // ours
  }

  void on_idle(UnitId unit) override {
    const bool is_free = view().unit(unit).outstanding.empty();
    if (is_trained_ && model_->knows(unit)) {
      request_task(unit);
    } else if (is_trained_ && is_free) {
      train_late_unit(unit);  // ours
    } else if (is_free) {
      train(unit);
    }
  }

  // -- What we add -------------------------------------------------------------------------------
  //
  // The paper has one load, done once, on units that are present throughout and all take part.
  //
  //  - Phases: what was learned of a kernel is kept; a phase with a known kernel does not train.
  //  - Iterations: each begins with new block sizes of full steps, and has its own tail.
  //  - Units that are lost or join: the present units share the steps from then on, without a
  //    barrier.
  //  - A unit that joins after training trains by itself while the others work.
  //  - A unit that two solutions in a row leave out gets a smallest block (LeftOutUnits).
  //  - If the work ends during training, its last items are handed out, and the journal notes it.

  void on_phase() override {
    const std::size_t n = view().units().size();
    model_ =
        &kernels_.try_emplace(view().workload().kernel, n, fit_, solver_, memory_).first->second;
    is_trained_ = model_->knows_any(view());
    expected_ends_ = ExpectedEnds(n);
    first_block_items_ = initial_block(view(), initial_block_items_);
    training_ = TrainingRounds(n, first_block_items_, {1.0, 2.0}, RatioMode::first);
    units_.assign(n, {});
    block_items_.assign(n, 0);
    left_out_ = LeftOutUnits(n);
    solved_step_ = 0;
  }

  void on_iteration() override {
    tail_.reset();
    if (is_trained_) evaluate(DecisionKind::iteration, {});
  }

  void on_block_lost(const BlockLost& lost) override { expected_ends_.lose(lost); }

  void on_unit_lost(UnitId unit) override {
    units_[unit.index] = {};
    expected_ends_.lose(unit);
    change_units(DecisionKind::unit_lost);
  }

  void on_unit_joined(UnitId unit) override {
    units_[unit.index].step = solved_step_;
    change_units(DecisionKind::unit_joined);
  }

  void change_units(DecisionKind what) {
    if (!is_trained_) {
      end_training();
    } else if (view().remaining() > 0) {
      evaluate(what, {});
    }
  }

  void train_late_unit(UnitId unit) {
    if (training_.blocks(unit) < training_blocks) {
      train(unit);
    } else {
      units_[unit.index].is_waiting = true;
      evaluate(DecisionKind::unit_joined, {});
    }
  }

  void note_exhaustion() const {
    if (!is_trained_ && view().remaining() == 0 && view().outstanding() == 0) {
      decisions().note("exhausted_in_training");
    }
  }

  std::optional<Items> initial_block_items_;
  double step_fraction_;
  UpdateOn update_on_;
  SolveOn solve_on_;
  Seconds min_solve_interval_;
  Seconds gap_threshold_;
  GapRule gap_rule_;
  double gap_ratio_;
  GapFill gap_fill_;
  TailOf tail_of_;
  ShrinkingTail tail_;
  std::optional<Items> min_block_items_;
  SampleMemory memory_;
  FitOptions fit_;
  Solver solver_;

  std::map<std::string, FittedCurves> kernels_;
  FittedCurves* model_ = nullptr;  ///< of the current phase's kernel
  TrainingRounds training_;
  ExpectedEnds expected_ends_;
  std::vector<SteppingUnit> units_;
  std::vector<Items> block_items_;  ///< the latest X
  LeftOutUnits left_out_;           ///< of X
  Items first_block_items_ = 1;     ///< x_init
  Items solved_step_ = 0;
  Seconds solved_at_;
  bool is_trained_ = false;
};

// -- Catalog -----------------------------------------------------------------------------------

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
       "and 6); chosen like PLB-HeC's"},
      {"update_on", "first_unit", "",
       "blocks are chosen anew when the first unit enters a step (the code), or when all units "
       "have ended one (all_units: the text)",
       "Alg. 1, 3.4, Fig. 3 (3.3: when all units have finished, which would be a hidden barrier)"},
      {"solve_on", "first_cpu", "",
       "who spends the time of solving: the first CPU to be idle, or the entering_unit",
       "3.1, 3.3"},
      {"min_solve_interval_s", "0", "s",
       "steps that begin sooner after the last solve keep its block sizes",
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
       "step that blocks are chosen for (step), so that they still end together",
       "Alg. 1: X <- X * k"},
      {"min_block_items", "auto", "items",
       "smallest block; auto: a quarter of the initial block; 0: none, as in algorithm 1",
       "3.2: one that does not underutilize the GPUs; does not say how large; chosen because "
       "smaller ones were never measured"},
      {"forgetting", "1", "x a step", "weight of a measurement after one step; 1: all count alike",
       "3.3: all measurements collected"},
      {"window", "0", "blocks", "only this many latest blocks of each unit are used; 0: all",
       "3.3: all measurements collected"},
      {"narrow_span", "3", "largest / smallest size",
       "if the sizes that are remembered span less, times are fitted as proportional to size, not "
       "by a curve; 0: never",
       "not said, because nothing is forgotten; chosen because sizes close together give any "
       "slope"},
      fit_parameter("two points at first"),
      solver_parameter("3.2: interior point")};
}

}  // namespace

PolicyInfo plb_hac_info() {
  return {.name = "plb-hac",
          .line = "re-solves at every step, fills gaps, and shrinks blocks towards the end",
          .source = "PLB-HAC (2019), algorithm 1",
          .parameters = plb_hac_parameters(),
          .paper_decision_s = 0.100,
          .make = make_a<PlbHac>,
          .presets = {{"robust",
                       "old measurements count less, so that blocks follow a unit that slows down, "
                       "and the blocks of the tail end together",
                       {{"forgetting", "0.5"}, {"tail_of", "step"}}}}};
}

}  // namespace equipoise

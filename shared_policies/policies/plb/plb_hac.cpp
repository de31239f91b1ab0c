// plb-hac: PLB-HAC (2019), the successor of PLB-HeC. Two training blocks a unit without a barrier
// between them, one barrier, then virtual steps: the first unit to enter a step fits and solves
// anew, every unit takes its latest block size, one that ended early fills the gap, and blocks
// shrink towards the end.
//
// Where the paper contradicts itself, or its text and its code differ, a parameter decides; its
// meaning names the reading. Departures:
//  - Algorithm 1 counts a whole step as assigned when its first unit enters and refuses service
//    beyond the total, which strands the blocks of slower units: here blocks count one by one.
//  - Its branch for gaps passes X instead of the size of the gap: gap_fill.
//  - Blocks that shrink by a tenth from step to step never add up to the rest of the work when a
//    step is less than 3.3 % of it: min_block_items is the floor; 0 shows the stall.
//  - "All measurements" cannot follow a slow-down as the paper's figure does: forgetting, window.
// What we add: units that are lost or join, iterations and phases (what was learned of a kernel is
// kept), work that ends inside training. There is no test of R^2 in PLB-HAC.
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/expected_ends.hpp"
#include "shared_policies/policies/plb/learned_costs.hpp"
#include "shared_policies/policies/plb/shrinking_tail.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/inverse_cost.hpp"

namespace equipoise {
namespace {

enum class GapRule { difference, ratio };
enum class GapFill { fitting, whole };
enum class UpdateOn { first_unit, all_units };
enum class SolveOn { first_cpu, entering_unit };

struct PlbHacOptions {
  std::optional<Items> initial_block_items;
  double step_fraction = 0.05;
  UpdateOn update_on = UpdateOn::first_unit;
  SolveOn solve_on = SolveOn::first_cpu;
  double min_solve_interval_s = 0.0;
  double gap_threshold_s = 0.4;
  GapRule gap_rule = GapRule::difference;
  double gap_ratio = 0.9;
  GapFill gap_fill = GapFill::fitting;
  TailOptions tail;
  std::optional<Items> min_block_items;
  SampleMemory memory;
  FitMode fit = FitMode::subset;
  BlockChooser::Solver solver = BlockChooser::Solver::direct;
};

constexpr Items training_blocks = 2;  // x0, then 2 x0 R_p

class PlbHac final : public Policy {
 public:
  explicit PlbHac(const PlbHacOptions& options)
      : options_(options), chooser_(options.solver), tail_(options.tail) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      begin_phase(view);
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      tail_.reset();
      if (is_trained_) solve(view, "iteration", {}, decisions);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      on_finished(view, *finished, event.at, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      on_idle(view, idle->unit, decisions);
    } else if (const auto* block = std::get_if<BlockLost>(&event.what)) {
      expected_ends_.lose(*block);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      units_[lost->unit.index] = {};
      expected_ends_.lose(lost->unit);
      on_membership(view, "unit_lost", decisions);
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      durations_.joined(joined->unit);
      units_[joined->unit.index].step = solved_step_;
      on_membership(view, "unit_joined", decisions);
    }
  }

 private:
  struct SteppingUnit {
    Items step = 0;                  // the virtual step it is in
    bool ended_step = false;         // its block of that step is back
    bool is_waiting = false;         // it asked, and there was no block for it
    std::optional<Seconds> gap_end;  // it ended early: when it was expected to end
  };

  // -- Beginnings ------------------------------------------------------------------------------

  void begin_phase(const View& view) {
    const std::size_t n = view.units().size();
    units_.assign(n, {});
    expected_ends_ = ExpectedEnds(n);
    block_items_.assign(n, 0);
    durations_.begin_phase(view);
    learned_ = &kernels_.try_emplace(view.workload().kernel, n, options_.memory).first->second;
    first_block_items_ = initial_block(view, options_.initial_block_items);
    training_ = TrainingRounds(n, first_block_items_, {1.0, 2.0}, RatioMode::first);
    is_trained_ = learned_->any_fit();
    solved_step_ = 0;
  }

  // -- Training --------------------------------------------------------------------------------

  /// The unit's next training block: 2 x0 for the first to come back, 2 x0 R_p for the others, of
  /// which R_p = t_f / t_p is known by then. After two the only barrier of the run.
  void train(const View& view, UnitId id, Decisions& decisions) {
    const Items done = training_.blocks(id);
    if (done < training_blocks) {
      decisions.assign(id, training_.size(id, done + 1), BlockTag::train);
    } else {
      end_training(view, decisions);
    }
  }

  void end_training(const View& view, Decisions& decisions) {
    if (all_are_back(view) && training_.fewest_blocks(view) >= training_blocks) {
      is_trained_ = true;
      for (SteppingUnit& unit : units_) unit.is_waiting = true;
      solve(view, "fit", {}, decisions);
    }
  }

  // -- Events ----------------------------------------------------------------------------------

  void on_finished(const View& view, const BlockFinished& finished, Seconds at,
                   Decisions& decisions) {
    const UnitId id = finished.unit;
    SteppingUnit& unit = units_[id.index];
    const auto [seconds, brought_resident_data] = durations_.of(view, finished);
    learned_->add(finished, brought_resident_data);
    const auto outcome = expected_ends_.finish(finished, at);
    unit.gap_end.reset();
    if (finished.block.tag == BlockTag::train) {
      training_.remember(id, finished.block.items, seconds);
      if (!is_trained_ && view.remaining() == 0 && view.outstanding() == 0) {
        decisions.note("exhausted_in_training");
      }
      return;
    }
    if (finished.block.tag == BlockTag::run) {
      unit.ended_step = true;
      if (outcome && ended_early(*outcome)) unit.gap_end = outcome->expected_end;
    }
    if (view.unit(id).outstanding.empty()) expected_ends_.lose(id);
  }

  [[nodiscard]] bool ended_early(const ExpectedEnds::Outcome& block) const {
    return options_.gap_rule == GapRule::difference
               ? block.expected - block.actual >= Seconds{options_.gap_threshold_s}
               : block.actual <= options_.gap_ratio * block.expected;
  }

  void on_idle(const View& view, UnitId id, Decisions& decisions) {
    const bool is_free = view.unit(id).outstanding.empty();
    SteppingUnit& unit = units_[id.index];
    if (!is_trained_) {
      if (is_free) train(view, id, decisions);
    } else if (!learned_->fit_of(id)) {  // it came late: it trains beside the others' work
      if (!is_free) return;
      if (training_.blocks(id) < training_blocks) {
        train(view, id, decisions);
      } else {
        unit.is_waiting = true;
        solve(view, "unit_joined", {}, decisions);
      }
    } else if (!(is_free && fill_gap(view, id, decisions))) {
      if (unit.ended_step) enter_next_step(view, id, decisions);
      hand_out(id, decisions);
    }
  }

  /// A unit is gone or there: the present ones share the steps from now on, without a barrier.
  void on_membership(const View& view, const char* what, Decisions& decisions) {
    if (!is_trained_) {
      end_training(view, decisions);
    } else if (view.remaining() > 0) {
      solve(view, what, {}, decisions);
    }
  }

  // -- Running ---------------------------------------------------------------------------------

  /// Fills what is left until the time at which the unit was expected to end.
  bool fill_gap(const View& view, UnitId id, Decisions& decisions) {
    const std::optional<Seconds> gap_end = std::exchange(units_[id.index].gap_end, std::nullopt);
    if (!gap_end || *gap_end <= view.now()) return false;
    const Items grain = view.workload().grain_items;
    Items items = block_items_[id.index];
    if (options_.gap_fill == GapFill::fitting) {
      InverseCost inverse(learned_->fit_of(id)->curve,
                          static_cast<double>(view.unit(id).cap_items));
      const double fitting = inverse.within((*gap_end - view.now()).value).items;
      items = static_cast<Items>(fitting * (1.0 + 1e-9)) / grain * grain;
    }
    if (items < std::max(grain, min_block(view))) return false;
    decisions.assign(id, items, BlockTag::gap);
    return true;
  }

  void enter_next_step(const View& view, UnitId id, Decisions& decisions) {
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
    if (entered <= solved_step_) return;
    if (view.now() - solved_at_ < Seconds{options_.min_solve_interval_s}) {
      unit.step = solved_step_;
      return;
    }
    solved_step_ = entered;
    tail_.step(view);
    solve(view, "step", id, decisions);
  }

  /// Fits, chooses the blocks of the next steps, and hands them to units that wait.
  void solve(const View& view, const char* what, std::optional<UnitId> entering,
             Decisions& decisions) {
    FitOptions fit;
    fit.mode = options_.fit;
    fit.scale_items = static_cast<double>(view.workload().items);
    learned_->fit(fit);
    learned_->step();
    choose_blocks(view, decisions);
    solved_at_ = view.now();
    Decision decision = decision_of(what, *learned_, block_items_);
    decision.unit = solving_unit(view, entering);
    decisions.decided(decision);
    for (const UnitState& unit : view.units()) {
      if (unit.present && unit.id != entering && units_[unit.id.index].is_waiting) {
        units_[unit.id.index].step = solved_step_;
        hand_out(unit.id, decisions);
      }
    }
  }

  void choose_blocks(const View& view, Decisions& decisions) {
    const Workload& workload = view.workload();
    const auto grain = static_cast<double>(workload.grain_items);
    const double step =
        tail_.factor() * std::max(options_.step_fraction * static_cast<double>(workload.items),
                                  static_cast<double>(view.units().size()) * grain);
    const Items floor = min_block(view);
    if (floor == 0 && step < 0.5 * grain) {  // shrunk to nothing
      std::fill(block_items_.begin(), block_items_.end(), 0);
      return;
    }
    // A step of one smallest block a unit: a smaller one would leave units without a block whose
    // fixed cost is high, for the rest of the run.
    const double least = static_cast<double>(floor) * static_cast<double>(view.units().size());
    block_items_ = chooser_.choose(
        view, *learned_,
        std::min(std::max({step, least, 0.5 * grain}), static_cast<double>(view.remaining())));
    if (chooser_.failed()) decisions.note("ipopt_failed");
    for (const UnitState& unit : view.units()) {
      Items& items = block_items_[unit.id.index];
      if (items > 0) items = std::min(std::max(items, floor), unit.cap_items);
    }
  }

  /// The smallest block, whole grains; 0 where there is no floor.
  [[nodiscard]] Items min_block(const View& view) const {
    const Items grain = view.workload().grain_items;
    const Items least = options_.min_block_items.value_or(std::max(grain, first_block_items_ / 4));
    return (least + grain - 1) / grain * grain;
  }

  /// The CPU that has been idle longest, or is expected to be idle first; without a CPU the unit
  /// that enters the step, or else the master.
  [[nodiscard]] std::optional<UnitId> solving_unit(const View& view,
                                                   std::optional<UnitId> entering) const {
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

  void hand_out(UnitId id, Decisions& decisions) {
    SteppingUnit& unit = units_[id.index];
    const Items items = block_items_[id.index];
    unit.is_waiting = items == 0 || !learned_->fit_of(id);
    if (unit.is_waiting) return;
    decisions.assign(id, items);
    const double expected_s = learned_->fit_of(id)->curve.at(static_cast<double>(items)).seconds;
    expected_ends_.ask(id, items, Seconds{expected_s});
  }

  PlbHacOptions options_;
  BlockChooser chooser_;
  ShrinkingTail tail_;
  std::map<std::string, LearnedCosts> kernels_;
  LearnedCosts* learned_ = nullptr;  // of the current phase's kernel
  TrainingRounds training_;
  BlockDurations durations_;
  ExpectedEnds expected_ends_;
  std::vector<SteppingUnit> units_;
  std::vector<Items> block_items_;  // X, the latest
  Items first_block_items_ = 1;
  Items solved_step_ = 0;
  Seconds solved_at_;
  bool is_trained_ = false;
};

std::vector<ParameterInfo> plb_hac_parameters() {
  return {
      initial_block_parameter(),
      {"step_fraction", "0.05", "share of the items", "items of one step, one block a unit"},
      {"update_on", "first_unit", "",
       "blocks are chosen anew when the first unit enters a step (the code), or when all units "
       "have ended one (all_units: the text)"},
      {"solve_on", "first_cpu", "",
       "who spends the time of solving: the first CPU to be idle, or the entering_unit"},
      {"min_solve_interval_s", "0", "s", "steps that begin sooner keep the last block sizes"},
      {"gap_threshold_s", "0.4", "s", "how much too early a block must end to leave a gap"},
      {"gap_rule", "difference", "",
       "a gap is a difference of at least gap_threshold_s (the text), or a ratio of at most "
       "gap_ratio (the code)"},
      {"gap_ratio", "0.9", "x expected time", "for gap_rule=ratio; the paper gives no value"},
      {"gap_fill", "fitting", "", "a block that fits the gap, or a whole one as the code passes"},
      {"tail_start", "0.7", "share of the items", "from here on blocks shrink"},
      {"tail_from", "assigned", "",
       "the share that is assigned (the code) or processed (the text)"},
      {"tail_shrink", "0.1", "", "alpha: blocks shrink to 1 - alpha"},
      {"tail_rule", "compounding", "",
       "by 1 - alpha from step to step (compounding), or the same once and for all (constant)"},
      {"min_block_items", "auto", "items",
       "smallest block; auto: a quarter of the initial block; 0: none, as in algorithm 1"},
      {"forgetting", "1", "x a step",
       "weight of a measurement after one step; 1: all count alike (literal), 0.5: adaptive"},
      {"window", "0", "blocks", "only so many latest blocks of each unit count; 0: all"},
      {"narrow_span", "3", "largest / smallest size",
       "where less is remembered, proportion is fitted instead of a curve; 0: never"},
      {"fit", "subset", "", "choice of functions: subset, single, full_ridge, nnls"},
      {"solver", "direct", "", "direct or ipopt"}};
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
  options.min_block_items = read.items_or_auto("min_block_items", 0);
  options.memory.forgetting = read.number("forgetting", 0.001, 1.0);
  options.memory.window = read.items("window", 0);
  options.memory.narrow_span = read.number("narrow_span", 0.0, 1e9);
  options.fit =
      static_cast<FitMode>(read.choice("fit", {"subset", "single", "full_ridge", "nnls"}));
  options.solver = static_cast<BlockChooser::Solver>(read.choice("solver", {"direct", "ipopt"}));
  return std::make_unique<PlbHac>(options);
}

}  // namespace

PolicyInfo plb_hac_info() {
  return {"plb-hac",
          "solves anew at every virtual step, fills gaps, and shrinks blocks towards the end",
          "PLB-HAC (2019), algorithm 1",
          plb_hac_parameters(),
          Foresight::none,
          0.100,
          make_plb_hac};
}

}  // namespace equipoise

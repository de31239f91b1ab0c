// dlb-gpu: the dynamic load-balancing algorithm for clusters of GPUs that preceded PLB-HeC, in the
// order of its section III: one straight line per unit, learned in rounds with barriers; blocks
// that end together; and a new solution when their times drift apart.
//
//     Algorithm 1, determineModel(): PLB-HeC's, f(x) = a x - b     determine_model, FittedLines
//     Algorithm 2, dynamic()                                       execute
//       fitValues <- determineModel()                              determine_model
//       X <- solveEquationSystem(fitValues)                        solve_equation_system
//       while there is data                                        synchronized
//         finishTimes <- executeTasks(X)                           distribute_tasks
//         if maxDifference(finishTimes) >= threshold               is_unbalanced
//           fitValues <- determineCurveProcessor()                 determine_curves
//           X <- solveEquationSystem(fitValues)                    solve_equation_system
//           synchronize()                                          synchronized
//
// Its loop is that of PLB-HeC (plb_hec.cpp; plb_hec_changes.cpp for what both papers leave out).
// This file has the differences. Where text and listing differ or are silent, a parameter decides,
// and the catalog says which reading is which. Besides:
//  - Transfers are not modelled. The shares are in [0, 1] and yet add up to the data size Z; here
//    blocks add up to a step. The paper has no limit on training; training_share_max limits it.
//  - The paper solves f_1 = ... = f_n by an interior-point method. Straight lines have a closed
//    form, in which a negative share means that the unit stays idle. A line that does not rise is
//    replaced by a line through the origin and the newest block.
// One decision took the paper 665 ms (matrix product), 201 ms (Black-Scholes), 822 ms (gene
// networks); the catalog uses the first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/plb_hec.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {
namespace {

// -- Processor performance model ---------------------------------------------------------------

/// The time that the line describes: that of the whole block, or its compute time.
enum class TimeOf { block, compute };

/// f(x) = a x - b for every unit of one kernel: the least-squares line. If it does not rise, or if
/// there is only one size: the line through the origin and the newest block.
class FittedLines final : public BlockTimeModel {
 public:
  FittedLines(std::size_t units, TimeOf times) : times_(times), units_(units) {}

  void add(const BlockFinished& finished) override {
    LineUnit& unit = units_[finished.unit.index];
    const double seconds = times_ == TimeOf::block
                               ? block_duration_s(finished.times)
                               : std::max(finished.times.compute.value, shortest_block_s);
    const auto items = static_cast<double>(finished.block.items);
    add_sample(unit.samples, items, seconds);
    unit.newest_s_per_item = seconds / items;
  }

  void fit(const View& /*view*/) override {
    for (LineUnit& unit : units_) {
      if (!unit.samples.empty()) fit_line(unit);
    }
  }

 private:
  struct LineUnit {
    std::vector<CostSample> samples;
    double newest_s_per_item = 0.0;
    CostLine line;
    std::optional<FitQuality> quality;  // none: not fitted yet
  };

  static void fit_line(LineUnit& unit) {
    unit.line = {.seconds_per_item = unit.newest_s_per_item};
    int terms = 1;
    if (unit.samples.size() > 1) {
      const StraightLine line = fit_straight_line(unit.samples);
      if (line.slope > 0.0) {
        unit.line = {.seconds_per_item = line.slope, .advance_s = -line.intercept};
        terms = 2;
      }
    }
    std::vector<double> predictions;
    for (const CostSample& s : unit.samples) {
      predictions.push_back(unit.line.seconds_per_item * s.items - unit.line.advance_s);
    }
    unit.quality = quality_of(unit.samples, predictions, terms);
  }

  [[nodiscard]] const FitQuality* quality(UnitId unit) const override {
    const std::optional<FitQuality>& quality = units_[unit.index].quality;
    return quality ? &*quality : nullptr;
  }

  [[nodiscard]] std::string words(UnitId unit) const override {
    const auto& [a, b, cap] = units_[unit.index].line;
    return fmt::format("{:.4g} x {} {:.4g}", a, b < 0.0 ? '+' : '-', std::abs(b));
  }

  /// Optimal block size selection: the x_g with
  ///
  ///     sum x_g = step                                                                        (1)
  ///     E_1 = E_2 = ... = E_n                                                                 (2)
  ///     E_g = f(x_g)                                                                          (3)
  [[nodiscard]] std::vector<double> divide(const View& view, const std::vector<UnitId>& units,
                                           double items, Decisions& /*decisions*/) override {
    std::vector<CostLine> lines;
    for (const UnitId unit : units) {
      lines.push_back(units_[unit.index].line);
      lines.back().cap_items = static_cast<double>(view.unit(unit).cap_items);
    }
    return divide_by_lines(lines, items);
  }

  TimeOf times_;
  std::vector<LineUnit> units_;
};

// -- Rebalancing -------------------------------------------------------------------------------

/// Algorithm 2 as the paper prints it, in synchronous steps, instead of PLB-HeC's algorithm 2.
/// Algorithm 1 is PLB-HeC's, except that it may fit from the first round on (accept, min_rounds).
class SynchronousSteps final : public PlbHec {
 public:
  using PlbHec::PlbHec;

 private:
  /// finishTimes = executeTasks(X): the next step begins when all blocks of a step are back.
  [[nodiscard]] bool waits_for_all() const override { return true; }
  void finished_task(UnitId /*unit*/) override {}

  void synchronized() override {
    if (stage() == Stage::train) return determine_model();
    if (is_unbalanced()) {  // if maxDifference(finishTimes) >= threshold
      determine_curves();
      solve_equation_system(DecisionKind::rebalance);
    }
    distribute_tasks();
  }
};

// -- Catalog -----------------------------------------------------------------------------------

std::vector<ParameterInfo> dlb_gpu_parameters() {
  std::vector<ParameterInfo> list = plb_hec_loop_parameters("fit_then_sync");
  list.insert(list.end(),
              {{"accept", "text", "",
                "when training ends: as the text says (R^2 above 0.7, four rounds), or as "
                "algorithm 1 does (literal: 1 - R^2 below 0.5, from round 2 on)",
                "III: 0.7, \"for example four\" points (Alg. 1: error >= 0.5)"},
               {"min_rounds", "auto", "rounds", "rounds before the first fit; auto: by accept",
                "III, as accept reads it"},
               {"min_r2", "auto", "", "what R^2 of every fit must exceed; auto: by accept",
                "III, as accept reads it"},
               {"times", "block", "",
                "what the line describes: the whole block, copies included, or its compute time",
                "not said; chosen because the finish times that are fitted include copies"},
               {"sync_steps", "false", "", "a barrier after every step, as in algorithm 2",
                "III, Rebalancing: as soon as the processor finishes (Alg. 2 waits for all)"}});
  return list;
}

std::unique_ptr<Policy> make_dlb_gpu(const Parameters& read, const KnownCosts* /*known*/) {
  const bool literal = read.choice("accept", {"text", "literal"}) == 1;
  TrainingRule rule{.min_r2 = literal ? 0.5 : 0.7};
  rule.min_rounds = read.items_or_auto("min_rounds", 1).value_or(literal ? 2 : 4);
  if (read.text("min_r2") != "auto") rule.min_r2 = read.number("min_r2", -1e9, 1.0);
  const auto times = read.choice<TimeOf>("times", {"block", "compute"});
  const auto make_model = [times](std::size_t units) {
    return std::make_unique<FittedLines>(units, times);
  };
  if (read.flag("sync_steps")) return std::make_unique<SynchronousSteps>(read, rule, make_model);
  return std::make_unique<PlbHec>(read, rule, make_model);
}

}  // namespace

PolicyInfo dlb_gpu_info() {
  return {
      .name = "dlb-gpu",
      .line =
          "fits a line to each unit's times in training rounds, then repeats blocks that end "
          "together",
      .source =
          "A Dynamic Load-Balancing Algorithm for Heterogeneous GPU Clusters, algorithms 1 and 2",
      .parameters = dlb_gpu_parameters(),
      .paper_decision_s = 0.665,  // V.B to V.D: "the total cost of calculating the distribution of
                                  // the blocks"
      .make = make_dlb_gpu,
      .presets = {plb_hec_robust()},
      .paper_decisions_s = {{"blackscholes", 0.201}, {"grn", 0.822}},
      .is_paper_time_of_run = true};
}

}  // namespace equipoise

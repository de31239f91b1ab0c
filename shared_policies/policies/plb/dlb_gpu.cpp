// dlb-gpu: the dynamic load-balancing algorithm for clusters of GPUs that preceded PLB-HeC, in the
// order of its section III: one straight line per unit, learned in rounds with barriers; blocks
// that end together; and a new solution when their times drift apart. Its loop is that of PLB-HeC
// (plb_hec.cpp; plb_hec_changes.cpp for what both papers leave out). This file has the differences.
//
// Source: "A Dynamic Load-Balancing Algorithm for Heterogeneous GPU Clusters", algorithms 1 and 2.
// Readings and departures:
//  - The text accepts a curve with R^2 above 0.7 after "a few points, for example four"; algorithm
//    1 loops while the "error" is at least 0.5: accept.
//  - The text hands out blocks as units finish; algorithm 2 works in synchronous steps: sync_steps.
//    Both fit and solve before they synchronise: sync_order.
//  - Transfers are not modelled. The paper does not say whether the time of a block includes them:
//    times.
//  - The shares are in [0, 1] and yet add up to the data size Z; here blocks add up to a step.
//  - The paper has no limit on training; training_share_max limits it.
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
#include <utility>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/plb/plb_hec.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/line_finish.hpp"

namespace equipoise {
namespace {

// -- Processor performance model ---------------------------------------------------------------

/// The time that the line describes: that of the whole block, or its compute time.
enum class TimeOf { block, compute };

struct LineOptions {
  double min_r2 = 0.7;
  TimeOf times = TimeOf::block;
};

/// f(x) = a x - b, and how well it explains the samples.
struct FittedLine {
  double seconds_per_item = 0.0;  // a
  double advance_s = 0.0;         // b
  double r2 = 1.0;
  double relative_error2 = 0.0;  // sum of squared errors relative to the line
  double surplus = 0.0;          // number of measurements minus number of terms
};

struct LineUnit {
  std::vector<CostSample> samples;
  double newest_s_per_item = 0.0;
  std::optional<FittedLine> line;
};

/// The least-squares line. If it does not rise, or if there is only one size: the line through the
/// origin and the newest block.
FittedLine fit_line(const LineUnit& unit) {
  double weight = 0.0;
  double mean_x = 0.0;
  double mean_t = 0.0;
  for (const CostSample& s : unit.samples) {
    weight += s.weight;
    mean_x += s.weight * s.items;
    mean_t += s.weight * s.seconds;
  }
  mean_x /= weight;
  mean_t /= weight;
  double squares = 0.0;
  double products = 0.0;
  for (const CostSample& s : unit.samples) {
    squares += s.weight * (s.items - mean_x) * (s.items - mean_x);
    products += s.weight * (s.items - mean_x) * (s.seconds - mean_t);
  }
  FittedLine line{unit.newest_s_per_item};
  int terms = 1;
  if (unit.samples.size() > 1 && products > 0.0) {
    line.seconds_per_item = products / squares;
    line.advance_s = line.seconds_per_item * mean_x - mean_t;
    terms = 2;
  }
  std::vector<double> predictions;
  for (const CostSample& s : unit.samples) {
    predictions.push_back(line.seconds_per_item * s.items - line.advance_s);
    const double scale = std::max(std::abs(predictions.back()), shortest_block_s);
    const double error = s.seconds - predictions.back();
    line.relative_error2 += (s.weight * error * error + s.spread_s2) / (scale * scale);
  }
  line.surplus = std::max(0.0, weight - terms);
  line.r2 = determination(unit.samples, predictions, terms, false);
  return line;
}

/// The lines of all units, for one kernel.
class FittedLines final : public BlockTimeModel {
 public:
  FittedLines(std::size_t units, const LineOptions& options) : options_(options), units_(units) {}

  void add(const BlockFinished& finished) override {
    LineUnit& unit = units_[finished.unit.index];
    const double seconds = options_.times == TimeOf::block
                               ? block_duration_s(finished.times)
                               : std::max(finished.times.compute.value, shortest_block_s);
    const auto items = static_cast<double>(finished.block.items);
    add_sample(unit.samples, items, seconds);
    unit.newest_s_per_item = seconds / items;
  }

  void fit(const View& /*view*/) override {
    for (LineUnit& unit : units_) {
      if (!unit.samples.empty()) unit.line = fit_line(unit);
    }
  }

  [[nodiscard]] bool knows(UnitId unit) const override {
    return units_[unit.index].line.has_value();
  }
  [[nodiscard]] bool knows_any() const override {
    return std::any_of(units_.begin(), units_.end(),
                       [](const LineUnit& unit) { return unit.line.has_value(); });
  }
  [[nodiscard]] bool is_good(const View& view) const override {
    return std::all_of(view.units().begin(), view.units().end(), [this](const UnitState& unit) {
      return !unit.present || !knows(unit.id) || units_[unit.id.index].line->r2 > options_.min_r2;
    });
  }
  [[nodiscard]] double relative_noise() const override {
    double error2 = 0.0;
    double surplus = 0.0;
    for (const LineUnit& unit : units_) {
      error2 += unit.line ? unit.line->relative_error2 : 0.0;
      surplus += unit.line ? unit.line->surplus : 0.0;
    }
    return surplus > 0.0 ? std::sqrt(error2 / surplus) : 0.0;
  }

  /// Optimal block size selection: the x_g with
  ///
  ///     sum x_g = step                                                                        (1)
  ///     E_1 = E_2 = ... = E_n                                                                 (2)
  ///     E_g = f(x_g)                                                                          (3)
  [[nodiscard]] std::vector<Items> solve(const View& view, double items,
                                         Decisions& /*decisions*/) override {
    std::vector<CostLine> lines;
    std::vector<std::size_t> who;
    for (const UnitState& unit : view.units()) {
      if (unit.present && knows(unit.id)) {
        const FittedLine& line = *units_[unit.id.index].line;
        lines.push_back(
            {line.seconds_per_item, line.advance_s, static_cast<double>(unit.cap_items)});
        who.push_back(unit.id.index);
      }
    }
    const std::vector<double> divided = divide_by_lines(lines, items);
    std::vector<double> shares(units_.size(), 0.0);
    for (std::size_t i = 0; i < who.size(); ++i) shares[who[i]] = divided[i];
    return whole_blocks(view, shares);
  }

  [[nodiscard]] Decision explain(DecisionKind what,
                                 const std::vector<Items>& block_items) const override {
    Decision decision{{}, what, {}};
    for (std::uint32_t p = 0; p < units_.size(); ++p) {
      if (const std::optional<FittedLine>& line = units_[p].line) {
        decision.estimates.push_back(
            {UnitId{p},
             fmt::format("{:.4g} x {} {:.4g}", line->seconds_per_item,
                         line->advance_s < 0.0 ? '+' : '-', std::abs(line->advance_s)),
             line->r2,
             {},
             block_items[p]});
      }
    }
    return decision;
  }

 private:
  LineOptions options_;
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
  PlbHecOptions options = read_plb_hec_options(read);
  options.min_rounds = read.items_or_auto("min_rounds", 1).value_or(literal ? 2 : 4);
  LineOptions lines;
  lines.min_r2 = literal ? 0.5 : 0.7;
  if (read.text("min_r2") != "auto") lines.min_r2 = read.number("min_r2", -1e9, 1.0);
  lines.times = static_cast<TimeOf>(read.choice("times", {"block", "compute"}));
  const auto make_model = [lines](std::size_t units) {
    return std::make_unique<FittedLines>(units, lines);
  };
  if (read.flag("sync_steps")) {
    return std::make_unique<SynchronousSteps>(std::move(options), make_model);
  }
  return std::make_unique<PlbHec>(std::move(options), make_model);
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

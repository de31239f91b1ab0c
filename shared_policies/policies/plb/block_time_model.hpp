// What PLB-HeC, PLB-HAC and DLB-GPU learn of the units of a run, and the block sizes that take all
// units the same time according to it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/plb/basis_fit.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/solve/equal_finish_ipopt.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// A model of the block times of all units of a run, for one kernel: a fit for each unit that has
/// finished a block.
class BlockTimeModel {
 public:
  BlockTimeModel() = default;
  BlockTimeModel(const BlockTimeModel&) = delete;
  BlockTimeModel& operator=(const BlockTimeModel&) = delete;
  virtual ~BlockTimeModel() = default;

  /// Adds the times of a finished block, without its setup.
  virtual void add(const BlockFinished& finished) = 0;
  /// Fits every unit that has samples.
  virtual void fit(const View& view) = 0;

  /// Whether there is a fit of the unit; whether there is a fit of any unit of the run.
  [[nodiscard]] bool knows(UnitId unit) const { return quality(unit) != nullptr; }
  [[nodiscard]] bool knows_any(const View& view) const;
  /// Whether the coefficients of determination of all present units with a fit exceed `min_r2`.
  [[nodiscard]] bool is_good(const View& view, double min_r2) const;
  /// The standard deviation of block times relative to the fits, over all units; 0 if there are no
  /// more measurements than terms.
  [[nodiscard]] double relative_noise(const View& view) const;

  /// Block sizes (n) that add up to about `items` and take all present units with a fit the same
  /// time, each rounded to the nearest whole block on its own; 0 for the other units and for units
  /// that should stay idle. At least one unit gets a grain if any unit has a fit.
  [[nodiscard]] std::vector<Items> solve(const View& view, double items, Decisions& decisions);
  /// The fits of all units that have one, and the block sizes (n) chosen for them, for the journal.
  [[nodiscard]] Decision explain(DecisionKind what, const std::vector<Items>& block_items) const;

 private:
  /// How good the unit's fit is; nullptr: it has none.
  [[nodiscard]] virtual const FitQuality* quality(UnitId unit) const = 0;
  /// The unit's fit as text, a function of x items.
  [[nodiscard]] virtual std::string words(UnitId unit) const = 0;
  /// Sizes in the order of `units`, not rounded, with the sum `items` and equal times; all units
  /// have a fit.
  [[nodiscard]] virtual std::vector<double> divide(const View& view,
                                                   const std::vector<UnitId>& units, double items,
                                                   Decisions& decisions) = 0;
};

/// Which measurements are used, and with which weight.
struct SampleMemory {
  double forgetting = 1.0;  ///< factor on older weights at each step; 1: nothing is forgotten
  Items window = 0;         ///< only this many latest blocks of each unit; 0: all
  /// If the remembered sizes span less than this ratio, a curve through them would have an
  /// arbitrary slope, and a line through the origin replaces it. 0: never. Has no effect if nothing
  /// is forgotten.
  double narrow_span = 3.0;

  [[nodiscard]] bool forgets() const { return forgetting < 1.0 || window > 0; }
};

/// How block sizes are solved for: by `solve_equal_finish`, or by Ipopt as in the papers.
enum class Solver { direct, ipopt };

/// The model of PLB-HeC and PLB-HAC, by least squares from all samples:
///
///     E_p(x) = F_p(x) + G_p(x)
///     F_p(x) = a_1 f_1(x) + ... + a_n f_n(x),   f_i of ln x, x, x^2, x^3, e^x, x e^x, x ln x  (1)
///     G_p(x) = a_1 x + a_2                                                                    (2)
///
/// and block sizes x_p with E_1(x_1) = E_2(x_2) = ... = E_n(x_n) and a given sum. If Ipopt fails,
/// they are solved for directly, and the journal notes it.
///
/// Source: PLB-HeC eqs 1 to 5, PLB-HAC eqs 1 to 3. Memory use grows with the number of units and of
/// different block sizes (or with the window), not with the number of blocks.
class FittedCurves final : public BlockTimeModel {
 public:
  FittedCurves(std::size_t units, const FitOptions& options, Solver solver,
               const SampleMemory& memory = {});

  void add(const BlockFinished& finished) override;
  void fit(const View& view) override;
  /// Ends a step: the weights of all measurements so far are multiplied by `forgetting`.
  void end_step();

  /// E_p as last fitted; the unit must have a fit.
  [[nodiscard]] const CostModel& curve(UnitId unit) const { return units_[unit.index].fit->curve; }

 private:
  struct Measured {
    double items = 0.0;
    double compute_s = 0.0;
    double transfer_s = 0.0;
  };
  struct LearnedUnit {
    std::vector<CostSample> compute;
    std::vector<CostSample> transfer;
    std::optional<UnitFit> fit;
    std::deque<Measured> latest;  // with a window: the measurements that the samples are made of
  };
  static void pool(LearnedUnit& unit, const Measured& measured);

  [[nodiscard]] const FitQuality* quality(UnitId unit) const override;
  [[nodiscard]] std::string words(UnitId unit) const override;
  [[nodiscard]] std::vector<double> divide(const View& view, const std::vector<UnitId>& units,
                                           double items, Decisions& decisions) override;

  FitOptions options_;
  SampleMemory memory_;
  std::vector<LearnedUnit> units_;
  std::unique_ptr<IpoptEqualFinish> ipopt_;  // nullptr: direct
};

/// The parameter `fit`; `points`: how many points the paper fits its seven functions to.
[[nodiscard]] ParameterInfo fit_parameter(const std::string& points);
[[nodiscard]] FitMode read_fit(const Parameters& read);

/// The parameter `solver`; `place`: where the paper names Ipopt's method.
[[nodiscard]] ParameterInfo solver_parameter(const std::string& place);
/// Throws BackendError if it is `ipopt` and Ipopt cannot be used.
[[nodiscard]] Solver read_solver(const Parameters& read);

}  // namespace equipoise

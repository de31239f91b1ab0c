// The measurements of units and nodes, as functional performance models.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// How many measurements a model is based on.
struct ModelPoints {
  std::size_t sizes = 0;     ///< different sizes: the paper's "actual points"
  std::size_t repeated = 0;  ///< further measurements of a known size: its "accuracy points"
};

/// What is done with older totals when a new one is measured.
enum class OldTotals {
  replaced,  ///< removed: those of the initial plan, and those of earlier rounds whose size is
             ///< within 10 % of the new one
  averaged   ///< averaged with the new one if the sizes are equal
};

/// The time of a unit's share by its two models: the lower of both, because the plan does the share
/// in the faster of the two ways.
class ShareTime final : public CostModel {
 public:
  /// `alone`: single blocks, also several one after another (its speed is constant beyond the
  /// largest block measured). `together`: blocks that overlap, if any were measured.
  ShareTime(SpeedCurve alone, std::optional<SpeedCurve> together)
      : alone_(std::move(alone)), together_(std::move(together)) {}

  [[nodiscard]] CostAt at(double items) const override;
  [[nodiscard]] bool non_decreasing() const override {
    return alone_.non_decreasing() && (!together_ || together_->non_decreasing());
  }

 private:
  SpeedCurve alone_;
  std::optional<SpeedCurve> together_;
};

/// The models of all units and nodes for one kernel: piecewise-linear speeds through measured
/// points; repeated measurements of one size are averaged.
///
/// A unit's total is measured in two ways: for single blocks (the sum of their stages), and for
/// several blocks together, whose copies may overlap computation. They are the "two total
/// performance models for a single distant worker" of the paper's section 6, overlapped and
/// non-overlapped. It does not say when which is used: here, the one that says less for a share,
/// and the second is continued below its smallest point by the first.
///
/// Totals of several blocks and of nodes depend on how the share was cut into blocks at that time.
/// If the slow total of a bad first plan were kept next to better ones, it would block larger
/// shares (a node would never get more than in the first round); hence `OldTotals::replaced`. The
/// paper says that an "accuracy point updates the value of a previously obtained actual point", and
/// that four iterations balanced its nodes; this rule agrees with both. Which sizes count as
/// the same point is ours.
///
/// Source: hierarchical divisible load scheduling (2012), sections 3 and 5. Memory use grows with
/// the number of different sizes, not of blocks.
class PerformanceModels {
 public:
  PerformanceModels(std::size_t units, OldTotals old_totals)
      : old_totals_(old_totals), units_(units) {}

  /// Starts a round: measurements added from now on are newer than those before, and belong to a
  /// plan from these models or to the initial plan.
  void begin_round(bool is_learned_plan) {
    ++round_;
    is_learned_plan_ = is_learned_plan;
  }
  /// Adds the stage times of one block of a unit, without its setup.
  void add_block(UnitId unit, Items items, const StageTimes& times);
  /// Adds that several blocks of a unit took `time` together.
  void add_together(UnitId unit, Items items, Seconds time);
  /// Adds that all present units of a node (ascending) took `time` for `items` together.
  void add_node(const std::vector<UnitId>& units, Items items, Seconds time);

  /// Whether the unit was measured; only then do its models exist.
  [[nodiscard]] bool knows(UnitId unit) const { return !units_[unit.index].compute.empty(); }
  [[nodiscard]] SpeedCurve compute(UnitId unit) const {
    return SpeedCurve(units_[unit.index].compute);
  }
  /// The copies of one block; 0 if no copy ever took time.
  [[nodiscard]] std::unique_ptr<CostModel> in(UnitId unit) const;
  [[nodiscard]] std::unique_ptr<CostModel> out(UnitId unit) const;
  /// The time of a block alone.
  [[nodiscard]] SpeedCurve alone(UnitId unit) const { return SpeedCurve(units_[unit.index].alone); }
  /// The time of a share.
  [[nodiscard]] ShareTime total(UnitId unit) const;
  /// The time of a share of the node, if exactly these units were measured together; otherwise
  /// nothing.
  [[nodiscard]] std::optional<SpeedCurve> node_total(const std::vector<UnitId>& units) const;

  /// The number of measurements behind a unit's total, of both kinds.
  [[nodiscard]] ModelPoints points(UnitId unit) const;

 private:
  struct TotalSample {
    CostSample sample;
    int round = 0;
    bool is_of_learned_plan = false;
  };
  using Totals = std::vector<TotalSample>;  ///< ascending sizes
  struct UnitSamples {
    std::vector<CostSample> in;
    std::vector<CostSample> compute;
    std::vector<CostSample> out;
    std::vector<CostSample> alone;
    Totals together;
  };
  void add_total(Totals& totals, Items items, Seconds time) const;

  OldTotals old_totals_;
  int round_ = 0;
  bool is_learned_plan_ = false;
  std::vector<UnitSamples> units_;
  std::map<std::vector<UnitId>, Totals> nodes_;
};

}  // namespace equipoise

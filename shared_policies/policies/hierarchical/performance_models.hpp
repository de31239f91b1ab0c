// What was measured of units and nodes, as functional performance models.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// How many measurements a model rests on.
struct ModelPoints {
  std::size_t sizes = 0;     ///< different sizes: the paper's actual points
  std::size_t repeated = 0;  ///< further measurements of a known size: its accuracy points
};

/// What becomes of older totals when one is measured.
enum class OldTotals {
  replaced,  ///< forgotten: those of the initial plan, and of earlier rounds within 10 % of its
             ///< size
  averaged   ///< those of its very size are averaged with it: the paper
};

/// The models of all units and nodes for one kernel: piecewise-linear speeds through measured
/// points; repeated measurements of one size are averaged.
///
/// A unit's total is measured in two ways: of blocks by themselves (the sum of their stages), and
/// of several blocks together, whose copies may overlap computation. Where the two differ they are
/// two models; the one for shares is the second, and below its smallest point the first.
///
/// Totals of several blocks and of nodes depend on how the share was cut at that time. A slow total
/// of a bad first plan would stand as a wall beside the better ones that follow (a node never gets
/// more than it had in the first round), hence `OldTotals::replaced`; the rule is ours.
///
/// Source: hierarchical divisible load scheduling (2012), sections 3 and 5. Memory grows with
/// different sizes, not with blocks.
class PerformanceModels {
 public:
  PerformanceModels(std::size_t units, OldTotals old_totals)
      : old_totals_(old_totals), units_(units) {}

  /// What is added from now on is newer than what there is, and measured under a plan by these
  /// models, or under the initial one.
  void begin_round(bool is_learned_plan) {
    ++round_;
    is_learned_plan_ = is_learned_plan;
  }
  /// The stages of one block of a unit.
  void add_block(UnitId unit, Items items, const StageTimes& times);
  /// Several blocks of a unit took `time` together.
  void add_together(UnitId unit, Items items, Seconds time);
  /// The units of a node (ascending), all that were present, took `time` for `items` together.
  void add_node(const std::vector<UnitId>& units, Items items, Seconds time);

  /// Whether anything of the unit was measured; its models exist then.
  [[nodiscard]] bool knows(UnitId unit) const { return !units_[unit.index].compute.empty(); }
  [[nodiscard]] SpeedCurve compute(UnitId unit) const {
    return SpeedCurve(units_[unit.index].compute);
  }
  /// Copies of one block; no time at all where none was ever measured.
  [[nodiscard]] std::unique_ptr<CostModel> in(UnitId unit) const;
  [[nodiscard]] std::unique_ptr<CostModel> out(UnitId unit) const;
  /// What a share takes.
  [[nodiscard]] SpeedCurve total(UnitId unit) const;
  /// What a share of the node takes, where exactly these units were measured together.
  [[nodiscard]] std::optional<SpeedCurve> node_total(const std::vector<UnitId>& units) const;

  /// What the total of a unit rests on, both ways of measuring it together.
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

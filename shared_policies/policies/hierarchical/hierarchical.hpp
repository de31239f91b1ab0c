// Hierarchical divisible load scheduling as a class: hierarchical.cpp has what the paper says,
// hierarchical_changes.cpp what it leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What one round processes.
enum class RoundMode {
  slices,  ///< the first iteration of a kernel: given shares of the items, then the rest
  repeat   ///< all items of an iteration, as in the paper
};

/// Whose times have to agree before a plan is kept.
enum class BalanceOf {
  units,  ///< of all units that had a share
  nodes   ///< of the nodes, as in the paper: never wrong for one node, or for equal ones
};

struct HierarchicalOptions {
  ShareRule rule;
  RoundMode mode = RoundMode::slices;
  std::vector<double> slice_shares;  ///< of the items; at least one
  double threshold = 0.05;  ///< epsilon: relative difference of times that counts as balanced
  OldTotals old_totals = OldTotals::replaced;
  BalanceOf balance = BalanceOf::units;
};

/// The parameters behind `mode`, `slice_shares`, `threshold`, `old_totals` and `balance`, and
/// reading them.
[[nodiscard]] std::vector<ParameterInfo> hierarchical_parameters();
[[nodiscard]] HierarchicalOptions read_hierarchical_options(const Parameters& read);

/// A policy that works in rounds: everything that a plan gives to a unit is handed out at once, and
/// when the last block is back, what was measured goes into the models and the next round is
/// planned.
class Hierarchical final : public Policy {
 public:
  explicit Hierarchical(HierarchicalOptions options) : options_(std::move(options)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override;

 private:
  /// What is known of one kernel.
  struct KernelKnowledge {
    KernelKnowledge(std::size_t units, OldTotals old_totals) : models(units, old_totals) {}

    PerformanceModels models;
    int iterations = 0;     ///< begun
    bool balanced = false;  ///< the times of the last round agreed, under a plan by the models
    bool is_plan_learned = false;
    HierarchicalPlan plan;  ///< of the last round
    Items plan_items = 0;
    std::vector<std::vector<UnitId>> plan_nodes;  ///< present when it was made
  };

  /// A group (the paper's sub-distribution) that is on its way.
  struct GroupProgress {
    std::uint32_t group = 0;
    std::size_t blocks = 0;
    Items items = 0;          ///< that came back
    std::size_t back = 0;     ///< blocks that came back
    double resident_s = 0.0;  ///< of the copies in: resident data
  };

  /// What one unit does in a round.
  struct UnitRound {
    std::vector<GroupProgress> groups;
    std::size_t current = 0;  ///< position in `groups`
    Items items = 0;          ///< that came back
    Seconds end;              ///< of the last block
    Seconds group_begin;      ///< end of the group before
    double resident_s = 0.0;  ///< of the copies in: resident data
  };

  // The paper.
  void begin_round(const View& view, Decisions& decisions);
  void determine_distributions(const View& view, const std::vector<std::vector<UnitId>>& nodes,
                               Items load, Decisions& decisions);
  void explain(const View& view, Decisions& decisions) const;
  Items process(const View& view, Decisions& decisions);
  void finished_fraction(const View& view, Seconds at, const BlockFinished& finished);
  void follow_group(const BlockFinished& finished, Seconds at, double resident_s);
  void end_round(Decisions& decisions);
  [[nodiscard]] bool agree(const std::vector<double>& times_s) const;

  // What we add.
  void change(const View& view, const Event& event);
  [[nodiscard]] Items next_load(const View& view, const std::vector<std::vector<UnitId>>& nodes);
  [[nodiscard]] double resident_time(const View& view, const BlockFinished& finished);
  void offer_lost_work(const View& view, UnitId unit, Decisions& decisions);

  HierarchicalOptions options_;
  std::map<std::string, KernelKnowledge> kernels_;
  KernelKnowledge* kernel_ = nullptr;  ///< of this phase
  Seconds round_begin_;
  std::vector<UnitRound> rounds_;  ///< (n)
  std::uint32_t last_group_ = 0;

  std::vector<char> is_served_;  ///< (n): the unit has the phase's resident data
  std::size_t next_slice_ = 0;
  bool is_last_ = false;       ///< the round was handed all that remained
  bool is_disturbed_ = false;  ///< units came or went, or did more than was planned
  BlockPlan nobodys_;          ///< plans nothing: all that is in the pool is for whoever is idle
};

}  // namespace equipoise

// The class of hierarchical divisible load scheduling: hierarchical.cpp implements the paper,
// hierarchical_changes.cpp what the paper leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/hierarchical/hierarchical_plan.hpp"
#include "shared_policies/policies/hierarchical/performance_models.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// The load of one round.
enum class RoundMode {
  slices,  ///< in a kernel's first iteration: given shares of the items, then the rest
  repeat   ///< always all items of an iteration, as in the paper
};

/// Whose times must agree for a plan to be kept.
enum class BalanceOf {
  units,  ///< those of all units that had a share
  nodes   ///< those of the nodes, as in the paper; one node, or equal nodes, always agree
};

struct HierarchicalOptions {
  ShareRule rule;
  RoundMode mode = RoundMode::repeat;
  std::vector<double> slice_shares;  ///< shares of the items; at least one entry
  double threshold = 0.05;  ///< epsilon: relative difference of times that counts as balanced
  OldTotals old_totals = OldTotals::replaced;
  BalanceOf balance = BalanceOf::nodes;
};

/// The catalog row of `old_totals` in each policy; the default differs between the two.
[[nodiscard]] ParameterInfo old_totals_parameter(const std::string& default_text,
                                                 const std::string& source);
/// The catalog rows of `mode`, `slice_shares`, `threshold`, `old_totals` and `balance`, their
/// preset `robust`, and the function that reads them.
[[nodiscard]] std::vector<ParameterInfo> hierarchical_parameters(const ParameterInfo& old_totals);
[[nodiscard]] Preset hierarchical_robust();
[[nodiscard]] HierarchicalOptions read_hierarchical_options(const Parameters& read);

/// A policy that works in rounds: all blocks of a plan are handed out at once. When the last block
/// is back, the measurements are added to the models and the next round is planned.
class Hierarchical final : public Policy {
 public:
  explicit Hierarchical(HierarchicalOptions options) : options_(std::move(options)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override;

 private:
  /// What is known about one kernel.
  struct KernelKnowledge {
    KernelKnowledge(std::size_t units, OldTotals old_totals) : models(units, old_totals) {}

    PerformanceModels models;
    int iterations = 0;     ///< how many have begun
    bool balanced = false;  ///< the times of the last round agreed, under a plan from the models
    bool is_plan_learned = false;
    HierarchicalPlan plan;  ///< the plan of the last round
    Items plan_items = 0;
    std::vector<std::vector<UnitId>> plan_nodes;  ///< the nodes present when the plan was made
  };

  /// The progress of a group (the paper's sub-distribution) that was handed out.
  struct GroupProgress {
    std::uint32_t group = 0;
    std::size_t blocks = 0;
    Items items = 0;       ///< items of the blocks that are back
    std::size_t back = 0;  ///< blocks that are back
    Seconds setup{};       ///< of these blocks
  };

  /// The progress of one unit in a round.
  struct UnitRound {
    std::vector<GroupProgress> groups;
    std::size_t current = 0;  ///< position in `groups`
    Items items = 0;          ///< items of the blocks that are back
    Seconds end;              ///< end of the last block
    Seconds group_begin;      ///< end of the group before it
    Seconds setup{};          ///< of the blocks that are back
  };

  // The paper.
  void begin_round(const View& view, Decisions& decisions);
  void determine_distributions(const View& view, const std::vector<std::vector<UnitId>>& nodes,
                               Items load, Decisions& decisions);
  void explain(const View& view, Decisions& decisions) const;
  Items process(const View& view, Decisions& decisions);
  void finished_fraction(Seconds at, const BlockFinished& finished);
  void follow_group(const BlockFinished& finished, Seconds at);
  void end_round(Decisions& decisions);
  [[nodiscard]] bool agree(const std::vector<double>& times_s) const;

  // What we add.
  void change(const View& view, const Event& event);
  [[nodiscard]] Items next_load(const View& view, const std::vector<std::vector<UnitId>>& nodes);
  void offer_lost_work(const View& view, UnitId unit, Decisions& decisions);

  HierarchicalOptions options_;
  std::map<std::string, KernelKnowledge> kernels_;
  KernelKnowledge* kernel_ = nullptr;  ///< of this phase's kernel
  Seconds round_begin_;
  std::vector<UnitRound> rounds_;  ///< (n)
  std::uint32_t last_group_ = 0;

  std::size_t next_slice_ = 0;
  bool is_last_ = false;       ///< the round was given all remaining items
  bool is_disturbed_ = false;  ///< units joined or were lost, or did more than planned
  BlockPlan unplanned_;        ///< without planned blocks: gives the pool's items to idle units
};

}  // namespace equipoise

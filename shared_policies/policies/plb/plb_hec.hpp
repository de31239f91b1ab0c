// PLB-HeC's algorithms 1 and 2 as a class. DLB-GPU, the earlier algorithm, differs only in its
// model of a unit and in its algorithm 2.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/plb/block_time_model.hpp"
#include "shared_policies/policies/plb/left_out_units.hpp"
#include "shared_policies/policies/plb/repeated_blocks.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// Makes the model of one kernel for n units.
using BlockTimeModelMaker = std::function<std::unique_ptr<BlockTimeModel>(std::size_t units)>;

/// When training ends.
struct TrainingRule {
  Items min_rounds = 4;  ///< rounds before the first fit
  double min_r2 = 0.7;   ///< after these, it goes on until R^2 of every fit exceeds this
  bool async = false;    ///< no barrier between rounds
};

/// On imbalance: all blocks come back before the fit (the paper's text), or the fit is made first
/// (the paper's code).
enum class SyncOrder { drain_then_fit, fit_then_sync };
/// The items of a step: a share of all items, or twice those of the last training round.
enum class StepRule { fraction, doubled };

/// The catalog rows of the parameters that PlbHec reads itself; the default of `sync_order` differs
/// between the papers.
[[nodiscard]] std::vector<ParameterInfo> plb_hec_loop_parameters(const std::string& sync_order);
/// The preset `robust` of these parameters.
[[nodiscard]] Preset plb_hec_robust();

/// PLB-HeC with any model of block times. plb_hec.cpp has the paper, in its order,
/// plb_hec_changes.cpp all that we add.
class PlbHec : public EventPolicy {
 public:
  PlbHec(const Parameters& read, const TrainingRule& rule, BlockTimeModelMaker make_model);

 protected:
  /// Training, running, or waiting for all blocks to come back for a rebalancing.
  enum class Stage { train, run, synchronize };

  // A derived class may have another algorithm 2, as DLB-GPU does.

  /// FinishedTaskExecution: called when, after training, a block of a unit with a fit comes back.
  virtual void finished_task(UnitId unit);
  /// Whether blocks are handed out only when all blocks are back.
  [[nodiscard]] virtual bool waits_for_all() const;
  /// synchronize(): called when all blocks that the units waited for are back.
  virtual void synchronized();

  [[nodiscard]] Stage stage() const { return stage_; }
  void determine_model();
  void determine_curves() { model_->fit(view()); }
  [[nodiscard]] bool is_good() const { return model_->is_good(view(), rule_.min_r2); }
  [[nodiscard]] bool is_unbalanced() const;
  void solve_equation_system(DecisionKind what);
  void distribute_tasks();

 private:
  /// What the sum of X was chosen for. nothing: X is out of date, because units changed, a phase
  /// began, or no work was left to solve for.
  enum class SolvedFor { nothing, less_than_a_step, a_step };

  // The paper.
  void on_finished(const BlockFinished& finished) final;
  void on_idle(UnitId unit) final;
  [[nodiscard]] std::vector<Items> next_block_sizes() const;
  [[nodiscard]] bool share_is_used_up() const;
  [[nodiscard]] double step_items() const;
  void execute();
  void answer(UnitId unit);
  void distribute_task(UnitId unit);
  void end_rebalancing();
  void learn(const BlockFinished& finished);

  // What we add.
  void on_phase() final;
  void on_iteration() final;
  void on_unit_lost(UnitId unit) final { change_units(unit, DecisionKind::unit_lost); }
  void on_unit_joined(UnitId unit) final { change_units(unit, DecisionKind::unit_joined); }
  void change_units(UnitId unit, DecisionKind what);
  bool postpones_solving();
  void let_left_out_units_back_in(std::vector<Items>& block_items);
  [[nodiscard]] bool is_out_of_date() const;
  void update_blocks(UnitId unit);
  void train_without_barriers();
  [[nodiscard]] Items own_next_block(UnitId unit) const;
  void train_late_unit(UnitId unit);
  void learn_late_unit(UnitId unit);
  void note_exhaustion() const;

  std::optional<Items> initial_block_items_;
  std::vector<double> multipliers_;
  RatioMode ratio_mode_;
  double training_share_max_;
  BalanceRule balance_;
  double step_fraction_;
  StepRule step_;
  SyncOrder sync_order_;
  bool tail_resolve_;
  TrainingRule rule_;
  BlockTimeModelMaker make_model_;

  std::map<std::string, std::unique_ptr<BlockTimeModel>> kernels_;
  BlockTimeModel* model_ = nullptr;  ///< of the current phase's kernel
  TrainingRounds training_;
  RepeatedBlocks repeated_;  ///< X, and how long its blocks take
  LeftOutUnits left_out_;    ///< of X
  Stage stage_ = Stage::train;
  Items round_ = 0;         ///< i of algorithm 1
  bool rebalance_ = false;  ///< of algorithm 2
  SolvedFor solved_for_ = SolvedFor::nothing;
};

}  // namespace equipoise

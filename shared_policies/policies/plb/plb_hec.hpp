// PLB-HeC's algorithms 1 and 2 as a class. DLB-GPU, the earlier algorithm, differs only in its
// model of a unit and in its algorithm 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/plb/left_out_units.hpp"
#include "shared_policies/policies/plb/repeated_blocks.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// A model of the block times of all units of a run, for one kernel.
class BlockTimeModel {
 public:
  /// For n units. `min_r2`: what R^2 of every fit must exceed for the fits to be good.
  BlockTimeModel(std::size_t units, double min_r2) : fits_(units), min_r2_(min_r2) {}
  BlockTimeModel(const BlockTimeModel&) = delete;
  BlockTimeModel& operator=(const BlockTimeModel&) = delete;
  virtual ~BlockTimeModel() = default;

  /// Adds the times of a finished block, without its setup.
  virtual void add(const BlockFinished& finished) = 0;
  /// Fits every unit that has samples.
  virtual void fit(const View& view) = 0;
  /// Block sizes (n) that add up to about `items` and take all present units with a fit the same
  /// time; 0 for the others. At least one unit gets a grain if any unit has a fit.
  [[nodiscard]] virtual std::vector<Items> solve(const View& view, double items,
                                                 Decisions& decisions) = 0;

  /// Whether there is a fit of the unit; whether there is a fit of any unit.
  [[nodiscard]] bool knows(UnitId unit) const { return fits_[unit.index].has_value(); }
  [[nodiscard]] bool knows_any() const {
    return std::ranges::any_of(fits_, [](const auto& fit) { return fit.has_value(); });
  }
  /// Whether the fits of the present units are good enough to end training.
  [[nodiscard]] bool is_good(const View& view) const;
  /// The standard deviation of block times relative to the fits, over all units; 0 if there are no
  /// more measurements than terms.
  [[nodiscard]] double relative_noise() const;
  /// The fits, and the blocks that were chosen from them, for the journal.
  [[nodiscard]] Decision explain(DecisionKind what, const std::vector<Items>& block_items) const;

 protected:
  /// What is told of a unit's fit.
  struct Fit {
    std::string words;
    double r2 = 1.0;
    std::optional<double> r2_transfer;
    double relative_error2 = 0.0;  ///< sum of squared errors relative to the fit
    double surplus = 0.0;          ///< number of measurements minus number of terms
  };
  std::vector<std::optional<Fit>> fits_;  ///< (n)

 private:
  double min_r2_;
};

/// Makes the model of one kernel for n units.
using BlockTimeModelMaker = std::function<std::unique_ptr<BlockTimeModel>(std::size_t units)>;

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
  /// `min_rounds`: training rounds before the first fit; `async_train`: no barrier between them.
  PlbHec(const Parameters& read, Items min_rounds, bool async_train,
         BlockTimeModelMaker make_model);

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
  Items min_rounds_;
  bool async_train_;
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

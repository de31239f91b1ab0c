// PLB-HeC's algorithms 1 and 2 as a class: DLB-GPU, the algorithm before it, is the same but for
// what it believes of a unit and for its algorithm 2.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/plb/repeated_blocks.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What is believed of the block times of all units of a run, for one kernel.
class BlockTimeModel {
 public:
  BlockTimeModel() = default;
  BlockTimeModel(const BlockTimeModel&) = delete;
  BlockTimeModel& operator=(const BlockTimeModel&) = delete;
  virtual ~BlockTimeModel() = default;

  /// Takes in the times of a finished block; the copy in of one that brought resident data along
  /// says nothing of later blocks.
  virtual void add(const BlockFinished& finished, bool brought_resident_data) = 0;
  /// Fits every unit that has samples.
  virtual void fit(const View& view) = 0;
  /// Whether there is a fit of the unit, of any unit.
  [[nodiscard]] virtual bool knows(UnitId unit) const = 0;
  [[nodiscard]] virtual bool knows_any() const = 0;
  /// Whether the fits of the units that are present are good enough to end training.
  [[nodiscard]] virtual bool is_good(const View& view) const = 0;
  /// The standard deviation of block times relative to the fits; 0 where it cannot be told.
  [[nodiscard]] virtual double relative_noise() const = 0;
  /// Block sizes (n) of about `items` in all that take the present units that are known the same
  /// time; 0 for the others. At least one unit gets a grain where any is known.
  [[nodiscard]] virtual std::vector<Items> solve(const View& view, double items,
                                                 Decisions& decisions) = 0;
  /// The fits and the blocks that were chosen by them, for the journal.
  [[nodiscard]] virtual Decision explain(const std::string& what,
                                         const std::vector<Items>& block_items) const = 0;
};

/// Makes the model of one kernel for n units.
using BlockTimeModelMaker = std::function<std::unique_ptr<BlockTimeModel>(std::size_t units)>;

/// On imbalance: all blocks come back before the fit (the text), or the fit is made before (the
/// code).
enum class SyncOrder { drain_then_fit, fit_then_sync };
/// The items of a step: a share of all, or twice the last training round.
enum class StepRule { fraction, doubled };

struct PlbHecOptions {
  std::optional<Items> initial_block_items;
  std::vector<double> multipliers;
  RatioMode ratio_mode = RatioMode::normalised;
  Items min_rounds = 4;             ///< before the first fit
  double training_share_max = 0.2;  ///< of the items
  bool async_train = false;         ///< no barrier between training rounds
  BalanceRule balance;
  double step_fraction = 0.02;
  StepRule step = StepRule::fraction;
  SyncOrder sync_order = SyncOrder::drain_then_fit;
  bool tail_resolve = false;
};

/// The parameters that are read by `read_plb_hec_options`; the default of `sync_order` is each
/// paper's own.
[[nodiscard]] std::vector<ParameterInfo> plb_hec_loop_parameters(const std::string& sync_order);
/// What was typed for them; `min_rounds` and `async_train` are left as they are.
[[nodiscard]] PlbHecOptions read_plb_hec_options(const Parameters& read);

/// PLB-HeC with any model of block times. plb_hec.cpp has what the paper says, in its order;
/// plb_hec_changes.cpp what it leaves out: phases, iterations, units that come and go, work that
/// ends inside training.
class PlbHec : public Policy {
 public:
  PlbHec(PlbHecOptions options, BlockTimeModelMaker make_model);

  void decide(const View& view, const Event& event, Decisions& decisions) final;

 protected:
  /// Training, running, or waiting for all blocks to come back for a rebalancing.
  enum class Stage { train, run, synchronize };

  // Algorithm 2 may be another: DLB-GPU's.

  /// A block of a unit that is known came back while running: FinishedTaskExecution.
  virtual void finished_task(const View& view, UnitId unit, Decisions& decisions);
  /// Whether blocks are handed out only when all are back.
  [[nodiscard]] virtual bool waits_for_all() const;
  /// All blocks are back that were waited for: synchronize().
  virtual void synchronized(const View& view, Decisions& decisions);

  [[nodiscard]] Stage stage() const { return stage_; }
  void determine_model(const View& view, Decisions& decisions);
  void determine_curves(const View& view) { model_->fit(view); }
  [[nodiscard]] bool is_unbalanced(const View& view) const;
  void solve_equation_system(const View& view, const char* what, Decisions& decisions);
  void distribute_tasks(const View& view, Decisions& decisions);

 private:
  /// What the blocks of X add up to. Nothing: X is out of date, as units changed, or a phase began,
  /// when there was nothing to solve for.
  enum class SolvedFor { nothing, less_than_a_step, a_step };

  // The paper.
  [[nodiscard]] std::vector<Items> next_block_sizes(const View& view) const;
  [[nodiscard]] bool share_is_used_up(const View& view) const;
  [[nodiscard]] double step_items(const View& view) const;
  void execute(const View& view, Decisions& decisions);
  void distribute_task(UnitId unit, Decisions& decisions);
  void end_rebalancing(const View& view, Decisions& decisions);
  void learn(const View& view, const BlockFinished& finished);
  void answer(const View& view, UnitId unit, Decisions& decisions);
  bool update_blocks(const View& view, Decisions& decisions);
  void train_without_barriers(const View& view, Decisions& decisions);
  [[nodiscard]] Items own_next_block(const View& view, UnitId unit) const;

  // What we add.
  void change(const View& view, const Event& event, Decisions& decisions);
  void begin_phase(const View& view);
  void begin_iteration(const View& view, Decisions& decisions);
  void change_units(const View& view, UnitId unit, const char* what, Decisions& decisions);
  void train_late_unit(UnitId unit, Decisions& decisions);
  void learn_late_unit(const View& view, UnitId unit, Decisions& decisions);
  void note_exhaustion(const View& view, Decisions& decisions) const;

  PlbHecOptions options_;
  BlockTimeModelMaker make_model_;
  std::map<std::string, std::unique_ptr<BlockTimeModel>> kernels_;
  BlockTimeModel* model_ = nullptr;  ///< of the current phase's kernel
  BlockDurations durations_;
  TrainingRounds training_;
  RepeatedBlocks repeated_;  ///< X, and how long its blocks take
  Stage stage_ = Stage::train;
  Items round_ = 0;         ///< i of algorithm 1
  bool rebalance_ = false;  ///< of algorithm 2
  SolvedFor solved_for_ = SolvedFor::nothing;
};

}  // namespace equipoise

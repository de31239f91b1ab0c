// What PLB-HeC (2015) and DLB-GPU, the algorithm before it, have in common: training in rounds of
// growing blocks, then steps of blocks that should end together, chosen anew when they do not.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/plb/repeated_blocks.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What such a policy believes about the units of a run, for one kernel.
class StepModel {
 public:
  StepModel() = default;
  StepModel(const StepModel&) = delete;
  StepModel& operator=(const StepModel&) = delete;
  virtual ~StepModel() = default;

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
  [[nodiscard]] virtual std::vector<Items> choose(const View& view, double items,
                                                  Decisions& decisions) = 0;
  /// The fits and the blocks that were chosen by them, for the journal.
  [[nodiscard]] virtual Decision decision(const std::string& what,
                                          const std::vector<Items>& block_items) const = 0;
};

/// Makes the model of one kernel for n units.
using StepModelMaker = std::function<std::unique_ptr<StepModel>(std::size_t units)>;

/// On imbalance: all blocks come back before the fit, or the fit is made before.
enum class SyncOrder { drain_then_fit, fit_then_sync };
/// The items of a step: a share of all, or twice the last training round.
enum class StepRule { fraction, doubled };

struct TrainThenRepeatOptions {
  std::optional<Items> initial_block_items;
  std::vector<double> multipliers;
  RatioMode ratio_mode = RatioMode::normalised;
  Items min_rounds = 4;             ///< before the first fit
  double training_share_max = 0.2;  ///< of the items
  bool async_train = false;         ///< no barrier between training rounds
  BalanceRule balance;
  double step_fraction = 0.02;
  StepRule step = StepRule::fraction;
  bool sync_steps = false;  ///< a barrier after every step; rebalancing needs no drain then
  SyncOrder sync_order = SyncOrder::drain_then_fit;
  bool tail_resolve = false;
};

/// The parameters that are read by `read_train_then_repeat`; the default of `sync_order` is each
/// paper's own.
[[nodiscard]] std::vector<ParameterInfo> train_then_repeat_parameters(
    const std::string& sync_order);
/// What was typed for them; `min_rounds`, `async_train` and `sync_steps` are left as they are.
[[nodiscard]] TrainThenRepeatOptions read_train_then_repeat(const Parameters& read);

/// A policy that hands out training rounds behind barriers until the model is good or training has
/// had its share of the items; then has every unit repeat the block that the model chose for it;
/// and, when durations drift apart, gives the unit that showed it one more block, waits for all,
/// and chooses anew. Models are kept for every kernel: a phase or an iteration of one that is known
/// does not train. Units that are lost or join change the shares without a barrier; one that comes
/// late trains beside the others' work. Source: PLB-HeC algorithms 1 and 2; DLB-GPU the same.
[[nodiscard]] std::unique_ptr<Policy> make_train_then_repeat(TrainThenRepeatOptions options,
                                                             StepModelMaker make_model);

}  // namespace equipoise

// The skeleton of PLB-HeC and DLB-GPU, event by event.
#include "shared_policies/policies/plb/train_then_repeat.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

class TrainThenRepeat final : public Policy {
 public:
  TrainThenRepeat(TrainThenRepeatOptions options, StepModelMaker make_model)
      : options_(std::move(options)), make_model_(std::move(make_model)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      begin_phase(view);
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      begin_iteration(view, decisions);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      on_finished(view, *finished, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      on_idle(view, idle->unit, decisions);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      on_membership(view, lost->unit, "unit_lost", decisions);
    } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
      durations_.joined(joined->unit);
      on_membership(view, joined->unit, "unit_joined", decisions);
    }
  }

 private:
  enum class Stage { train, run, drain };

  // -- Beginnings ------------------------------------------------------------------------------

  void begin_phase(const View& view) {
    const std::size_t n = view.units().size();
    repeated_ = RepeatedBlocks(n);
    durations_.begin_phase(view);
    unit_count_ = n;
    std::unique_ptr<StepModel>& of_kernel = kernels_[view.workload().kernel];
    if (of_kernel == nullptr) {
      of_kernel = make_model_(n);
    }
    model_ = of_kernel.get();
    training_ = TrainingRounds(n, initial_block(view, options_.initial_block_items),
                               options_.multipliers, options_.ratio_mode);
    round_ = 0;
    exhausted_ = rebalance_ = blocks_are_smaller_ = false;
    stage_ = model_->knows_any() ? Stage::run : Stage::train;
    choose_anew_ = stage_ == Stage::run;
  }

  /// A later iteration goes on where the last one ended; nothing of its blocks is still out.
  void begin_iteration(const View& view, Decisions& decisions) {
    if (stage_ == Stage::run && (choose_anew_ || blocks_are_smaller_ || rebalance_)) {
      model_->fit(view);
      choose_blocks(view, rebalance_ ? "rebalance" : "iteration", decisions);
    } else if (stage_ == Stage::drain) {
      finish_drain(view, decisions);
    }
  }

  // -- Events ----------------------------------------------------------------------------------

  void on_finished(const View& view, const BlockFinished& finished, Decisions& decisions) {
    const auto [seconds, brought_resident_data] = durations_.of(view, finished);
    model_->add(finished, brought_resident_data);
    if (finished.block.tag == BlockTag::train) {
      training_.remember(finished.unit, finished.block.items, seconds);
    } else {
      repeated_.finished(finished.unit, finished.block.items, seconds);
    }
    if (stage_ == Stage::train) {
      after_training_block(view, decisions);
    } else if (stage_ == Stage::run) {
      after_block(view, finished, decisions);
    }
  }

  void on_idle(const View& view, UnitId id, Decisions& decisions) {
    if (waits_for_all()) {
      if (all_are_back(view)) pass_barrier(view, decisions);
    } else if (stage_ == Stage::train) {
      decisions.assign(id, training_block(view, id), BlockTag::train);
    } else {
      hand_out(view, id, decisions);
    }
  }

  /// Whether blocks are handed out at barriers only.
  [[nodiscard]] bool waits_for_all() const {
    return stage_ == Stage::drain || (stage_ == Stage::train && !options_.async_train) ||
           (stage_ == Stage::run && options_.sync_steps);
  }

  void pass_barrier(const View& view, Decisions& decisions) {
    switch (stage_) {
      case Stage::train:
        next_round(view, decisions);
        return;
      case Stage::run:
        next_step(view, decisions);
        return;
      case Stage::drain:
        finish_drain(view, decisions);
        hand_out_to_idle(view, decisions);
        return;
    }
  }

  /// A unit is gone or there: the present ones share the steps from now on, without a barrier; if
  /// it was waited for, that is over.
  void on_membership(const View& view, UnitId id, const char* what, Decisions& decisions) {
    const bool knows_it = model_->knows(id);
    if (stage_ == Stage::run && knows_it) {
      choose_blocks(view, what, decisions);
      hand_out_to_idle(view, decisions);
      return;
    }
    choose_anew_ = choose_anew_ || (stage_ == Stage::drain && knows_it);
    if (waits_for_all() && all_are_back(view)) {
      pass_barrier(view, decisions);
    }
  }

  // -- Training --------------------------------------------------------------------------------

  void after_training_block(const View& view, Decisions& decisions) {
    if (view.remaining() == 0) {
      if (view.outstanding() == 0 && !exhausted_) {
        decisions.note("exhausted_in_training");
        exhausted_ = true;
      }
      return;
    }
    if (options_.async_train && (all_trained(view) || share_is_used_up(view)) &&
        end_training(view, decisions)) {
      hand_out_to_idle(view, decisions);
    }
  }

  [[nodiscard]] bool all_trained(const View& view) const {
    return training_.fewest_blocks(view) >= options_.min_rounds;
  }

  [[nodiscard]] double training_items_max(const View& view) const {
    return options_.training_share_max * static_cast<double>(view.workload().items);
  }

  [[nodiscard]] bool share_is_used_up(const View& view) const {
    return static_cast<double>(training_.items()) >= training_items_max(view);
  }

  /// Fits, and goes over to running when the fits or the share of the items allow it.
  bool end_training(const View& view, Decisions& decisions) {
    model_->fit(view);
    const bool good = model_->is_good(view);
    if (!good && !share_is_used_up(view)) {
      return false;
    }
    start_running(view, good, decisions);
    return true;
  }

  void start_running(const View& view, bool good, Decisions& decisions) {
    if (!good) {
      decisions.note("poor_fit");
    }
    stage_ = Stage::run;
    choose_blocks(view, "fit", decisions);
  }

  /// The barrier after a round is passed (or the first round begins).
  void next_round(const View& view, Decisions& decisions) {
    if (round_ >= options_.min_rounds && end_training(view, decisions)) {
      hand_out_to_idle(view, decisions);
      return;
    }
    ++round_;
    std::vector<Items> wanted(unit_count_, 0);
    for (const UnitState& unit : view.units()) {
      if (unit.present) {
        wanted[unit.id.index] = training_.size(unit.id, round_);
      }
    }
    if (round_ > options_.min_rounds && !fit_into_share(view, wanted)) {
      start_running(view, false, decisions);
      hand_out_to_idle(view, decisions);
      return;
    }
    for (const UnitId id : training_.fastest_first()) {
      if (wanted[id.index] > 0) {
        decisions.assign(id, wanted[id.index], BlockTag::train);
      }
    }
  }

  /// Scales an extra round to what is left of the share that training may take; false: nothing is.
  bool fit_into_share(const View& view, std::vector<Items>& wanted) const {
    const Items sum = std::reduce(wanted.begin(), wanted.end());
    const double left = training_items_max(view) - static_cast<double>(training_.items());
    if (static_cast<double>(sum) > left) {
      const Items grain = view.workload().grain_items;
      for (Items& want : wanted) {
        const double scaled = static_cast<double>(want) * left / static_cast<double>(sum);
        want = static_cast<Items>(scaled) / grain * grain;
      }
    }
    return std::any_of(wanted.begin(), wanted.end(), [](Items want) { return want > 0; });
  }

  /// Without barriers: the block of the unit's own next round; one that is ahead of the others gets
  /// the size of the last round again.
  [[nodiscard]] Items training_block(const View& view, UnitId id) const {
    const Items fewest = training_.fewest_blocks(view);
    const Items furthest = std::max(options_.min_rounds, fewest + 1);
    return training_.size(id, std::min(training_.blocks(id) + 1, furthest));
  }

  // -- Running ---------------------------------------------------------------------------------

  [[nodiscard]] double step_items(const View& view) const {
    const Workload& workload = view.workload();
    const auto n = static_cast<double>(unit_count_);
    const bool doubled = options_.step == StepRule::doubled && training_.latest_items() > 0;
    const double step = doubled ? 2.0 * static_cast<double>(training_.latest_items())
                                : options_.step_fraction * static_cast<double>(workload.items);
    return std::max(std::round(step), n * static_cast<double>(workload.grain_items));
  }

  /// Solves for the blocks of the next steps; with nothing left that waits until there is: the
  /// blocks that were chosen may be for units that are gone, and lost items may come back.
  void choose_blocks(const View& view, const char* what, Decisions& decisions) {
    const double left = static_cast<double>(view.remaining());
    const double step = step_items(view);
    if (left > 0.0) {
      const std::vector<Items> blocks = model_->choose(view, std::min(step, left), decisions);
      repeated_.choose(blocks);
      decisions.decided(model_->decision(what, blocks));
      blocks_are_smaller_ = left < step;
    }
    choose_anew_ = left == 0.0;
    rebalance_ = false;
  }

  void hand_out(const View& view, UnitId id, Decisions& decisions) {
    if (!model_->knows(id)) {  // it came after training, or got nothing in it
      decisions.assign(id, training_.size(id, training_.blocks(id) + 1), BlockTag::train);
      return;
    }
    if (choose_anew_) {
      choose_blocks(view, "block_lost", decisions);
    }
    if (options_.tail_resolve && !blocks_are_smaller_ &&
        static_cast<double>(view.remaining()) < step_items(view)) {
      choose_blocks(view, "tail", decisions);
      for (const UnitState& unit : view.units()) {  // units that were to get nothing until now
        if (unit.present && unit.outstanding.empty() && unit.id != id) {
          decisions.assign(unit.id, repeated_.items(unit.id));
        }
      }
    }
    decisions.assign(id, repeated_.items(id));
  }

  /// The barrier after a step is passed.
  void next_step(const View& view, Decisions& decisions) {
    if (repeated_.are_unbalanced(view, options_.balance, model_->relative_noise())) {
      model_->fit(view);
      choose_blocks(view, "rebalance", decisions);
    }
    hand_out_to_idle(view, decisions);
  }

  void hand_out_to_idle(const View& view, Decisions& decisions) {
    if (options_.sync_steps && view.outstanding() > 0) {
      return;
    }
    for (const UnitState& unit : view.units()) {
      if (unit.present && unit.outstanding.empty()) {
        hand_out(view, unit.id, decisions);
      }
    }
  }

  /// Watches the durations of the blocks that were chosen to end together.
  void after_block(const View& view, const BlockFinished& finished, Decisions& decisions) {
    const UnitId id = finished.unit;
    if (!model_->knows(id)) {
      if (training_.blocks(id) >= options_.min_rounds) {  // trained beside the others' work
        model_->fit(view);
        choose_blocks(view, "unit_joined", decisions);
        hand_out_to_idle(view, decisions);
      }
    } else if (rebalance_) {
      stage_ = Stage::drain;
      if (options_.sync_order == SyncOrder::fit_then_sync) {
        model_->fit(view);
        choose_blocks(view, "rebalance", decisions);
      }
    } else if (!options_.sync_steps &&
               repeated_.are_unbalanced(view, options_.balance, model_->relative_noise())) {
      rebalance_ = true;
      decisions.assign(id, repeated_.items(id));  // one more, then everyone waits
    }
  }

  void finish_drain(const View& view, Decisions& decisions) {
    stage_ = Stage::run;
    if (options_.sync_order == SyncOrder::drain_then_fit || choose_anew_ ||
        !repeated_.anyone_works(view)) {
      model_->fit(view);
      choose_blocks(view, "rebalance", decisions);
    }
  }

  TrainThenRepeatOptions options_;
  StepModelMaker make_model_;
  std::map<std::string, std::unique_ptr<StepModel>> kernels_;
  StepModel* model_ = nullptr;  // of the current phase's kernel
  std::size_t unit_count_ = 0;
  BlockDurations durations_;
  RepeatedBlocks repeated_;
  TrainingRounds training_;
  Stage stage_ = Stage::train;
  Items round_ = 0;
  bool exhausted_ = false;
  bool rebalance_ = false;           // detected; the next finish begins the drain
  bool blocks_are_smaller_ = false;  // chosen when less than a step was left
  bool choose_anew_ = false;         // a phase begins with a known kernel, or units changed when
                                     // nothing was left to choose blocks for
};

}  // namespace

std::vector<ParameterInfo> train_then_repeat_parameters(const std::string& sync_order) {
  return {
      initial_block_parameter(),
      {"multipliers", "1/2/4/8", "x initial block",
       "sizes of the training rounds; doubles after the last"},
      {"ratio_mode", "normalised", "",
       "training speed ratios: of items per second of the latest round (normalised), of round 1 "
       "(first), of raw times of the latest round (literal)"},
      {"training_share_max", "0.2", "share of the items", "training ends here whatever the fits"},
      {"threshold", "0.1", "x block time", "spread of block times that starts a rebalancing"},
      {"noise_allowance", "6", "standard errors",
       "how much of a spread is put down to noise: means since the last solve count, less this "
       "many standard errors; 0: the latest times as they are, the papers' rule"},
      {"step_fraction", "0.02", "share of the items", "items of one step, one block a unit"},
      {"step", "fraction", "",
       "fraction: step_fraction of the items; doubled: twice the last training round"},
      {"sync_order", sync_order, "",
       "on imbalance: fit what is there, then wait for all (fit_then_sync), or wait, then fit "
       "(drain_then_fit)"},
      {"tail_resolve", "false", "", "solve once more when less than a step remains"}};
}

TrainThenRepeatOptions read_train_then_repeat(const Parameters& read) {
  TrainThenRepeatOptions options;
  options.initial_block_items = read.items_or_auto("initial_block_items", 1);
  options.multipliers = read.positive_list("multipliers");
  options.ratio_mode =
      static_cast<RatioMode>(read.choice("ratio_mode", {"normalised", "first", "literal"}));
  options.training_share_max = read.number("training_share_max", 0.0, 1.0);
  options.balance.threshold = read.number("threshold", 0.0, 1e9);
  options.balance.noise_allowance = read.number("noise_allowance", 0.0, 1e9);
  options.step_fraction = read.number("step_fraction", 0.0, 1.0);
  options.step = static_cast<StepRule>(read.choice("step", {"fraction", "doubled"}));
  options.sync_order =
      static_cast<SyncOrder>(read.choice("sync_order", {"drain_then_fit", "fit_then_sync"}));
  options.tail_resolve = read.flag("tail_resolve");
  return options;
}

std::unique_ptr<Policy> make_train_then_repeat(TrainThenRepeatOptions options,
                                               StepModelMaker make_model) {
  return std::make_unique<TrainThenRepeat>(std::move(options), std::move(make_model));
}

}  // namespace equipoise

// Why a run takes longer than its lower bound: the loss, divided by cause.
//
// A unit's time in an iteration is spent computing or absent, or lost to a cause. With s_p, the
// items per second of computing that unit p showed in the iteration, and S, their sum over the
// units that had blocks,
//
//     length of the iteration = sum_p s_p / S (computing_p + absent_p + sum over causes of lost_p)
//
// holds exactly, because each unit's times add up to the length. An idle second therefore weighs as
// much as the work that the unit would have done in it, and `computing`, to which absence is added
// because the bound contains it too, becomes the time that the iteration would have taken if these
// units had computed whenever they were there. `over_bound` subtracts the lower bound; what is left
// adds up to the loss.
//
// What `computing` then has beyond the bound has two reasons. The bound counts on units that the
// run never used: with W the items of a phase, x_p those of unit p at the bound's time T, merges
// left out, and U the sum of x_p over the units that had no block in the phase, the others would
// need
//
//     T W / (W - U) = T + T U / (W - U)
//
// at the speeds x_p / T that they have in the bound. The sum of T U / (W - U) over phases, as far
// as `computing` goes, is `unused`; `computing` keeps the rest: an item takes longer than in the
// bound. A unit whose blocks in the phase were all taken back, or done first by a copy, was used,
// in vain: it belongs to U, and its part of the sum, x_p / U, is `redone`.
//
// A unit's time between two computations, in the order of the list:
//
//     copies      copying (setup, copy in, copy out) while it computes nothing, for as long as
//                 these copies take if nothing else uses their links
//     link        the rest of these copies: they shared their links, or a scenario slowed them
//     training    waiting for other units after a training block, one that the policy hands out to
//                 learn the unit's speed: from its end until the event at which the policy gave
//                 the unit the next block
//     barrier     the same after any other block: the policy waited for other units or for a timer.
//                 Also from its last block in an iteration until the next iteration begins
//     controller  from that event, or from the end of its own block, until it was given a block,
//                 decisions included; and from then until the block's first stage begins. Between
//                 units that share copy engines, such a wait counts as `link`
//     failure     it did a block that was lost with it
//     redone      it did a block that was taken back, or whose copy was done first
//     tail        from its last block until the end of the run
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/unit_spans.hpp"

namespace equipoise {

/// Seconds of a run, divided by cause; see above.
struct Losses {
  /// After `over_bound`: what computing takes beyond the bound, without units that did nothing.
  /// Small blocks, units for which items are expensive, noise.
  Seconds computing{};
  /// Only after `over_bound`: units that had no block, although the bound has work for them.
  Seconds unused{};
  Seconds link{};
  Seconds copies{};
  Seconds controller{};
  Seconds training{};
  Seconds barrier{};
  Seconds tail{};
  Seconds failure{};
  Seconds redone{};
  /// How long the unit was set up for which that took longest (resident data, first use), added up
  /// over iterations. A run does not end before its units are set up and have done their blocks.
  Seconds longest_setup{};
  /// The part of `barrier` in which results were merged: from the end of the last block of an
  /// iteration to the start of the next one. The bound contains it.
  Seconds merging{};
  /// How much longer the bound would be without the units that had no block, and without those
  /// whose blocks were all dropped; see `time_without`.
  Seconds without_unused{};
  Seconds without_dropped{};
};

constexpr bool is_row(DescriptionOf<Losses> /*of*/) { return true; }

/// A cause of loss.
struct LossCause {
  const char* name;         ///< in files and tables
  const char* explanation;  ///< what was lost to it, in a few words
  Seconds Losses::*member;
};

/// All causes, in the order of every output. Their seconds add up to the whole.
inline constexpr std::array loss_causes = {
    LossCause{"computing", "block sizes or units for which an item takes longer, and noise",
              &Losses::computing},
    LossCause{"unused", "units that had no block, although the lower bound has work for them",
              &Losses::unused},
    LossCause{"link", "copies that waited for busy links", &Losses::link},
    LossCause{"copies", "other copies that did not overlap with computing", &Losses::copies},
    LossCause{"controller", "waiting for the controller or for a decision", &Losses::controller},
    LossCause{"training", "waiting for other units during training", &Losses::training},
    LossCause{"barrier",
              "waiting for other units, between iterations or because the policy held work back",
              &Losses::barrier},
    LossCause{"tail", "waiting for the last unit at the end of the run", &Losses::tail},
    LossCause{"failure", "blocks of units that failed", &Losses::failure},
    LossCause{"redone", "blocks that were taken back, or done twice", &Losses::redone}};

/// The sum over all causes.
[[nodiscard]] Seconds total(const Losses& losses);

/// Adds `factor` times `losses` to `sum`.
void add(Losses& sum, double factor, const Losses& losses);

/// The loss over a lower bound of `bound`, by cause; it adds up to total(losses) - bound. Merges
/// are taken from `barrier`. Of what `computing` has beyond the rest of the bound, `without_unused`
/// is `unused` and `without_dropped` is `redone`, in this order, as far as it goes. What the bound
/// has beyond merges and `computing`, no run can avoid. It is taken from `link` and `copies`, as
/// far as they go, then from all other causes, each time in proportion. Only `computing` can be
/// negative: by luck, if there is noise.
[[nodiscard]] Losses over_bound(const Losses& losses, Seconds bound);

/// The times of a block's copies on a unit if nothing else uses their links; `setup` is that of a
/// block for a unit that has this of the resident data.
using CopyTimesAlone = std::function<StageTimes(UnitId, const Block&, ResidentData)>;

/// Divides the time of a run by cause, from the run's records alone: adds up what UnitWalk says
/// that units did. A unit that was lost has lost all time since its last block to `failure`.
class LossAccount {
 public:
  /// `alone`: if empty, no copy counts as `link`. `repeats_blocks`: for UnitWalk.
  explicit LossAccount(const std::vector<Unit>& units, CopyTimesAlone alone = {},
                       bool repeats_blocks = false);

  /// The records of the run, in their order.
  void block(const BlockRecord& record);
  void event(const EventRecord& record);

  /// The seconds by cause of the run up to `makespan`, which they add up to. Nothing if no block
  /// was done, or if a unit did blocks in no time.
  [[nodiscard]] std::optional<Losses> losses(Seconds makespan) const;

 private:
  /// A unit in the current iteration.
  struct UnitTime {
    Losses spent;
    Seconds setup;
    Seconds absent;
    Items items = 0;
    double out_delayed = 0.0;  ///< the share of its last block's copy out that counts as `link`
    bool shares_device = false;
    int phase = -1;  ///< of its resident data; -1: it has none
    int iteration = 0;

    void spend(const UnitSpan& span);
    void copy(const UnitSpan& span, double delayed);
    [[nodiscard]] ResidentData resident_data(const Block& block) const;
  };
  /// The run so far.
  struct Account {
    UnitWalk walk;
    std::vector<UnitTime> units;
    Seconds begin{};       ///< of the current iteration
    Seconds latest_end{};  ///< of a block
    Seconds merge{};       ///< before the current iteration, until its first block says that it is
                           ///< not the first one of its phase
    Losses sum{};          ///< of the iterations before
    bool is_known = true;  ///< false: a unit did blocks in no time

    void close(Seconds until, Seconds Losses::*cause);
  };

  CopyTimesAlone alone_;
  Account account_;
  bool any_iteration_ = false;
};

}  // namespace equipoise

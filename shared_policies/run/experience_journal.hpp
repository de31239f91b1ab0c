// Learns from a run what later ones may use.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "shared_policies/model/experience.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// Adds `now`, which one run has just shown, to what is known, `before`, of which every block
/// counts half. If times of the same sizes differ by more than their scatter and uncertainty
/// explain, the unit has changed, and `before` is forgotten. Source: ours.
[[nodiscard]] LearnedCost with_new_run(const LearnedCost& before, const LearnedCost& now);

/// A journal that keeps what a run shows. The first block of a unit in a phase is left out unless
/// there is no other, because a unit may not be warm then; blocks of units that share a device are
/// taken as they are. Memory grows with phases, units and octaves of block sizes.
class ExperienceJournal final : public Journal {
 public:
  ExperienceJournal(std::size_t phases, std::size_t units);

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& record) override;

  /// What the run has shown so far, without `uncertainty`, which grows with age.
  [[nodiscard]] Experience shown() const;

 private:
  /// Sums over blocks of [2^exponent, 2^(exponent+1)) items.
  struct Octave {
    int exponent = 0;
    double blocks = 0.0;
    double items = 0.0;
    double seconds = 0.0;
    double rates = 0.0;  ///< seconds per item
    double squared_rates = 0.0;
  };
  struct Shown {
    std::vector<Octave> alone;
    std::vector<Octave> queued;
    double alone_s = 0.0;  ///< time of blocks on an empty unit
    double stage_s = 0.0;  ///< the longest stages of the same blocks
    std::optional<LearnedSize> first;
    std::optional<Seconds> last_end;  ///< of the unit's blocks in this phase, since it is there
  };

  static void add(std::vector<Octave>& octaves, double items, double seconds);
  static LearnedCost cost_of(const Shown& shown);

  std::vector<std::vector<Shown>> shown_;  ///< [phase][unit]
};

}  // namespace equipoise

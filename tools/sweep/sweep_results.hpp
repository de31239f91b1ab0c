// What the points of a sweep add up to: a comparison for every experiment, and how each policy did
// over all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/campaign_file.hpp"
#include "tools/sweep/point_store.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// A ratio over experiments.
struct RatioSummary {
  std::size_t experiments = 0;  ///< that it is taken over
  double geometric_mean = 1.0;
  double worst = 1.0;
  std::string worst_experiment;
};

/// How one policy did over all experiments that have it.
struct PolicyStanding {
  std::string policy;  ///< as spelled
  Foresight foresight = Foresight::none;
  std::size_t experiments = 0;    ///< with a result; a ratio may be over fewer
  RatioSummary speedup;           ///< over the baseline; the worst is the least
  RatioSummary over_lower_bound;  ///< mean makespan over the bound; the worst is the greatest
  RatioSummary over_yardstick;    ///< see `over_yardstick`; the worst is the greatest
  /// Mean makespan over that of the best policy that does not see what is to come.
  RatioSummary over_best;
  RatioSummary over_reference;  ///< mean of the paired ratios; none without a reference
};

/// How the policies did over the experiments of one group.
struct GroupStanding {
  std::string group;
  std::size_t experiments = 0;
  std::vector<RatioSummary> over_yardstick;  ///< (standings); the worst is the greatest
};

/// The reference in one experiment, against the best other policy that does not see what is to
/// come.
struct Behind {
  std::string experiment;
  std::string group;
  std::string best_other;
  Statistics ratio;  ///< reference over `best_other`, paired
};

/// A published figure and ours.
struct PublishedComparison {
  PublishedFigure figure;
  double speedup = 0.0;  ///< ours: mean makespan of `over` over that of `policy`
};

/// Everything that a sweep tells.
struct SweepResults {
  Campaign campaign;
  std::vector<Comparison> comparisons;  ///< (experiments)
  std::vector<PolicyStanding> standings;
  std::vector<GroupStanding> groups;  ///< in the order of the campaign; none where none is named
  std::string reference;              ///< of every experiment that has it; empty: none
  std::vector<Behind> against;  ///< every experiment that has the reference and another policy
  std::vector<PublishedComparison> published;
};

/// The policy of least mean makespan that does not see what is to come, `but` aside; null without
/// one.
[[nodiscard]] const PolicyResult* best_blind(const Comparison& comparison, const std::string& but);

/// Fills standings, groups, `against` and `published` from the campaign and the comparisons.
void add_up(SweepResults& results);

/// Puts the points together. A point that failed leaves its repetition out; an experiment without
/// any run has no results. Others are paired with the campaign's reference where it takes part, or,
/// if the campaign names none, with our own policy.
[[nodiscard]] SweepResults sweep_results(const Campaign& campaign, const SweepPlan& plan,
                                         const StoredPoints& stored);

}  // namespace equipoise

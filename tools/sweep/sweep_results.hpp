// The results of a sweep: a comparison for every experiment, and a summary of each policy over all
// experiments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/result_fields.hpp"
#include "tools/sweep/campaign_file.hpp"
#include "tools/sweep/point_store.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// A summary of a ratio over experiments.
struct RatioSummary {
  std::size_t experiments = 0;  ///< number of experiments with this ratio
  double geometric_mean = 1.0;
  double worst = 1.0;  ///< the greatest, or the least if more is better
  std::string worst_experiment;
  double log_sum = 0.0;  ///< of the ratios so far

  /// Counts the ratio of an experiment.
  void add(double ratio, const std::string& experiment, bool more_is_better = false);
};

/// The results of one policy over all experiments that have it.
struct PolicyStanding {
  std::string spelling;  ///< of the policy
  Foresight foresight = Foresight::none;
  bool knows_costs = false;       ///< of items, in an experiment whose items differ
  std::size_t experiments = 0;    ///< experiments with a result; a ratio may cover fewer
  RatioSummary speedup;           ///< over the baseline; more is better
  RatioSummary over_lower_bound;  ///< mean makespan over the bound
  RatioSummary over_best_known;   ///< see `over_best_known`
  /// Mean makespan over that of the best policy that knows nothing beforehand.
  RatioSummary over_best;
  RatioSummary over_reference;  ///< mean of the paired ratios; empty without a reference
  /// One number for each of `loss_names`: the mean over experiments, as shares of their lower
  /// bounds. Empty if no loss is known.
  std::vector<double> loss_shares;
};

/// One ratio of a standing and how it is shown.
struct StandingRatio {
  const char* name;     ///< in summary.json; that of the field of results of which it is the mean
  std::string heading;  ///< of the column of the geometric means; the glossary explains it
  int decimals;
  RatioSummary PolicyStanding::*summary;
};

/// All ratios of a standing, in the order of every output, except `over_reference`.
[[nodiscard]] std::vector<StandingRatio> standing_ratios();

/// The results of the policies over the experiments of one group.
struct GroupStanding {
  std::string group;
  std::size_t experiments = 0;
  std::vector<RatioSummary> over_best_known;  ///< (standings)
};

/// The reference in one experiment, compared with the best other policy that knows nothing
/// beforehand.
struct Behind {
  std::string experiment;
  std::string group;
  std::string best_other;
  Statistics ratio;  ///< paired ratio of the reference to `best_other`
};

/// A row of a published figure, and our results.
struct PublishedComparison {
  PublishedFigure figure;
  ResultNumber number;                      ///< the first of ours, for its path, unit and notation
  std::vector<std::optional<double>> ours;  ///< (figure.policies); none if it is not known
};

/// Whether ours is as the paper says, if it says more or less than a number, or between two (ends
/// included); nullopt if not.
[[nodiscard]] std::optional<bool> holds(const PrintedValue& printed, double ours);

/// All results of a sweep.
struct SweepResults {
  Campaign campaign;
  std::vector<Comparison> comparisons;  ///< (experiments)
  std::vector<PolicyStanding> standings;
  std::vector<GroupStanding> groups;  ///< in the order of the campaign; empty if there are no
                                      ///< groups
  std::string reference;              ///< of every experiment that has it; empty: none
  std::vector<Behind> against;  ///< every experiment that has the reference and another policy
  std::vector<PublishedComparison> published;
};

/// Computes standings, groups, `against` and `published` from the campaign and the comparisons.
void add_up(SweepResults& results);

/// Combines the points. The repetition of a failed point is left out; an experiment without any run
/// has no results. Other policies are paired with the campaign's reference if it takes part; if the
/// campaign names none, they are paired with our own policy.
[[nodiscard]] SweepResults sweep_results(const Campaign& campaign, const SweepPlan& plan,
                                         const StoredPoints& stored);

}  // namespace equipoise

// Summarises the results of all experiments.
#include "tools/sweep/sweep_results.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tools/report/glossary.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/predictions.hpp"

namespace equipoise {
namespace {

const char* const world_name = "sim";

/// The binding constraint of the longest phase.
std::string bound_by(const RunBound& bound) {
  const auto longest = std::max_element(
      bound.phases.begin(), bound.phases.end(),
      [](const LowerBound& a, const LowerBound& b) { return a.seconds < b.seconds; });
  return longest == bound.phases.end() ? std::string() : longest->binding;
}

Comparison compare_experiment(const PlannedExperiment& planned, const std::string& reference,
                              const RunsByPolicy& runs, std::optional<BestReached> best_known) {
  Comparison comparison;
  describe_experiment(comparison, planned.experiment.options, planned.machine->setup.phases,
                      planned.machine->inputs->item_costs,
                      {{true, settings_of(*planned.machine, planned.experiment.options)}});
  comparison.lower_bound_s = planned.machine->bound.seconds;
  comparison.bound_by = bound_by(planned.machine->bound);
  comparison.units = names_of(planned.machine->units);
  comparison.policies = planned.policies;
  comparison.reference = choose_reference(planned.policies, reference);
  comparison.best_known = std::move(best_known);
  add_results(comparison, runs, world_name,
              timings_of(planned.machine->inputs->traces, planned.machine->setup.phases));
  relate_results(comparison, planned.experiment.options.baseline);
  return comparison;
}

/// The best that was found without noise, or with it where the experiment has noise; nullopt if
/// nothing was.
std::optional<BestReached> best_known_of(const PlannedExperiment& planned,
                                         const StoredPoints& stored) {
  const auto found = stored.searches.find(planned.best_known_key.empty() ? planned.schedule_key
                                                                         : planned.best_known_key);
  if (found == stored.searches.end() || !found->second.best_known_s) return std::nullopt;
  return BestReached{*found->second.best_known_s, found->second.best_known_by};
}

/// The runs of every experiment.
std::vector<RunsByPolicy> runs_of(const SweepPlan& plan,
                                  const std::map<std::string, PointRecord>& points) {
  std::vector<RunsByPolicy> runs(plan.experiments.size());
  for (const Point& point : plan.points) {
    const auto found = points.find(point.key);
    if (found == points.end() || !found->second.report) continue;
    const StoredReport& report = *found->second.report;
    const PolicyChoice& choice = plan.experiments[point.experiment].policies[point.policy];
    runs[point.experiment][choice.spelling].push_back(
        {report.numbers, true, report.policy_stalled, report.repetition});
  }
  return runs;
}

/// The policy with the least mean makespan that knows neither times nor costs of items beforehand,
/// excluding `but`; nullptr if none.
const PolicyResult* best_uninformed(const Comparison& comparison, const std::string& but) {
  const PolicyResult* best = nullptr;
  for (const PolicyResult& result : comparison.results) {
    if (result.spelling == but) continue;
    if (foresight_of(comparison, result) != Foresight::none) continue;
    if (knows_costs(comparison, result)) continue;
    if (best == nullptr || result.makespan_s.mean < best->makespan_s.mean) best = &result;
  }
  return best;
}

PolicyStanding standing_of(const SweepResults& results, const std::string& policy,
                           Foresight foresight) {
  PolicyStanding standing;
  standing.spelling = policy;
  standing.foresight = foresight;
  std::vector<double>& losses = standing.loss_shares;
  std::size_t with_loss = 0;
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const Comparison& comparison = results.comparisons[i];
    const std::string& name = results.campaign.experiments[i].name;
    const PolicyResult* result = find_result(comparison, policy, world_name);
    if (result == nullptr) continue;
    ++standing.experiments;
    standing.knows_costs = standing.knows_costs || knows_costs(comparison, *result);
    const PolicyResult* best = best_uninformed(comparison, {});
    const auto add = [&name](RatioSummary& sum, const std::optional<double>& ratio,
                             bool more_is_better = false) {
      if (ratio) sum.add(*ratio, name, more_is_better);
    };
    add(standing.speedup, result->speedup_vs_baseline, true);
    add(standing.over_lower_bound, result->over_lower_bound);
    add(standing.over_best_known, over_best_known(comparison, *result));
    if (best != nullptr) add(standing.over_best, result->makespan_s.mean / best->makespan_s.mean);
    if (result->paired_ratio) add(standing.over_reference, result->paired_ratio->mean);
    const std::vector<double> shares = loss_shares(result->loss, comparison.lower_bound_s);
    if (shares.empty()) continue;
    losses.resize(shares.size());
    for (std::size_t k = 0; k < shares.size(); ++k) losses[k] += shares[k];
    ++with_loss;
  }
  for (double& share : losses) share /= static_cast<double>(with_loss);
  return standing;
}

void add_standings(SweepResults& results) {
  for (const Comparison& comparison : results.comparisons) {
    for (const PolicyChoice& choice : comparison.policies) {
      const bool known = std::any_of(
          results.standings.begin(), results.standings.end(),
          [&](const PolicyStanding& standing) { return standing.spelling == choice.spelling; });
      if (known) continue;
      results.standings.push_back(standing_of(results, choice.spelling, choice.info->foresight));
    }
  }
}

/// Adds the groups; `standings` must be filled.
void add_groups(SweepResults& results) {
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const Experiment& experiment = results.campaign.experiments[i];
    if (experiment.group.empty()) continue;
    auto group = std::ranges::find(results.groups, experiment.group, &GroupStanding::group);
    if (group == results.groups.end()) {
      group = results.groups.insert(group, {experiment.group, 0, {}});
      group->over_best_known.resize(results.standings.size());
    }
    ++group->experiments;
    const Comparison& comparison = results.comparisons[i];
    for (std::size_t p = 0; p < results.standings.size(); ++p) {
      const PolicyResult* result =
          find_result(comparison, results.standings[p].spelling, world_name);
      if (result == nullptr) continue;
      if (const auto ratio = over_best_known(comparison, *result)) {
        group->over_best_known[p].add(*ratio, experiment.name);
      }
    }
  }
}

void add_against(SweepResults& results) {
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const Comparison& comparison = results.comparisons[i];
    if (comparison.reference.empty()) continue;
    const PolicyResult* mine = find_result(comparison, comparison.reference, world_name);
    const PolicyResult* best = best_uninformed(comparison, comparison.reference);
    if (mine == nullptr || best == nullptr) continue;
    if (const auto ratio = paired_ratio(*mine, *best)) {
      const Experiment& experiment = results.campaign.experiments[i];
      results.against.push_back({experiment.name, experiment.group, best->spelling, *ratio});
    }
  }
}

/// The rows of a published figure: one for each path that its field stands for. One without numbers
/// of ours if there are none.
std::vector<PublishedComparison> compare_figure(const PublishedFigure& figure,
                                                const Comparison& comparison) {
  std::vector<PublishedComparison> rows;
  const auto numbers_of = [&](const std::string& policy) {
    const PolicyResult* result = find_result(comparison, policy, world_name);
    return result == nullptr ? std::vector<ResultNumber>()
                             : numbers_at({comparison, *result}, figure.field);
  };
  const std::vector<ResultNumber> over =
      figure.over.empty() ? std::vector<ResultNumber>() : numbers_of(figure.over);
  for (std::size_t p = 0; p < figure.policies.size(); ++p) {
    for (const ResultNumber& number : numbers_of(figure.policies[p].spelling)) {
      auto row = std::ranges::find_if(
          rows, [&](const PublishedComparison& one) { return one.number.path == number.path; });
      if (row == rows.end()) {
        row = rows.insert(row, {figure, number, {}});
        row->ours.resize(figure.policies.size());
      }
      const auto divided = std::ranges::find(over, number.path, &ResultNumber::path);
      if (figure.over.empty()) {
        row->ours[p] = number.value;
      } else if (divided != over.end() && number.value != 0.0) {
        row->ours[p] = divided->value / number.value;
      }
    }
  }
  if (rows.empty()) {
    rows.push_back({figure, {.path = figure.field}, {}});
    rows.back().ours.resize(figure.policies.size());
  }
  return rows;
}

void add_published(SweepResults& results) {
  for (const PublishedFigure& figure : results.campaign.published) {
    for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
      if (results.campaign.experiments[i].name != figure.experiment) continue;
      std::ranges::move(compare_figure(figure, results.comparisons[i]),
                        std::back_inserter(results.published));
    }
  }
}

}  // namespace

void RatioSummary::add(double ratio, const std::string& experiment, bool more_is_better) {
  const bool is_worse = more_is_better ? ratio < worst : ratio > worst;
  if (experiments == 0 || is_worse) {
    worst = ratio;
    worst_experiment = experiment;
  }
  ++experiments;
  log_sum += std::log(ratio);
  geometric_mean = std::exp(log_sum / static_cast<double>(experiments));
}

std::optional<bool> holds(const PrintedValue& printed, double ours) {
  using Relation = PrintedValue::Relation;
  if (printed.relation == Relation::equal) return std::nullopt;
  if (printed.relation == Relation::more) return ours > printed.value;
  if (printed.relation == Relation::less) return ours < printed.value;
  return printed.value <= ours && ours <= printed.most;
}

std::vector<StandingRatio> standing_ratios() {
  const auto ratio = [](const char* name, int decimals, RatioSummary PolicyStanding::*summary) {
    return StandingRatio{name, term(name).word, decimals, summary};
  };
  return {ratio("speedup_vs_baseline", 3, &PolicyStanding::speedup),
          ratio("over_lower_bound", 4, &PolicyStanding::over_lower_bound),
          ratio("over_best_known", 4, &PolicyStanding::over_best_known),
          ratio("over_best", 4, &PolicyStanding::over_best)};
}

void add_up(SweepResults& results) {
  for (const Comparison& comparison : results.comparisons) {
    if (results.reference.empty()) results.reference = comparison.reference;
  }
  add_standings(results);
  add_groups(results);
  add_against(results);
  add_published(results);
}

SweepResults sweep_results(const Campaign& campaign, const SweepPlan& plan,
                           const StoredPoints& stored) {
  SweepResults results;
  results.campaign = campaign;
  const std::vector<RunsByPolicy> runs = runs_of(plan, stored.points);
  for (std::size_t i = 0; i < plan.experiments.size(); ++i) {
    const PlannedExperiment& planned = plan.experiments[i];
    results.comparisons.push_back(
        compare_experiment(planned, campaign.reference, runs[i], best_known_of(planned, stored)));
  }
  add_up(results);
  return results;
}

}  // namespace equipoise

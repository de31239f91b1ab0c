// Means, confidence intervals by Student's t, and ratios of makespans.
#include "shared_policies/run/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <numeric>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/student_t.hpp"

namespace equipoise {

double half_interval(double sd, std::size_t n, double confidence) {
  if (n < 2) return 0.0;
  const auto count = static_cast<double>(n);
  return student_t_quantile(count - 1.0, 0.5 + 0.5 * confidence) * sd / std::sqrt(count);
}

Statistics summarise(const std::vector<double>& values) {
  EQ_CHECK(!values.empty(), "a summary needs a value");
  const auto n = static_cast<double>(values.size());
  Statistics s;
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  s.min = *least;
  s.max = *most;
  s.ci95_low = s.ci95_high = s.mean;
  if (values.size() == 1) return s;
  double squares = 0.0;
  for (const double value : values) squares += (value - s.mean) * (value - s.mean);
  s.sd = std::sqrt(squares / (n - 1.0));
  const double half = half_interval(s.sd, values.size(), 0.95);
  s.ci95_low = s.mean - half;
  s.ci95_high = s.mean + half;
  return s;
}

std::optional<double> share_of_others(const CoreUse& use) {
  constexpr double least_s = 0.5;
  if (use.cores_s < least_s) return std::nullopt;
  return std::min(1.0, use.other_programs_s / use.cores_s);
}

namespace {

std::optional<double> as_figure(Seconds value) { return value.value; }
std::optional<double> as_figure(const std::optional<double>& value) { return value; }
std::optional<double> as_figure(std::integral auto value) { return static_cast<double>(value); }
std::optional<double> as_figure(double value) { return value; }

/// Adds one run's value to a mean over `runs`. The mean is known only if the value of every run is
/// known.
void add_known(std::optional<double>& mean, const std::optional<double>& value, double runs) {
  mean = mean && value ? std::optional(*mean + *value / runs) : std::nullopt;
}

/// Adds the phases of one of n runs to the means in `phases`.
void add_phases(std::vector<PhaseResult>& phases, const RunNumbers& numbers, double n) {
  phases.resize(std::max(phases.size(), numbers.phases.size()));
  for (std::size_t k = 0; k < numbers.phases.size(); ++k) {
    const std::vector<UnitInPhase>& units = numbers.phases[k];
    phases[k].end_s += end_of(units).value / n;
    phases[k].share_by_unit.resize(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      phases[k].share_by_unit[i] += share_of(units, i) / n;
    }
  }
}

/// Where the energy of all runs is from, if they know it from the same source; else it is not
/// known.
void summarise_energy(PolicyResult& result, const std::vector<PolicyRun>& runs) {
  const auto is_from = [](EnergySource source) {
    return [source](const PolicyRun& run) { return run.numbers.energy_from == source; };
  };
  const EnergySource first = runs.front().numbers.energy_from;
  if (!std::ranges::all_of(runs, is_from(first))) {
    result.energy_note =
        fmt::format("measured in {} and modelled in {} of {} runs",
                    std::ranges::count_if(runs, is_from(EnergySource::measured)),
                    std::ranges::count_if(runs, is_from(EnergySource::modelled)), runs.size());
    result.means.of<&RunNumbers::energy_j>().reset();
    return;
  }
  result.energy_from = first;
  for (const PolicyRun& run : runs) {
    if (result.energy_note.empty()) result.energy_note = run.numbers.energy_note;
  }
}

/// The mean of the runs' losses, over the bound; nothing if those of a run are not known.
std::optional<Losses> loss_over(double bound_s, const std::vector<PolicyRun>& runs) {
  Losses mean;
  for (const PolicyRun& run : runs) {
    if (!run.numbers.losses) return std::nullopt;
    add(mean, 1.0 / static_cast<double>(runs.size()), *run.numbers.losses);
  }
  return over_bound(mean, Seconds{bound_s});
}

/// The result of the policy with `spelling` in the same world, if both are verified; else null.
const PolicyResult* verified_beside(const PolicyResult& result,
                                    const std::vector<PolicyResult>& results,
                                    const std::string& spelling) {
  const auto other = std::ranges::find_if(results, [&](const PolicyResult& r) {
    return r.spelling == spelling && r.on == result.on && r.verified && result.verified;
  });
  return other == results.end() ? nullptr : &*other;
}

}  // namespace

RunFigures::RunFigures(const RunNumbers& numbers) {
  std::size_t i = 0;
  for_each_member<RunNumbers>([&](const auto& one) {
    using Value = typename std::remove_cvref_t<decltype(one)>::Value;
    if ((one.facts.places & in_repetitions) == 0) return;
    if constexpr (requires(const Value& value) { as_figure(value); }) {
      values_[i++] = as_figure(one.get(numbers));
    } else {
      EQ_CHECK(false, "what is described for repetitions is a number");
    }
  });
}

RunFigures RunFigures::mean_of(const std::vector<Repetition>& repetitions) {
  RunFigures mean;
  mean.values_.fill(0.0);
  for (const Repetition& one : repetitions) {
    for (std::size_t i = 0; i < mean.values_.size(); ++i) {
      add_known(mean.values_[i], one.figures.values_[i], static_cast<double>(repetitions.size()));
    }
  }
  return mean;
}

std::vector<double> makespans_of(const PolicyResult& result) {
  std::vector<double> makespans_s;
  for (const Repetition& one : result.repetitions) {
    makespans_s.push_back(*one.figures.of<&RunNumbers::makespan>());
  }
  return makespans_s;
}

PolicyResult summarise(const std::string& policy, const std::string& on,
                       const std::vector<PolicyRun>& runs, std::optional<double> lower_bound_s) {
  EQ_CHECK(!runs.empty(), "a result needs a run");
  const std::size_t units = runs.front().numbers.units.size();
  const auto n = static_cast<double>(runs.size());
  PolicyResult r;
  r.spelling = policy;
  r.on = on;
  r.reps = runs.size();
  r.idle_by_unit.assign(units, 0.0);
  r.share_by_unit.assign(units, 0.0);
  r.verified = true;
  r.energy_by_unit_j.assign(units, 0.0);
  std::vector<double> makespans_s;
  for (const PolicyRun& run : runs) {
    const RunNumbers& numbers = run.numbers;
    makespans_s.push_back(numbers.makespan.value);
    r.repetitions.push_back({run.repetition, RunFigures(numbers), run.verified, run.unchecked});
    for (std::size_t i = 0; i < units; ++i) {
      r.idle_by_unit[i] += equipoise::idle_fraction(numbers, i) / n;
      r.share_by_unit[i] += share(numbers, i) / n;
      add_known(r.energy_by_unit_j[i], numbers.units[i].energy_j, n);
    }
    r.core_use.cores_s += run.core_use.cores_s;
    r.core_use.other_programs_s += run.core_use.other_programs_s;
    add_phases(r.phases, numbers, n);
    r.decisions_max_s = std::max(r.decisions_max_s, numbers.decisions_max.value);
    r.verified = r.verified && run.verified;
    r.unchecked = r.unchecked || run.unchecked;
    r.policy_stalled = r.policy_stalled || run.policy_stalled;
  }
  r.means = RunFigures::mean_of(r.repetitions);
  summarise_energy(r, runs);
  r.idle_fraction = std::accumulate(r.idle_by_unit.begin(), r.idle_by_unit.end(), 0.0) /
                    static_cast<double>(units);
  r.makespan_s = summarise(makespans_s);
  if (lower_bound_s && r.verified) {
    r.over_lower_bound = r.makespan_s.mean / *lower_bound_s;
    r.loss = loss_over(*lower_bound_s, runs);
  }
  return r;
}

void compare_with_baseline(std::vector<PolicyResult>& results, const std::string& baseline) {
  for (PolicyResult& result : results) {
    if (const PolicyResult* const base = verified_beside(result, results, baseline)) {
      result.speedup_vs_baseline = base->makespan_s.mean / result.makespan_s.mean;
    }
  }
}

std::pair<Samples, Samples> paired(const Samples& a, const Samples& b) {
  std::pair<Samples, Samples> both;
  for (std::size_t i = 0; i < a.repetitions.size(); ++i) {
    const auto same = std::ranges::find(b.repetitions, a.repetitions[i]);
    if (same == b.repetitions.end()) continue;
    both.first.repetitions.push_back(a.repetitions[i]);
    both.first.values.push_back(a.values[i]);
    both.second.values.push_back(b.values[static_cast<std::size_t>(same - b.repetitions.begin())]);
  }
  both.second.repetitions = both.first.repetitions;
  return both;
}

Samples paired_ratios(const Samples& a, const Samples& b) {
  auto [ratios, below] = paired(a, b);
  std::ranges::transform(ratios.values, below.values, ratios.values.begin(), std::divides<>());
  return ratios;
}

namespace {

Samples makespan_samples(const PolicyResult& of) {
  Samples samples;
  for (const Repetition& one : of.repetitions) {
    samples.repetitions.push_back(one.repetition);
    samples.values.push_back(*one.figures.of<&RunNumbers::makespan>());
  }
  return samples;
}

}  // namespace

std::optional<Statistics> paired_ratio(const PolicyResult& a, const PolicyResult& b) {
  if (a.on != b.on) return std::nullopt;
  const Samples ratios = paired_ratios(makespan_samples(a), makespan_samples(b));
  if (ratios.values.empty()) return std::nullopt;
  return summarise(ratios.values);
}

std::optional<double> probability_faster(const PolicyResult& result, const std::string& other) {
  const auto& known = result.prediction.p_faster;
  const auto found = std::ranges::find(known, other, [](const auto& one) { return one.first; });
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

void compare_order(std::vector<PolicyResult>& results) {
  for (PolicyResult& result : results) {
    for (const PolicyResult& other : results) {
      if (&other == &result || other.on != result.on) continue;
      if (!result.verified || !other.verified) continue;
      if (probability_faster(result, other.spelling)) continue;
      const auto [own, others] = paired(makespan_samples(result), makespan_samples(other));
      if (own.values.size() < 2) continue;
      result.prediction.p_faster.emplace_back(other.spelling,
                                              probability_of_less(own.values, others.values));
    }
  }
}

void compare_with_reference(std::vector<PolicyResult>& results, const std::string& reference) {
  for (PolicyResult& result : results) {
    if (const PolicyResult* const other = verified_beside(result, results, reference)) {
      result.paired_ratio = paired_ratio(result, *other);
    }
  }
}

}  // namespace equipoise

// Compares many runs: means with confidence intervals, speedups, ratios to the lower bound.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/prediction.hpp"

namespace equipoise {

/// Summary statistics of a sample.
struct Statistics {
  double mean = 0.0;
  double sd = 0.0;  ///< sample standard deviation (n - 1); 0 for one value
  double ci95_low = 0.0;
  double ci95_high = 0.0;  ///< of the mean, by Student's t; equal to the mean for one value
  double min = 0.0;
  double max = 0.0;

  /// Half the 95 % confidence interval.
  [[nodiscard]] double half_ci95() const { return ci95_high - mean; }
};

constexpr auto describe(DescriptionOf<Statistics> /*of*/) {
  return std::tuple(member("mean", &Statistics::mean, "mean"),
                    member("sd", &Statistics::sd, "sample standard deviation").at_least(0),
                    computed(
                        "ci95",
                        +[](const Statistics& s) {
                          return std::vector{s.ci95_low, s.ci95_high};
                        },
                        "95 % confidence interval of the mean"),
                    member("min", &Statistics::min, "least"),
                    member("max", &Statistics::max, "greatest"),
                    unwritten(&Statistics::ci95_low, &Statistics::ci95_high));
}

/// Half the confidence interval of the mean of `n` values with the sample standard deviation `sd`,
/// by Student's t; 0 for one value. `confidence` is in (0, 1), such as 0.95.
[[nodiscard]] double half_interval(double sd, std::size_t n, double confidence);

/// Summary statistics of (n) values, n >= 1.
[[nodiscard]] Statistics summarise(const std::vector<double>& values);

/// How the cores that units compute on were used during a measurement.
struct CoreUse {
  double cores_s = 0.0;           ///< elapsed time times number of cores; 0 if unknown
  double other_programs_s = 0.0;  ///< part of cores_s that other programs used
};

/// The share of the core time that other programs used, 0 to 1. Nothing if cores_s is less than 0.5
/// s, because systems count in ticks of 10 ms.
[[nodiscard]] std::optional<double> share_of_others(const CoreUse& use);

/// If other programs use a larger share of the cores than this, a measurement does not represent
/// the units alone.
constexpr double other_programs_share_max = 0.10;

/// One run of a policy, as input of the results.
struct PolicyRun {
  RunNumbers numbers;
  bool verified = false;  ///< also if `unchecked`
  bool policy_stalled = false;
  std::uint64_t repetition = 0;
  CoreUse core_use = {};   ///< of real runs only
  bool unchecked = false;  ///< every item was done once, but nobody can check the numbers
};

/// How many numbers of a run results keep of each repetition.
[[nodiscard]] constexpr std::size_t count_of_figures() {
  std::size_t count = 0;
  for_each_member<RunNumbers>(
      [&](const auto& one) { count += (one.facts.places & in_repetitions) != 0 ? 1 : 0; });
  return count;
}

struct Repetition;

/// The numbers of a run that results keep of each repetition, those that are described for
/// `in_repetitions`. Nothing where a number is not known.
class RunFigures {
 public:
  /// Those of a run that did nothing.
  RunFigures() : RunFigures(RunNumbers{}) {}
  explicit RunFigures(const RunNumbers& numbers);

  /// The figure of a member, or of a computed member, of RunNumbers: `of<&RunNumbers::blocks>()`.
  template <auto member>
  [[nodiscard]] std::optional<double>& of() {
    constexpr std::size_t at = index<member>();
    static_assert(at < count_of_figures(), "the member is not described for repetitions");
    return values_[at];
  }
  template <auto member>
  [[nodiscard]] const std::optional<double>& of() const {
    constexpr std::size_t at = index<member>();
    static_assert(at < count_of_figures(), "the member is not described for repetitions");
    return values_[at];
  }

  /// Calls `visit(facts, value, is_count)` for each, in the order of the description. `is_count`:
  /// it is a whole number of each run.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::size_t i = 0;
    for_each_member<RunNumbers>([&]<class One>(const One& one) {
      if ((one.facts.places & in_repetitions) == 0) return;
      visit(one.facts, values_[i++], std::is_integral_v<typename One::Value>);
    });
  }

  /// Sets the figure that is described as `name`, if there is one.
  void set(std::string_view name, std::optional<double> value) {
    std::size_t i = 0;
    for_each([&](const MemberFacts& facts, auto /*value*/, bool /*is_count*/) {
      if (facts.name == name) values_[i] = value;
      ++i;
    });
  }

  /// The mean of several; of each number only if all of them know it.
  [[nodiscard]] static RunFigures mean_of(const std::vector<Repetition>& repetitions);

 private:
  template <auto member>
  [[nodiscard]] static constexpr std::size_t index() {
    std::size_t found = count_of_figures();
    std::size_t i = 0;
    for_each_member<RunNumbers>([&]<class One>(const One& one) {
      if ((one.facts.places & in_repetitions) == 0) return;
      if constexpr (requires { one.at == member; }) {
        if (one.at == member) found = i;
      } else if constexpr (requires { one.compute == member; }) {
        if (one.compute == member) found = i;
      }
      ++i;
    });
    return found;
  }

  std::array<std::optional<double>, count_of_figures()> values_;
};

/// The numbers of one repetition.
struct Repetition {
  std::uint64_t repetition = 0;
  RunFigures figures;
  bool verified = false;   ///< also if `unchecked`
  bool unchecked = false;  ///< as of PolicyRun
};

/// The results of one phase over the runs of a policy.
struct PhaseResult {
  double end_s = 0.0;                 ///< end of the phase since the start of the run, mean over
                                      ///< runs
  std::vector<double> share_by_unit;  ///< (units), means over runs; they sum to 1
};

/// Where the block times of simulated runs come from.
struct TimingsFacts {
  std::string source;  ///< recorded, imported or modelled; of several traces the least certain
  /// The share of the cores that other programs had while they were recorded; the largest of
  /// several traces.
  std::optional<double> recorded_busy;
};

/// The summary of a policy's runs: one entry of results.json.
struct PolicyResult {
  std::string spelling;  ///< of the policy (PolicyChoice::spelling)
  std::string on;        ///< the world: "sim", "real" or "paced"
  std::size_t reps = 0;
  Statistics makespan_s;
  std::vector<Repetition> repetitions;        ///< (reps), in the order of the runs
  CoreUse core_use;                           ///< sum over all runs
  std::optional<double> speedup_vs_baseline;  ///< ratio of mean makespans; none until compared
  std::optional<Statistics> paired_ratio;     ///< ratio to the reference's makespans; none until
                                              ///< compared
  std::optional<double> over_lower_bound;     ///< mean makespan over the lower bound
  std::optional<Losses> loss;  ///< mean makespan less the lower bound, by cause (`over_bound`)
  double idle_fraction = 0.0;  ///< mean over units and runs
  std::vector<double> idle_by_unit;   ///< (units), means over runs
  std::vector<double> share_by_unit;  ///< (units), means over runs; they sum to 1
  std::vector<PhaseResult> phases;    ///< (phases)
  RunFigures means;                   ///< over runs; energy only if it is known of all runs alike
  double decisions_max_s = 0.0;       ///< the largest over all runs
  EnergySource energy_from = EnergySource::unknown;  ///< of all runs
  std::string energy_note;  ///< why the energy is unknown, or what is not in it; else empty
  std::vector<std::optional<double>> energy_by_unit_j;  ///< (units)
  bool verified = false;                                ///< true if all runs were verified
  bool unchecked = false;                               ///< true if any run was
  bool policy_stalled = false;                          ///< true if the policy stalled in any run
  std::optional<TimingsFacts> timings;                  ///< of simulated and paced runs
  Prediction prediction;  ///< of simulated runs: how sure it is; `p_faster` of real ones, too
};

/// Whether the runs were simulated; otherwise they took place in real time.
[[nodiscard]] inline bool is_simulated(const PolicyResult& result) { return result.on == "sim"; }

/// (reps) The makespans of its repetitions, in seconds.
[[nodiscard]] std::vector<double> makespans_of(const PolicyResult& result);

/// Summarises the runs (at least one, all with the same units) of one policy.
[[nodiscard]] PolicyResult summarise(const std::string& policy, const std::string& on,
                                     const std::vector<PolicyRun>& runs,
                                     std::optional<double> lower_bound_s);

/// Sets every `speedup_vs_baseline`: the mean makespan of the result called `baseline` with the
/// same `on`, over the result's own. Leaves it empty if there is no such result.
void compare_with_baseline(std::vector<PolicyResult>& results, const std::string& baseline);

/// One value for each repetition.
struct Samples {
  std::vector<std::uint64_t> repetitions{};  ///< (n)
  std::vector<double> values{};              ///< (n)
};

/// The values of `a` and of `b` for the repetitions that both have, in the order of `a`.
[[nodiscard]] std::pair<Samples, Samples> paired(const Samples& a, const Samples& b);

/// The ratios of the values of `a` to those of `b`, one for each repetition that both have. Equal
/// repetitions have the same random noise, so these ratios are more precise than a ratio of means.
[[nodiscard]] Samples paired_ratios(const Samples& a, const Samples& b);

/// The paired ratios of the makespans of `a` to those of `b`. Nothing if they have no repetition in
/// common or one was simulated and the other real.
[[nodiscard]] std::optional<Statistics> paired_ratio(const PolicyResult& a, const PolicyResult& b);

/// How probable it is that `result` has a shorter mean makespan than `other`, the spelling of
/// another policy of its world; nothing if it is not known.
[[nodiscard]] std::optional<double> probability_faster(const PolicyResult& result,
                                                       const std::string& other);

/// Adds to `prediction.p_faster` what is not known there, from repetitions alone
/// (`probability_of_less`): of verified results of one world, over the repetitions that both have,
/// if these are at least two.
void compare_order(std::vector<PolicyResult>& results);

/// Sets every `paired_ratio`: the ratio to the result called `reference` with the same `on`. Leaves
/// it empty if there is no such result.
void compare_with_reference(std::vector<PolicyResult>& results, const std::string& reference);

}  // namespace equipoise

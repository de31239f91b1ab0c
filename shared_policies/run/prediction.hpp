// How sure a predicted makespan is: where that of a single real run lies, and how probable it is
// that one policy is faster than another. What is not known of a machine is drawn, cause by cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/records/description.hpp"

namespace equipoise {

/// One policy of a validation: what was predicted, and what was measured then.
struct ValidatedPolicy {
  std::string policy;
  double predicted_s = 0.0;  ///< mean of the simulated makespans
  /// Standard deviation of a real run's makespan, as a logarithm, for all causes but the model.
  double known_sd = 0.0;
  double block_s = 0.0;            ///< mean time of a unit for a block
  std::vector<double> measured_s;  ///< makespans of the real runs
};

constexpr auto describe(DescriptionOf<ValidatedPolicy> /*of*/) {
  return std::tuple(
      member("policy", &ValidatedPolicy::policy, "the policy").not_empty(),
      member("predicted_s", &ValidatedPolicy::predicted_s, "mean of the simulated makespans")
          .time(),
      member("known_sd", &ValidatedPolicy::known_sd,
             "standard deviation of the logarithm of a run's makespan, as predicted for all causes "
             "but errors of the model")
          .at_least(0),
      member("block_s", &ValidatedPolicy::block_s, "mean time of a block").cost(),
      member("measured_s", &ValidatedPolicy::measured_s, "makespans of the real runs")
          .time()
          .not_empty());
}

/// A recording, the simulations that were made of it, and the real runs.
struct ValidatedCase {
  std::string machine;  ///< host and CPU
  std::string date;     ///< of the runs
  std::string workload;
  std::vector<std::string> units;
  double recorded_busy = 0.0;  ///< share of the cores that other programs had while recording
  std::vector<ValidatedPolicy> policies;
};

constexpr auto describe(DescriptionOf<ValidatedCase> /*of*/) {
  return std::tuple(
      member("machine", &ValidatedCase::machine, "where it took place: host and CPU").not_empty(),
      member("date", &ValidatedCase::date, "of the runs, UTC"),
      member("workload", &ValidatedCase::workload, "as typed"),
      member("units", &ValidatedCase::units, "as typed"),
      member("recorded_busy", &ValidatedCase::recorded_busy,
             "share of the cores that other programs had during the recording")
          .at_least(0)
          .at_most(1),
      member("policies", &ValidatedCase::policies, "what was predicted and measured").not_empty());
}

/// What is known of how the machine varies, from the recording.
struct MachineVariation {
  double recorded_busy = 0.0;  ///< share of the cores that other programs had meanwhile
  double drift_sd = 0.0;       ///< of its speed from one time to another, relative
  double run_sd = 0.0;         ///< of equal short runs one after another, relative
  double run_s = 0.0;          ///< how long these took
};

/// The simulated makespans of one policy.
struct SimulatedMakespans {
  std::string policy;
  std::vector<double> plain_s;    ///< (n >= 2) repetition by repetition
  std::vector<double> redrawn_s;  ///< (m) with redrawn means; number k with the noise of k modulo n
  std::vector<double> ends_s;     ///< (m) likewise, with redrawn times outside the recorded sizes
  double block_s = 0.0;           ///< mean time of a unit for a block
};

/// A cause for which the makespan of a real run differs from the mean of the simulated ones.
enum class Uncertainty : std::uint8_t { scatter, means, ends, drift, repeatability, model };
inline constexpr std::size_t uncertainties = 6;

/// Its name and meaning for users.
struct UncertaintyText {
  const char* name;
  const char* meaning;
};
[[nodiscard]] const UncertaintyText& text_of(Uncertainty cause);

/// A prediction of the makespan of a single real run.
struct Prediction {
  std::optional<std::array<double, 2>> interval95_s;  ///< from the 2.5 % to the 97.5 % quantile
  /// Why there is no interval, or what would narrow it; may be empty.
  std::string note;
  /// With an interval: by how much real runs take longer than simulated ones, as validations found
  /// it, relative to the mean.
  double shift = 0.0;
  /// With an interval: half the width that each cause alone would give it, relative to the mean.
  std::array<double, uncertainties> half_widths{};
  /// ValidatedPolicy::known_sd; nothing where the machine's variation is not known.
  std::optional<double> known_sd;
  /// How probable it is that its mean makespan over many real runs is less than that of another
  /// policy, by that policy's name.
  std::vector<std::pair<std::string, double>> p_faster;
};

/// So many validations say how far simulations are off.
inline constexpr std::size_t enough_validations = 8;

/// Predicts for all policies of a comparison at once, because they share the machine, its recording
/// and the errors of the model.
///
/// The logarithm of a run's makespan is that of the simulated mean and a sum of independent terms:
///   scatter        of the blocks: the simulated repetitions around their mean;
///   means          of the recorded times, redrawn: a redrawn simulation less the plain one with
///                  the same noise;
///   ends           likewise, of times outside the recorded sizes;
///   drift          normal, drift_sd;
///   repeatability  normal: what equal runs vary more than their simulated blocks scatter. It is
///                  measured on runs of run_s, and taken to fall with the root of a run's length;
///   model          measured over predicted makespan of a run in `validations`.
/// Each is drawn 10,000 times; the interval is made of quantiles of the sums. For the model, a
/// policy of a case is drawn, and one of its runs. They are drawn more often the nearer they are:
/// the weight is exp(-d^2 / 2), where d is the distance of (ln makespan, ln block time, busy share)
/// in units of (ln 4, ln 4, 0.15); the units are doubled until the weights are no more uneven than
/// `enough_validations` equal ones. The runs of a validation vary for the causes above as well, and
/// their means were recorded anew. So their deviations from their mean are multiplied by b, and all
/// others by a, because the causes may have been overestimated there. a and b, from 0 to 1, are the
/// most likely: if e_i is the standard deviation of the errors of validation i around the mean
/// error of all, k_i its `known_sd`, w_i its weight and s the standard deviation of all errors,
/// they minimise
///     sum_i w_i (ln v_i + e_i^2 / v_i),   v_i = 1e-8 + a^2 k_i^2 + b^2 s^2,
/// as for normal errors of these variances, a in steps of 0.05 and b of 0.01. Of those that fit as
/// well, within 0.001 in the mean over w, the greatest a counts. A validation in which much was
/// known to vary tells little of the model. Source: ours.
///
/// The probability of being faster is about means over many runs: drift is common to all policies,
/// repetitions of the simulation are drawn with replacement, the same for all, and the model's
/// errors come from one case, of the policy of that name if it has one.
///
/// Returns one prediction a policy. `seed`: of the draws. With fewer than `enough_validations`,
/// too little is known of the model, and predictions have nothing but `known_sd`.
[[nodiscard]] std::vector<Prediction> predict(const std::vector<SimulatedMakespans>& simulated,
                                              const MachineVariation& machine,
                                              const std::vector<ValidatedCase>& validations,
                                              std::uint64_t seed);

/// How probable it is that `a` is less than `b` on average (n positive values each, n >= 2, which
/// belong together in pairs): by Student's t of the mean logarithm of their ratios. Half for equal
/// means.
[[nodiscard]] double probability_of_less(const std::vector<double>& a,
                                         const std::vector<double>& b);

}  // namespace equipoise

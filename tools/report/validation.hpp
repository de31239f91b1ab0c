// Compares predictions with measurements, and says how precise the measurements are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// How many of these runs ended within an interval: "14 of 15".
[[nodiscard]] std::string runs_within_text(const std::vector<double>& makespans_s, double low_s,
                                           double high_s);

/// The standard deviation of the makespans of all repetitions, relative to their mean; nullopt for
/// one repetition.
[[nodiscard]] std::optional<double> relative_sd(const PolicyResult& result);

/// Whether the measurement is too imprecise to judge a prediction: other programs had more than 10
/// % of the units' cores, or the standard deviation of the repetitions or half the 95 % confidence
/// interval of their mean is more than 10 % of the mean, or there is only one repetition.
[[nodiscard]] bool is_too_noisy(const PolicyResult& result);

/// `relative_sd` in percent, as a cell of a table; "-" for one repetition.
[[nodiscard]] std::string noise_cell(const PolicyResult& result);

/// The legend of a table with measured and predicted makespans. If some of the `measured` results
/// are too noisy, the reasons follow, each once: the machine is busy, repetitions differ, or there
/// are too few.
[[nodiscard]] std::string noise_text(const std::vector<const PolicyResult*>& measured);

/// One policy, simulated and run for real.
struct PolicyPrediction {
  const PolicyResult* simulated = nullptr;
  const PolicyResult* measured = nullptr;
  double relative_error = 0.0;  ///< of the mean makespan: simulated / measured - 1
  double share_error = 0.0;     ///< the largest difference in a unit's share of the items
};

/// How many of the measured runs ended within the predicted interval; "-" if there is none.
[[nodiscard]] std::string runs_within_text(const PolicyPrediction& prediction);

/// The result of a validation.
struct Validation {
  std::vector<PolicyPrediction> policies;  ///< those with both results, in their order
  double median_error = 0.0;               ///< median of the absolute relative errors
  double worst_error = 0.0;
  int ordered_pairs = 0;   ///< pairs of policies whose measured difference is more than noise
  int agreeing_pairs = 0;  ///< of these, pairs that the prediction orders in the same way
  /// Kendall's tau over the ordered pairs: (agreeing - others) / all of them; nullopt if there are
  /// no ordered pairs.
  std::optional<double> tau;
};

/// Compares the simulated and the measured results of `comparison`, which must outlive the result.
/// Two measured means differ by more than noise if their distance exceeds the root of the sum of
/// the squares of half their 95 % confidence intervals.
[[nodiscard]] Validation judge(const Comparison& comparison);

/// What `validate --max-error` says if an error is above `error_max` (0.1 is 10 %): whose is the
/// worst, whose are too large as well, and which of these policies are too noisy to judge but count
/// all the same; empty if none is above.
[[nodiscard]] std::string error_complaint(const Validation& validation, double error_max);

/// The table and the sentences below it as text.
[[nodiscard]] std::string validation_text(const Validation& validation,
                                          const std::vector<std::string>& units);

/// validation.json, `equipoise.validation/1`, of the validation of `comparison`.
[[nodiscard]] nlohmann::ordered_json validation_json(const Validation& validation,
                                                     const Comparison& comparison);

}  // namespace equipoise

// How far a prediction is from what was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// One policy, simulated and really run.
struct PolicyPrediction {
  const PolicyResult* simulated = nullptr;
  const PolicyResult* measured = nullptr;
  double relative_error = 0.0;  ///< of the mean makespan: simulated / measured - 1
  double share_error = 0.0;     ///< the largest difference of a unit's share of the items
};

/// What a validation found.
struct Validation {
  std::vector<PolicyPrediction> policies;  ///< those with results on both, in their order
  double median_error = 0.0;               ///< of the absolute relative errors
  double worst_error = 0.0;
  int ordered_pairs = 0;   ///< of policies whose measured difference is more than noise
  int agreeing_pairs = 0;  ///< of these: those that the prediction has in the same order
  /// Kendall's tau over the ordered pairs: (agreeing - others) / all of them; nothing where there
  /// is none.
  std::optional<double> tau;
};

/// Judges what `comparison` holds of both worlds; it outlives the result. Two measured means differ
/// by more than noise where their distance is more than the root of the sum of the squares of half
/// their 95 % confidence intervals.
[[nodiscard]] Validation judge(const Comparison& comparison);

/// The table and the sentences below it, for people.
[[nodiscard]] std::string validation_text(const Validation& validation,
                                          const std::vector<std::string>& units);

/// validation.json, `equipoise.validation/1`; `experiment` is a JSON object as text.
[[nodiscard]] std::string validation_json(const Validation& validation,
                                          const std::vector<std::string>& units,
                                          const std::string& experiment);

}  // namespace equipoise

// Measures how much repetitions of the same real run differ, and whether they are precise enough to
// judge a prediction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"

namespace equipoise {

/// The standard deviation of the makespans of all repetitions, relative to their mean; nullopt for
/// one repetition.
[[nodiscard]] std::optional<double> relative_sd(const PolicyResult& result);

/// Whether the measurement is too imprecise to judge a prediction: other programs had more than 10
/// % of the units' cores, or the standard deviation of the repetitions or half the 95 % confidence
/// interval of their mean is more than 10 % of the mean, or there is only one repetition.
[[nodiscard]] bool is_too_noisy(const PolicyResult& result);

/// `relative_sd` in percent, for a table; "-" for one repetition.
[[nodiscard]] std::string noise_cell(const PolicyResult& result);

/// The line that explains the `noise_cell`s below a table. If some of the `measured` results are
/// too noisy, adds the reasons, each once: the machine is busy, repetitions differ, or there are
/// too few.
[[nodiscard]] std::string noise_text(const std::vector<const PolicyResult*>& measured);

}  // namespace equipoise

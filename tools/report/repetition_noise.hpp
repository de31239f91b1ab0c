// How far repetitions of the same real run lie apart, and whether a prediction can be judged by
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"

namespace equipoise {

/// Standard deviation of the makespans of all repetitions over their mean; nothing for one
/// repetition.
[[nodiscard]] std::optional<double> relative_sd(const PolicyResult& result);

/// Whether what was measured says too little to judge a prediction by it: other programs had more
/// than 10 % of the units' cores; or the standard deviation of the repetitions, or half the 95 %
/// confidence interval of their mean, is more than 10 % of the mean; or there is one repetition
/// only.
[[nodiscard]] bool is_too_noisy(const PolicyResult& result);

/// `relative_sd` in percent, for a table; "-" for one repetition.
[[nodiscard]] std::string noise_cell(const PolicyResult& result);

/// The line below a table with `noise_cell`s: what they are. Then, where some of the `measured`
/// results are too noisy, what is wrong with them, one reason each: the machine is busy, repetitions
/// differ, or they are too few.
[[nodiscard]] std::string noise_text(const std::vector<const PolicyResult*>& measured);

}  // namespace equipoise

// Student's t distribution, for confidence intervals of means. It has its own file because the
// Boost header that it needs takes seconds to compile.
#pragma once

namespace equipoise {

/// The quantile at probability `p` in (0, 1) of Student's t distribution with `degrees` > 0 degrees
/// of freedom.
[[nodiscard]] double student_t_quantile(double degrees, double p);

/// The probability that a value of that distribution is at most `t`.
[[nodiscard]] double student_t_probability(double degrees, double t);

}  // namespace equipoise

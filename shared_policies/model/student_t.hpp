// Student's t distribution, for confidence intervals of means. In a file of its own, as what computes
// it takes seconds to compile.
#pragma once

namespace equipoise {

/// The t that a variable of `degrees` > 0 degrees of freedom is under with probability `p` in (0, 1).
[[nodiscard]] double student_t_quantile(double degrees, double p);

}  // namespace equipoise

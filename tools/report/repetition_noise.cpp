// Standard deviations, the share of other programs, and the sentences below a table of predictions.
#include "tools/report/repetition_noise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/report/glossary.hpp"

namespace equipoise {
namespace {

/// Relative to a mean. With more noise, an error may be caused by the machine.
constexpr double most_noise = 0.10;

/// Half the confidence interval of the mean, relative to the mean.
double relative_half_width(const PolicyResult& result) {
  return result.makespan_s.half_ci95() / result.makespan_s.mean;
}

/// Results that cannot be judged for the same reason, and the largest value among them.
struct Doubtful {
  std::vector<std::string> policies;
  double worst = 0.0;

  /// Adds `result` if `value` is above `most`; otherwise returns false.
  bool take(const PolicyResult& result, double value, double most = most_noise) {
    if (value <= most) return false;
    policies.push_back(result.spelling);
    worst = std::max(worst, value);
    return true;
  }

  /// Returns a text like "the predictions of greedy, static: BEFORE up to 23 % AFTER".
  [[nodiscard]] std::string text(const std::string& before, const std::string& after) const {
    const bool is_one = policies.size() == 1;
    return fmt::format("the prediction{} of {}: {} {}{:.0f} %{}\n", is_one ? "" : "s",
                       fmt::join(policies, ", "), before, is_one ? "" : "up to ", 100.0 * worst,
                       after);
  }
};

}  // namespace

std::optional<double> relative_sd(const PolicyResult& result) {
  if (result.reps < 2) return std::nullopt;
  return result.makespan_s.sd / result.makespan_s.mean;
}

bool is_too_noisy(const PolicyResult& result) {
  const std::optional<double> sd = relative_sd(result);
  return !sd || *sd > most_noise || relative_half_width(result) > most_noise ||
         share_of_others(result.core_use).value_or(0.0) > other_programs_share_max;
}

std::string noise_cell(const PolicyResult& result) {
  const std::optional<double> sd = relative_sd(result);
  return sd ? fmt::format("{:.1f}", 100.0 * *sd) : "-";
}

std::string noise_text(const std::vector<const PolicyResult*>& measured) {
  Doubtful busy;
  Doubtful apart;
  Doubtful few;
  bool is_repeated = true;
  for (const PolicyResult* const result : measured) {
    is_repeated = is_repeated && result->reps > 1;
    const double others = share_of_others(result->core_use).value_or(0.0);
    static_cast<void>(busy.take(*result, others, other_programs_share_max) ||
                      apart.take(*result, relative_sd(*result).value_or(0.0)) ||
                      few.take(*result, relative_half_width(*result)));
  }
  std::string text = legend({"measured", "sd", "predicted", "error"});
  if (!busy.policies.empty()) {
    text += "This machine is too busy to judge " +
            busy.text("other programs had", " of the units' cores meanwhile");
  }
  if (!apart.policies.empty()) {
    text += "This machine is too noisy to judge " +
            apart.text("repetitions of the same run differ by", " (sd)");
  }
  if (!few.policies.empty()) {
    text += "Too few repetitions to judge " +
            few.text("the measured mean is uncertain by", "; give more --reps");
  }
  if (!is_repeated) {
    text += "One repetition does not show how much repetitions differ; give more --reps\n";
  }
  return text;
}

}  // namespace equipoise

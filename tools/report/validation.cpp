// Computes the errors of mean makespans, of shares, and of the order of policies, and the noise of
// repetitions.
#include "tools/report/validation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/result_fields.hpp"
#include "traces/json_record.hpp"

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

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void compare_order(Validation& validation) {
  for (std::size_t i = 0; i < validation.policies.size(); ++i) {
    for (std::size_t j = i + 1; j < validation.policies.size(); ++j) {
      const PolicyPrediction& a = validation.policies[i];
      const PolicyPrediction& b = validation.policies[j];
      const double measured = a.measured->makespan_s.mean - b.measured->makespan_s.mean;
      const double noise =
          std::hypot(a.measured->makespan_s.half_ci95(), b.measured->makespan_s.half_ci95());
      if (!(std::abs(measured) > noise)) continue;
      ++validation.ordered_pairs;
      const double simulated = a.simulated->makespan_s.mean - b.simulated->makespan_s.mean;
      if (measured * simulated > 0.0) ++validation.agreeing_pairs;
    }
  }
  if (validation.ordered_pairs == 0) return;
  const int others = validation.ordered_pairs - validation.agreeing_pairs;
  validation.tau = static_cast<double>(validation.agreeing_pairs - others) /
                   static_cast<double>(validation.ordered_pairs);
}

std::ptrdiff_t count_within(const std::vector<double>& makespans_s, double low_s, double high_s) {
  return std::ranges::count_if(
      makespans_s, [&](double makespan_s) { return makespan_s >= low_s && makespan_s <= high_s; });
}

std::string shares_text(const std::vector<double>& shares) {
  std::vector<std::string> texts;
  for (const double share : shares) texts.push_back(fmt::format("{:.1f}", 100.0 * share));
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace

std::string runs_within_text(const std::vector<double>& makespans_s, double low_s, double high_s) {
  return fmt::format("{} of {}", count_within(makespans_s, low_s, high_s), makespans_s.size());
}

std::string runs_within_text(const PolicyPrediction& p) {
  const auto& interval = p.simulated->prediction.interval95_s;
  if (!interval) return "-";
  return runs_within_text(makespans_of(*p.measured), (*interval)[0], (*interval)[1]);
}

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

Validation judge(const Comparison& comparison) {
  Validation validation;
  std::vector<double> errors;
  for (const PolicyResult& measured : comparison.results) {
    if (is_simulated(measured)) continue;
    const PolicyResult* const simulated = find_result(comparison, measured.spelling, "sim");
    if (simulated == nullptr) continue;
    PolicyPrediction& prediction = validation.policies.emplace_back();
    prediction.simulated = simulated;
    prediction.measured = &measured;
    prediction.relative_error = simulated->makespan_s.mean / measured.makespan_s.mean - 1.0;
    prediction.share_error = largest_difference(simulated->share_by_unit, measured.share_by_unit);
    errors.push_back(std::abs(prediction.relative_error));
  }
  if (errors.empty()) return validation;
  std::ranges::sort(errors);
  const std::size_t middle = errors.size() / 2;
  validation.worst_error = errors.back();
  validation.median_error =
      errors.size() % 2 == 1 ? errors[middle] : 0.5 * (errors[middle - 1] + errors[middle]);
  compare_order(validation);
  return validation;
}

std::string error_complaint(const Validation& validation, double error_max) {
  std::vector<const PolicyPrediction*> above;
  for (const PolicyPrediction& p : validation.policies) {
    if (!(std::abs(p.relative_error) <= error_max)) above.push_back(&p);
  }
  if (above.empty()) return {};
  std::ranges::stable_sort(above, std::greater<>(),
                           [](const PolicyPrediction* p) { return std::abs(p->relative_error); });
  std::vector<std::string> others;
  std::vector<std::string> noisy;
  for (const PolicyPrediction* const p : above) {
    if (p != above.front()) others.push_back(p->measured->spelling);
    if (is_too_noisy(*p->measured)) noisy.push_back(p->measured->spelling);
  }
  const PolicyPrediction& worst = *above.front();
  std::string text =
      fmt::format("{}'s error of {:.2f} % is above --max-error {:.6g} %", worst.measured->spelling,
                  100.0 * std::abs(worst.relative_error), 100.0 * error_max);
  if (!others.empty()) {
    text += fmt::format("; so {} of {}", others.size() == 1 ? "is that" : "are those",
                        fmt::join(others, ", "));
  }
  if (!noisy.empty()) {
    const bool is_one = noisy.size() == 1;
    text += fmt::format(
        "; {} {}, although {} runs are too noisy to judge: give more --reps, or run when nothing "
        "else does",
        fmt::join(noisy, ", "), is_one ? "counts" : "count", is_one ? "its" : "their");
  }
  return text;
}

std::string validation_text(const Validation& validation, const std::vector<std::string>& units) {
  const ResultField& makespan = result_field("makespan_s");
  const ResultField& half = result_field("makespan_half_ci95_s");
  double most_s = 0.0;
  for (const PolicyPrediction& p : validation.policies) {
    most_s = std::max({most_s, p.measured->makespan_s.mean, p.simulated->makespan_s.mean});
  }
  const Prefix prefix = prefix_of_seconds(most_s);
  const std::string second = " " + prefix.name + "s";
  const std::string half_heading = heading_of(half, prefix);
  TextTable table({"policy", "measured" + second, half_heading, "sd %", "predicted" + second,
                   half_heading, "error %", "95 % from", "95 % to", "runs within",
                   "measured share % by unit", "predicted share % by unit"});
  const auto time = [&](const ResultField& field, double seconds) {
    return number_text(field, seconds / prefix.factor);
  };
  std::vector<const PolicyResult*> measured;
  for (const PolicyPrediction& p : validation.policies) {
    const auto& interval = p.simulated->prediction.interval95_s;
    const auto end_of = [&](std::size_t end) {
      return interval ? time(makespan, (*interval)[end]) : std::string("-");
    };
    table.add({p.measured->spelling, time(makespan, p.measured->makespan_s.mean),
               time(half, half_width(p.measured->makespan_s)), noise_cell(*p.measured),
               time(makespan, p.simulated->makespan_s.mean),
               time(half, half_width(p.simulated->makespan_s)),
               fmt::format("{:+.2f}", 100.0 * p.relative_error), end_of(0), end_of(1),
               runs_within_text(p), shares_text(p.measured->share_by_unit),
               shares_text(p.simulated->share_by_unit)});
    measured.push_back(p.measured);
  }
  std::string text = table.text() + "\n" + noise_text(measured);
  if (!validation.policies.empty()) {
    const std::string& note = validation.policies.front().simulated->prediction.note;
    if (!note.empty()) text += "intervals: " + note + "\n";
  }
  text += fmt::format(
      "share by unit: the part of all items that each unit did, in the order {}\n"
      "error of the predicted makespan: median {:.2f} %, worst {:.2f} %\n",
      fmt::join(units, " "), 100.0 * validation.median_error, 100.0 * validation.worst_error);
  if (validation.tau) {
    text += fmt::format(
        "order of policies: of {} whose measured makespans differ by more than noise, {} {} "
        "predicted in the right order (Kendall's tau {:.2f})\n",
        counted(static_cast<std::size_t>(validation.ordered_pairs), "pair"),
        validation.agreeing_pairs, validation.agreeing_pairs == 1 ? "is" : "are", *validation.tau);
    text += legend({"Kendall's tau"});
  } else {
    text += "order of policies: no two measured makespans differ by more than noise\n";
  }
  return text;
}

Json validation_json(const Validation& validation, const Comparison& comparison) {
  const std::vector<std::string>& units = comparison.units;
  Json policies = Json::array();
  for (const PolicyPrediction& p : validation.policies) {
    const auto& interval = p.simulated->prediction.interval95_s;
    policies.push_back(
        {{"policy", p.measured->spelling},
         {"on", p.measured->on},
         {"measured_s", json_of(p.measured->makespan_s)},
         {"measured_relative_sd", json_of(relative_sd(*p.measured))},
         {"other_load_share", json_of(share_of_others(p.measured->core_use))},
         {"too_noisy", is_too_noisy(*p.measured)},
         {"measured_makespans_s", makespans_of(*p.measured)},
         {"predicted_s", json_of(p.simulated->makespan_s)},
         {"interval95_s", interval ? Json(*interval) : Json()},
         {"interval_note", text_or_null(p.simulated->prediction.note)},
         {"runs_in_interval",
          interval ? Json(count_within(makespans_of(*p.measured), (*interval)[0], (*interval)[1]))
                   : Json()},
         {"relative_error", p.relative_error},
         {"measured_share_by_unit", by_unit(units, p.measured->share_by_unit)},
         {"predicted_share_by_unit", by_unit(units, p.simulated->share_by_unit)},
         {"share_error", p.share_error},
         {"verified", verified_json(p.measured->verified, p.measured->unchecked)}});
  }
  return {{"schema", "equipoise.validation/1"},
          {"environment", json_of(comparison.environment)},
          {"experiment", json_of(comparison.experiment)},
          {"policies", std::move(policies)},
          {"median_error", validation.median_error},
          {"worst_error", validation.worst_error},
          {"ordered_pairs", validation.ordered_pairs},
          {"agreeing_pairs", validation.agreeing_pairs},
          {"kendall_tau", json_of(validation.tau)}};
}

}  // namespace equipoise

// Draws what is not known of a machine, cause by cause, and takes quantiles of the sums.
#include "shared_policies/run/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/student_t.hpp"

namespace equipoise {
namespace {

constexpr std::size_t draws = 10'000;

/// Random numbers for one purpose.
class Numbers {
 public:
  Numbers(std::uint64_t seed, const std::string& purpose)
      : draw_({seed, 0, "\nprediction", purpose}) {}
  double uniform() { return draw_.quantile(next_++); }
  double normal() { return normal_quantile(uniform()); }
  std::size_t below(std::size_t count) {
    const auto at = static_cast<std::size_t>(uniform() * static_cast<double>(count));
    return std::min(at, count - 1);
  }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  Draw draw_;
  std::uint64_t next_ = 0;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean square distance from `from`.
double variance(const std::vector<double>& values, double from) {
  double square = 0.0;
  for (const double value : values) square += (value - from) * (value - from);
  return values.empty() ? 0.0 : square / static_cast<double>(values.size());
}

/// The q-quantile, interpolated between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::array<double, 2> ends95(std::vector<double> values) {
  std::ranges::sort(values);
  return {quantile(values, 0.025), quantile(values, 0.975)};
}

/// The logarithms of the simulated makespans over their mean. They scatter around their own mean
/// less than a further run does around it: by sqrt((n - 1) / (n + 1)).
std::vector<double> scatter_of(const SimulatedMakespans& of) {
  const double middle = mean(of.plain_s);
  const auto n = static_cast<double>(of.plain_s.size());
  std::vector<double> scatter;
  for (const double one : of.plain_s) {
    scatter.push_back(std::sqrt((n + 1.0) / (n - 1.0)) * std::log(one / middle));
  }
  return scatter;
}

/// The logarithms of `changed` over the plain makespans with the same noise.
std::vector<double> changes_of(const SimulatedMakespans& of, const std::vector<double>& changed) {
  std::vector<double> changes;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    changes.push_back(std::log(changed[i] / of.plain_s[i % of.plain_s.size()]));
  }
  return changes;
}

/// What repeated runs vary more than simulated ones, for runs that are as long as those of `of`.
double repeatability_of(const SimulatedMakespans& of, const MachineVariation& machine,
                        double scatter_variance) {
  if (!(machine.run_s > 0.0)) return 0.0;
  const double shorter = machine.run_s / mean(of.plain_s);
  const double square = machine.run_sd * machine.run_sd * shorter - scatter_variance;
  return std::sqrt(std::max(0.0, square));
}

/// A policy of a validation, and how much its errors count.
struct Weighted {
  const ValidatedCase* of_case;
  const ValidatedPolicy* policy;
  double distance2;  ///< square of the distance from the prediction
  double weight = 0.0;
};

/// How many equal weights would be as uneven as these.
double effective_count(const std::vector<Weighted>& all) {
  double sum = 0.0;
  double square = 0.0;
  for (const Weighted& one : all) {
    sum += one.weight;
    square += one.weight * one.weight;
  }
  return square > 0.0 ? sum * sum / square : 0.0;
}

/// The errors of the model that validations near a prediction show.
class ModelErrors {
 public:
  ModelErrors(const std::vector<ValidatedCase>& validations, const SimulatedMakespans& of,
              const MachineVariation& machine) {
    for (const ValidatedCase& one : validations) {
      for (const ValidatedPolicy& policy : one.policies) {
        all_.push_back({&one, &policy, distance2(one, policy, of, machine)});
      }
    }
    weigh();
    double sum = 0.0;
    double square = 0.0;
    for (const auto& [of_case, policy, distance, weight] : all_) {
      bias_ += weight * mean_of(*policy, [](double error) { return error; });
      square += weight * mean_of(*policy, [](double error) { return error * error; });
      sum += weight;
      until_.push_back(sum);
    }
    if (all_.empty()) return;
    bias_ /= sum;
    fit(square / sum - bias_ * bias_);
  }

  /// The mean logarithm of the measured over the predicted makespan.
  [[nodiscard]] double bias() const { return bias_; }
  /// By what the known causes are to be multiplied, because they were overestimated.
  [[nodiscard]] double of_known() const { return of_known_; }
  /// The logarithm of the measured over the predicted makespan of a run.
  [[nodiscard]] double of_a_run(Numbers& numbers) const {
    const ValidatedPolicy& policy = *pick(numbers).policy;
    return shrunk(std::log(numbers.one_of(policy.measured_s) / policy.predicted_s));
  }
  /// One to be given to `of_mean`.
  [[nodiscard]] const Weighted& pick(Numbers& numbers) const {
    const double at = numbers.uniform() * until_.back();
    const auto found = std::ranges::upper_bound(until_, at);
    return all_[std::min(static_cast<std::size_t>(found - until_.begin()), all_.size() - 1)];
  }
  /// The error of the mean over many runs of the policy called `name`, in the same case as `drawn`.
  [[nodiscard]] double of_mean(const Weighted& drawn, const std::string& name) const {
    const std::vector<ValidatedPolicy>& policies = drawn.of_case->policies;
    const auto same = std::ranges::find(policies, name, &ValidatedPolicy::policy);
    const ValidatedPolicy& policy = same != policies.end() ? *same : *drawn.policy;
    return shrunk(std::log(mean(policy.measured_s) / policy.predicted_s));
  }

 private:
  static double distance2(const ValidatedCase& one, const ValidatedPolicy& policy,
                          const SimulatedMakespans& of, const MachineVariation& machine) {
    constexpr double far_times = 1.386294361119891;  // ln 4
    constexpr double far_share = 0.15;
    const auto apart = [](double a, double b) {
      return a > 0.0 && b > 0.0 ? std::log(a / b) / far_times : 0.0;
    };
    const double makespan = apart(policy.predicted_s, mean(of.plain_s));
    const double block = apart(policy.block_s, of.block_s);
    const double busy = (one.recorded_busy - machine.recorded_busy) / far_share;
    return makespan * makespan + block * block + busy * busy;
  }
  /// Lets those that are farther away count, until there are enough.
  void weigh() {
    constexpr double widest = 64.0;
    for (double width = 1.0; width <= widest; width *= 2.0) {
      for (Weighted& one : all_) one.weight = std::exp(-0.5 * one.distance2 / (width * width));
      if (effective_count(all_) >= static_cast<double>(enough_validations)) return;
    }
    for (Weighted& one : all_) one.weight = 1.0;
  }
  /// The mean of `f` of the logarithms of the measured over the predicted makespan.
  template <class Function>
  [[nodiscard]] static double mean_of(const ValidatedPolicy& policy, const Function& f) {
    double sum = 0.0;
    for (const double measured_s : policy.measured_s) {
      sum += f(std::log(measured_s / policy.predicted_s));
    }
    return sum / static_cast<double>(policy.measured_s.size());
  }
  /// Finds the parts of the known causes and of the `observed` variance that are most likely, see
  /// `predict`.
  void fit(double observed) {
    constexpr int known_steps = 20;
    constexpr int model_steps = 100;
    constexpr double least = 1e-8;    // variance of a run of which nothing varies
    constexpr double as_good = 1e-3;  // of the misfit of a validation
    std::vector<double> squares;
    for (const Weighted& one : all_) {
      squares.push_back(
          mean_of(*one.policy, [this](double error) { return (error - bias_) * (error - bias_); }));
    }
    double best = std::numeric_limits<double>::infinity();
    for (int known = known_steps; known >= 0; --known) {
      for (int model = 0; model <= model_steps; ++model) {
        const double of_known = static_cast<double>(known) / known_steps;
        const double of_model = static_cast<double>(model) / model_steps;
        double misfit = 0.0;
        for (std::size_t i = 0; i < all_.size(); ++i) {
          const double known_sd = of_known * all_[i].policy->known_sd;
          const double variance = least + known_sd * known_sd + of_model * of_model * observed;
          misfit += all_[i].weight * (std::log(variance) + squares[i] / variance);
        }
        if (misfit >= best - as_good * until_.back()) continue;
        best = misfit;
        of_known_ = of_known;
        shrinking_ = of_model;
      }
    }
  }
  [[nodiscard]] double shrunk(double error) const { return bias_ + shrinking_ * (error - bias_); }

  std::vector<Weighted> all_;
  std::vector<double> until_;  ///< sums of weights
  double bias_ = 0.0;
  double shrinking_ = 1.0;
  double of_known_ = 1.0;
};

/// One policy's terms.
struct Terms {
  const SimulatedMakespans& of;
  ModelErrors model;
  std::vector<double> scatter;
  std::vector<double> means;
  std::vector<double> ends;
  double drift_sd = 0.0;
  double run_sd = 0.0;

  Terms(const SimulatedMakespans& simulated, const MachineVariation& machine,
        const std::vector<ValidatedCase>& validations)
      : of(simulated),
        model(validations, simulated, machine),
        scatter(scatter_of(simulated)),
        means(changes_of(simulated, simulated.redrawn_s)),
        ends(changes_of(simulated, simulated.ends_s)),
        drift_sd(machine.drift_sd),
        run_sd(repeatability_of(simulated, machine, variance(scatter, 0.0))) {}

  [[nodiscard]] double known_sd() const {
    return std::sqrt(variance(scatter, 0.0) + variance(means, 0.0) + variance(ends, 0.0) +
                     drift_sd * drift_sd + run_sd * run_sd);
  }
};

Prediction prediction_of(const Terms& terms, std::uint64_t seed) {
  Numbers numbers(seed, terms.of.policy);
  std::array<std::vector<double>, uncertainties> alone;
  std::vector<double> sums;
  const double known = terms.model.of_known();
  const auto one_of = [&](const std::vector<double>& values) {
    return values.empty() ? 0.0 : known * numbers.one_of(values);
  };
  for (std::size_t i = 0; i < draws; ++i) {
    const std::array<double, uncertainties> drawn = {one_of(terms.scatter),
                                                     one_of(terms.means),
                                                     one_of(terms.ends),
                                                     known * terms.drift_sd * numbers.normal(),
                                                     known * terms.run_sd * numbers.normal(),
                                                     terms.model.of_a_run(numbers)};
    for (std::size_t cause = 0; cause < uncertainties; ++cause) {
      alone[cause].push_back(drawn[cause]);
    }
    sums.push_back(std::accumulate(drawn.begin(), drawn.end(), 0.0));
  }
  Prediction prediction;
  const double mean_s = mean(terms.of.plain_s);
  const std::array<double, 2> ends = ends95(std::move(sums));
  prediction.interval95_s = {mean_s * std::exp(ends[0]), mean_s * std::exp(ends[1])};
  prediction.shift = std::expm1(terms.model.bias());
  for (std::size_t cause = 0; cause < uncertainties; ++cause) {
    const std::array<double, 2> of_cause = ends95(std::move(alone[cause]));
    prediction.half_widths[cause] = 0.5 * (std::exp(of_cause[1]) - std::exp(of_cause[0]));
  }
  return prediction;
}

/// Draws the mean makespans of all policies together and counts who is faster.
void compare_means(const std::vector<Terms>& terms, std::uint64_t seed,
                   std::vector<Prediction>& predictions) {
  constexpr std::size_t rounds = 2'000;
  Numbers numbers(seed, "\nmeans");
  const std::size_t policies = terms.size();
  std::vector<double> faster(policies * policies, 0.0);
  std::vector<double> log_s(policies);
  for (std::size_t round = 0; round < rounds; ++round) {
    const double redrawing = numbers.uniform();
    const std::uint64_t repetitions = static_cast<std::uint64_t>(numbers.uniform() * 0x1p53);
    const Weighted& drawn = terms.front().model.pick(numbers);
    for (std::size_t i = 0; i < policies; ++i) {
      const Terms& one = terms[i];
      Numbers same(repetitions, "\nrepetitions");
      double sum = 0.0;
      for (std::size_t k = 0; k < one.of.plain_s.size(); ++k) sum += same.one_of(one.of.plain_s);
      const auto changed = [&](const std::vector<double>& changes) {
        if (changes.empty()) return 0.0;
        const auto k = static_cast<std::size_t>(redrawing * static_cast<double>(changes.size()));
        return changes[std::min(k, changes.size() - 1)];
      };
      log_s[i] = std::log(sum / static_cast<double>(one.of.plain_s.size())) + changed(one.means) +
                 changed(one.ends) + one.model.of_mean(drawn, one.of.policy);
    }
    for (std::size_t i = 0; i < policies; ++i) {
      for (std::size_t j = 0; j < policies; ++j) {
        faster[i * policies + j] += log_s[i] < log_s[j] ? 1.0 : (log_s[i] == log_s[j] ? 0.5 : 0.0);
      }
    }
  }
  for (std::size_t i = 0; i < policies; ++i) {
    for (std::size_t j = 0; j < policies; ++j) {
      if (i == j) continue;
      predictions[i].p_faster.emplace_back(terms[j].of.policy,
                                           faster[i * policies + j] / double{rounds});
    }
  }
}

}  // namespace

const UncertaintyText& text_of(Uncertainty cause) {
  static constexpr std::array<UncertaintyText, uncertainties> texts{{
      {"scatter of blocks", "block times vary from block to block, as recorded"},
      {"recorded means", "few samples leave the mean block times uncertain"},
      {"sizes not recorded", "blocks smaller or larger than any recorded one"},
      {"drift", "the machine is faster or slower at another time"},
      {"repeatability", "equal runs, one after another, take different times"},
      {"model", "what simulation leaves out, as validations found it"},
  }};
  return texts[static_cast<std::size_t>(cause)];
}

std::vector<Prediction> predict(const std::vector<SimulatedMakespans>& simulated,
                                const MachineVariation& machine,
                                const std::vector<ValidatedCase>& validations, std::uint64_t seed) {
  const bool is_enough = validations.size() >= enough_validations;
  std::vector<Terms> terms;
  std::vector<Prediction> predictions;
  for (const SimulatedMakespans& one : simulated) {
    terms.emplace_back(one, machine, validations);
    predictions.push_back(is_enough ? prediction_of(terms.back(), seed) : Prediction());
    predictions.back().known_sd = terms.back().known_sd();
  }
  if (!terms.empty() && is_enough) compare_means(terms, seed, predictions);
  return predictions;
}

double probability_of_less(const std::vector<double>& a, const std::vector<double>& b) {
  EQ_CHECK(a.size() == b.size() && a.size() > 1, "values belong together in pairs");
  std::vector<double> later;
  for (std::size_t i = 0; i < a.size(); ++i) later.push_back(std::log(b[i] / a[i]));
  const double middle = mean(later);
  const auto degrees = static_cast<double>(a.size() - 1);
  const double error = std::sqrt(variance(later, middle) / degrees);
  if (error > 0.0) return student_t_probability(degrees, middle / error);
  return middle > 0.0 ? 1.0 : (middle < 0.0 ? 0.0 : 0.5);
}

}  // namespace equipoise

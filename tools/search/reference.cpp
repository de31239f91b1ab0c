// Simulates, with noise, the policies that may be the best known, and takes the best of them.
#include "tools/search/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "tools/console/terminal.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {
namespace {

/// Candidates so far behind in each of the first repetitions are not simulated further: they are
/// hardly ever best on average, and one of ten thousand blocks a unit takes longer than all others
/// together.
constexpr double far_behind = 1.05;
constexpr std::size_t tried_reps = 2;

std::vector<PolicyChoice> policies_for(const SimMachine& machine) {
  std::vector<PolicyChoice> choices;
  for (const char* const spelling :
       {"optimum", "optimum:reacts=true", "optimum:reacts=true,dearer=0.1",
        "optimum:reacts=true,part=0.3"}) {
    choices.push_back(parse_policy(spelling));
  }
  if (machine.units.size() <= few_units) choices.push_back(parse_policy("equipoise"));
  return choices;
}

/// The makespans of a candidate's repetitions; nullopt where one did not complete.
struct Candidate {
  PolicyChoice choice;
  std::vector<std::optional<double>> makespans_s;
};

/// Simulates the repetitions from `begin` to `end` of all candidates.
void simulate(const SimMachine& machine, const RunOptions& options,
              std::vector<Candidate>& candidates, std::size_t begin, std::size_t end) {
  const std::size_t jobs = (end - begin) * candidates.size();
  std::size_t ended = 0;
  Progress progress(options.quiet);
  for (Candidate& candidate : candidates) candidate.makespans_s.resize(end);
  run_simulations(
      jobs,
      [&](std::size_t job) {
        return simulation_of(machine, candidates[job % candidates.size()].choice, options,
                             static_cast<std::uint64_t>(begin + job / candidates.size()));
      },
      [&](std::size_t job, const SimulationResult& result) {
        ++ended;
        progress.show(fmt::format("simulated {} of {} runs that know the mean times", ended, jobs),
                      static_cast<double>(ended) / static_cast<double>(jobs));
        if (!result.failure.empty() || !result.report.run.verified) return;
        candidates[job % candidates.size()].makespans_s[begin + job / candidates.size()] =
            result.report.run.numbers.makespan.value;
      });
}

/// The mean makespan of a candidate; nullopt unless it completed every repetition.
std::optional<double> mean_s(const Candidate& candidate) {
  double sum_s = 0.0;  // in order: exact alike
  for (const std::optional<double>& makespan_s : candidate.makespans_s) {
    if (!makespan_s) return std::nullopt;
    sum_s += *makespan_s;
  }
  return sum_s / static_cast<double>(candidate.makespans_s.size());
}

/// Removes and returns the candidates that did not complete a repetition so far, or were far behind
/// another one in all.
std::vector<Candidate> drop_those_behind(std::vector<Candidate>& candidates) {
  const auto is_behind = [](const Candidate& candidate, const Candidate& other) {
    for (std::size_t rep = 0; rep < candidate.makespans_s.size(); ++rep) {
      if (*candidate.makespans_s[rep] <= far_behind * *other.makespans_s[rep]) return false;
    }
    return true;
  };
  std::vector<Candidate> kept;
  std::vector<Candidate> dropped;
  for (Candidate& candidate : candidates) {
    const bool is_kept =
        mean_s(candidate) && std::ranges::none_of(candidates, [&](const Candidate& other) {
          return mean_s(other) && is_behind(candidate, other);
        });
    (is_kept ? kept : dropped).push_back(candidate);
  }
  candidates = std::move(kept);
  return dropped;
}

}  // namespace

std::optional<BestReached> best_reached(const SimMachine& machine, const RunOptions& options,
                                        int repetitions) {
  RunOptions free_of_charge = options;
  free_of_charge.decision_cost = "none";
  std::vector<Candidate> candidates;
  for (PolicyChoice& choice : policies_for(machine)) candidates.push_back({std::move(choice), {}});
  const auto reps = static_cast<std::size_t>(repetitions);
  const std::size_t trials = std::min(reps, tried_reps);
  simulate(machine, free_of_charge, candidates, 0, trials);
  std::vector<Candidate> dropped = drop_those_behind(candidates);
  simulate(machine, free_of_charge, candidates, trials, reps);
  const auto is_complete = [](const Candidate& candidate) { return mean_s(candidate).has_value(); };
  if (!std::ranges::all_of(candidates, is_complete)) {  // one that seemed best, perhaps
    simulate(machine, free_of_charge, dropped, trials, reps);
    std::ranges::move(dropped, std::back_inserter(candidates));
  }
  std::optional<BestReached> best;
  for (const Candidate& candidate : candidates) {
    const std::optional<double> seconds = mean_s(candidate);
    if (!seconds || (best && *seconds >= best->seconds)) continue;
    best = {*seconds, candidate.choice.spelling};
  }
  return best;
}

std::optional<double> Reference::lower_bound_s() const {
  return platform_ == nullptr ? std::nullopt : platform_->bound.seconds;
}

void Reference::find_schedule(const RunOptions& options) {
  if (platform_ != nullptr) find_best_schedule(*platform_, options);
}

std::optional<BestReached> Reference::best_known(const RunOptions& options, int repetitions) const {
  if (platform_ == nullptr || !platform_->best_known) return std::nullopt;
  return options.noise ? best_reached(*platform_, options, repetitions) : platform_->best_known;
}

}  // namespace equipoise

// Chooses policies and collects their results.
#include "tools/worlds/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/worlds/inputs.hpp"
#include "traces/scenario_file.hpp"

namespace equipoise {

namespace {

/// The names that "all" stands for. Throws InputError, at `where`, if `options.without` has one
/// that no policy has.
std::vector<std::string> policies_of_all(const ComparisonOptions& options,
                                         const std::string& where) {
  std::vector<std::string> names;
  for (const PolicyInfo& info : policy_catalog()) names.push_back(info.name);
  const std::vector<std::string> all = names;
  for (const std::string& pattern : options.without) {
    const std::vector<std::string> without = names_like(pattern, all);
    if (without.empty()) static_cast<void>(find_policy(pattern, where));  // throws
    std::erase_if(names, [&](const std::string& name) {
      return std::ranges::find(without, name) != without.end();
    });
  }
  return names;
}

}  // namespace

std::vector<PolicyChoice> choose_policies(const ComparisonOptions& options,
                                          const std::string& where, const std::string& folder) {
  const std::vector<std::string> all = policies_of_all(options, where);
  std::vector<std::string> spellings;
  std::set<std::string> named = {options.baseline};
  for (const std::string& spelling : options.policies) {
    if (spelling == "all") {
      std::ranges::copy(all, std::back_inserter(spellings));
    } else {
      named.insert(spelling);
      spellings.push_back(spelling);
    }
  }
  if (std::find(spellings.begin(), spellings.end(), options.baseline) == spellings.end()) {
    spellings.insert(spellings.begin(), options.baseline);
  }
  std::vector<PolicyChoice> choices;
  for (const std::string& spelling : spellings) {
    PolicyChoice choice = parse_policy(spelling, where, folder);
    const auto same = std::ranges::find(choices, choice.spelling, &PolicyChoice::spelling);
    if (same == choices.end()) {
      if (options.blocks_max) {
        choice.blocks_max = options.blocks_max->blocks;
      } else if (!named.contains(spelling)) {
        choice.blocks_max = static_cast<std::uint64_t>(many_blocks);
      }
      choices.push_back(std::move(choice));
    } else if (same->loaded_hash != choice.loaded_hash) {
      throw InputError(choice.loaded_from,
                       fmt::format("and {} would both be called {} in results; copy one to a file "
                                   "with another name",
                                   same->loaded_from, choice.spelling));
    }
  }
  return choices;
}

void warn_of_too_many_blocks(const std::string& spelling, std::uint64_t most,
                             std::optional<double> blocks) {
  warn(
      fmt::format("{} is left out: a run of it makes more than {} blocks{}; give it a parameter "
                  "for larger ones (see 'equipoise list policies {}'), or say --blocks-max none",
                  spelling, most, blocks ? fmt::format(", {:.10g}", *blocks) : "",
                  spelling.substr(0, spelling.find(':'))));
}

void leave_out_slow(std::vector<PolicyChoice>& policies, const std::vector<Workload>& phases) {
  std::erase_if(policies, [&](const PolicyChoice& policy) {
    const double blocks = blocks_beforehand(policy, phases);
    if (!policy.blocks_max || blocks <= static_cast<double>(*policy.blocks_max)) return false;
    warn_of_too_many_blocks(policy.spelling, *policy.blocks_max, blocks);
    return true;
  });
}

std::vector<std::string> spellings_of(const std::vector<PolicyChoice>& policies) {
  std::vector<std::string> spellings;
  for (const PolicyChoice& choice : policies) spellings.push_back(choice.spelling);
  return spellings;
}

namespace {

/// The choice that is spelled so, as typed or in results; null if there is none.
const PolicyChoice* find_choice(const std::vector<PolicyChoice>& choices, const std::string& as) {
  const auto found = std::ranges::find_if(
      choices, [&](const PolicyChoice& c) { return c.spelling == as || c.typed == as; });
  return found == choices.end() ? nullptr : &*found;
}

}  // namespace

std::string choose_reference(const std::vector<PolicyChoice>& policies, const std::string& asked) {
  const std::string wanted = asked.empty() ? "equipoise" : asked;
  const PolicyChoice* const choice = find_choice(policies, wanted);
  return choice != nullptr ? choice->spelling : std::string();
}

void add_results(Comparison& comparison, const RunsByPolicy& runs, const std::string& on,
                 const std::optional<TimingsFacts>& timings) {
  for (const PolicyChoice& choice : comparison.policies) {
    const auto found = runs.find(choice.spelling);
    if (found == runs.end()) continue;
    comparison.results.push_back(
        summarise(choice.spelling, on, found->second, comparison.lower_bound_s));
    comparison.results.back().timings = timings;
  }
}

namespace {

/// Whether the mean of `result`, a simulated one, is over the same repetitions as those of the best
/// known: all that the table has.
bool has_every_repetition(const Comparison& comparison, const PolicyResult& result) {
  return result.verified && std::ranges::none_of(comparison.results, [&](const PolicyResult& r) {
           return r.on == result.on && r.reps > result.reps;
         });
}

/// Lets the best known be the fastest simulated result where that is better.
void count_results_as_known(Comparison& comparison) {
  std::optional<BestReached>& best = comparison.best_known;
  if (!best) return;
  for (const PolicyResult& result : comparison.results) {
    if (!is_simulated(result) || !has_every_repetition(comparison, result)) continue;
    if (result.makespan_s.mean < best->seconds) best = {result.makespan_s.mean, result.spelling};
  }
}

}  // namespace

void relate_results(Comparison& comparison, const std::string& baseline) {
  count_results_as_known(comparison);
  const PolicyChoice* const choice = find_choice(comparison.policies, baseline);
  compare_with_baseline(comparison.results, choice != nullptr ? choice->spelling : baseline);
  compare_with_reference(comparison.results, comparison.reference);
  compare_order(comparison.results);
}

namespace {

/// The files that the experiment reads, each with a hash of its contents.
std::vector<InputFile> input_files(const ComparisonOptions& options,
                                   const std::vector<PolicyChoice>& policies) {
  std::vector<std::string> files;
  if (!options.platform_file.empty()) files.push_back(options.platform_file);
  files.insert(files.end(), options.trace_files.begin(), options.trace_files.end());
  for (const std::string& workload : options.workloads) {
    const std::vector<std::string> named = files_of_workload(workload);
    files.insert(files.end(), named.begin(), named.end());
  }
  if (!options.scenario_file.empty()) {
    const std::vector<std::string> read = read_scenario(options.scenario_file).files;
    files.insert(files.end(), read.begin(), read.end());
  }
  for (const PolicyChoice& choice : policies) {
    const auto profile = choice.parameters.find("profile");
    if (profile != choice.parameters.end()) files.push_back(profile->second);
  }
  std::error_code error;
  for (const std::string& kept : {options.experience_file, options.validations_file}) {
    if (std::filesystem::exists(kept, error)) files.push_back(kept);
  }
  std::vector<InputFile> inputs;
  for (const std::string& file : files) inputs.push_back({file, hash_of_file(file)});
  return inputs;
}

std::string assumptions_text(const ComparisonOptions& options, const std::vector<Workload>& phases,
                             const std::vector<ItemCostsPtr>& costs) {
  std::vector<std::string> texts;
  for (std::size_t phase = 0; phase < costs.size(); ++phase) {
    if (costs[phase] == nullptr) continue;
    texts.push_back(
        fmt::format("items of {} differ: they cost from {:.2g} to {:.2g} times the "
                    "mean, with a standard deviation of {:.2g} of it",
                    phases[phase].kernel, costs[phase]->least(), costs[phase]->most(),
                    costs[phase]->deviation()));
  }
  for (const Workload& phase : phases) {
    if (phase.resident_bytes == 0.0) continue;
    const bool is_sent = phase.distribution == Distribution::master;
    const std::string data = fmt::format("{} that every unit needs for {}",
                                         quantity_text(phase.resident_bytes, "B"), phase.kernel);
    texts.push_back(is_sent ? data + " are sent to each before its first block"
                            : data + " are there from the start (distribution=replicated)");
  }
  if (options.decision_cost == "paper") {
    texts.emplace_back("decisions take as long as each policy's paper says");
  } else if (options.decision_cost == "measured") {
    texts.emplace_back("decisions take as long as they took here");
  } else if (options.decision_cost != "none") {
    texts.push_back("a decision takes " + options.decision_cost + " s");
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// Empty if the items of no phase differ.
std::vector<std::optional<CostsFacts>> costs_facts(const std::vector<ItemCostsPtr>& costs) {
  std::vector<std::optional<CostsFacts>> facts;
  if (std::ranges::all_of(costs, [](const ItemCostsPtr& one) { return one == nullptr; })) {
    return facts;
  }
  for (const ItemCostsPtr& one : costs) {
    facts.emplace_back();
    if (one) facts.back() = CostsFacts{one->least(), one->most(), one->deviation()};
  }
  return facts;
}

}  // namespace

void describe_experiment(Comparison& comparison, const ComparisonOptions& options,
                         const std::vector<Workload>& phases,
                         const std::vector<ItemCostsPtr>& costs,
                         const std::vector<WorldSettings>& worlds) {
  ExperimentFacts& experiment = comparison.experiment;
  experiment = {};
  experiment.on = options.on;
  experiment.workloads = options.workloads;
  experiment.policies = options.policies;
  experiment.baseline = options.baseline;
  experiment.reps = options.reps;
  experiment.seed = options.seed;
  experiment.decision_cost = options.decision_cost;
  for (const Workload& phase : phases) {
    const bool has_any = phase.resident_bytes > 0.0;
    experiment.distributions.push_back(has_any ? std::optional(phase.distribution) : std::nullopt);
  }
  experiment.costs = costs_facts(costs);
  experiment.experience_file = options.experience_file;
  experiment.inputs = input_files(options, comparison.policies);
  for (const PolicyChoice& choice : comparison.policies) {
    if (choice.loaded_from.empty()) continue;
    experiment.libraries.emplace_back(choice.spelling,
                                      InputFile{choice.loaded_from, choice.loaded_hash});
  }
  for (const WorldSettings& world : worlds) {
    (world.is_simulated ? experiment.sim : experiment.real) = world.settings;
  }
  comparison.assumptions = assumptions_text(options, phases, costs);
}

const PolicyResult* find_result(const Comparison& comparison, const std::string& policy,
                                const std::string& on) {
  for (const PolicyResult& result : comparison.results) {
    if (result.spelling == policy && result.on == on) return &result;
  }
  return nullptr;
}

std::optional<Seconds> last_end(const Comparison& comparison, const std::string& on) {
  std::optional<Seconds> end;
  for (const PolicyResult& result : comparison.results) {
    if (result.on != on) continue;
    if (!result.verified) return std::nullopt;
    end = std::max(end.value_or(Seconds{}), Seconds{result.makespan_s.max});
  }
  return end;
}

Foresight foresight_of(const Comparison& comparison, const PolicyResult& result) {
  for (const PolicyChoice& choice : comparison.policies) {
    if (choice.spelling == result.spelling) return choice.info->foresight;
  }
  return Foresight::none;
}

bool knows_costs(const Comparison& comparison, const PolicyResult& result) {
  const auto choice =
      std::ranges::find(comparison.policies, result.spelling, &PolicyChoice::spelling);
  // On real units that compute, nobody tells a policy what items cost.
  return choice != comparison.policies.end() && choice->knows_costs() && result.on != "real" &&
         std::ranges::any_of(comparison.experiment.costs,
                             [](const auto& costs) { return costs.has_value(); });
}

const PolicyResult* fastest_result(const Comparison& comparison, const std::string& on) {
  const PolicyResult* fastest = nullptr;
  for (const PolicyResult& result : comparison.results) {
    if (result.on != on || !result.verified) continue;
    if (foresight_of(comparison, result) == Foresight::oracle) continue;
    const bool is_faster = fastest == nullptr || result.makespan_s.mean < fastest->makespan_s.mean;
    if (is_faster) fastest = &result;
  }
  return fastest;
}

std::optional<double> over_best_known(const Comparison& comparison, const PolicyResult& result) {
  if (!comparison.best_known) return std::nullopt;
  if (is_simulated(result) && !has_every_repetition(comparison, result)) return std::nullopt;
  return result.makespan_s.mean / comparison.best_known->seconds;
}

bool knows_intervals(const Comparison& comparison) {
  return std::ranges::any_of(comparison.results, [](const PolicyResult& result) {
    return result.prediction.interval95_s.has_value();
  });
}

bool knows_energy(const Comparison& comparison) {
  return std::any_of(comparison.results.begin(), comparison.results.end(), [](const auto& r) {
    return r.means.template of<&RunNumbers::energy_j>() ||
           std::any_of(r.energy_by_unit_j.begin(), r.energy_by_unit_j.end(),
                       [](const auto& energy_j) { return energy_j.has_value(); });
  });
}

}  // namespace equipoise

// Chooses policies and collects their results.
#include "tools/worlds/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/report/json_text.hpp"
#include "tools/report/quantity_text.hpp"
#include "tools/report/text_table.hpp"

namespace equipoise {

std::vector<PolicyChoice> choose_policies(const Options& options, const std::string& folder) {
  const std::vector<std::string>& without = options.without;
  for (const std::string& name : without) static_cast<void>(find_policy(name));  // may throw
  std::vector<std::string> spellings;
  for (const std::string& spelling : options.policies) {
    if (spelling != "all") {
      spellings.push_back(spelling);
      continue;
    }
    for (const PolicyInfo& info : policy_catalog()) {
      if (std::find(without.begin(), without.end(), info.name) == without.end()) {
        spellings.push_back(info.name);
      }
    }
  }
  if (std::find(spellings.begin(), spellings.end(), options.baseline) == spellings.end()) {
    spellings.insert(spellings.begin(), options.baseline);
  }
  std::vector<PolicyChoice> choices;
  for (const std::string& spelling : spellings) {
    const bool seen = std::any_of(choices.begin(), choices.end(),
                                  [&](const PolicyChoice& c) { return c.spelling == spelling; });
    if (!seen) choices.push_back(parse_policy(spelling, folder));
  }
  return choices;
}

std::string choose_reference(const std::vector<PolicyChoice>& policies, const std::string& asked) {
  const std::string wanted = asked.empty() ? "equipoise" : asked;
  const bool is_there = std::any_of(policies.begin(), policies.end(),
                                    [&](const PolicyChoice& c) { return c.spelling == wanted; });
  return is_there ? wanted : std::string();
}

void add_results(Comparison& comparison, const RunsByPolicy& runs, const std::string& on) {
  for (const PolicyChoice& choice : comparison.policies) {
    const auto found = runs.find(choice.spelling);
    if (found == runs.end()) continue;
    comparison.results.push_back(
        summarise(choice.spelling, on, found->second, comparison.lower_bound_s));
  }
}

void relate_results(Comparison& comparison, const std::string& baseline) {
  compare_with_baseline(comparison.results, baseline);
  compare_with_reference(comparison.results, comparison.reference);
}

namespace {

/// Where the resident data of each phase lie at the start; null for a phase without any.
std::string distributions_text(const std::vector<Workload>& phases) {
  std::vector<std::string> texts;
  for (const Workload& phase : phases) {
    texts.push_back(phase.resident_bytes > 0.0 ? json_string(to_string(phase.distribution))
                                               : "null");
  }
  return json_list(texts);
}

std::string assumptions_text(const Options& options, const std::vector<Workload>& phases) {
  std::vector<std::string> texts;
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

}  // namespace

void describe_experiment(Comparison& comparison, const Options& options,
                         const std::vector<Workload>& phases,
                         const std::vector<WorldSettings>& worlds) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"on", json_string(options.on)},
      {"workloads", json_strings(options.workloads)},
      {"policies", json_strings(options.policies)},
      {"baseline", json_string(options.baseline)},
      {"reps", json_number(options.reps)},
      {"seed", json_number(static_cast<double>(options.seed))},
      {"decision_cost", json_string(options.decision_cost)},
      {"distribution", distributions_text(phases)},
      {"experience",
       options.experience_file.empty() ? "null" : json_string(options.experience_file)}};
  for (const WorldSettings& world : worlds) facts.emplace_back(world.key, world.text);
  comparison.experiment = json_object(facts);
  comparison.assumptions = assumptions_text(options, phases);
}

const PolicyResult* find_result(const Comparison& comparison, const std::string& policy,
                                const std::string& on) {
  for (const PolicyResult& result : comparison.results) {
    if (result.policy == policy && result.on == on) return &result;
  }
  return nullptr;
}

Foresight foresight_of(const Comparison& comparison, const PolicyResult& result) {
  for (const PolicyChoice& choice : comparison.policies) {
    if (choice.spelling == result.policy) return choice.info->foresight;
  }
  return Foresight::none;
}

std::optional<double> over_yardstick(const Comparison& comparison, const PolicyResult& result) {
  if (!comparison.best_known) return std::nullopt;
  return result.makespan_s.mean / comparison.best_known->seconds;
}

bool knows_energy(const Comparison& comparison) {
  return std::any_of(comparison.results.begin(), comparison.results.end(), [](const auto& r) {
    return r.energy_j || std::any_of(r.energy_by_unit_j.begin(), r.energy_by_unit_j.end(),
                                     [](const auto& energy_j) { return energy_j.has_value(); });
  });
}

}  // namespace equipoise

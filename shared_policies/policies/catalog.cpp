// The list of all policies, and making a policy from its name and parameters.
#include "shared_policies/policies/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/backup_tasks.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/policies/probed_start.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

constexpr const char* published = "published";

std::vector<std::string> preset_names(const PolicyInfo& info) {
  std::vector<std::string> names = {published};
  for (const Preset& preset : info.presets) names.push_back(preset.name);
  return names;
}

ParameterInfo preset_parameter(const PolicyInfo& info) {
  return {"preset", published, "",
          fmt::format("values of the other parameters unless they are given: {}",
                      fmt::join(preset_names(info), ", ")),
          "published: the defaults, which are the paper's wherever it gives them"};
}

/// The rows of all listed policies.
std::vector<PolicyInfo> make_rows() {
  std::vector<PolicyInfo> rows;
  for (const ListedPolicies& listed : listed_policies) {
    if (const auto* const several = std::get_if<std::vector<PolicyInfo> (*)()>(&listed)) {
      for (PolicyInfo& info : (*several)()) rows.push_back(std::move(info));
    } else {
      rows.push_back(std::get<PolicyInfo (*)()>(listed)());
    }
  }
  std::ranges::for_each(rows, add_common_parameters);
  return rows;
}

constexpr const char* costs_word = "costs";

bool has_costs_parameter(const PolicyInfo& info) {
  return std::ranges::count(info.parameters, costs_word, &ParameterInfo::name) > 0;
}

void refuse_missing_costs(const PolicyInfo& info, const PolicyInputs& inputs) {
  if (inputs.known != nullptr && !inputs.known->items.empty()) return;
  throw InputError("policy",
                   info.name +
                       ":costs=known has to know what each item costs, and nothing tells it of "
                       "kernels that really compute; leave costs=known out, or simulate the run "
                       "with --workload KERNEL:items=N,costs=FILE");
}

void refuse_missing_profile(const PolicyInfo& info, const PolicyInputs& inputs) {
  if (inputs.known == nullptr) {
    throw InputError("policy",
                     info.name +
                         " has to know block times beforehand; give a trace with times of "
                         "this kernel (equipoise record makes one), or profile=FILE to the policy");
  }
  for (const KnownCosts::Phase& phase : inputs.known->phases) {
    for (std::size_t p = 0; p < phase.size(); ++p) {
      if (phase[p] == nullptr) {
        throw InputError("policy",
                         fmt::format("{} has to know block times beforehand, and nothing tells "
                                     "those of {}; give a trace with its times of this kernel "
                                     "(equipoise record makes one), or leave the unit out",
                                     info.name,
                                     p < inputs.units.size() ? inputs.units[p].name
                                                             : fmt::format("unit {}", p + 1)));
      }
    }
  }
}

}  // namespace

ParameterInfo initial_block_parameter() {
  return {"initial_block_items", "auto", "items",
          "first block of every unit; auto: so that 15 such blocks on every unit are 10 % of the "
          "items; time:0.10: so that training takes 10 % of the time, judged by two small blocks "
          "measured on every unit",
          "PLB-HeC V.A: found empirically so that training takes about 10 % of the time, the same "
          "for all policies; auto: that share of the items, which needs no trial"};
}

ParameterInfo profile_parameter() {
  return {"profile", "the run's own trace", "file",
          "trace of an earlier run that the speeds are read from",
          "PLB-HeC II: profiles of previous executions; energy paper: speeds measured before"};
}

ParameterInfo costs_parameter() {
  return {costs_word, "alike", "",
          "what it knows of the items: that they are alike, or what each of them costs (known)",
          "ours: in the papers, items are alike or nobody knows beforehand how they differ"};
}

bool takes_costs(const Parameters& read) {
  return read.choice(costs_word, {"alike", "known"}) == 1;
}

bool knows_costs(const PolicyInfo& info, const TypedParameters& typed) {
  if (info.knows_costs) return true;
  const TypedParameters all = with_preset(info, typed);
  const auto given = all.find(costs_word);
  return has_costs_parameter(info) && given != all.end() && given->second == "known";
}

void add_common_parameters(PolicyInfo& info) {
  if (!info.presets.empty()) info.parameters.push_back(preset_parameter(info));
  info.parameters.push_back(backup_parameter(info.backs_up));
}

std::span<const PolicyInfo> policy_catalog() {
  static const std::vector<PolicyInfo> rows = make_rows();
  return rows;
}

const PolicyInfo& find_policy(std::string_view name, const std::string& where) {
  std::vector<std::string> known;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == name) return info;
    known.push_back(info.name);
  }
  throw InputError(where, unknown_name("policy", std::string(name), known));
}

PaperPrice paper_price(const PolicyInfo& info, const std::string& kernel) {
  const auto found = info.paper_decisions_s.find(kernel);
  const bool has_own = found != info.paper_decisions_s.end();
  return {has_own ? found->second : info.paper_decision_s, info.is_paper_time_of_run};
}

TypedParameters with_preset(const PolicyInfo& info, TypedParameters typed) {
  const auto chosen = typed.find("preset");
  if (chosen == typed.end() || info.presets.empty() || chosen->second == published) return typed;
  for (const Preset& preset : info.presets) {
    if (preset.name == chosen->second) {
      typed.insert(preset.values.begin(), preset.values.end());
      return typed;
    }
  }
  throw InputError("policy", unknown_name("value of preset", chosen->second, preset_names(info)));
}

namespace {

std::unique_ptr<Policy> make_without_backup(const PolicyInfo& info, const PolicyInputs& inputs) {
  TypedParameters typed = with_preset(info, inputs.parameters);
  const std::optional<double> time_share = take_time_share(typed, info.parameters);
  const Parameters parameters(typed, info.parameters, info.name, "policy");
  if (info.foresight != Foresight::none) refuse_missing_profile(info, inputs);
  if (has_costs_parameter(info) && takes_costs(parameters)) refuse_missing_costs(info, inputs);
  if (info.check_units != nullptr) info.check_units(parameters, inputs.units);
  std::unique_ptr<Policy> policy = info.make(parameters, inputs.known);
  if (!time_share) return policy;
  return make_probed_start(*time_share, [=, &info, known = inputs.known](Items first_block_items) {
    TypedParameters probed = typed;
    probed["initial_block_items"] = std::to_string(first_block_items);
    return info.make(Parameters(probed, info.parameters, info.name, "policy"), known);
  });
}

}  // namespace

std::unique_ptr<Policy> make_policy(const PolicyInfo& info, const PolicyInputs& inputs) {
  PolicyInputs own = inputs;
  TypedParameters typed;
  if (auto backup = own.parameters.extract("backup")) typed.insert(std::move(backup));
  const Parameters common(typed, std::vector{backup_parameter(info.backs_up)}, info.name, "policy");
  const bool backs_up = common.choice("backup", {"off", "on"}) == 1;
  std::unique_ptr<Policy> policy = make_without_backup(info, own);
  return backs_up && policy != nullptr ? make_backup_tasks(std::move(policy)) : std::move(policy);
}

}  // namespace equipoise

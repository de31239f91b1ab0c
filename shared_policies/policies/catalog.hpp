// The catalog of policies: name, description, source, parameters, and a function that makes the
// policy.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/experience.hpp"
#include "shared_policies/model/item_work.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// What a policy may know before the run.
enum class Foresight {
  none,      ///< learns only from events
  informed,  ///< is given a profile: speeds known before the run
  oracle     ///< is given the true timings of this run
};

/// The sizes of blocks, in order: [phase][unit][block], the same in every iteration.
using BlockLists = std::vector<std::vector<std::vector<Items>>>;

/// What is known before a run: costs of blocks, for informed policies and oracles, costs of items,
/// for policies that know them, and experience.
struct KnownCosts {
  /// The costs of one phase, one for each unit of the run in the units' order; nullptr if the
  /// profile has no data for the unit.
  using Phase = std::vector<std::unique_ptr<CostModel>>;
  std::vector<Phase> phases = std::vector<Phase>(1);
  /// (phases) How items differ; null: they are alike. Empty for policies that do not know costs,
  /// and where nothing tells the costs: on real units, kernels have the costs that they have.
  std::vector<std::shared_ptr<const ItemWork>> items{};
  BlockLists schedule;    ///< for `optimum`: the best known; empty if none was searched
  Experience experience;  ///< for policies that use it; empty if the run has none
};

/// What a policy is made from.
struct PolicyInputs {
  TypedParameters parameters;         ///< given by the user
  const KnownCosts* known = nullptr;  ///< null: nothing is known before the run
  std::span<const Unit> units = {};   ///< of the run; for policies that check them
};

/// A named set of values of a policy's parameters.
struct Preset {
  std::string name;        ///< "robust"
  std::string line;        ///< what it is good for, in one line
  TypedParameters values;  ///< of the parameters in which it differs from the defaults
};

/// One row of the catalog.
struct PolicyInfo {
  std::string name;
  std::string line;    ///< what the policy does, in one line
  std::string source;  ///< paper or program
  std::vector<ParameterInfo> parameters;
  Foresight foresight = Foresight::none;
  double paper_decision_s = 0.0;  ///< what decisions take, according to the paper
  /// `known` is not nullptr for foresight informed and oracle, and has a cost for every unit.
  std::unique_ptr<Policy> (*make)(const Parameters& parameters, const KnownCosts* known) = nullptr;
  /// Throws InputError if the policy cannot run on these units; nullptr: it accepts any units.
  void (*check_units)(const Parameters& parameters, std::span<const Unit> units) = nullptr;
  /// Sets of values besides the defaults. If there are any, the catalog adds the parameter
  /// `preset`, whose default, `published`, stands for the defaults.
  std::vector<Preset> presets{};
  std::map<std::string, double> paper_decisions_s{};  ///< by kernel, where the paper says more
  bool uses_experience = false;                       ///< of earlier runs, if the run has any
  /// Whether the paper's times are those of all decisions of a run together; otherwise of each.
  bool is_paper_time_of_run = false;
  /// Of a policy in a library: how long it may take to be made, and for one answer (`decide`). Then
  /// the run has failed.
  double answer_limit_s = 10.0;
  bool backs_up = false;     ///< whether `backup` is on unless it is turned off
  bool knows_costs = false;  ///< of items; otherwise only with `costs=known` (`costs_parameter`)
};

/// All policies, in the order in which they are listed to the user.
[[nodiscard]] std::span<const PolicyInfo> policy_catalog();

/// Adds what every policy takes: `preset`, if the row has presets, and `backup`. The rows of the
/// catalog have them.
void add_common_parameters(PolicyInfo& info);

/// Returns the row called `name`. Throws InputError (at `where`), which suggests the nearest known
/// name, if there is none.
[[nodiscard]] const PolicyInfo& find_policy(std::string_view name,
                                            const std::string& where = "policy");

/// What decisions cost with --decision-cost paper.
struct PaperPrice {
  double seconds = 0.0;    ///< 0 if the paper has no figure
  bool is_of_run = false;  ///< of all decisions of a run together; otherwise of each
};

/// The price of `info`'s decisions in a run of `kernel`: the paper's figure for this kernel, or for
/// any.
[[nodiscard]] PaperPrice paper_price(const PolicyInfo& info, const std::string& kernel);

/// `typed`, and the values of its preset for the parameters that it does not give. Throws
/// InputError for an unknown preset, suggesting the nearest.
[[nodiscard]] TypedParameters with_preset(const PolicyInfo& info, TypedParameters typed);

/// Whether the policy is given the costs of items, with the parameters that were given. Throws
/// InputError for an unknown preset.
[[nodiscard]] bool knows_costs(const PolicyInfo& info, const TypedParameters& typed);

/// Makes the policy, with backup tasks if `backup` is on. Throws InputError for an unknown
/// parameter (suggesting the nearest name), for a value that cannot be read or is out of range, for
/// a missing profile, for `costs=known` where nothing tells the costs of items, and for units that
/// lack data which the policy needs; BackendError if it needs a module that cannot be opened.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicyInfo& info,
                                                  const PolicyInputs& inputs);

}  // namespace equipoise

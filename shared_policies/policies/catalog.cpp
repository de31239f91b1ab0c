// The rows of the catalog and how a name and parameters become a policy.
#include "shared_policies/policies/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

const ParameterInfo initial_block_info{
    "initial_block_items", "auto", "items",
    "first block of every unit; auto: 0.10 of the items over 15 blocks on every unit"};

const ParameterInfo profile_info{"profile", "the run's own trace", "file",
                                 "trace of an earlier run that the speeds are read from"};

std::vector<ParameterInfo> plb_hec_parameters() {
  return {
      initial_block_info,
      {"multipliers", "1/2/4/8", "x initial block",
       "sizes of the training rounds; doubles after the last"},
      {"min_rounds", "4", "rounds", "training rounds before the first fit"},
      {"min_r2", "0.7", "", "coefficient of determination that every fit must exceed"},
      {"training_share_max", "0.2", "share of the items", "training ends here whatever the fits"},
      {"threshold", "0.1", "x block time", "spread of block times that starts a rebalancing"},
      {"noise_allowance", "6", "standard errors",
       "how much of a spread is put down to noise: means since the last solve count, less this "
       "many standard errors; 0: the latest times as they are, the paper's rule"},
      {"step_fraction", "0.02", "share of the items", "items of one step, one block a unit"},
      {"step", "fraction", "",
       "fraction: step_fraction of the items; doubled: twice the last training round"},
      {"ratio_mode", "normalised", "",
       "training speed ratios: of items per second of the latest round (normalised), of round 1 "
       "(first), of raw times of the latest round (literal)"},
      {"sync_order", "drain_then_fit", "", "drain_then_fit (the text) or fit_then_sync (the code)"},
      {"tail_resolve", "false", "", "solve once more when less than a step remains"},
      {"async_train", "false", "", "no barrier between training rounds"},
      {"fit", "subset", "", "choice of functions: subset, single, full_ridge, nnls"},
      {"adjusted_r2", "false", "", "coefficients of determination adjusted for degrees of freedom"},
      {"solver", "direct", "", "direct or ipopt"}};
}

std::vector<PolicyInfo> make_rows() {
  std::vector<PolicyInfo> rows;
  rows.push_back({"greedy",
                  "equal pieces for whoever is idle",
                  "StarPU's eager; baseline of PLB-HeC (2015) and DLB-GPU",
                  {initial_block_info,
                   {"pieces", "auto", "pieces",
                    "how many equal pieces all items are cut into; auto: by initial_block_items"}},
                  Foresight::none,
                  0.0,
                  make_greedy});
  rows.push_back(
      {"static",
       "one division before the run by a profile, never corrected",
       "de Camargo, WAMCA 2012 (10.1109/WAMCA.2012.13)",
       {profile_info,
        {"model", "fpm", "", "the profile as it is (fpm), a line (affine), a speed (speed)"},
        {"blocks", "1", "blocks", "equal blocks that a share is handed out in"}},
       Foresight::informed,
       0.0,
       make_static});
  rows.push_back({"plb-hec", "learns block times in rounds, then repeats blocks that end together",
                  "PLB-HeC (2015), algorithms 1 and 2", plb_hec_parameters(), Foresight::none,
                  0.170, make_plb_hec});
  rows.push_back({"optimum",
                  "the clairvoyant static division: knows the true times of this run",
                  "policies of the papers are measured against it",
                  {},
                  Foresight::oracle,
                  0.0,
                  make_optimum});
  return rows;
}

void refuse_missing_profile(const PolicyInfo& info, const PolicyInputs& inputs) {
  if (inputs.known == nullptr) {
    throw InputError("--policy", info.name +
                                     " needs to know block times before the run; give it "
                                     "profile=FILE, or the run a --trace");
  }
  for (const KnownCosts::Phase& phase : inputs.known->phases) {
    for (std::size_t p = 0; p < phase.size(); ++p) {
      if (phase[p] == nullptr) {
        throw InputError("--policy",
                         fmt::format("the profile of {} lacks unit number {} of the run; "
                                     "record it, or leave the unit out",
                                     info.name, p + 1));
      }
    }
  }
}

}  // namespace

std::span<const PolicyInfo> policy_catalog() {
  static const std::vector<PolicyInfo> rows = make_rows();
  return rows;
}

const PolicyInfo& find_policy(const std::string& name) {
  std::vector<std::string> known;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == name) {
      return info;
    }
    known.push_back(info.name);
  }
  throw InputError("--policy", unknown_name("policy", name, known));
}

std::unique_ptr<Policy> make_policy(const PolicyInfo& info, const PolicyInputs& inputs) {
  const Parameters parameters(inputs.parameters, info.parameters, info.name, "--policy");
  if (info.foresight != Foresight::none) {
    refuse_missing_profile(info, inputs);
  }
  return info.make(parameters, inputs.known);
}

}  // namespace equipoise

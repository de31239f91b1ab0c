// The list of all policies, and making a policy from its name and parameters.
#include "shared_policies/policies/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// One row for each policy, in the order in which they are listed.
std::vector<PolicyInfo> make_rows() {
  // clang-format off
  return {
      greedy_info(),
      static_info(),
      plb_hec_info(),
      plb_hac_info(),
      dlb_gpu_info(),
      hdss_info(),
      acosta_info(),
      hierarchical_info(),
      fpm_limited_info(),
      energy_alpha_info(),
      ss_info(),
      fsc_info(),
      mfsc_info(),
      gss_info(),
      tss_info(),
      fac_info(),
      fac2_info(),
      wf_info(),
      awf_b_info(),
      awf_c_info(),
      awf_d_info(),
      awf_e_info(),
      af_info(),
      naive_info(),
      asymmetric_info(),
      hguided_info(),
      equipoise_info(),
      optimum_info(),
  };
  // clang-format on
}

void refuse_missing_profile(const PolicyInfo& info, const PolicyInputs& inputs) {
  if (inputs.known == nullptr) {
    throw InputError("--policy", info.name +
                                     " needs block times from before the run; give it "
                                     "profile=FILE, or give the run a --trace");
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

ParameterInfo initial_block_parameter() {
  return {"initial_block_items", "auto", "items",
          "first block of every unit; auto: 0.10 of the items over 15 blocks on every unit"};
}

ParameterInfo profile_parameter() {
  return {"profile", "the run's own trace", "file",
          "trace of an earlier run that the speeds are read from"};
}

std::span<const PolicyInfo> policy_catalog() {
  static const std::vector<PolicyInfo> rows = make_rows();
  return rows;
}

const PolicyInfo& find_policy(std::string_view name) {
  std::vector<std::string> known;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == name) {
      return info;
    }
    known.push_back(info.name);
  }
  throw InputError("--policy", unknown_name("policy", std::string(name), known));
}

std::unique_ptr<Policy> make_policy(const PolicyInfo& info, const PolicyInputs& inputs) {
  const Parameters parameters(inputs.parameters, info.parameters, info.name, "--policy");
  if (info.foresight != Foresight::none) {
    refuse_missing_profile(info, inputs);
  }
  if (info.check_units != nullptr) {
    info.check_units(parameters, inputs.units);
  }
  return info.make(parameters, inputs.known);
}

}  // namespace equipoise

// The catalog rows of all policies, each defined in its policy's own file, and the parameters that
// several policies share.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

[[nodiscard]] PolicyInfo greedy_info();
[[nodiscard]] PolicyInfo dmda_info();
[[nodiscard]] PolicyInfo static_info();
[[nodiscard]] PolicyInfo fixed_info();
[[nodiscard]] PolicyInfo plb_hec_info();
[[nodiscard]] PolicyInfo plb_hac_info();
[[nodiscard]] PolicyInfo dlb_gpu_info();
[[nodiscard]] PolicyInfo hdss_info();
[[nodiscard]] PolicyInfo acosta_info();
[[nodiscard]] PolicyInfo hierarchical_info();
[[nodiscard]] PolicyInfo fpm_limited_info();
[[nodiscard]] PolicyInfo energy_alpha_info();
[[nodiscard]] PolicyInfo pareto_info();
[[nodiscard]] std::vector<PolicyInfo> loop_rules_info();      // ss, fsc, mfsc, gss, tss
[[nodiscard]] std::vector<PolicyInfo> factoring_info();       // fac, fac2, wf
[[nodiscard]] std::vector<PolicyInfo> adaptive_rules_info();  // awf-b to awf-e, af
[[nodiscard]] std::vector<PolicyInfo> scatter_rules_info();   // taper, bold
[[nodiscard]] PolicyInfo static_steal_info();
[[nodiscard]] PolicyInfo naive_info();
[[nodiscard]] PolicyInfo asymmetric_info();
[[nodiscard]] PolicyInfo logfit_info();
[[nodiscard]] PolicyInfo hguided_info();
[[nodiscard]] PolicyInfo auto_info();
[[nodiscard]] PolicyInfo equipoise_info();
[[nodiscard]] PolicyInfo optimum_info();

/// For PolicyInfo::make: makes a `P` from its parameters, and from what is known before the run if
/// its constructor takes that, too: as a reference, or as a pointer if it can do without.
template <typename P>
std::unique_ptr<Policy> make_a(const Parameters& read, const KnownCosts* known) {
  if constexpr (std::is_constructible_v<P, const Parameters&>) {
    return std::make_unique<P>(read);
  } else if constexpr (std::is_constructible_v<P, const Parameters&, const KnownCosts*>) {
    return std::make_unique<P>(read, known);
  } else {
    EQ_CHECK(known != nullptr, "make_policy checks this");
    return std::make_unique<P>(read, *known);
  }
}

/// A function that returns one row, or several.
using ListedPolicies = std::variant<PolicyInfo (*)(), std::vector<PolicyInfo> (*)()>;

/// All of them, in the order in which they are listed.
// clang-format off
inline constexpr ListedPolicies listed_policies[] = {
    greedy_info,
    dmda_info,
    static_info,
    fixed_info,
    plb_hec_info,
    plb_hac_info,
    dlb_gpu_info,
    hdss_info,
    acosta_info,
    hierarchical_info,
    fpm_limited_info,
    energy_alpha_info,
    pareto_info,
    loop_rules_info,
    factoring_info,
    adaptive_rules_info,
    scatter_rules_info,
    static_steal_info,
    naive_info,
    asymmetric_info,
    logfit_info,
    hguided_info,
    auto_info,
    equipoise_info,
    optimum_info,
};
// clang-format on

/// `initial_block_items`: the same row for every policy that has this parameter (see
/// `initial_block`).
[[nodiscard]] ParameterInfo initial_block_parameter();
/// `profile`: a parameter of informed policies; the program reads the file.
[[nodiscard]] ParameterInfo profile_parameter();
/// `costs`: whether a policy is given the costs of items; and its value.
[[nodiscard]] ParameterInfo costs_parameter();
[[nodiscard]] bool takes_costs(const Parameters& read);

}  // namespace equipoise

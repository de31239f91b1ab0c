// fpm-limited: the policy that the paper of hierarchical compares it with (its reference [9]). The
// division over nodes and units by functional performance models is the same, but a unit does its
// share as one block, and the part that does not fit into its memory goes to other units.
//
// If the memory of all units together holds less than the load, a further round does the rest.
#include <utility>

#include "shared_policies/policies/hierarchical/hierarchical.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

std::unique_ptr<Policy> make_fpm_limited(const Parameters& read, const KnownCosts* /*known*/) {
  HierarchicalOptions options = read_hierarchical_options(read);
  options.rule.in_groups = false;
  return std::make_unique<Hierarchical>(std::move(options));
}

}  // namespace

PolicyInfo fpm_limited_info() {
  Preset robust = hierarchical_robust();
  robust.values.emplace("old_totals", "replaced");
  return {"fpm-limited",
          "divides over nodes, then units; one block each that fits into memory",
          "Hierarchical divisible load scheduling (2012), section 6.1, its reference [9]",
          hierarchical_parameters(old_totals_parameter(
              "averaged",
              "section 6.1: as many points of a unit's total as iterations, so none is removed")),
          Foresight::none,
          0.0,
          make_fpm_limited,
          nullptr,
          {robust}};
}

}  // namespace equipoise

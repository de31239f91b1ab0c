// fpm-limited: what hierarchical is compared with in its paper (its reference [9]): the same
// division over nodes and units by functional performance models, but a unit does its share as one
// block, and what would not fit into its memory goes to others.
//
// Where the memories of all units together hold less than the load, a further round does the rest.
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
  return {"fpm-limited",
          "divides over nodes and units, one block each that fits into memory",
          "Hierarchical divisible load scheduling (2012), section 6.1, its reference [9]",
          hierarchical_parameters(),
          Foresight::none,
          0.0,
          make_fpm_limited};
}

}  // namespace equipoise

// hierarchical: hierarchical divisible load scheduling (2012). Divides over nodes, over the units
// of a node, and cuts an accelerator's share into groups of blocks whose copies overlap computation
// while the group fits into its memory; learns speeds as functions of size, round by round.
//
// Where the paper is garbled or silent (the search for the first blocks, the accuracy that ends the
// rounds, loads that are done only once), see hierarchical_rounds.cpp and solve/block_groups.hpp.
#include <utility>

#include "shared_policies/policies/hierarchical/hierarchical_rounds.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

constexpr double least_memory_share = 1e-3;

std::unique_ptr<Policy> make_hierarchical(const Parameters& read, const KnownCosts* /*known*/) {
  HierarchicalOptions options = read_hierarchical_options(read);
  options.rule.memory_share = read.number("memory_share", least_memory_share, 1.0);
  return make_hierarchical_rounds(std::move(options));
}

}  // namespace

PolicyInfo hierarchical_info() {
  std::vector<ParameterInfo> parameters = hierarchical_parameters();
  parameters.push_back({"memory_share", "1", "share of a unit's memory",
                        "what the overlapping blocks of one group may hold together"});
  return {"hierarchical",
          "divides over nodes and units, overlaps blocks inside accelerators",
          "Hierarchical divisible load scheduling (2012), sections 4 and 5",
          std::move(parameters),
          Foresight::none,
          0.0,
          make_hierarchical};
}

}  // namespace equipoise

// Gives the ranks of a host its hardware threads one after the other.
#include "real/nodes/rank_placement.hpp"

#include <fstream>
#include <map>
#include <set>

namespace equipoise {

std::string this_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return this_machine().name + " " + boot;
}

std::vector<Placement> place_ranks(std::span<const RankUnits> ranks) {
  std::map<std::string, CoresInUse> hosts;
  std::vector<Placement> placements;
  for (const RankUnits& rank : ranks) {
    placements.push_back(assign_cores(rank.units, rank.machine, hosts[rank.host]));
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    set_waiting(placements[i], ranks[i].units, ranks[i].machine, hosts[ranks[i].host]);
  }
  return placements;
}

}  // namespace equipoise

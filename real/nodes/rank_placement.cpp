// Gives the ranks of a host its hardware threads one after the other.
#include "real/nodes/rank_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

namespace equipoise {
namespace {

/// What is taken of a host.
struct HostCores {
  std::map<int, int> units_of_thread;
  std::map<int, int> units_of_core;
  std::map<int, std::string> owner_of_core;
};

/// Where threads of a rank that sleep most of the time run if units compute on all cores: on the
/// last core of its own unit with the largest slowdown.
int core_to_share(const RankUnits& rank, const Placement& placement) {
  int core = rank.machine.threads.back().number;
  double slowdown = 0.0;
  for (std::size_t i = 0; i < rank.units.size(); ++i) {
    if (placement.cores[i].empty() || rank.units[i].slowdown < slowdown) continue;
    slowdown = rank.units[i].slowdown;
    core = placement.cores[i].back();
  }
  return core;
}

}  // namespace

std::string this_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return this_machine().name + " " + boot;
}

std::vector<Placement> place_ranks(std::span<const RankUnits> ranks) {
  std::map<std::string, HostCores> hosts;
  std::vector<Placement> placements;
  for (const RankUnits& rank : ranks) {
    HostCores& host = hosts[rank.host];
    // First the threads that the fewest units have, and of these those of cores that the fewest
    // have.
    Machine left = rank.machine;
    std::ranges::stable_sort(left.threads, {}, [&](const CpuThread& thread) {
      return std::pair(host.units_of_thread[thread.number], host.units_of_core[thread.core]);
    });
    Placement placement = place_units(rank.units, left);
    std::set<std::string> sharers;
    for (std::size_t i = 0; i < placement.cores.size(); ++i) {
      for (const int number : placement.cores[i]) {
        const auto thread = std::ranges::find(rank.machine.threads, number, &CpuThread::number);
        ++host.units_of_thread[number];
        ++host.units_of_core[thread->core];
        const auto [owner, is_new] = host.owner_of_core.emplace(thread->core, rank.units[i].name);
        const bool is_of_rank =
            std::ranges::find(rank.units, owner->second, &PlacedUnit::name) != rank.units.end();
        if (is_new || is_of_rank || !sharers.insert(owner->second).second) continue;
        placement.warnings.push_back(fmt::format(
            "units {} and {} are on one host, share a core and disturb one another; give fewer "
            "units, or let mpirun bind no ranks (--bind-to none)",
            owner->second, rank.units[i].name));
      }
    }
    placements.push_back(std::move(placement));
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::map<int, int>& taken = hosts[ranks[i].host].units_of_thread;
    std::vector<int> free;
    for (const CpuThread& thread : ranks[i].machine.threads) {
      const auto found = taken.find(thread.number);
      if (found == taken.end() || found->second == 0) free.push_back(thread.number);
    }
    Placement& placement = placements[i];
    if (!free.empty()) {
      placement.waiting = free;
      placement.waiting_compute = false;
      continue;
    }
    placement.waiting_compute = true;
    placement.waiting = {core_to_share(ranks[i], placement)};
  }
  return placements;
}

}  // namespace equipoise

// Finds the links and copy engines that several units use.
#include "shared_policies/solve/shared_resource.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace equipoise {
namespace {

/// The units that use a link, as positions among the needs.
struct LinkUsers {
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;

  [[nodiscard]] bool are_one_unit() const {
    return in.size() <= 1 && out.size() <= 1 && (in.empty() || out.empty() || in == out);
  }
};

void add_links(const DisturbedPlatform& world, std::vector<UnitNeeds>& needs,
               std::vector<SharedResource>& shared) {
  const Platform& platform = world.platform;
  std::vector<LinkUsers> users(platform.links.size());
  std::vector<std::vector<std::uint32_t>> own_links(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const PlatformUnit& unit = platform.units[needs[i].unit];
    for (const std::uint32_t link : unit.in.links) users[link].in.push_back(i);
    for (const std::uint32_t link : unit.out.links) users[link].out.push_back(i);
  }
  for (std::uint32_t link = 0; link < users.size(); ++link) {
    const auto& [in, out] = users[link];
    if (!platform.links[link].shared || (in.empty() && out.empty())) continue;
    if (users[link].are_one_unit()) {
      if (!in.empty() && !out.empty()) own_links[in.front()].push_back(link);
      continue;
    }
    SharedResource& resource = shared.emplace_back();
    resource.name = platform.links[link].name;
    resource.rate = world.link_bytes_per_s[link];
    for (const std::size_t i : in) {
      resource.users.push_back({i, needs[i].in_bytes_per_item, needs[i].setup_over(link)});
    }
    for (const std::size_t i : out) {
      resource.users.push_back({i, needs[i].out_bytes_per_item, 0.0});
    }
  }
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (!own_links[i].empty()) needs[i].set_own_links(world, own_links[i]);
  }
}

/// The smallest and the largest of all rates of an engine.
std::set<double> constants_of(const std::vector<UnitNeeds>& needs,
                              const std::vector<std::size_t>& units, std::size_t engine) {
  std::set<double> all;
  for (const std::size_t i : units) {
    const std::vector<double> of_unit = extremes(needs[i].engines[engine].rate);
    all.insert(of_unit.begin(), of_unit.end());
  }
  return {*all.begin(), *all.rbegin()};
}

/// Adds the engine at position `engine` of the device that `units` share.
void add_engine(const std::vector<UnitNeeds>& needs, const std::vector<std::size_t>& units,
                std::size_t engine, std::vector<SharedResource>& shared) {
  for (const double c : constants_of(needs, units, engine)) {
    SharedResource resource;
    resource.name = "copies";
    std::vector<StepFunction> offered;
    for (const std::size_t i : units) {
      const CopyDirection& copies = needs[i].engines[engine];
      resource.users.push_back({i, copies.takes(c).per_item(), copies.setup});
      offered.push_back(copies.offered(c, needs[i].present));
    }
    resource.rate = combined(offered, greatest);
    shared.push_back(std::move(resource));
  }
}

void add_engines(const Platform& platform, const std::vector<UnitNeeds>& needs,
                 std::vector<SharedResource>& shared) {
  std::map<std::string, std::vector<std::size_t>> devices;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const std::string device = device_of(platform.units[needs[i].unit].unit);
    if (!device.empty()) devices[device].push_back(i);
  }
  for (const auto& [name, units] : devices) {
    if (units.size() < 2) continue;
    for (std::size_t engine = 0; engine < needs[units.front()].engines.size(); ++engine) {
      add_engine(needs, units, engine, shared);
    }
  }
}

}  // namespace

std::vector<SharedResource> find_shared_resources(const DisturbedPlatform& world,
                                                  std::vector<UnitNeeds>& needs) {
  std::vector<SharedResource> shared;
  add_links(world, needs, shared);
  add_engines(world.platform, needs, shared);
  return shared;
}

}  // namespace equipoise

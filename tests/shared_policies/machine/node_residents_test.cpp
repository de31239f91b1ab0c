// Tests of what the units of a node share of resident data; tests/sim has their times.
#include "shared_policies/machine/resident_data.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace equipoise::node_residents_test {
namespace {

using Way = NodeResidents::Way;
using Links = std::vector<std::uint32_t>;

PlatformUnit unit_of(const std::string& node, bool is_remote, const Links& links) {
  PlatformUnit unit;
  unit.unit.node = node;
  unit.unit.is_remote = is_remote;
  unit.in.links = links;
  return unit;
}

/// Link 0 leaves the master's node, 1 and 2 lead to nodes, 3 and 4 are the buses of two GPUs.
Platform two_nodes() {
  Platform platform;
  platform.links.assign(5, {"l", 100.0, Seconds{0.5}, true});
  platform.links[3].bandwidth_bytes_per_s = 50.0;
  platform.units = {unit_of("a", false, {}),       unit_of("a", false, {3}),
                    unit_of("b", true, {0, 1}),    unit_of("b", true, {0, 1, 3}),
                    unit_of("b", true, {0, 1, 4}), unit_of("c", true, {0, 2})};
  return platform;
}

TEST(RemoteNodes, ShareTheLinksWithWhichAllRoutesBegin) {
  const Platform platform = two_nodes();
  const std::vector<RemoteNode> nodes = sharing_nodes(platform);
  ASSERT_EQ(nodes.size(), 1U);  // a is the master's, c has one unit
  EXPECT_EQ(nodes[0].units, (std::vector<UnitId>{{2}, {3}, {4}}));
  EXPECT_EQ(nodes[0].trunk, (Links{0, 1}));
  EXPECT_FALSE(speed_from_node(platform, nodes[0], {2}).has_value());
  EXPECT_EQ(speed_from_node(platform, nodes[0], {3})->time(100.0), Seconds{2.5});
  EXPECT_EQ(speed_from_node(platform, nodes[0], {4})->time(100.0), Seconds{1.5});
}

TEST(RemoteNodes, AreNoneWhereRoutesShareNothing) {
  Platform platform = two_nodes();
  platform.units[2].in.links = {2, 1};
  EXPECT_TRUE(sharing_nodes(platform).empty());
}

TEST(NodeResidents, AreFetchedByOneUnitAndTakenByTheOthers) {
  NodeResidents residents({{{{0}, {1}, {2}}, {0}}}, 4);
  EXPECT_TRUE(residents.shares({2}));
  EXPECT_FALSE(residents.shares({3}));
  EXPECT_EQ(residents.ask({1}, 0, 0), Way::fetch);
  EXPECT_EQ(residents.ask({0}, 0, 0), Way::wait);
  EXPECT_TRUE(residents.arrived({0}).empty());  // it fetches nothing
  EXPECT_EQ(residents.arrived({1}), (std::vector<UnitId>{{0}}));
  EXPECT_EQ(residents.ask({2}, 0, 0), Way::take);
  EXPECT_EQ(residents.ask({2}, 0, 1), Way::fetch);  // of the next iteration
  EXPECT_EQ(residents.ask({0}, 0, 1), Way::wait);
  EXPECT_TRUE(residents.arrived({3}).empty());
}

TEST(NodeResidents, StayWithTheNodeWhileAUnitIsThere) {
  NodeResidents residents({{{{0}, {1}}, {0}}}, 2);
  EXPECT_EQ(residents.ask({0}, 0, 0), Way::fetch);
  EXPECT_EQ(residents.ask({1}, 0, 0), Way::wait);
  EXPECT_EQ(residents.lost({0}), UnitId{1});  // fetches instead
  EXPECT_TRUE(residents.arrived({1}).empty());
  EXPECT_EQ(residents.ask({0}, 0, 0), Way::take);  // it is back
  EXPECT_FALSE(residents.lost({1}).has_value());
  EXPECT_EQ(residents.ask({1}, 0, 0), Way::take);
  EXPECT_FALSE(residents.lost({0}).has_value());
  EXPECT_FALSE(residents.lost({1}).has_value());
  EXPECT_EQ(residents.ask({1}, 0, 0), Way::fetch);  // the node was empty
}

TEST(NodeResidents, AreFetchedByAnotherUnitTooIfTheOneThatFetchesIsLate) {
  NodeResidents residents({{{{0}, {1}, {2}}, {0}}}, 3);
  EXPECT_EQ(residents.ask({0}, 0, 0), Way::fetch);
  EXPECT_FALSE(residents.given_up({0}).has_value());  // nobody waits
  EXPECT_EQ(residents.ask({1}, 0, 0), Way::wait);
  EXPECT_EQ(residents.ask({2}, 0, 0), Way::wait);
  EXPECT_FALSE(residents.given_up({2}).has_value());  // it fetches nothing, and waits on
  EXPECT_EQ(residents.given_up({0}), UnitId{1});
  EXPECT_TRUE(residents.arrived({0}).empty());
  EXPECT_EQ(residents.arrived({1}), (std::vector<UnitId>{{2}}));
}

}  // namespace
}  // namespace equipoise::node_residents_test

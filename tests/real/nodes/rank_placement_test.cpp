// Where the units of several ranks compute.
#include "real/nodes/rank_placement.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace equipoise::rank_placement_test {
namespace {

/// A machine with these hardware threads, each a core of its own.
Machine machine_with(const std::vector<int>& threads) {
  Machine machine;
  for (const int number : threads) machine.threads.push_back({number, number, 0});
  return machine;
}

PlacedUnit cpu(const char* name, int cores = 1) { return {name, cores}; }

TEST(RankPlacement, GivesRanksOfOneHostCoresOfTheirOwn) {
  const Machine machine = machine_with({0, 1, 2, 3, 4, 5});
  const auto places = place_ranks(
      std::vector<RankUnits>{{"h", machine, {cpu("a", 2)}}, {"h", machine, {cpu("b"), cpu("c")}}});
  EXPECT_EQ(places[0].cores, (std::vector<std::vector<int>>{{0, 1}}));
  EXPECT_EQ(places[1].cores, (std::vector<std::vector<int>>{{2}, {3}}));
  EXPECT_EQ(places[0].waiting, (std::vector<int>{4, 5}));
  EXPECT_EQ(places[1].waiting, (std::vector<int>{4, 5}));
  EXPECT_TRUE(places[0].warnings.empty());
  EXPECT_TRUE(places[1].warnings.empty());
}

TEST(RankPlacement, GivesRanksOfSeveralHostsTheSameCores) {
  const Machine machine = machine_with({0, 1});
  const auto places =
      place_ranks(std::vector<RankUnits>{{"h", machine, {cpu("a")}}, {"g", machine, {cpu("b")}}});
  EXPECT_EQ(places[0].cores, places[1].cores);
}

TEST(RankPlacement, KeepsToTheCoresThatMpirunHasBoundARankTo) {
  const auto places = place_ranks(std::vector<RankUnits>{{"h", machine_with({0}), {cpu("a")}},
                                                         {"h", machine_with({1}), {cpu("b")}}});
  EXPECT_EQ(places[0].cores, (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(places[1].cores, (std::vector<std::vector<int>>{{1}}));
  EXPECT_EQ(places[1].waiting, (std::vector<int>{1}));
  EXPECT_TRUE(places[1].waiting_compute);
}

TEST(RankPlacement, SpreadsUnitsEvenlyAndWarnsWhereCoresRunOut) {
  const Machine machine = machine_with({0, 1});
  std::vector<RankUnits> ranks;
  for (const char* const name : {"a", "b", "c", "d"}) ranks.push_back({"h", machine, {cpu(name)}});
  const auto places = place_ranks(ranks);
  EXPECT_EQ(places[2].cores, (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(places[3].cores, (std::vector<std::vector<int>>{{1}}));
  ASSERT_EQ(places[3].warnings.size(), 1U);
  EXPECT_NE(places[3].warnings[0].find(
                "units b and d share a core and disturb one another; give fewer units "
                "or threads, or let mpirun bind no ranks"),
            std::string::npos);
}

TEST(RankPlacement, LetsThreadsThatWaitShareACoreOfTheirOwnRank) {
  const Machine machine = machine_with({0, 1});
  const auto places =
      place_ranks(std::vector<RankUnits>{{"h", machine, {cpu("a")}}, {"h", machine, {cpu("b")}}});
  EXPECT_EQ(places[0].waiting, (std::vector<int>{0}));
  EXPECT_EQ(places[1].waiting, (std::vector<int>{1}));
  EXPECT_TRUE(places[0].waiting_compute);
}

}  // namespace
}  // namespace equipoise::rank_placement_test

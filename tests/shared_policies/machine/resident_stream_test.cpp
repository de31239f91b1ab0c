// Tests of what units read of resident data with each block, over which links, and how fast; with
// values worked out by hand.
#include "shared_policies/machine/resident_data.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/fit/timing_curve.hpp"

namespace equipoise::stream_test {
namespace {

/// 1000 bytes of resident data; an item occupies a byte.
Workload workload_of(Items grain = 1) {
  Workload workload;
  workload.kernel = "k";
  workload.items = 600;
  workload.grain_items = grain;
  workload.resident_bytes = 1000.0;
  workload.memory_bytes_per_item = 1.0;
  return workload;
}

/// A GPU with 500 bytes that is reached over `links`.
PlatformUnit gpu(const std::string& name, const std::string& node, bool is_remote,
                 std::vector<std::uint32_t> links) {
  PlatformUnit unit;
  unit.unit.name = name;
  unit.unit.kind = UnitKind::gpu;
  unit.unit.node = node;
  unit.unit.is_remote = is_remote;
  unit.unit.memory_bytes = 500.0;
  unit.in.links = std::move(links);
  return unit;
}

Platform with_links(std::vector<Link> links) {
  Platform platform;
  platform.links = std::move(links);
  return platform;
}

TEST(StreamedData, AreWhatDoesNotFitBesideABlock) {
  Unit unit = gpu("u", "", false, {}).unit;
  const std::optional<StreamedData> data = streamed_data(unit, workload_of());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bytes(100.0), 600.0);  // 400 of the 1000 bytes stay
  EXPECT_EQ(data->kept_share(100.0), 0.4);
  EXPECT_EQ(data->bytes(500.0), 1000.0);  // none
  EXPECT_EQ(data->bytes(600.0), 1000.0);
  EXPECT_EQ(largest_block(unit, workload_of()), 500);
  EXPECT_EQ(items_in_memory(unit, workload_of()), 500);
  EXPECT_EQ(largest_block(unit, workload_of(64)), 448);  // 7 grains
}

TEST(StreamedData, AreNoneWhereAGrainFitsBesideTheResidentData) {
  Unit unit = gpu("u", "", false, {}).unit;
  unit.memory_bytes = 1064.0;
  EXPECT_FALSE(streamed_data(unit, workload_of(64)));
  EXPECT_EQ(largest_block(unit, workload_of(64)), 64);
  unit.memory_bytes = 1063.0;
  EXPECT_EQ(streamed_data(unit, workload_of(64))->bytes(64.0), 1.0);
  EXPECT_EQ(largest_block(unit, workload_of(64)), 600);
  Workload less = workload_of(64);
  less.resident_memory_bytes = 999.0;
  EXPECT_FALSE(streamed_data(unit, less));
  unit.memory_bytes.reset();
  EXPECT_FALSE(streamed_data(unit, workload_of(64)));
}

TEST(StreamedData, AreNoneOfUnitsThatWorkInTheMemoryOfTheirNode) {
  Unit unit = gpu("u", "", false, {}).unit;
  unit.kind = UnitKind::cpu;
  EXPECT_FALSE(streamed_data(unit, workload_of()));
  EXPECT_EQ(largest_block(unit, workload_of()), 0);
  unit.kind = UnitKind::mic;
  EXPECT_TRUE(streamed_data(unit, workload_of()));
  unit.copy_engines = 0;
  EXPECT_FALSE(streamed_data(unit, workload_of()));
}

TEST(StreamedData, NeedMemoryForABlock) {
  Unit unit = gpu("u", "", false, {}).unit;
  unit.memory_bytes = 63.0;
  EXPECT_FALSE(holds_a_grain(unit, workload_of(64)));
  unit.memory_bytes = 64.0;
  EXPECT_TRUE(holds_a_grain(unit, workload_of(64)));
}

/// The speed of the stream of each unit in bytes/s; 0: it has none.
std::vector<double> speeds(const Platform& platform) {
  std::vector<double> all;
  for (const std::optional<ResidentStream>& stream : resident_streams(platform, workload_of())) {
    all.push_back(stream ? stream->speed.bandwidth_bytes_per_s : 0.0);
  }
  return all;
}

TEST(ResidentStream, ComesOverTheWholeRouteOnTheMastersNode) {
  Platform platform = with_links({{"bus", 80.0, Seconds{0.25}}, {"slot", 100.0, Seconds{0.5}}});
  platform.units = {gpu("u", "m", false, {0, 1})};
  const std::optional<ResidentStream> stream = resident_streams(platform, workload_of())[0];
  ASSERT_TRUE(stream);
  EXPECT_FALSE(stream->is_remote);
  EXPECT_EQ(stream->time(100.0), Seconds{0.75 + 600.0 / 80.0});
}

TEST(ResidentStream, ComesOverTheLinksBehindTheNetworkOnAnotherNode) {
  Platform platform = with_links({{"net", 10.0}, {"bus", 80.0}, {"slot", 100.0}});
  platform.units = {gpu("u0", "n", true, {0, 1, 2}), gpu("u1", "n", true, {0})};
  platform.units[1].unit.kind = UnitKind::cpu;  // in the node's memory
  EXPECT_EQ(speeds(platform), (std::vector{80.0, 0.0}));
  // Without the CPU it is not known where the network ends: at least the last link is the unit's.
  platform.units.pop_back();
  EXPECT_EQ(speeds(platform), std::vector{100.0});
  EXPECT_TRUE(resident_streams(platform, workload_of())[0]->is_remote);
}

TEST(ResidentStream, TakesNoTimeWhereAUnitIsReachedLikeACpuOfItsNode) {
  Platform platform = with_links({{"net", 10.0}});
  platform.units = {gpu("u0", "n", true, {0}), gpu("u1", "n", true, {0})};
  EXPECT_EQ(speeds(platform), (std::vector{5.0, 5.0}));  // without a CPU the link may be a bus
  platform.units[1].unit.kind = UnitKind::cpu;
  EXPECT_EQ(resident_streams(platform, workload_of())[0]->time(100.0), Seconds{0.0});
}

TEST(ResidentStream, HasAnEqualPartOfALinkThatSeveralDevicesReadOver) {
  Platform platform = with_links({{"net", 10.0}, {"bus", 90.0}, {"slot", 50.0}});
  for (const char* name : {"u0", "u1", "u2"}) {
    platform.units.push_back(gpu(name, "n", true, {0, 1}));
  }
  platform.units[2].in.links = {0, 2};
  EXPECT_EQ(speeds(platform), (std::vector{45.0, 45.0, 50.0}));
  platform.units[0].unit.device = platform.units[1].unit.device = "card";
  EXPECT_EQ(speeds(platform), (std::vector{90.0, 90.0, 50.0}));  // one after the other
  platform.units[0].unit.device.clear();
  platform.links[1].shared = false;
  EXPECT_EQ(speeds(platform), (std::vector{90.0, 90.0, 50.0}));
  platform.links[1].shared = true;
  platform.units[0].unit.memory_bytes = 2000.0;  // holds the data
  EXPECT_EQ(speeds(platform), (std::vector{0.0, 90.0, 50.0}));
}

TEST(TimingCurve, CountsTheLongerOfComputingAndReading) {
  // 0.05 s an item; 500 + x bytes at 100 bytes/s with x items. They are equal at 125 items.
  Trace trace;
  trace.units.resize(1);
  for (const double items : {1.0, 1000.0}) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = 0.05 * items;
    trace.samples.push_back(sample);
  }
  Platform platform = with_links({{"bus", 100.0}});
  platform.units = {gpu("u", "m", false, {0})};
  const Workload workload = workload_of();
  const TimingCurve curve(BlockTiming(trace, 0),
                          moving_of(platform, platform.units[0], workload, {}),
                          resident_streams(platform, workload)[0]);
  EXPECT_NEAR(curve.computing_s(100.0), 6.0, 1e-12);
  EXPECT_NEAR(curve.computing_s(200.0), 10.0, 1e-12);
  // 400 bytes stay beside 100 items, and are sent before the first block.
  EXPECT_NEAR(curve.at(100.0).seconds, 4.0 + 6.0, 1e-12);
}

}  // namespace
}  // namespace equipoise::stream_test

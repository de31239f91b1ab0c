// Tests of machine specs: errors, and the times and routes that are generated from them.
#include <algorithm>
#include <regex>

#include "tests/tools/machines/machine_spec_fixture.hpp"

namespace equipoise::machine_spec_test {
namespace {

using Json = nlohmann::json;

TEST_F(MachineSpecTest, TimesABlockByTheNarrowerOfPeakAndMemoryBandwidth) {
  // 100 / (0.5 * 1e9) = 0.2 us and 80 / (0.5 * 1e8) = 1.6 us per item: memory is the limit.
  const MachineSpec spec = read(spec_);
  const Trace trace = modelled_trace(spec, spec.traces[0]);
  const auto samples = samples_of(trace, "a.cpu");
  ASSERT_EQ(samples.size(), 4U);
  const double sizes[] = {1, 4, 16, 20};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(samples[i].items, sizes[i]);
    EXPECT_NEAR(samples[i].compute_mean_s, 1e-3 + sizes[i] * 1.6e-6, 1e-9);
    EXPECT_NEAR(*samples[i].compute_sd_s, 0.03 * samples[i].compute_mean_s, 1e-9);
    EXPECT_EQ(samples[i].in_bytes, 8 * sizes[i]);
    EXPECT_EQ(samples[i].out_bytes, 2 * sizes[i]);
  }
  EXPECT_EQ(trace.source, "modelled");
  EXPECT_EQ(trace.item, "cell");
  EXPECT_NE(trace.provenance.find("Figures of a test."), std::string::npos);
}

TEST_F(MachineSpecTest, ReadsBytesPerItemWithTheirUnit) {
  spec_["traces"][0]["in_bytes_per_item"] = "8 kB";
  const MachineSpec spec = read(spec_);
  EXPECT_EQ(samples_of(modelled_trace(spec, spec.traces[0]), "a.cpu")[0].in_bytes, 8000.0);
}

TEST_F(MachineSpecTest, RunsAtHalfSpeedWhereAGpuIsHalfSaturated) {
  // 1000 threads with 50 per item: 20 items run at half of 0.25 * 2e10 / 100 = 5e7 items/s.
  const MachineSpec spec = read(spec_);
  const auto samples = samples_of(modelled_trace(spec, spec.traces[0]), "a.gpu0");
  EXPECT_NEAR(samples.back().items / samples.back().compute_mean_s, 2.5e7, 10.0);
}

TEST_F(MachineSpecTest, TakesAGivenSpeedInsteadOfTheRoofline) {
  const MachineSpec spec = read(spec_);
  EXPECT_DOUBLE_EQ(
      samples_of(modelled_trace(spec, spec.traces[0]), "b.core0").back().compute_mean_s, 4.0);
}

TEST_F(MachineSpecTest, TimesNoBlockThatMemoryDoesNotHold) {
  spec_["traces"][0]["resident_bytes"] = 400;
  spec_["traces"][0]["memory_bytes_per_item"] = 100;
  const MachineSpec spec = read(spec_);
  const Trace trace = modelled_trace(spec, spec.traces[0]);
  EXPECT_EQ(samples_of(trace, "a.gpu0").back().items, 6.0);
  EXPECT_EQ(samples_of(trace, "a.cpu").back().items, 20.0);
  EXPECT_EQ(trace.resident_bytes, 400.0);
  EXPECT_EQ(trace.memory_bytes_per_item, 100.0);
}

TEST_F(MachineSpecTest, LeavesOutUnitsThatHoldNoItemAndRefusesWhenNoneIsLeft) {
  spec_["traces"][0]["resident_bytes"] = 1000;
  spec_["traces"][0]["memory_bytes_per_item"] = 1;
  MachineSpec spec = read(spec_);
  // The GPUs have 1000 bytes and read what does not fit with each block.
  EXPECT_EQ(modelled_trace(spec, spec.traces[0]).units.size(), 3U);
  spec_["traces"][0]["memory_bytes_per_item"] = 1001;
  spec = read(spec_);
  EXPECT_EQ(modelled_trace(spec, spec.traces[0]).units.size(), 2U);
  for (auto& machine : spec.machines) {
    for (auto& unit : machine.units) unit.memory_bytes = 1000.0;
  }
  EXPECT_NE(refusal_of([&] { (void)modelled_trace(spec, spec.traces[0]); }).find("holds one item"),
            std::string::npos);
}

TEST_F(MachineSpecTest, TimesEqualUnitsOnceAndNamesTheirTimesInThePlatform) {
  const MachineSpec spec = read(spec_);
  const Trace trace = modelled_trace(spec, spec.traces[0]);
  ASSERT_EQ(trace.units.size(), 3U);
  EXPECT_EQ(trace.units[1].name, "a.gpu0");
  const PlatformDescription platform = machines_platform(spec, spec.platforms[0]);
  ASSERT_EQ(platform.hosts.size(), 8U);  // the master, one CPU, two GPUs, four cores
  EXPECT_EQ(platform.hosts[3].name, "a.gpu1");
  const std::pair<std::string, std::string> timed_as = {"trace_unit", "a.gpu0"};
  EXPECT_EQ(platform.hosts[3].properties.back(), timed_as);
}

TEST_F(MachineSpecTest, ReachesAUnitOverBothNetworkLinksAndItsBus) {
  const MachineSpec spec = read(spec_);
  const PlatformDescription platform = machines_platform(spec, spec.platforms[1]);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> routes;
  for (const RouteDescription& route : platform.routes) {
    routes[{route.from, route.to}] = route.links;
  }
  const std::vector<std::string> in = {"b.network.out", "a.network.in", "a.gpu.bus.in"};
  const std::vector<std::string> out = {"a.gpu.bus.out", "a.network.out", "b.network.in"};
  const std::vector<std::string> free = {"memory"};
  EXPECT_EQ((routes[{"RAM", "a.gpu1"}]), in);
  EXPECT_EQ((routes[{"a.gpu1", "RAM"}]), out);
  EXPECT_EQ((routes[{"RAM", "b.core3"}]), free);
}

TEST_F(MachineSpecTest, GivesABusALatencyOfItsOwnForCopiesOut) {
  const auto latency_of = [](const PlatformDescription& platform, const std::string& name) {
    return std::ranges::find(platform.links, name, &Link::name)->latency;
  };
  PlatformDescription platform = machines_platform(read(spec_), read(spec_).platforms[0]);
  EXPECT_EQ(latency_of(platform, "a.gpu.bus.out"), Seconds{1e-5});
  spec_["machines"][0]["units"][1]["bus"]["out_latency_s"] = "20 us";
  platform = machines_platform(read(spec_), read(spec_).platforms[0]);
  EXPECT_EQ(latency_of(platform, "a.gpu.bus.in"), Seconds{1e-5});
  EXPECT_EQ(latency_of(platform, "a.gpu.bus.out"), Seconds{2e-5});
}

TEST_F(MachineSpecTest, GivesTheUnitsOfADeviceOneBus) {
  Json& units = spec_["machines"][0]["units"];
  units[1]["device"] = "card";  // two GPUs
  units.push_back(units[1]);
  units[2]["id"] = "part";
  units[2]["count"] = 1;
  const MachineSpec spec = read(spec_);
  const PlatformDescription platform = machines_platform(spec, spec.platforms[0]);
  EXPECT_EQ(std::ranges::count(platform.links, "a.card.device.in", &Link::name), 1);
  for (const RouteDescription& route : platform.routes) {
    if (route.to != "a.gpu1" && route.to != "a.part") continue;
    EXPECT_EQ(route.links, std::vector<std::string>{"a.card.device.in"});
  }
  const std::pair<std::string, std::string> device = {"device", "card"};
  EXPECT_EQ(std::ranges::count(platform.hosts[4].properties, device), 1) << "a.part";
  Json other_engines = spec_;
  other_engines["machines"][0]["units"][2]["copy_engines"] = 1;
  std::string why = refusal(other_engines);
  EXPECT_TRUE(std::regex_search(why, std::regex("^spec\\.json:[0-9]+: a.gpu0 and a.part share a "
                                                "device, so they have the same copy_engines")))
      << why;
  spec_["machines"][0]["units"][2]["bus"]["latency_s"] = 1e-3;
  why = refusal(spec_);
  EXPECT_TRUE(std::regex_search(why, std::regex("^spec\\.json:[0-9]+: gpu and part share the "
                                                "device card, so they have the same bus")))
      << why;
}

TEST_F(MachineSpecTest, KnowsWhatARowOfAMatrixProductCosts) {
  spec_["traces"][0] = {{"name", "mm"}, {"kernel", "matmul"}, {"problem", {{"n", 1000}}}};
  spec_["machines"][1]["units"][0]["items_per_s"] = {{"matmul", 1}};
  const TraceChoice single = read(spec_).traces[0];
  EXPECT_EQ(single.items, 1000);
  EXPECT_EQ(single.cost.flop, 2e6);
  EXPECT_EQ(single.cost.in_bytes, 4000.0);
  EXPECT_EQ(single.cost.resident_bytes, 4e6);
  spec_["traces"][0]["element_bytes"] = 8;
  EXPECT_NE(refusal(spec_).find("unit a.gpu has no peak in double precision"), std::string::npos);
  spec_["machines"][0]["units"][1]["double_share"] = 0.125;
  EXPECT_EQ(read(spec_).traces[0].cost.in_bytes, 8000.0);
}

TEST_F(MachineSpecTest, SearchesEachGeneAmongAllPairsOfTheGenes) {
  spec_["traces"][0] = {{"name", "g"}, {"kernel", "grn"}, {"problem", {{"candidates", 300}}}};
  spec_["machines"][1]["units"][0]["items_per_s"] = {{"grn", 1}};
  const TraceChoice all = read(spec_).traces[0];
  EXPECT_EQ(all.items, 300);
  EXPECT_EQ(all.problem.at("items"), 300.0);
  EXPECT_EQ(all.cost.flop, 10.0 * 20.0 * 300.0 * 299.0 / 2.0);
  EXPECT_EQ(all.cost.resident_bytes, 300.0 * 20.0 * 4.0);
  spec_["traces"][0]["items"] = 7;  // targets; their cost does not depend on their number
  EXPECT_EQ(read(spec_).traces[0].items, 7);
  EXPECT_FALSE(read(spec_).traces[0].problem.contains("items"));
}

TEST_F(MachineSpecTest, LetsAMachineKeepResidentDataOutsideOfItsUnitsMemory) {
  spec_["traces"][0]["resident_bytes"] = 1e6;  // a GPU has 1000 bytes
  spec_["traces"][0]["resident_memory_bytes"] = 400;
  spec_["traces"][0]["memory_bytes_per_item"] = 100;
  const MachineSpec spec = read(spec_);
  const Trace trace = modelled_trace(spec, spec.traces[0]);
  EXPECT_EQ(samples_of(trace, "a.gpu0").back().items, 6.0);
  EXPECT_EQ(trace.resident_bytes, 1e6);
  EXPECT_EQ(trace.resident_memory_bytes, 400.0);
}

TEST_F(MachineSpecTest, GivesAPlatformANetworkOfItsOwn) {
  spec_["platforms"][1]["network"] = {{"bytes_per_s", 5e9}, {"latency_s", 1e-6}};
  const MachineSpec spec = read(spec_);
  const auto bandwidth = [&](std::size_t platform) {
    const PlatformDescription made = machines_platform(spec, spec.platforms[platform]);
    return std::ranges::find(made.links, "a.network.in", &Link::name)->bandwidth_bytes_per_s;
  };
  EXPECT_EQ(bandwidth(0), 1e8);
  EXPECT_EQ(bandwidth(1), 5e9);
}

TEST_F(MachineSpecTest, LeavesOutUnitsOfAPlatform) {
  spec_["platforms"][1]["without"] = {"a.gpu1"};
  const MachineSpec spec = read(spec_);
  const auto has = [&](std::size_t platform, const char* unit) {
    const PlatformDescription made = machines_platform(spec, spec.platforms[platform]);
    const bool is_host =
        std::ranges::find(made.hosts, unit, &HostDescription::name) != made.hosts.end();
    const bool is_reached =
        std::ranges::find(made.routes, unit, &RouteDescription::to) != made.routes.end();
    EXPECT_EQ(is_host, is_reached);
    return is_host;
  };
  EXPECT_TRUE(has(0, "a.gpu1"));
  EXPECT_FALSE(has(1, "a.gpu1"));
  EXPECT_TRUE(has(1, "a.gpu0"));
  spec_["platforms"][1]["without"] = {"a.gpu7"};
  EXPECT_NE(refusal(spec_).find("unknown unit of the platform 'a.gpu7'"), std::string::npos);
  spec_["platforms"][1]["without"] = {"a.gpu1", "a.gpu1"};
  EXPECT_NE(refusal(spec_).find("a.gpu1 is left out already; name it once"), std::string::npos);
}

TEST_F(MachineSpecTest, LeavesAUnitInEveryPlatform) {
  const MachineSpec spec = read(spec_);
  std::vector<std::string> all;
  for (const std::size_t index : spec.platforms[1].machines) {
    const MachineFigures& machine = spec.machines[index];
    for (const UnitFigures& unit : machine.units) {
      for (int i = 0; i < unit.count; ++i) all.push_back(unit_name(machine, unit, i));
    }
  }
  spec_["platforms"][1]["without"] = all;
  EXPECT_NE(refusal(spec_).find("no unit of " + spec.platforms[1].name + " is left; keep one"),
            std::string::npos)
      << refusal(spec_);
  all.pop_back();
  spec_["platforms"][1]["without"] = all;
  EXPECT_EQ(read(spec_).platforms[1].without.size(), all.size());
}

TEST_F(MachineSpecTest, CountsTheOperationsOfAPairOfFourierTransforms) {
  spec_["traces"][0] = {{"name", "f"}, {"kernel", "fft2d"}, {"items", 10}, {"element_bytes", 8}};
  spec_["machines"][1]["units"][0]["items_per_s"] = {{"fft2d", 1}};
  spec_["machines"][0]["units"][1]["double_share"] = 0.125;
  const ItemCost cost = read(spec_).traces[0].cost;
  EXPECT_EQ(cost.flop, 2.0 * 5.0 * 512 * 512 * 18);
  EXPECT_EQ(cost.in_bytes, 4.0 * 1024 * 1024);
}

TEST_F(MachineSpecTest, SaysWhereAFieldIsWrongAndWhatToDo) {
  const auto with = [this](const char* pointer, const Json& value) {
    Json changed = spec_;
    changed[Json::json_pointer(pointer)] = value;
    return refusal(changed);
  };
  const auto expect = [&](const char* pointer, const Json& value, const std::string& why) {
    const std::string text = with(pointer, value);
    EXPECT_TRUE(std::regex_search(text, std::regex("^spec\\.json:[0-9]+: "))) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
  };
  expect("/machines/0/units/1/kind", "tpu", "unknown kind of unit 'tpu'; it is cpu, gpu or mic");
  expect("/machines/0/units/1/clock_ghz", 1.0, "'clock_ghz'; did you mean 'clock_hz'?");
  expect("/machines/0/units/1/copy_engines", 3, "'copy_engines' is 3; it must be from 1 to 2");
  expect("/machines/0/units/1/count", 1.5, "'count' is 1.5; write a whole number");
  expect("/machines/0/units/0/busy_w", 5, "'busy_w' is 5; it must be from 10 to");
  expect("/machines/0/units/0/clock_hz", 1e9, "says it twice; keep one of them");
  expect("/machines/1/id", "a", "a is there already; rename one");
  expect("/machines/1/id", "../b", "`../b` is no name; use letters, digits, - and _");
  expect("/platforms/0/machines/1", "c", "unknown machine 'c'");
  expect("/platforms/0/machines/1", "a", "a is there already");
  expect("/traces/0/kernel", "other", "unit b.core has no speed for other; give it");
  expect("/traces/0/efficiency/cpu", 1.5, "'cpu' is 1.5; it must be from 1e-06 to 1");
  expect("/traces/0/element_bytes", 6, "'element_bytes' must be 4 or 8");
  expect("/schema", "equipoise.trace/1", "schema 'equipoise.trace/1' is not");
  expect("/source", Json::array({1}), "'source' must be a text or a list of texts");
  expect("/machines", Json::array(), "'machines' is empty; add one");
}

TEST_F(MachineSpecTest, NamesTheLine) {
  const std::string file =
      folder_.write("lines.json", "{\n\"schema\": \"equipoise.machines/1\",\n\"source\": 7}");
  EXPECT_NE(refusal_of([&] { (void)read_machine_spec(file); }).find("lines.json:3: "),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { (void)read_machine_spec(folder_.path("none")); }).find("none: "),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::machine_spec_test

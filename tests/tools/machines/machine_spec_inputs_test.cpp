// Tests of what machine specs take from elsewhere: data sheets, measured times, units of measure,
// and equal machines.
#include "tests/tools/machines/machine_spec_fixture.hpp"

namespace equipoise::machine_spec_inputs_test {
namespace {

using Json = nlohmann::json;

class MachineSpecInputs : public MachineSpecTest {};

TEST_F(MachineSpecInputs, CountsEqualMachinesAndTimesTheFirst) {
  spec_["machines"][1]["count"] = 3;
  spec_["platforms"][0]["machines"] = {"a", "b"};
  spec_["platforms"][1]["machines"] = {"b2", "a"};
  const MachineSpec spec = read(spec_);
  ASSERT_EQ(spec.machines.size(), 4U);
  const PlatformDescription all = machines_platform(spec, spec.platforms[0]);
  ASSERT_EQ(all.hosts.size(), 16U);  // the master, three units of a, three times four cores
  EXPECT_EQ(all.hosts[15].name, "b2.core3");
  const std::pair<std::string, std::string> timed_as = {"trace_unit", "b0.core0"};
  EXPECT_EQ(all.hosts[15].properties.back(), timed_as);
  EXPECT_NE(all.comment.find("machines: a b0..b2."), std::string::npos) << all.comment;
  EXPECT_EQ(machines_platform(spec, spec.platforms[1]).hosts.size(), 8U);
  EXPECT_EQ(modelled_trace(spec, spec.traces[0]).units.size(), 3U);
  spec_["machines"][0]["id"] = "b1";
  EXPECT_NE(refusal(spec_).find("b1 is there already; rename one"), std::string::npos);
  EXPECT_EQ(numbered_name("a100", 4, 2), "a100-2");
}

TEST_F(MachineSpecInputs, TakesTheFiguresOfADataSheet) {
  spec_["machines"][0]["units"][1] = {{"id", "gpu"},
                                      {"data_sheet", "v100-pcie-16gb"},
                                      {"count", 2},
                                      {"idle_w", "25 W"},
                                      {"memory_bytes", "8 GiB"}};
  const MachineSpec spec = read(spec_);
  const UnitFigures& gpu = spec.machines[0].units[1];
  EXPECT_EQ(gpu.kind, UnitKind::gpu);
  EXPECT_EQ(gpu.model, "Tesla V100-PCIE-16GB");
  EXPECT_DOUBLE_EQ(gpu.peak_flop_per_s, 14e12);
  EXPECT_DOUBLE_EQ(gpu.double_share.value(), 0.5);
  EXPECT_DOUBLE_EQ(gpu.memory_bytes.value(), 8.0 * 1024 * 1024 * 1024);  // given, not 16
  EXPECT_DOUBLE_EQ(gpu.half_saturation_threads, 8.0 * 5120);
  EXPECT_NEAR(gpu.bus->in_bytes_per_s, 15.754e9, 1e6);  // 16 lanes of 8 Gb/s, 128 of 130 bits
  EXPECT_EQ(gpu.busy_w, 250.0);
  // Boards have a bus each.
  const PlatformDescription platform = machines_platform(spec, spec.platforms[0]);
  EXPECT_EQ(platform.routes[4].links, std::vector<std::string>{"a.gpu1.bus.in"});
  spec_["machines"][0]["units"][1]["data_sheet"] = "v100-pcie-61gb";
  EXPECT_NE(refusal(spec_).find("unknown device 'v100-pcie-61gb'; did you mean"),
            std::string::npos);
}

TEST_F(MachineSpecInputs, SaysWhichUnitNamesTimesThatAreNotThere) {
  spec_["machines"][0]["units"][0]["timings"] = {{"stencil", "no.jsonl"}};
  const std::string why = refusal_of([&] { (void)read(spec_); });
  EXPECT_NE(why.find("no.jsonl: no such file; "), std::string::npos) << why;
  EXPECT_NE(why.find("spec.json:"), std::string::npos) << why;
  EXPECT_TRUE(why.ends_with(" names it, and paths begin in its folder")) << why;
}

TEST_F(MachineSpecInputs, ReadsValuesWithUnits) {
  spec_["network"] = {{"bytes_per_s", "25 Gb/s"}, {"latency_s", "30 us"}};
  spec_["machines"][0]["units"][1]["clock_hz"] = "2.9 GHz";
  const MachineSpec spec = read(spec_);
  EXPECT_DOUBLE_EQ(spec.platforms[0].network->in_bytes_per_s, 3.125e9);
  EXPECT_DOUBLE_EQ(spec.platforms[0].network->latency_s, 3e-5);
  EXPECT_DOUBLE_EQ(spec.machines[0].units[1].peak_flop_per_s, 10 * 2.9e9 * 2);
  spec_["network"]["latency_s"] = "30 bytes";
  EXPECT_NE(refusal(spec_).find("'latency_s': '30 bytes' is not a number of seconds"),
            std::string::npos)
      << refusal(spec_);
}

TEST_F(MachineSpecInputs, NeedsNoTraces) {
  spec_.erase("traces");
  spec_["machines"][0]["units"][0]["trace_unit"] = "my cpu";
  const MachineSpec spec = read(spec_);
  EXPECT_TRUE(spec.traces.empty());
  const PlatformDescription platform = machines_platform(spec, spec.platforms[0]);
  const std::pair<std::string, std::string> timed_as = {"trace_unit", "my cpu"};
  EXPECT_EQ(platform.hosts[1].properties.back(), timed_as);
}

TEST_F(MachineSpecInputs, LeavesOutOfTracesWhatTheUserTimes) {
  spec_["machines"][0]["units"][0]["trace_unit"] = "my cpu";
  const MachineSpec spec = read(spec_);
  EXPECT_TRUE(samples_of(modelled_trace(spec, spec.traces[0]), "a.cpu").empty());
  for (Json& machine : spec_["machines"]) {
    for (Json& unit : machine["units"]) unit["trace_unit"] = "mine";
  }
  EXPECT_NE(refusal(spec_).find("every unit has a trace_unit"), std::string::npos);
}

TEST_F(MachineSpecInputs, TakesMeasuredTimesOfUnits) {
  folder_.write("mine.csv", "n,ms\n10,1\n100,5\n");
  folder_.write(
      "core.jsonl",
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"stencil","item":"x",)"
      R"("units":[{"id":"cpu0","kind":"cpu","max_block_items":50}]})"
      "\n"
      R"({"unit":"cpu0","items":50,"compute_s":2,"in_bytes":7})"
      "\n");
  spec_["machines"][0]["units"][0]["timings"] = {{"stencil",
                                                  {{"file", "mine.csv"},
                                                   {"items_column", "n"},
                                                   {"compute_column", "ms"},
                                                   {"time_unit", "ms"}}}};
  spec_["machines"][1]["units"][0]["timings"] = {{"stencil", "core.jsonl"}};
  const MachineSpec spec = read(spec_);
  const Trace trace = modelled_trace(spec, spec.traces[0]);
  const auto cpu = samples_of(trace, "a.cpu");
  ASSERT_EQ(cpu.size(), 2U);
  EXPECT_DOUBLE_EQ(cpu[1].compute_mean_s, 0.005);
  EXPECT_EQ(cpu[1].in_bytes, 800.0);  // 8 bytes an item, as the trace says
  const auto core = samples_of(trace, "b.core0");
  ASSERT_EQ(core.size(), 1U);
  EXPECT_EQ(core[0].in_bytes, 7.0);
  EXPECT_EQ(trace.units[2].max_block_items.at("stencil"), 50);
  EXPECT_NE(
      trace.provenance.find("Measured times of a.cpu from mine.csv, b.core0 from core.jsonl."),
      std::string::npos);
  spec_["machines"][1]["units"][0]["timings"] = {{"stencil", "mine.csv"}};
  EXPECT_NE(refusal(spec_).find("a CSV file needs the names of its columns"), std::string::npos);
  spec_["machines"][1]["units"][0]["timings"] = {{"other", "core.jsonl"}};
  EXPECT_NE(refusal(spec_).find("has times of stencil, not of other"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::machine_spec_inputs_test

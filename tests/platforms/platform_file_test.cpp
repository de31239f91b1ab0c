// Tests of platform files: static checks, host properties, and the files that we write.
#include <gtest/gtest.h>

#include "platforms/platform_file.hpp"
#include "tests/platforms/platform_texts.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/places.hpp"

namespace equipoise::platform_file_test {
namespace {

TEST(PlatformFile, ListsHostsWithTheirLinesAndFindsTheMaster) {
  const PlatformFileFacts facts =
      check(zone("<host id=\"a\" speed=\"1Gf\"/>\n<zone id=\"y\" routing=\"Full\">\n"
                 "<host id=\"b\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
                 "</zone>\n"));
  ASSERT_EQ(facts.hosts.size(), 2U);
  EXPECT_EQ(facts.hosts[0].name, "a");
  EXPECT_EQ(facts.hosts[0].line, 5);
  EXPECT_EQ(facts.hosts[1].line, 7);
  EXPECT_EQ(facts.master, "b");
  EXPECT_FALSE(facts.generates_hosts);
}

TEST(PlatformFile, TakesTheFirstHostAsMasterWhereNoneIsNamed) {
  EXPECT_EQ(check(zone("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>")).master,
            "a");
}

TEST(PlatformFile, AcceptsAClusterInsteadOfHosts) {
  const PlatformFileFacts facts =
      check(zone("<cluster id=\"c\" prefix=\"n\" radical=\"0-3\" suffix=\"\" speed=\"1Gf\" "
                 "bw=\"1Gbps\" lat=\"1us\"/>\n"));
  EXPECT_TRUE(facts.generates_hosts);
  EXPECT_TRUE(facts.hosts.empty());
}

TEST(PlatformFile, RefusesWhatIsNoPlatformWithItsLine) {
  EXPECT_EQ(refusal_of([] { (void)check_platform_file("/nowhere/p.xml"); }),
            "/nowhere/p.xml: no such file; give a SimGrid platform file");
  EXPECT_TRUE(refusal("").starts_with("p.xml: the file is empty"));
  EXPECT_TRUE(refusal("not xml\n").starts_with("p.xml:1: not XML: "));
  EXPECT_TRUE(refusal("not xml\n").ends_with("; give a SimGrid platform file"));
  EXPECT_TRUE(refusal(head + "<platform version=\"4\">\n<zone>\n</platform>\n")
                  .starts_with("p.xml:5: not XML: "));
  EXPECT_EQ(refusal("<a>\n</a>"), "p.xml:1: no <platform>; give a SimGrid platform file");
  EXPECT_EQ(refusal(zone("")), "p.xml:3: a platform without hosts; add the machine's hosts");
  EXPECT_EQ(refusal(zone("<host speed=\"1Gf\"/>")), "p.xml:5: a host without id; name it");
}

TEST(PlatformFile, RefusesVersionThreeAndNamesTheConverter) {
  const std::string why = refusal(head + "<platform version=\"3\"><AS id=\"a\"/></platform>");
  EXPECT_TRUE(why.starts_with("p.xml:3: a platform of version 3")) << why;
  EXPECT_NE(why.find("simgrid_update_xml"), std::string::npos);
  EXPECT_EQ(refusal(head + "<platform><AS id=\"a\"/></platform>"),
            "p.xml:3: <platform> has no version that can be read; write version=\"4.1\"");
}

TEST(PlatformFile, RefusesTwoHostsOfOneName) {
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"a\" speed=\"1Gf\"/>\n")),
            "p.xml:6: host a is there already, on line 5; rename or remove one");
}

TEST(PlatformFile, RefusesTwoMasters) {
  const std::string prop = " speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n";
  EXPECT_EQ(refusal(zone("<host id=\"a\"" + prop + "<host id=\"b\"" + prop)),
            "p.xml:6: hosts a and b are both master; keep the one that holds the input");
}

TEST(PlatformFile, RefusesUnusableProperties) {
  EXPECT_EQ(property_refusal("kind", "fpga"),
            "p.xml:6: host a: unknown kind of unit 'fpga'; it is cpu, gpu or mic");
  EXPECT_EQ(
      property_refusal("memory_bytes", "12GB"),
      "p.xml:6: host a: property memory_bytes must be a number from 0 on, not `12GB`; correct it");
  EXPECT_EQ(
      property_refusal("memory_bytes", "-1"),
      "p.xml:6: host a: property memory_bytes must be a number from 0 on, not `-1`; correct it");
  EXPECT_EQ(
      property_refusal("memory_bytes", "nan"),
      "p.xml:6: host a: property memory_bytes must be a number from 0 on, not `nan`; correct it");
  EXPECT_EQ(property_refusal("copy_engines", "3"),
            "p.xml:6: host a: property copy_engines must be a whole number from 0 to 2, not `3`; "
            "correct it");
  EXPECT_EQ(property_refusal("slots", "0.5"),
            "p.xml:6: host a: property slots must be a whole number from 1 to 1000000, not `0.5`; "
            "correct it");
  EXPECT_EQ(property_refusal("master", "yes"),
            "p.xml:6: host a: property master must be true or false, not `yes`; correct it");
  EXPECT_EQ(property_refusal("wattage_per_state", "95:x"),
            "p.xml:6: host a: property wattage_per_state must be watts as `idle:busy`, not `95:x`; "
            "correct it");
  EXPECT_EQ(property_refusal("wattage_per_state", "-1:2"),
            "p.xml:6: host a: property wattage_per_state must be watts as `idle:busy`, not `-1:2`; "
            "correct it");
  EXPECT_EQ(property_refusal("wattage_per_state", "20:30:10"),
            "p.xml:6: host a: property wattage_per_state has fewer watts busy than idle, "
            "`20:30:10`; write idle:busy");
  EXPECT_EQ(property_refusal("trace_unit", ""),
            "p.xml:6: host a: property trace_unit is empty; name a unit of a trace");
  EXPECT_EQ(property_refusal("memsize", "anything"), "not refused");
  EXPECT_EQ(property_refusal("memory_bytes", "0"), "not refused");
}

TEST(PlatformFile, RefusesUnitsThatCannotShareADevice) {
  const auto host = [](const std::string& id, const std::string& node,
                       const std::string& copy_engines) {
    return "<host id=\"" + id + "\" speed=\"1Gf\"><prop id=\"device\" value=\"card\"/>" +
           (node.empty() ? "" : "<prop id=\"node\" value=\"" + node + "\"/>") +
           "<prop id=\"copy_engines\" value=\"" + copy_engines + "\"/></host>\n";
  };
  const std::string first = host("a", "n", "2");
  EXPECT_EQ(refusal(zone(first + host("b", "n", "2") + host("c", "other", "1"))), "not refused");
  EXPECT_EQ(refusal(zone(first + host("b", "n", "1"))),
            "p.xml:6: host b: a and b share a device, so they have the same copy_engines; a has 2, "
            "and b has 1");
  EXPECT_EQ(refusal(zone(first + host("b", "n", "0"))),
            "p.xml:6: host b: b names a device and copies by itself; give copy_engines 1 or 2, or "
            "leave out the device");
  EXPECT_EQ(refusal(zone(first + host("b", "", "2"))),
            "p.xml:6: host b: has the property device but no node; add the property node, because "
            "only units of one node share a device");
}

TEST(PlatformFile, RefusesWhatStopsSimGridInTheMiddleOfASimulation) {
  const std::string host = "<host id=\"a\" speed=\"1Gf\"/>\n";
  const auto link = [&](const std::string& attribute) {
    return refusal(
        zone(host + "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" " + attribute + "/>\n"));
  };
  EXPECT_EQ(link("sharing_policy=\"WIFI\""),
            "p.xml:6: link l: sharing_policy WIFI is not supported; make it SHARED");
  EXPECT_EQ(link("state_file=\"s.txt\""),
            "p.xml:6: link l: a state_file is not supported; remove it");
  EXPECT_EQ(link("sharing_policy=\"FATPIPE\" state_file=\"\""), "not refused");
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\" state_file=\"s.txt\"/>\n")),
            "p.xml:5: host a: a state_file is not supported; remove it");
  EXPECT_EQ(
      refusal(zone(host + "<trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"a\"/>\n")),
      "p.xml:6: trace_connect of kind HOST_AVAIL is not supported; remove it, and say in a "
      "scenario what disturbs hosts");
}

TEST(PlatformFile, SurvivesAbsurdNesting) {
  std::string text = head + "<platform version=\"4.1\">";
  for (int i = 0; i < 200000; ++i) text += "<zone>";
  text += "<host id=\"a\"/>";
  for (int i = 0; i < 200000; ++i) text += "</zone>";
  EXPECT_EQ(check(text + "</platform>").hosts.size(), 1U);
}

TEST(PlatformFile, ReadsOrRefusesDamagedFiles) {
  constexpr std::uint64_t seed = 20240608;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::string text = zone(
      "<host id=\"a\" speed=\"1Gf\"><prop id=\"memory_bytes\" value=\"12\"/></host>\n"
      "<host id=\"b\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n");
  for (int i = 0; i < 300; ++i) {
    const std::string why = refusal(mutate(text, random));
    EXPECT_TRUE(why == "not refused" || why.starts_with("p.xml")) << why;
  }
}

TEST(UnitFromProperties, ReadsEveryProperty) {
  const PlatformUnit unit = unit_from_properties("g", {{"kind", "gpu"},
                                                       {"memory_bytes", "12079136768"},
                                                       {"copy_engines", "2"},
                                                       {"slots", "3"},
                                                       {"node", "sirocco"},
                                                       {"model", "Tesla K40m"},
                                                       {"device", "card"},
                                                       {"wattage_per_state", "20.5: 95 :235, 1:2"},
                                                       {"trace_unit", "cuda0"},
                                                       {"other", "ignored"}});
  EXPECT_EQ(unit.unit.name, "g");
  EXPECT_EQ(unit.unit.kind, UnitKind::gpu);
  EXPECT_EQ(unit.unit.memory_bytes, 12079136768.0);
  EXPECT_EQ(unit.unit.copy_engines, 2);
  EXPECT_EQ(unit.unit.slots, 3);
  EXPECT_EQ(unit.unit.node, "sirocco");
  EXPECT_EQ(unit.unit.model, "Tesla K40m");
  EXPECT_EQ(unit.unit.device, "card");
  EXPECT_EQ(unit.unit.idle_w, 20.5);
  EXPECT_EQ(unit.unit.busy_w, 235.0);
  EXPECT_EQ(unit.trace_unit, "cuda0");
}

TEST(UnitFromProperties, HasDefaultsForAllOfThem) {
  const PlatformUnit unit = unit_from_properties("cpu7", {});
  EXPECT_EQ(unit.unit.kind, UnitKind::cpu);
  EXPECT_EQ(unit.unit.node, "cpu7");
  EXPECT_EQ(unit.unit.memory_bytes, std::nullopt);
  EXPECT_EQ(unit.unit.slots, 1);
  EXPECT_EQ(unit.unit.idle_w, std::nullopt);
  EXPECT_EQ(unit.trace_unit, "cpu7");
}

TEST(UnitFromProperties, NamesTheHostOfABadValue) {
  const std::map<std::string, std::string> properties = {{"kind", "x"}};
  EXPECT_EQ(refusal_of([&] { (void)unit_from_properties("g", properties); }),
            "host g: unknown kind of unit 'x'; it is cpu, gpu or mic");
}

TEST(PlatformWriter, WritesWhatTheCheckerReads) {
  Unit gpu;
  gpu.name = "cuda0";
  gpu.kind = UnitKind::gpu;
  gpu.node = "a<b";
  gpu.device = "card";
  gpu.memory_bytes = 12079136768.0;
  gpu.copy_engines = 2;
  gpu.slots = 2;
  gpu.idle_w = 20.0;
  gpu.busy_w = 235.0;
  PlatformDescription platform;
  platform.comment = "made -- by hand";
  platform.hosts = {{.name = "RAM", .properties = {{"master", "true"}}},
                    describe_unit(gpu, "cuda0"),
                    describe_unit(gpu, "other")};
  platform.hosts[2].name = "cuda1";
  platform.links = {{.name = "up", .bandwidth_bytes_per_s = 1.05e10, .latency = Seconds{1e-5}}};
  platform.routes = {{.from = "RAM", .to = "cuda0", .links = {"up"}}};
  const TemporaryFolder folder;
  folder.write("p.xml", platform_xml(platform));
  const PlatformFileFacts facts = check_platform_file(folder.path("p.xml"));
  EXPECT_EQ(facts.hosts.size(), 3U);
  EXPECT_EQ(facts.master, "RAM");
  const std::string text = folder.read("p.xml");
  EXPECT_NE(text.find("<prop id=\"node\" value=\"a&lt;b\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"device\" value=\"card\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"memory_bytes\" value=\"12079136768\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"wattage_per_state\" value=\"20:235\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"trace_unit\" value=\"other\"/>"), std::string::npos);
  EXPECT_EQ(text.find("<prop id=\"trace_unit\" value=\"cuda0\"/>"), std::string::npos);
  EXPECT_NE(text.find("<link id=\"up\" bandwidth=\"10500000000Bps\" latency=\"1e-05s\"/>"),
            std::string::npos);
}

TEST(LocalPlatform, ConnectsEveryUnitOverMemory) {
  std::vector<Unit> units(2);
  units[0].name = "cpu0";
  units[1].name = "fast";
  const PlatformDescription platform = local_platform(units, 5e9, "two units");
  ASSERT_EQ(platform.hosts.size(), 3U);
  EXPECT_EQ(platform.hosts[2].name, "fast");
  EXPECT_EQ(platform.routes.size(), 4U);
  EXPECT_EQ(platform.links.at(0).bandwidth_bytes_per_s, 5e9);
  EXPECT_FALSE(platform.links[0].shared);
}

TEST(PlatformFile, FindsNothingWrongWithTheCommittedPlatforms) {
  const std::pair<const char*, std::size_t> machines[] = {
      {"sirocco", 25}, {"mirage", 13}, {"attila", 13}, {"idgraf", 13}, {"hannibal", 9}};
  for (const auto& [machine, hosts] : machines) {
    const std::string path = repository() / "platforms" / (std::string(machine) + ".xml");
    const PlatformFileFacts facts = check_platform_file(path);
    EXPECT_EQ(facts.hosts.size(), hosts) << machine;
    EXPECT_EQ(facts.master, "RAM") << machine;
  }
}

}  // namespace
}  // namespace equipoise::platform_file_test

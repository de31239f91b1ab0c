// Tests of the platform probe: what SimGrid reports of valid platforms, and our messages for
// invalid ones.
#include "sim/platform_probe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "shared_policies/model/failure.hpp"
#include "tests/support/sim_platforms.hpp"

namespace equipoise::platform_probe_test {
namespace {

bool all(const ProbedHost& /*host*/) { return true; }

const std::string head =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";

PlatformSource file_of(const std::string& text) { return {"FILE", text}; }

/// The message that the probe throws for `text`, with FILE as the file's name; "" if it throws
/// nothing.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(probe_platform(file_of(text), all));
  } catch (const InputError& error) {
    std::string what = error.what();
    EXPECT_TRUE(what.starts_with("FILE")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "";
}

TEST(PlatformProbe, TellsHostsPropertiesCoresRoutesAndLinks) {
  const PlatformSource file =
      file_of(head +
              "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
              "<host id=\"zeta\" speed=\"1Gf\" core=\"8\"/>\n"
              "<host id=\"alpha\" speed=\"2Gf\"><prop id=\"master\" value=\"true\"/>"
              "<prop id=\"kind\" value=\"a\tb%\"/></host>\n"
              "<link id=\"bus\" bandwidth=\"8GBps\" latency=\"15us\"/>\n"
              "<link id=\"fat\" bandwidth=\"1GBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n"
              "<route src=\"alpha\" dst=\"zeta\"><link_ctn id=\"bus\"/><link_ctn id=\"fat\"/>"
              "</route>\n</zone></platform>\n");
  const ProbedPlatform platform =
      probe_platform(file, [](const ProbedHost& host) { return host.cores == 8; });
  EXPECT_EQ(platform.master, "alpha");
  ASSERT_EQ(platform.hosts.size(), 2U);
  const ProbedHost& zeta = platform.hosts[0];
  EXPECT_EQ(zeta.name, "zeta");
  EXPECT_EQ(zeta.cores, 8);
  EXPECT_TRUE(zeta.has_routes);
  ASSERT_EQ(zeta.in.links.size(), 2U);
  ASSERT_EQ(zeta.out.links.size(), 2U);
  const Link& bus = platform.links[zeta.in.links[0]];
  EXPECT_EQ(bus.name, "bus");
  EXPECT_EQ(bus.bandwidth_bytes_per_s, 8e9);
  EXPECT_DOUBLE_EQ(bus.latency.value, 15e-6);
  EXPECT_TRUE(bus.shared);
  EXPECT_FALSE(platform.links[zeta.in.links[1]].shared);
  EXPECT_EQ(platform.hosts[1].properties.at("kind"), "a\tb%");
  EXPECT_FALSE(platform.hosts[1].has_routes);
}

TEST(PlatformProbe, MakesTwoLinksOfASplitDuplexOne) {
  TestPlatform test;
  test.units = {{}};
  test.shared_bandwidth = 1e9;
  test.sharing = "SPLITDUPLEX";
  const PlatformSource file = file_of(platform_xml(test));
  const ProbedPlatform platform = probe_platform(file, all);
  ASSERT_EQ(platform.links.size(), 2U);
  EXPECT_NE(platform.hosts[1].in.links, platform.hosts[1].out.links);
  EXPECT_TRUE(platform.hosts[0].in.links.empty());  // the master itself
}

TEST(PlatformProbe, TakesTheFirstHostOfTheFileAsMasterUnlessOneIsMarked) {
  const PlatformSource file =
      file_of(head +
              "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
              "<host id=\"zeta\" speed=\"1f\"/><host id=\"alpha\" speed=\"1f\"/>"
              "</zone></platform>\n");
  const auto nowhere = [](const ProbedHost&) { return false; };
  EXPECT_EQ(probe_platform(file, nowhere).master, "zeta");
}

TEST(PlatformProbe, SaysWhichTwoHostsHaveNoRoute) {
  EXPECT_EQ(refusal(head + "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
                           "<host id=\"a\" speed=\"1f\"/>\n<host id=\"b\" speed=\"1f\"/>\n"
                           "</zone></platform>\n"),
            "FILE:5: no route from a to b; add one to the platform");
  // One direction only, hosts in different zones, and Floyd routing: SimGrid handles each of these
  // differently.
  EXPECT_EQ(
      refusal(head + "<platform version=\"4.1\"><zone id=\"z\" routing=\"Floyd\">\n"
                     "<host id=\"a\" speed=\"1f\"/>\n<host id=\"b\" speed=\"1f\"/>\n"
                     "<link id=\"l\" bandwidth=\"1Bps\" latency=\"1s\"/>\n"
                     "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"
                     "</zone></platform>\n"),
      "FILE:5: no route from b to a; add one to the platform");
  EXPECT_EQ(refusal(head + "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
                           "<zone id=\"y\" routing=\"Full\"><host id=\"a\" speed=\"1f\"/></zone>\n"
                           "<zone id=\"x\" routing=\"None\"><host id=\"b\" speed=\"1f\"/></zone>\n"
                           "</zone></platform>\n"),
            "FILE:5: no route from a to b; add one to the platform");
}

TEST(PlatformProbe, RefusesAFileOfVersion3) {
  EXPECT_EQ(refusal(head + "<platform version=\"3\">\n<AS id=\"z\" routing=\"Full\">\n"
                           "<host id=\"a\" power=\"1\"/>\n</AS></platform>\n"),
            "FILE:3: a SimGrid platform of version 3; convert it with simgrid_update_xml, or use "
            "the one of version 4");
}

TEST(PlatformProbe, SaysInWhichLineAFileIsMalformed) {
  const std::string unknown_link =
      refusal(head +
              "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
              "<host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/>\n"
              "<route src=\"a\" dst=\"b\"><link_ctn id=\"nowhere\"/></route>\n"
              "</zone></platform>\n");
  EXPECT_EQ(unknown_link.find("FILE:5: "), 0U) << unknown_link;
  EXPECT_NE(unknown_link.find("nowhere"), std::string::npos) << unknown_link;
  EXPECT_EQ(refusal(head + "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
                           "<host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/>\n"
                           "<link id=\"l\" bandwidth=\"nanBps\" latency=\"0s\"/>\n"
                           "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n"
                           "</zone></platform>\n"),
            "FILE:5: no usable bandwidth or latency of link 'l'; correct the platform file");
  const std::string unclosed =
      refusal(head + "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n");
  EXPECT_EQ(unclosed.find("FILE:"), 0U) << unclosed;
  const std::string bad_speed =
      refusal(head +
              "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
              "<host id=\"a\" speed=\"fast\"/>\n</zone></platform>\n");
  EXPECT_EQ(bad_speed.find("FILE:"), 0U) << bad_speed;
}

TEST(PlatformProbe, TakesNoMessageOfSimGridForItsOwnProtocol) {
  const std::string forged =
      refusal(head +
              "<platform version=\"4.1\"><zone id=\"z\" routing=\"Wifi\">"
              "<prop id=\"access_point\" value=\"q&#10;&#1;host&#10;host&#10;\"/>\n"
              "<host id=\"a\" speed=\"1f\"/>\n</zone></platform>\n");
  EXPECT_TRUE(forged.starts_with("FILE")) << forged;
}

TEST(PlatformProbe, SurvivesWhateverTheFileIs) {
  for (const char* text :
       {"no XML", "<?xml version='1.0'?>", "<platform/>", "<a><b></a></b>", "\x01master\tx\n",
        "<platform version=\"4.1\"></platform>", "<platform version=\"99\"></platform>",
        "<platform version=\"x\"></platform>", ""}) {
    EXPECT_EQ(refusal(text).find("FILE"), 0U) << text;
  }
}

/// Host a in one zone, b and c in another. The gateway of each zone is its first host.
std::string two_zones(const std::string& routing) {
  return head +
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
         "<zone id=\"x\" routing=\"" +
         routing +
         "\"><host id=\"a\" speed=\"1f\"/></zone>\n"
         "<zone id=\"y\" routing=\"" +
         routing +
         "\">\n"
         "<host id=\"b\" speed=\"1f\"/><host id=\"c\" speed=\"1f\"/>\n"
         "<link id=\"inner\" bandwidth=\"2Bps\" latency=\"1s\"/>\n"
         "<route src=\"b\" dst=\"c\"><link_ctn id=\"inner\"/></route></zone>\n"
         "<link id=\"outer\" bandwidth=\"1Bps\" latency=\"1s\"/>\n"
         "<link id=\"secret\" bandwidth=\"3Bps\" latency=\"1s\"/>\n"
         "<zoneRoute src=\"x\" dst=\"y\" gw_src=\"a\" gw_dst=\"b\">"
         "<link_ctn id=\"outer\"/></zoneRoute>\n";
}

std::vector<std::string> names_of(const ProbedPlatform& platform, const Route& route) {
  std::vector<std::string> names;
  for (const std::uint32_t link : route.links) names.push_back(platform.links[link].name);
  std::ranges::sort(names);  // SimGrid's Dijkstra routing returns them in another order
  return names;
}

using Names = std::vector<std::string>;

TEST(PlatformProbe, FindsRoutesThatCrossZones) {
  for (const char* routing : {"Full", "Floyd", "Dijkstra", "DijkstraCache"}) {
    const ProbedPlatform platform =
        probe_platform(file_of(two_zones(routing) + "</zone></platform>\n"), all);
    ASSERT_EQ(platform.hosts.size(), 3U) << routing;
    EXPECT_EQ(names_of(platform, platform.hosts[1].in), Names({"outer"})) << routing;
    EXPECT_EQ(names_of(platform, platform.hosts[2].in), Names({"inner", "outer"})) << routing;
    EXPECT_EQ(names_of(platform, platform.hosts[2].out), Names({"inner", "outer"})) << routing;
  }
}

TEST(PlatformProbe, TakesTheRouteThatBypassesOthers) {
  const ProbedPlatform platform = probe_platform(
      file_of(head + "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
                     "<host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/>\n"
                     "<link id=\"outer\" bandwidth=\"1Bps\" latency=\"1s\"/>\n"
                     "<link id=\"secret\" bandwidth=\"3Bps\" latency=\"1s\"/>\n"
                     "<route src=\"a\" dst=\"b\"><link_ctn id=\"outer\"/></route>\n"
                     "<bypassRoute src=\"a\" dst=\"b\"><link_ctn id=\"secret\"/></bypassRoute>\n"
                     "</zone></platform>\n"),
      all);
  EXPECT_EQ(names_of(platform, platform.hosts[1].in), Names({"secret"}));
  EXPECT_EQ(names_of(platform, platform.hosts[1].out), Names({"outer"}));
}

TEST(PlatformProbe, NotesHostsWithoutRoutesWhereItIsToldTo) {
  // With Floyd SimGrid throws. If one of two zones has no routes at all, SimGrid ends the process.
  for (const char* routing : {"Floyd", "Full"}) {
    const ProbedPlatform platform = probe_platform(
        file_of(head +
                "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
                "<zone id=\"x\" routing=\"" +
                routing +
                "\"><host id=\"a\" speed=\"1f\"/>"
                "<host id=\"b\" speed=\"1f\"/></zone>\n"
                "<zone id=\"y\" routing=\"None\"><host id=\"c\" speed=\"1f\"/></zone>\n"
                "</zone></platform>\n"),
        all, MissingRoutes::note);
    ASSERT_EQ(platform.hosts.size(), 3U);
    EXPECT_TRUE(platform.hosts[0].has_routes);
    for (const std::size_t host : {1, 2}) {
      EXPECT_TRUE(platform.hosts[host].lacks_routes) << routing;
      EXPECT_FALSE(platform.hosts[host].has_routes) << routing;
    }
  }
}

TEST(PlatformProbe, IsWatchedAndEndsWhenTheWatchThrows) {
  std::size_t last = 0;
  const auto watch = [&](std::size_t done, std::size_t) { last = std::max(last, done); };
  static_cast<void>(probe_platform(file_of(two_zones("Full") + "</zone></platform>\n"), all,
                                   MissingRoutes::refuse, watch));
  EXPECT_LE(last, 3U);
  EXPECT_THROW(static_cast<void>(probe_platform(
                   file_of(two_zones("Full") + "</zone></platform>\n"), all, MissingRoutes::refuse,
                   [](std::size_t, std::size_t) { throw BackendError("enough"); })),
               BackendError);
}

TEST(PlatformProbe, FindsRoutesBetweenClusters) {
  const auto cluster = [](const std::string& name) {
    return "<cluster id=\"" + name + "\" prefix=\"" + name +
           "\" suffix=\"\" radical=\"0-2\" "
           "speed=\"1f\" bw=\"1Bps\" lat=\"1s\" bb_bw=\"9Bps\" bb_lat=\"1s\"/>\n";
  };
  const ProbedPlatform platform = probe_platform(
      file_of(head + "<platform version=\"4.1\"><zone id=\"w\" routing=\"Floyd\">\n" +
              cluster("p") + cluster("q") +
              "<link id=\"between\" bandwidth=\"5Bps\" latency=\"1s\"/>\n"
              "<zoneRoute src=\"p\" dst=\"q\" gw_src=\"pp_router\" gw_dst=\"qq_router\">"
              "<link_ctn id=\"between\"/></zoneRoute>\n</zone></platform>\n"),
      all);
  ASSERT_EQ(platform.hosts.size(), 6U);
  EXPECT_EQ(platform.master, "p0");
  EXPECT_EQ(platform.hosts[1].in.links.size(), 3U);  // up, backbone, down
  EXPECT_EQ(platform.hosts[5].in.links.size(), 5U);  // up, backbone, between, backbone, down
}

}  // namespace
}  // namespace equipoise::platform_probe_test

// Tests of platform files from unknown authors: what the check refuses so that SimGrid cannot harm
// the program.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/platforms/platform_texts.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise::untrusted_platform_test {
namespace {

TEST(PlatformFile, RefusesProfilesOfHostsWhichWouldNotBeSimulated) {
  const std::string todo =
      " is not simulated, times come from traces; remove it, and give a scenario an event of kind "
      "`profile`";
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\" speed_file=\"s.txt\"/>\n")),
            "p.xml:5: host a: speed_file" + todo);
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\" availability_file=\"s.txt\"/>\n")),
            "p.xml:5: host a: availability_file" + todo);
  EXPECT_EQ(refusal(zone("<peer id=\"a\" speed=\"1Gf\" bw_in=\"1Bps\" bw_out=\"1Bps\" "
                         "speed_file=\"s.txt\"/>\n")),
            "p.xml:5: peer a: speed_file" + todo);
  EXPECT_EQ(
      refusal(zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                   "<trace_connect kind=\"SPEED\" trace=\"t\" element=\"a\"/>\n")),
      "p.xml:6: trace_connect of kind SPEED is not supported; remove it, and say in a scenario "
      "what disturbs hosts");
}

/// The refusal of a platform whose <config> element holds `prop`.
std::string config_refusal(const std::string& prop) {
  return refusal(head + "<platform version=\"4.1\">\n<config id=\"c\">\n" + prop +
                 "\n</config>\n<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                 "</zone></platform>\n");
}

TEST(PlatformFile, RefusesAConfigThatWritesFilesOrEndsTheProgram) {
  for (const char* name : {"tracing",
                           "tracing/filename",
                           "maxmin/precision",
                           "surf/precision",
                           "precision/timing",
                           "debug/breakpoint",
                           "debug/verbose-exit",
                           "contexts/factory",
                           "contexts/nthreads",
                           "plugin",
                           "path",
                           "host/model",
                           "cpu/optim",
                           "network/optim",
                           "smpi/bw-factor",
                           "model-check",
                           "no/such",
                           "",
                           "network/model tracing",
                           "network\n/model"}) {
    const std::string why = config_refusal("<prop id=\"" + std::string(name) + "\" value=\"1\"/>");
    EXPECT_TRUE(why.starts_with("p.xml:5: a platform may not set `")) << why;
    EXPECT_TRUE(why.ends_with("; remove it")) << why;
  }
}

TEST(PlatformFile, RefusesSettingsOfTransfersThatSimGridWouldDieOf) {
  const auto set = [](const std::string& name, const std::string& value) {
    return config_refusal("<prop id=\"network/" + name + "\" value=\"" + value + "\"/>");
  };
  EXPECT_EQ(
      set("bandwidth-factor", "0"),
      "p.xml:5: network/bandwidth-factor must be a number from 0.001 to 1000, not `0`; correct "
      "or remove it");
  for (const char* value :
       {"", "nan", "-1", "1e300", "x", "1 tracing:1", "1,tracing:1", "1&#10;2"}) {
    EXPECT_TRUE(
        set("latency-factor", value).starts_with("p.xml:5: network/latency-factor must be"));
    EXPECT_TRUE(set("TCP-gamma", std::string(value) + "&#9;").starts_with("p.xml:5: "));
  }
  EXPECT_TRUE(set("TCP-gamma", "0.5").starts_with("p.xml:5: network/TCP-gamma must be -1 or 0"));
  EXPECT_TRUE(
      set("crosstraffic", "2").starts_with("p.xml:5: network/crosstraffic must be yes or no"));
  EXPECT_TRUE(set("model", "SMPI").starts_with("p.xml:5: network/model must be CM02 or LV08"));
  EXPECT_EQ(config_refusal("<prop id=\"network/weight-S\" value=\"0\"/>\n"
                           "<prop id=\"network/weight-S\" value=\"1\"/>"),
            "p.xml:6: network/weight-S is set already, on line 5; remove one");
}

TEST(PlatformFile, SaysWhatAPlatformHasSimulatedInAnotherWay) {
  const auto notices = [](const std::string& props) {
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "p.xml", head + "<platform version=\"4.1\">\n<config>\n" + props +
                     "</config>\n<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                     "</zone></platform>\n");
    std::vector<std::string> all = check_platform_file(path).notices;
    for (std::string& notice : all) notice.replace(0, path.size(), "p.xml");
    return all;
  };
  // StarPU's files set these properties to values that we simulate with anyway.
  EXPECT_TRUE(notices("<prop id=\"network/TCP-gamma\" value=\"-1\"/>"
                      "<prop id=\"network/latency-factor\" value=\"1\"/>"
                      "<prop id=\"network/bandwidth-factor\" value=\"1\"/>"
                      "<prop id=\"network/weight-S\" value=\"0.0\"/>"
                      "<prop id=\"network/crosstraffic\" value=\"0\"/>")
                  .empty());
  EXPECT_EQ(notices("<prop id=\"network/latency-factor\" value=\"2\"/>\n"
                    "<prop id=\"network/model\" value=\"LV08\"/>\n"
                    "<prop id=\"network/crosstraffic\" value=\"on\"/>\n"),
            std::vector<std::string>(
                {"p.xml:5: the platform sets network/latency-factor = 2; the default is 1",
                 "p.xml:6: the platform sets network/model = LV08; the default is CM02",
                 "p.xml:7: the platform sets network/crosstraffic = on; the default is no"}));
}

TEST(PlatformFile, RefusesElementsThatAreNoneOfAPlatform) {
  const std::string host = "<host id=\"a\" speed=\"1Gf\"/>\n";
  EXPECT_EQ(refusal(zone(host + "<actor host=\"a\" function=\"f\"/>\n")),
            "p.xml:6: an element <actor>: nothing is deployed here, policies hand out the work; "
            "remove it");
  for (const char* name : {"process", "include", "storage", "storage_type", "mount", "script"}) {
    const std::string why = refusal(zone(host + "<" + name + "/>\n"));
    EXPECT_TRUE(why.starts_with("p.xml:6: ")) << why;
    EXPECT_NE(why.find(name), std::string::npos) << why;
  }
  EXPECT_EQ(refusal(zone(host + "words\n")),
            "p.xml:5: text between elements, `\\x0awords\\x0a`; "
            "remove it");
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\" id=\"b\"/>\n")),
            "p.xml:5: <host> has id twice; remove one");
}

TEST(PlatformFile, RefusesNamesThatAreNotUtf8AndShowsThemEscapedAndShort) {
  EXPECT_EQ(refusal(zone("<host id=\"caf\xE9\" speed=\"1Gf\"/>\n")),
            "p.xml:5: id of <host> is not UTF-8, `caf\\xe9`; convert the file (`iconv -t UTF-8`)");
  EXPECT_EQ(
      property_refusal("model", "caf\xE9"),
      "p.xml:6: value of <prop> is not UTF-8, `caf\\xe9`; convert the file (`iconv -t UTF-8`)");
  EXPECT_EQ(refusal(head + "<!-- caf\xE9 -->" +
                    zone("<host id=\"caf\xC3\xA9\" speed=\"1Gf\"/>").substr(head.size())),
            "not refused");
  const std::string kind = property_refusal("kind", std::string(10000, 'x'));
  EXPECT_EQ(kind, "p.xml:6: host a: unknown kind of unit '" + std::string(120, 'x') +
                      "...'; it is cpu, gpu or mic");
}

TEST(PlatformFile, RefusesControlCharactersInNamesAndValuesAndProfiles) {
  EXPECT_EQ(refusal(zone("<host id=\"a&#27;[2J\" speed=\"1Gf\"/>\n")),
            "p.xml:5: id of <host> has control characters, `a\\x1b[2J`; remove them");
  EXPECT_EQ(property_refusal("model", "fast&#x9;\xC2\x9B"),
            "p.xml:6: value of <prop> has control characters, `fast\\x09\\xc2\\x9b`; remove them");
  EXPECT_EQ(refusal(zone("<prop id=\"access_point\" value=\"q&#10;&#1;host&#10;\"/>\n"
                         "<host id=\"a\" speed=\"1Gf\"/>\n")),
            "p.xml:5: value of <prop> has control characters, `q\\x0a\\x01host\\x0a`; remove them");
  EXPECT_EQ(property_refusal("model", "two\nlines"), "not refused");  // XML makes it a blank
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                         "<trace id=\"t\" periodicity=\"-1\">\n# \x1b[2J\n0\t1\n</trace>\n")),
            "p.xml:7: a profile is UTF-8 text without control characters, not `# \\x1b[2J`; "
            "correct it");
}

TEST(PlatformFile, RefusesMoreHostsThanCanBeHeldBeforeTheyAreMade) {
  const auto cluster = [](const std::string& radical) {
    return refusal(zone("<cluster id=\"c\" prefix=\"n\" radical=\"" + radical +
                        "\" suffix=\"\" speed=\"1Gf\" bw=\"1Gbps\" lat=\"1us\"/>\n"));
  };
  EXPECT_EQ(cluster("0-99999999"),
            "p.xml:5: more than 1000000 hosts, 100000000 up to here; describe a smaller platform");
  EXPECT_EQ(cluster("0-999999"), "not refused");
  EXPECT_EQ(cluster("0,5-6,9"), "not refused");
  EXPECT_TRUE(cluster("0-499999,500000-1000000").starts_with("p.xml:5: more than 1000000 hosts"));
  for (const char* radical : {"", "x", "3-1", "1-2-3", "-1", "1,,2", "0-9999999999", "1-"}) {
    EXPECT_TRUE(cluster(radical).starts_with("p.xml:5: cluster c: radical must be")) << radical;
  }
}

TEST(PlatformFile, RefusesWhatIsNoFileThatEnds) {
  EXPECT_EQ(refusal_of([] { (void)check_platform_file("/dev/zero"); }),
            "/dev/zero: is a device, which may never end; give a SimGrid platform file");
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(
      refusal_of([&] { (void)check_platform_file(pipe); }).starts_with(pipe + ": is a named pipe"));
  EXPECT_TRUE(refusal_of([&] {
                (void)check_platform_file(folder.path(""));
              }).starts_with(folder.path("") + ": is a folder"));
}

/// The refusal of a platform with a link whose bandwidth follows the file `profile`.
std::string profile_refusal(const std::string& profile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.xml", zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                                                      "<link id=\"l\" bandwidth=\"1Bps\" "
                                                      "bandwidth_file=\"bw.txt\"/>\n"));
  const std::string file = folder.write("bw.txt", profile);
  std::string why = refusal_of([&] { (void)check_platform_file(path); });
  if (why.starts_with(file)) why.replace(0, file.size(), "bw.txt");
  return why;
}

TEST(PlatformFile, AcceptsProfilesOfLinks) {
  EXPECT_EQ(profile_refusal("# a day\nPERIODICITY 10\n\n0 1e9\n5.5 5e8\n"), "not refused");
  EXPECT_EQ(profile_refusal("0 1e9\nLOOPAFTER 2\n"), "not refused");
}

TEST(PlatformFile, RefusesProfilesOfLinksThatSimGridWouldDieOf) {
  EXPECT_EQ(
      profile_refusal("0 1e9\nNORM 1 2 DET 3\n"),
      "bw.txt:2: a profile has lines `TIME VALUE` with numbers, not `NORM 1 2 DET 3`; correct it "
      "(random profiles are not supported)");
  for (const char* line : {"STOCHASTIC", "1", "1 x", "1 2 3", "-1 5", "1 nan", "1 inf"}) {
    EXPECT_TRUE(profile_refusal(line).starts_with("bw.txt:1: a profile")) << line;
  }
  EXPECT_EQ(profile_refusal("5 1\n4 1\n"),
            "bw.txt:2: a profile's times must not fall; sort its lines");
  EXPECT_TRUE(profile_refusal("0 -1\n").starts_with("bw.txt:1: a profile's value must be"));
  EXPECT_EQ(profile_refusal("# nothing\n"),
            "bw.txt:1: a profile without times; write lines `TIME VALUE`");
  EXPECT_TRUE(
      profile_refusal("PERIODICITY 1\n2 1\n").starts_with("bw.txt:1: a profile with times"));
  EXPECT_TRUE(
      profile_refusal("LOOPAFTER 0\n0 1\n").starts_with("bw.txt:1: a profile that repeats"));
}

TEST(PlatformFile, EndsTheLinesOfAProfileWhereSimGridDoes) {
  EXPECT_EQ(profile_refusal("0 1e9\n# x\r5 0\n"),
            "bw.txt:3: a profile's value must be 1 or more, not `0`; correct it");
  EXPECT_EQ(profile_refusal("0 1e9\r\n\r\n5 0\r\n"),
            "bw.txt:3: a profile's value must be 1 or more, not `0`; correct it");
  EXPECT_EQ(profile_refusal("0 1e9\r\n5 1e8\r\n"), "not refused");
}

TEST(PlatformFile, RefusesBandwidthsOverWhichNothingWouldArrive) {
  EXPECT_EQ(profile_refusal("0 1e9\n1 0\n"),
            "bw.txt:2: a profile's value must be 1 or more, not `0`; correct it");
  const auto connected = [](const std::string& kind) {
    return refusal(
        zone("<host id=\"a\" speed=\"1Gf\"/>\n"
             "<link id=\"l\" bandwidth=\"1Bps\"/>\n"
             "<trace id=\"t\" periodicity=\"0\">\n0 1\n1 0\n</trace>\n"
             "<trace_connect kind=\"" +
             kind + "\" trace=\"t\" element=\"l\"/>\n"));
  };
  EXPECT_EQ(connected("BANDWIDTH"),
            "p.xml:11: trace t has values below 1 byte a second; correct it");
  EXPECT_EQ(connected("LATENCY"), "not refused");
}

TEST(PlatformFile, RefusesProfilesOfLinksOnWhichSimGridWouldKeepTransfersSlow) {
  const TemporaryFolder folder;
  folder.write("bw.txt", "0 1e9\n");
  const auto refusal_with = [&](const std::string& profile) {
    const std::string path =
        folder.write("p.xml", zone("<host id=\"a\" speed=\"1Gf\"/>\n<link id=\"l\" "
                                   "bandwidth=\"1Bps\" sharing_policy=\"FATPIPE\" " +
                                   profile));
    std::string why = refusal_of([&] { (void)check_platform_file(path); });
    if (why.starts_with(path)) why.replace(0, path.size(), "p.xml");
    return why;
  };
  const std::string why =
      ": link l is a FATPIPE and its bandwidth has a profile; SimGrid does not make transfers "
      "under way faster there; make the link SHARED, or remove the profile";
  EXPECT_EQ(refusal_with("bandwidth_file=\"bw.txt\"/>\n"), "p.xml:6" + why);
  const std::string connected =
      "/>\n<trace id=\"t\" file=\"bw.txt\" periodicity=\"-1\"/>\n"
      "<trace_connect trace=\"t\" element=\"l\" kind=";
  EXPECT_EQ(refusal_with(connected + "\"BANDWIDTH\"/>\n"), "p.xml:8" + why);
  EXPECT_EQ(refusal_with(connected + "\"LATENCY\"/>\n"), "not refused");
  EXPECT_EQ(refusal_with("latency_file=\"bw.txt\"/>\n"), "not refused");
}

TEST(PlatformFile, KnowsTheGreatestBandwidthThatAProfileGivesALink) {
  const TemporaryFolder folder;
  folder.write("bw.txt", "0 5\n1 7\n2 6\n");
  const std::string platform = folder.write(
      "p.xml", zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                    "<link id=\"l\" bandwidth=\"9Bps\" bandwidth_file=\"bw.txt\"/>\n"
                    "<link id=\"m\" bandwidth=\"1Bps\" latency_file=\"bw.txt\"/>\n"
                    "<link id=\"n\" bandwidth=\"1Bps\"/>\n"
                    "<trace id=\"t\" periodicity=\"-1\">0 2\n1 4</trace>\n"
                    "<trace_connect kind=\"BANDWIDTH\" trace=\"t\" element=\"n\"/>\n"));
  const std::map<std::string, double> expected = {{"l", 7.0}, {"n", 4.0}};
  EXPECT_EQ(check_platform_file(platform).source.greatest_bandwidths, expected);
}

TEST(PlatformFile, RefusesASecondTraceOrPropertyOfOneNameBecauseSimGridTakesTheFirst) {
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                         "<link id=\"l\" bandwidth=\"1Bps\"/>\n"
                         "<trace id=\"t\" periodicity=\"-1\">0 0</trace>\n"
                         "<trace id=\"t\" periodicity=\"-1\">0 1</trace>\n"
                         "<trace_connect kind=\"BANDWIDTH\" trace=\"t\" element=\"l\"/>\n")),
            "p.xml:8: trace t is there already, on line 7; rename or remove one");
  const std::string properties =
      "<prop id=\"kind\" value=\"cpu\"/>\n<prop id=\"kind\" value=\"gpu\"/>\n";
  EXPECT_EQ(refusal(zone("<host id=\"a\" speed=\"1Gf\">\n" + properties + "</host>\n")),
            "p.xml:7: prop kind is there already, on line 6; rename or remove one");
  EXPECT_EQ(refusal(zone("<zone id=\"y\" routing=\"Full\">\n" + properties + "</zone>\n")),
            "p.xml:7: prop kind is there already, on line 6; rename or remove one");
}

TEST(PlatformFile, RefusesProfilesThatAreNotThereOrAreNoFiles) {
  const auto link = [](const std::string& file) {
    return refusal(
        zone("<host id=\"a\" speed=\"1Gf\"/>\n<link id=\"l\" bandwidth=\"1Bps\" "
             "latency_file=\"" +
             file + "\"/>\n"));
  };
  EXPECT_EQ(link("none.txt"),
            "p.xml:6: no file none.txt, neither here nor beside the platform; correct the name");
  EXPECT_EQ(link("/dev/zero"), "p.xml:6: the profile /dev/zero is no regular file; name one");
}

TEST(PlatformFile, GivesSimGridTheProfilesThatItChecked) {
  const TemporaryFolder folder;
  const std::string profile = folder.write("bw.txt", "0 1e9\n");
  folder.write("p.xml", zone("<host id=\"a\" speed=\"1Gf\"/>\n"
                             "<link id=\"l\" bandwidth=\"1Bps\" bandwidth_file=\"bw.txt\"/>\n"
                             "<link id=\"m\" bandwidth=\"1Bps\" latency_file=\"" +
                             profile +
                             "\"/>\n<trace id=\"t\" file=\"bw.txt\" "
                             "periodicity=\"-1\"/>\n"));
  const PlatformSource source = check_platform_file(folder.path("p.xml")).source;
  EXPECT_EQ(source.profiles, std::vector<std::string>(3, "0 1e9\n"));
  for (const char* name :
       {"bandwidth_file=\"profile:0\"", "latency_file=\"profile:1\"", " file=\"profile:2\""}) {
    EXPECT_NE(source.xml.find(name), std::string::npos) << source.xml;
  }
  const std::string why = refusal_of([&] { expect_no_input(profile, "--out"); });
  EXPECT_TRUE(why.starts_with("--out: " + profile + " is read by this command")) << why;
}

TEST(PlatformFile, ReadsNoMoreOfAProfileThanCanBeOne) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bw.txt", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  folder.write("p.xml", zone("<host id=\"a\" speed=\"1Gf\"/>\n<link id=\"l\" "
                             "bandwidth=\"1Bps\" bandwidth_file=\"bw.txt\"/>\n"));
  EXPECT_EQ(refusal_of([&] { (void)check_platform_file(folder.path("p.xml")); }),
            file + ": is longer than 67108864 bytes; give a profile of a link");
}

TEST(PlatformFile, GivesSimGridWhatItCheckedAndNothingElseOnTheSameLines) {
  const PlatformFileFacts facts =
      check(head +
            "<!-- <config> -->\n<platform version='4.1'>\n\n"
            "<config><prop id='network/model' value='LV08'/></config>"
            "<zone id='z' routing='Full'>\n<host id='a&amp;\"b&lt;' speed='1Gf'/>\n"
            "<trace id='t' periodicity='1'>\n0 1\n0.5 2\n</trace>\n</zone></platform>\n"
            "<?after?>\n");
  EXPECT_EQ(
      facts.source.xml,
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "\n\n<platform version=\"4.1\">\n\n"
      "<config><prop id=\"network/model\" value=\"LV08\"></prop></config>"
      "<zone id=\"z\" routing=\"Full\">\n<host id=\"a&amp;&quot;b&lt;\" speed=\"1Gf\"></host>\n"
      "<trace id=\"t\" periodicity=\"1\">\n0 1\n0.5 2\n</trace></zone></platform>");
}

TEST(PlatformFile, GivesSimGridNoSettingThatHasItsDefaultValue) {
  const auto config_in = [](const std::string& props) {
    const std::string xml = check(zone("<host id=\"a\" speed=\"1Gf\"/>")
                                      .insert(head.size() + 25, "<config>" + props + "</config>"))
                                .source.xml;
    const std::size_t from = xml.find("<config>");
    return xml.substr(from, xml.find("</config>") - from);
  };
  const std::string latency = "<prop id=\"network/latency-factor\" value=\"1.0\"></prop>";
  const std::string model = "<prop id=\"network/model\" value=\"LV08\"></prop>";
  EXPECT_EQ(config_in(latency + "<prop id=\"network/model\" value=\"CM02\"/>"), "<config>");
  // Of this model, another factor is the default.
  EXPECT_EQ(config_in(latency + model), "<config>" + latency + model);
}

}  // namespace
}  // namespace equipoise::untrusted_platform_test

// Tests of the lines by which a probe's child describes a platform: what is understood, and that a
// malformed line is noted.
#include "sim/probe_protocol.hpp"

#include <gtest/gtest.h>

#include "sim/child_process.hpp"

namespace equipoise::probe_protocol_test {
namespace {

Reading reading_of(const std::string& text) {
  Reading reading;
  reading.read(text);
  return reading;
}

int tell_platform(int fd) {
  tell(fd, "master", {"a\tb%", "1"});
  tell(fd, "host", {"a\tb%", "8"});
  tell(fd, "property", {"model", "two\nlines\x01"});
  tell(fd, "asking", {"a", "b"});
  tell(fd, "in", {"l", "0x1p+30", "0x1p-20", "shared"});
  tell(fd, "routed", {});
  tell(fd, "end", {"differs"});
  return 0;
}

TEST(ProbeProtocol, BringsBackWhatTheChildTold) {
  ChildProcess child(tell_platform);
  const Reading reading = reading_of(child.wait().output);
  EXPECT_FALSE(reading.is_malformed);
  EXPECT_TRUE(reading.is_whole);
  EXPECT_EQ(reading.platform.master, "a\tb%");
  ASSERT_EQ(reading.platform.hosts.size(), 1U);
  EXPECT_EQ(reading.platform.hosts[0].cores, 8);
  EXPECT_EQ(reading.platform.hosts[0].properties.at("model"), "two\nlines\x01");
  EXPECT_TRUE(reading.platform.hosts[0].has_routes);
  EXPECT_EQ(reading.asked_from, "");
  ASSERT_EQ(reading.platform.links.size(), 1U);
  EXPECT_EQ(reading.platform.links[0].bandwidth_bytes_per_s, 0x1p30);
  EXPECT_TRUE(reading.platform.links[0].shared);
}

TEST(ProbeProtocol, NotesEveryLineThatIsNotOfIt) {
  for (const char* line :
       {"", "words of SimGrid", "host", "host\ta", "host\ta\t", "host\ta\tx", "host\ta\t1\t2",
        "host\ta\t99999999999", "master\ta\t-1", "property\tkind\tcpu", "routed", "lacking",
        "in\tl\t1\t1\tshared", "thrown", "end", "full\tx"}) {
    EXPECT_TRUE(reading_of(std::string(line) + "\n").is_malformed) << line;
  }
  for (const char* line : {"in\tl\tx\t1\tshared", "out\tl\t1\t\tshared", "property\tkind"}) {
    EXPECT_TRUE(reading_of("host\ta\t1\n" + std::string(line) + "\n").is_malformed) << line;
  }
}

TEST(ProbeProtocol, WaitsForTheEndOfALine) {
  Reading reading = reading_of("host\ta");
  EXPECT_FALSE(reading.is_malformed);
  reading.read("\t1\nmaster\ta");
  EXPECT_FALSE(reading.is_malformed);
  EXPECT_EQ(reading.platform.hosts.size(), 1U);
}

}  // namespace
}  // namespace equipoise::probe_protocol_test

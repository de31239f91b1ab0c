// The times of transfers that are held to rates, worked out by hand.
#include "real/nodes/held_links.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

namespace equipoise::held_links_test {
namespace {

using TimePoint = HeldLinks::TimePoint;
using Span = std::chrono::duration<double>;

TimePoint at(double seconds) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(Span(1000.0 + seconds)));
}

/// Runs transfers to their ends, and says when each ended.
class Transfers {
 public:
  explicit Transfers(std::vector<HeldLink> links) : links_(std::move(links)) {}

  void begin(const std::string& name, int rank, double bytes, double when_s) {
    while (links_.next_date() <= at(when_s)) step();
    links_.begin(rank, bytes, at(when_s), [this, name] { ended_[name] = now_s_; });
  }
  std::map<std::string, double> ends() {
    while (links_.next_date() != TimePoint::max()) step();
    return ended_;
  }

 private:
  void step() {
    const TimePoint next = links_.next_date();
    now_s_ = Span(next - at(0.0)).count();
    links_.advance(next);
  }

  HeldLinks links_;
  double now_s_ = 0.0;
  std::map<std::string, double> ended_;
};

constexpr double precision_s = 1e-6;

TEST(HeldLinks, TakeLatencyAndBytesOverBandwidth) {
  Transfers transfers({{}, {1000.0, Seconds{0.5}}});
  transfers.begin("a", 1, 2000.0, 1.0);
  EXPECT_NEAR(transfers.ends()["a"], 3.5, precision_s);
}

TEST(HeldLinks, TakeTheLatencyAloneWithoutABandwidth) {
  Transfers transfers({{}, {std::nullopt, Seconds{0.25}}});
  transfers.begin("a", 1, 1e9, 0.0);
  EXPECT_NEAR(transfers.ends()["a"], 0.25, precision_s);
}

TEST(HeldLinks, AreSharedEquallyByTransfersOfOneNode) {
  Transfers transfers({{}, {1000.0, {}}});
  transfers.begin("a", 1, 1000.0, 0.0);
  transfers.begin("b", 1, 1000.0, 0.5);
  // a alone for 0.5 s, then both at 500 bytes/s: a has 500 bytes left, 1 s; b then 500 alone.
  auto ends = transfers.ends();
  EXPECT_NEAR(ends["a"], 1.5, precision_s);
  EXPECT_NEAR(ends["b"], 2.0, precision_s);
}

TEST(HeldLinks, ShareTheMastersLinkAsFarAsTheirOwnAllow) {
  // The master's 1000 bytes/s for three nodes, of which one has only 100: 100, 450, 450.
  Transfers transfers({{1000.0, {}}, {100.0, {}}, {2000.0, {}}, {std::nullopt, {}}});
  transfers.begin("slow", 1, 100.0, 0.0);
  transfers.begin("b", 2, 450.0, 0.0);
  transfers.begin("c", 3, 450.0, 0.0);
  auto ends = transfers.ends();
  EXPECT_NEAR(ends["slow"], 1.0, precision_s);
  EXPECT_NEAR(ends["b"], 1.0, precision_s);
  EXPECT_NEAR(ends["c"], 1.0, precision_s);
}

TEST(HeldLinks, HoldOnlyWhatIsHeld) {
  const HeldLinks none{{}};
  EXPECT_FALSE(none.holds(1));
  const HeldLinks some({{}, {1000.0, {}}, {}});
  EXPECT_TRUE(some.holds(1));
  EXPECT_FALSE(some.holds(2));
  const HeldLinks master({{1000.0, {}}, {}});
  EXPECT_TRUE(master.holds(1)) << "all transfers cross the master's link";
}

}  // namespace
}  // namespace equipoise::held_links_test

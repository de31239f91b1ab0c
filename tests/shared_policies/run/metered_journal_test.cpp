// Tests of the order in which readings of meters enter a journal.
#include "shared_policies/run/inserting_journals.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "shared_policies/contract/memory_journal.hpp"

namespace equipoise::metered_journal_test {
namespace {

/// Readings that are given in advance.
class GivenReadings final : public MeterReadings {
 public:
  explicit GivenReadings(std::deque<Measured> readings) : readings_(std::move(readings)) {}
  std::optional<Measured> take(Seconds until) override {
    if (readings_.empty() || readings_.front().at > until) return std::nullopt;
    const Measured first = readings_.front();
    readings_.pop_front();
    return first;
  }
  std::string note() const override { return {}; }

 private:
  std::deque<Measured> readings_;
};

Measured energy(double at_s, double joules) {
  return {Seconds{at_s}, "package-0", "energy_j", joules};
}

BlockRecord block_until(double end_s) {
  BlockRecord record{};
  record.end = Seconds{end_s};
  return record;
}

TEST(MeteredJournal, InsertsReadingsBeforeTheRecordsThatCameAfterThem) {
  GivenReadings readings(
      {energy(0, 0), energy(1, 10), energy(2, 20), energy(3, 30), energy(4, 40)});
  MemoryJournal memory;
  MeteredJournal journal(&readings, memory);
  journal.event({Seconds{0}, IterationBegin{}});
  EXPECT_EQ(memory.measurements.size(), 1u);
  journal.block(block_until(1.5));
  EXPECT_EQ(memory.measurements.size(), 2u);
  journal.decision({Seconds{2}, {}, Seconds{2.5}, {}});
  EXPECT_EQ(memory.measurements.size(), 3u);
  EXPECT_EQ(memory.blocks.size(), 1u);
  journal.finish();
  ASSERT_EQ(memory.measurements.size(), 5u);
  EXPECT_EQ(memory.measurements.back().at, Seconds{4});
  EXPECT_EQ(memory.measurements.back().value, 40);
}

TEST(MeteredJournal, PassesAllOnWithoutMeters) {
  MemoryJournal memory;
  MeteredJournal journal(nullptr, memory);
  journal.block(block_until(1));
  journal.finish();
  EXPECT_EQ(memory.blocks.size(), 1u);
  EXPECT_TRUE(memory.measurements.empty());
}

}  // namespace
}  // namespace equipoise::metered_journal_test

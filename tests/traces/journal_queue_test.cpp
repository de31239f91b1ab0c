// Tests of a journal that a separate thread writes: records are neither lost, reordered nor
// delayed, and failures are reported.
#include "traces/journal_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::journal_queue_test {
namespace {

/// The records of the journal behind the queue. Tests may only read them when the queue is
/// destroyed or flushed.
struct ReceivedRecords {
  std::vector<std::uint64_t> blocks;
  std::string summary;
  std::atomic<bool> is_held = false;  ///< the journal waits before it takes a record
  std::size_t fails_at = static_cast<std::size_t>(-1);  ///< index of the record that fails
};

class ReceivingJournalFile final : public JournalFile {
 public:
  explicit ReceivingJournalFile(ReceivedRecords& told) : told_(told) {}
  void block(const BlockRecord& record) override {
    while (told_.is_held) std::this_thread::yield();
    if (told_.blocks.size() == told_.fails_at) throw std::runtime_error("the disk is full");
    told_.blocks.push_back(record.block.id);
  }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}
  void flush() override {}
  void finish(const std::string& summary) override { told_.summary = summary; }

 private:
  ReceivedRecords& told_;
};

BlockRecord numbered(std::uint64_t id) {
  BlockRecord record;
  record.block.id = id;
  record.block.items = 1;
  return record;
}

TEST(JournalQueue, WritesWhatWouldBeWrittenWithoutIt) {
  const TemporaryFolder folder;
  const auto write = [](JournalFile& file) {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      file.block(numbered(i));
      if (i % 7 == 0) file.event({Seconds{static_cast<double>(i)}, UnitLost{UnitId{0}}});
      if (i % 13 == 0) file.measured({Seconds{static_cast<double>(i)}, "cuda:0", "power_w", 9.5});
      if (i % 11 == 0) {
        file.decision(
            {{}, {}, {}, {UnitId{0}, DecisionKind::fit, {{UnitId{0}, "2 x", 0.5, {}, 3}}}});
      }
    }
    file.finish("{}");
  };
  write(*make_journal_file(folder.path("at_once"), "{}", {"u0"}));
  write(*make_queued_journal(make_journal_file(folder.path("queued"), "{}", {"u0"})));
  EXPECT_EQ(folder.read("queued"), folder.read("at_once"));
}

TEST(JournalQueue, WaitsForRoomAndLosesNothing) {
  ReceivedRecords told;
  told.is_held = true;
  const auto queue = make_queued_journal(std::make_unique<ReceivingJournalFile>(told));
  constexpr std::uint64_t many = 200'000;  // more than the queue holds
  std::thread run([&] {
    for (std::uint64_t i = 0; i < many; ++i) queue->block(numbered(i));
    queue->finish("end");
  });
  told.is_held = false;
  run.join();
  ASSERT_EQ(told.blocks.size(), many);
  for (std::uint64_t i = 0; i < many; ++i) ASSERT_EQ(told.blocks[i], i);
  EXPECT_EQ(told.summary, "end");
}

TEST(JournalQueue, KeepsNothingBackWhileTheRunGoesOn) {
  const TemporaryFolder folder;
  const auto queue = make_queued_journal(make_journal_file(folder.path("run"), "{}", {"u0"}));
  queue->block(numbered(0));
  while (folder.read("run").find("\"block\":0") == std::string::npos) std::this_thread::yield();
  queue->block(numbered(1));
  queue->flush();
  EXPECT_NE(folder.read("run").find("\"block\":1"), std::string::npos);
  EXPECT_EQ(folder.read("run").back(), '\n');
}

TEST(JournalQueue, WritesWhatIsQueuedWhenItIsDestroyed) {
  ReceivedRecords told;
  {
    const auto queue = make_queued_journal(std::make_unique<ReceivingJournalFile>(told));
    for (std::uint64_t i = 0; i < 1000; ++i) queue->block(numbered(i));
  }
  EXPECT_EQ(told.blocks.size(), 1000u);
  EXPECT_EQ(told.summary, "");
}

TEST(JournalQueue, TellsTheRunWhyItCannotBeWrittenOn) {
  const auto words_of = [](auto&& tell) -> std::string {
    ReceivedRecords told;
    told.fails_at = 3;
    const auto queue = make_queued_journal(std::make_unique<ReceivingJournalFile>(told));
    try {
      for (std::uint64_t i = 0; i < 5; ++i) queue->block(numbered(i));
      tell(*queue);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(words_of([](JournalFile& file) { file.finish("{}"); }), "the disk is full");
  EXPECT_EQ(words_of([](JournalFile& file) { file.flush(); }), "the disk is full");
  EXPECT_EQ(words_of([](JournalFile& file) {
              for (std::uint64_t i = 5;; ++i) file.block(numbered(i));
            }),
            "the disk is full");
}

TEST(JournalQueue, LeavesWholeLinesOnAFullDisk) {
  const TemporaryFolder folder;
  std::string said;
  try {
    const FullDisk disk(100'001);
    const auto queue = make_queued_journal(make_journal_file(folder.path("run"), "{}", {"u0"}));
    for (std::uint64_t i = 0; i < 100'000; ++i) queue->block(numbered(i));
    queue->finish("{}");
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("cannot be written any further"), std::string::npos) << said;
  const std::string text = folder.read("run");
  EXPECT_LE(text.size(), 100'001u);
  EXPECT_GT(text.size(), 99'000u);
  EXPECT_TRUE(text.ends_with("\"tag\":\"run\"}\n"));
}

}  // namespace
}  // namespace equipoise::journal_queue_test

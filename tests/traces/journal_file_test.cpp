// Tests of the exact text of lines in run files.
#include "traces/journal_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace equipoise::journal_file_test {
namespace {

/// The lines between header and summary that `write` produces.
template <class Write>
std::vector<std::string> lines_of(Write&& write) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.jsonl");
  const auto journal = make_journal_file(path, "{}", {"cpu0", "gpu\"0"});
  write(*journal);
  journal->finish("{}");
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return {lines.begin() + 1, lines.end() - 1};
}

TEST(JournalFile, IsGivenUpWhenItWouldBecomeTooLarge) {
  for (const bool is_queued : {false, true}) {
    const TemporaryFolder folder;
    const std::string path = folder.path("run.jsonl");
    auto journal = make_journal_file(path, "{}", {"cpu0"}, 1000);
    if (is_queued) journal = make_queued_journal(std::move(journal));
    BlockRecord record;
    record.block.items = 1;
    journal->block(record);
    journal->flush();
    EXPECT_TRUE(std::filesystem::exists(path));
    for (int i = 0; i < 10; ++i) journal->block(record);  // of more than 100 bytes each
    journal->flush();
    EXPECT_FALSE(std::filesystem::exists(path));
    journal->block(record);
    journal->finish("{}");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(JournalFile, SaysWhatAScenarioDidInTheWordsOfScenarioFiles) {
  const std::vector<Disturbance> events = {
      {Seconds{1.5}, Seconds{4.0}, DisturbanceKind::compete, "gpu\"0", 0.25, {}},
      {Seconds{2.0}, Seconds::infinity(), DisturbanceKind::slow, "cpu0", 3.0, {}},
      {Seconds{2.0}, Seconds::infinity(), DisturbanceKind::bandwidth, "pcie0", 0.5, {}},
      {Seconds{3.0}, Seconds{9.0}, DisturbanceKind::fail, "cpu0", 1.0, {}},
      {Seconds{5.0}, Seconds::infinity(), DisturbanceKind::join, "cpu0", 1.0, {}},
      {Seconds{6.0}, Seconds{7.0}, DisturbanceKind::profile, "cpu0", 1.0, {{Seconds{}, 0.5}}},
  };
  const auto lines = lines_of([&](Journal& journal) {
    for (const Disturbance& event : events) journal.event({event.at, event});
  });
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"({"event":"compete","at_s":1.5,"unit":"gpu\"0","share":0.25,"until_s":4})",
                       R"({"event":"slow","at_s":2,"unit":"cpu0","factor":3})",
                       R"({"event":"bandwidth","at_s":2,"link":"pcie0","factor":0.5})",
                       R"({"event":"fail","at_s":3,"unit":"cpu0","until_s":9})",
                       R"({"event":"join","at_s":5,"unit":"cpu0"})",
                       R"({"event":"profile","at_s":6,"unit":"cpu0","until_s":7})",
                   }));
}

TEST(JournalFile, SaysWhatAMeterRead) {
  const auto lines = lines_of([](Journal& journal) {
    journal.measured({Seconds{1.5}, "package-0", "energy_j", 0.1});
    journal.measured({Seconds{2}, "cuda\"0", "clock_hz", 1e9});
  });
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"({"at_s":1.5,"domain":"package-0","what":"energy_j","value":0.1})",
                       R"({"at_s":2,"domain":"cuda\"0","what":"clock_hz","value":1000000000})",
                   }));
}

TEST(JournalFile, NamesTheUnitAndTheBlockOfAnEvent) {
  const auto lines = lines_of([](Journal& journal) {
    journal.event({Seconds{1}, UnitLost{UnitId{1}}});
    const Block block{7, 0, 20, 1, 2, BlockTag::gap, 3};
    journal.event({Seconds{1}, LostBlock{UnitId{0}, block, Seconds{0.5}, 9}});
    journal.event({Seconds{1}, LostBlock{UnitId{0}, block, Seconds{0.5}, 9, 4}});
    journal.event({Seconds{2}, UnfinishedBlock{UnitId{1}, {8, 0, 5}, Seconds{1.5}, 10}});
  });
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"({"event":"unit_lost","at_s":1,"unit":"gpu\"0"})",
                       R"({"event":"block_lost","at_s":1,"unit":"cpu0","block":7,"iteration":2,)"
                       R"("phase":1,"items":20,"assigned_s":0.5,"after_events":9,"tag":"gap",)"
                       R"("group":3})",
                       R"({"event":"block_lost","at_s":1,"unit":"cpu0","block":7,"iteration":2,)"
                       R"("phase":1,"items":20,"assigned_s":0.5,"after_events":9,"tag":"gap",)"
                       R"("cap_items":4,"group":3})",
                       R"({"event":"block_outstanding","at_s":2,"unit":"gpu\"0","block":8,)"
                       R"("iteration":0,"phase":0,"items":5,"assigned_s":1.5,"after_events":10,)"
                       R"("tag":"run"})",
                   }));
}

TEST(JournalFile, SaysWhatAProbeAskedForAndWhatItFound) {
  const auto lines = lines_of([](Journal& journal) {
    const Probe both{0, 7, 1e6, 5e5};
    const Probe there{1, 8, 0, std::nullopt};
    journal.event({Seconds{1}, ProbeBegin{UnitId{0}, both, 3}});
    journal.event({Seconds{1}, ProbeBegin{UnitId{1}, there, 4}});
    journal.event(
        {Seconds{2}, Probed{UnitId{0}, both,
                            ProbeTimes{Seconds{1.25}, Seconds{0.25}, Seconds{1.5}, Seconds{0.5}}}});
    journal.event({Seconds{3}, Probed{UnitId{1}, there}});
  });
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"({"event":"probe","at_s":1,"unit":"cpu0","probe":0,"number":7,)"
                       R"("there_bytes":1000000,"back_bytes":500000,"after_blocks":3})",
                       R"({"event":"probe","at_s":1,"unit":"gpu\"0","probe":1,"number":8,)"
                       R"("there_bytes":0,"after_blocks":4})",
                       R"({"event":"probed","at_s":2,"unit":"cpu0","probe":0,"there_at_s":1.25,)"
                       R"("there_s":0.25,"back_at_s":1.5,"back_s":0.5})",
                       R"({"event":"probed","at_s":3,"unit":"gpu\"0","probe":1})",
                   }));
}

TEST(JournalFile, QuotesTheTextOfANoteAndTheWordOfADecision) {
  const auto lines = lines_of([](Journal& journal) {
    journal.decision({Seconds{0.5}, {}, Seconds{0.5}, {{}, OwnDecisionKind{"\"guess\""}, {}}});
    journal.event({Seconds{1}, Note{"a \"good\" fit"}});
    journal.event({Seconds{2}, TimerEnd{}});
  });
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"({"decision":"\"guess\"","at_s":0.5,"cost_s":0,"end_s":0.5,)"
                       R"("by":"master","units":[]})",
                       R"({"event":"a \"good\" fit","at_s":1})",
                       R"({"event":"timer_fired","at_s":2})",
                   }));
}

}  // namespace
}  // namespace equipoise::journal_file_test

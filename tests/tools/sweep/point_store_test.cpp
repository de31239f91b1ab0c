// Tests of stored points: records are appended whole and found again, and torn last lines are cut
// off.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/sweep/point_store.hpp"

namespace equipoise::point_store_test {
namespace {

PointRecord record(const std::string& key, double makespan_s) {
  PointRecord record;
  record.key = key;
  record.experiment = "e";
  record.spelling = "greedy";
  record.seed = 7;
  record.repetition = 2;
  record.report.emplace().numbers.makespan = Seconds{makespan_s};
  record.report->numbers.units.resize(2);
  return record;
}

SearchRecord search_record(const std::string& key, const BestReached& best,
                           std::optional<BlockLists> schedule = {}) {
  SearchRecord record;
  record.key = key;
  record.experiment = "e";
  if (best.seconds > 0.0) record.best_known_s = best.seconds;
  record.best_known_by = best.spelling;
  record.with_noise = !schedule;
  if (schedule) record.schedule = std::move(schedule);
  return record;
}

PointRecord failed(const std::string& key) {
  PointRecord failed = record(key, 0.0);
  failed.report.reset();
  failed.failure = "its process died of signal 6";
  return failed;
}

class PointFiles : public testing::Test {
 protected:
  void append(const std::vector<PointRecord>& records, const Shard& shard = {}) {
    PointWriter writer(folder.path("."), shard);
    for (const PointRecord& one : records) writer.append(one);
  }
  std::map<std::string, PointRecord> read() { return read_all().points; }
  StoredPoints read_all() {
    warnings.clear();
    return read_points(folder.path("."), warnings);
  }

  TemporaryFolder folder;
  std::vector<std::string> warnings;
};

TEST_F(PointFiles, KeepEveryNumberOfARun) {
  PointRecord stored = record("a", 0.1);
  RunNumbers& n = stored.report->numbers;
  n.units = {{3,
              2,
              {Seconds{0.4}, Seconds{0.1}, Seconds{0.2}, Seconds{0.3}},
              Seconds{0.55},
              Seconds{0.7},
              12.5},
             {0, 0, {}, {}, {}, {}}};
  n.phases = {{{3, 2, Seconds{0.7}}, {}}};
  n.items = 3;
  n.energy_j = 12.5;
  n.energy_from = EnergySource::measured;
  n.blocks = 5;
  n.rebalances = 6;
  n.decisions = 7;
  n.decisions_total = Seconds{0.8};
  n.decisions_max = Seconds{0.9};
  n.items_redone = 10;
  n.extrapolated_share = 0.11;
  stored.report->policy_stalled = true;
  n.energy_note = "without \"package-1\": read only once";
  n.losses = Losses{.computing = Seconds{0.2},
                    .tail = Seconds{0.1},
                    .longest_setup = Seconds{0.05},
                    .merging = Seconds{0.01}};
  append({stored});
  const auto points = read();
  ASSERT_TRUE(points.at("a").report);
  const StoredReport& run = *points.at("a").report;
  ASSERT_TRUE(run.numbers.losses);
  EXPECT_EQ(run.numbers.losses->tail, Seconds{0.1});
  EXPECT_EQ(run.numbers.losses->longest_setup, Seconds{0.05});
  EXPECT_EQ(run.numbers.losses->merging, Seconds{0.01});
  ASSERT_EQ(run.numbers.units.size(), 2u);
  EXPECT_EQ(run.numbers.units[0].busy.setup, Seconds{0.4});
  EXPECT_EQ(run.numbers.units[0].busy.out, Seconds{0.3});
  EXPECT_EQ(run.numbers.units[0].occupied, Seconds{0.55});
  EXPECT_EQ(run.numbers.units[0].last_end, Seconds{0.7});
  EXPECT_EQ(run.numbers.units[0].energy_j, 12.5);
  EXPECT_FALSE(run.numbers.units[1].energy_j);
  EXPECT_EQ(run.numbers.phases.at(0).at(0).last_end, Seconds{0.7});
  EXPECT_EQ(run.numbers.items, 3u);
  EXPECT_EQ(run.numbers.energy_j, 12.5);
  EXPECT_EQ(run.numbers.energy_from, EnergySource::measured);
  EXPECT_EQ(run.numbers.energy_note, n.energy_note);
  EXPECT_EQ(point_text(points.at("a")), point_text(stored));
}

TEST_F(PointFiles, GiveBackWhatWasAppended) {
  append({record("a", 0.1 + 0.2)});
  append({record("b", 1e-300), failed("c")});
  const auto points = read();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points.at("a").report->numbers.makespan.value, 0.1 + 0.2);  // to the last bit
  EXPECT_EQ(points.at("b").report->numbers.makespan.value, 1e-300);
  EXPECT_EQ(points.at("a").seed, 7u);
  EXPECT_EQ(points.at("a").repetition, 2u);
  EXPECT_EQ(points.at("c").failure, "its process died of signal 6");
  EXPECT_EQ(lines_of(read_text(folder.path("points.jsonl"))).size(), 4u);  // one header
}

TEST_F(PointFiles, LoseNothingButATornLastLine) {
  append({record("a", 1.0), record("b", 2.0)});
  const std::string whole = read_text(folder.path("points.jsonl"));
  const std::size_t before_b = whole.rfind("{\"key\":\"b\"");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder.write("points.jsonl", whole.substr(0, length));
    const std::size_t there = length >= before_b ? 1 : 0;
    EXPECT_EQ(read().size(), there) << length;
    EXPECT_TRUE(warnings.empty());
    append({record("c", 3.0)});
    const auto points = read();
    EXPECT_EQ(points.size(), there + 1) << length;
    EXPECT_TRUE(points.contains("c"));
    EXPECT_TRUE(warnings.empty()) << warnings.front();
  }
}

TEST_F(PointFiles, KeepSearchesBesidePoints) {
  const BlockLists blocks = {{{3, 4}, {}}, {{5}, {6, 7, 8}}};
  {
    PointWriter writer(folder.path("."), {});
    writer.append(record("a", 1.0));
    writer.append(search_record("w", {0.1 + 0.2, "optimum"}, blocks));
    SearchRecord failed = search_record("x", {}, BlockLists());
    failed.failure = "no room";
    writer.append(failed);
    writer.append(search_record("y", {0.3, "optimum:reacts=true"}));
    failed = search_record("z", {});
    failed.failure = "lost";
    writer.append(failed);
  }
  const StoredPoints stored = read_all();
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(stored.points.size(), 1u);
  ASSERT_EQ(stored.searches.size(), 4u);
  EXPECT_EQ(stored.searches.at("w").best_known_s, 0.1 + 0.2);
  EXPECT_EQ(stored.searches.at("w").best_known_by, "optimum");
  EXPECT_EQ(stored.searches.at("w").schedule, blocks);
  EXPECT_EQ(stored.searches.at("x").failure, "no room");
  EXPECT_FALSE(stored.searches.at("x").with_noise);
  EXPECT_EQ(stored.searches.at("y").best_known_s, 0.3);
  EXPECT_EQ(stored.searches.at("y").best_known_by, "optimum:reacts=true");
  EXPECT_TRUE(stored.searches.at("y").with_noise);
  EXPECT_EQ(stored.searches.at("z").failure, "lost");
}

TEST_F(PointFiles, WrittenBeforeAreRead) {
  folder.write("points.jsonl",
               "{\"schema\":\"equipoise.points/1\"}\n"
               R"({"key":"w","experiment":"e","best_known_s":2.5,"best_known_by":"optimum",)"
               R"("schedule":[[[3,4],[]]]})"
               "\n"
               R"({"key":"x","experiment":"e","schedule":null,"failure":"no room"})"
               "\n"
               R"({"key":"y","experiment":"e","with_noise":true,"best_known_s":3.5,)"
               R"("best_known_by":"equipoise"})"
               "\n"
               R"({"key":"z","experiment":"e","with_noise":true,"failure":"lost"})"
               "\n");
  const StoredPoints stored = read_all();
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(stored.searches.size(), 4u);
  EXPECT_EQ(stored.searches.at("w").schedule, (BlockLists{{{3, 4}, {}}}));
  EXPECT_EQ(stored.searches.at("x").failure, "no room");
  EXPECT_EQ(stored.searches.at("y").best_known_s, 3.5);
  EXPECT_TRUE(stored.searches.at("y").with_noise);
  EXPECT_EQ(stored.searches.at("z").failure, "lost");
}

TEST_F(PointFiles, AreMergedFromAllShards) {
  append({record("a", 1.0)}, {1, 3});
  append({record("b", 2.0)}, {2, 3});
  append({record("c", 3.0)});
  EXPECT_TRUE(std::filesystem::exists(folder.path("points-2-of-3.jsonl")));
  EXPECT_EQ(read().size(), 3u);
}

TEST_F(PointFiles, PreferAReportToAFailureAndTheFirstOfTwoReports) {
  append({failed("a"), record("a", 1.0), record("a", 2.0), failed("a")});
  EXPECT_TRUE(read().at("a").failure.empty());
  EXPECT_EQ(read().at("a").report->numbers.makespan, Seconds{1.0});
}

TEST_F(PointFiles, NameALineThatIsNoRecord) {
  append({record("a", 1.0)});
  const std::string text = read_text(folder.path("points.jsonl"));
  folder.write("points.jsonl", text + "{\"key\":\"b\"}\n" + point_text(record("c", 1.0)) + "\n");
  EXPECT_EQ(read().size(), 2u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("points.jsonl:3: is no record of a point"), std::string::npos);
}

TEST_F(PointFiles, HoldNothingThatLacksWhatWasWritten) {
  const std::string whole = point_text(record("a", 1.0));
  const auto without = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string search =
      R"({"key":"x","experiment":"e","with_noise":true,"best_known_s":null,"best_known_by":"y"})";
  for (const std::string& line : {without("\"report\":", "\"rapport\":"),
                                  without("\"rebalances\":", "\"balances\":"), search}) {
    folder.write("points.jsonl", "{\"schema\":\"equipoise.points/1\"}\n" + line + "\n");
    warnings.clear();
    EXPECT_TRUE(read_all().points.empty()) << line;
    EXPECT_TRUE(read_all().searches.empty()) << line;
    EXPECT_FALSE(warnings.empty()) << line;
  }
}

TEST_F(PointFiles, LoseNothingButTheRecordThatAFullDiskDoesNotTake) {
  {
    PointWriter writer(folder.path("."), {});
    writer.append(record("a", 1.0));
    const FullDisk disk(read_text(folder.path("points.jsonl")).size() + 10);
    std::string said;
    try {
      writer.append(record("b", 2.0));
    } catch (const InputError&) {
      said = "refused";
    } catch (const std::runtime_error& failure) {
      said = failure.what();
    }
    EXPECT_NE(said.find("points.jsonl: cannot be written any further: "), std::string::npos)
        << said;
  }
  EXPECT_EQ(read().size(), 1u);
  append({record("c", 3.0)});
  EXPECT_EQ(read().size(), 2u);
}

TEST_F(PointFiles, RefuseAFolderThatCannotBeWritten) {
  const std::string refusal = "cannot be written: Is a directory; give --out a folder that can";
  for (const char* const file : {"points.jsonl", ".results.lock"}) {
    std::filesystem::create_directory(folder.path(file));
  }
  const std::string at = folder.path(".");
  EXPECT_EQ(refusal_of([&] { const PointWriter writer(at, {}); }),
            at + "/points.jsonl: " + refusal);
  EXPECT_EQ(refusal_of([&] { const LockedFile lock = lock_results(at); }),
            at + "/.results.lock: " + refusal);
}

TEST_F(PointFiles, RefuseAFileOfAnotherKind) {
  folder.write("points.jsonl", "{\"schema\":\"equipoise.points/2\"}\n");
  EXPECT_NE(refusal_of([&] { static_cast<void>(read()); }).find("points.jsonl:1: "),
            std::string::npos);
}

TEST_F(PointFiles, LeaveAFileOfAnotherKindAsItIs) {
  const std::string ours = "{\"schema\":\"equipoise.points/1\"}";
  for (const std::string& text :
       {std::string("notes without a line end"), std::string("a line\nand more"), std::string("\n"),
        ours + "0\n", std::string("{\"schema\":\"equipoise.points/2\"}\n{\"key\":")}) {
    const std::string file = folder.write("points.jsonl", text);
    EXPECT_EQ(
        refusal_of([&] { append({record("a", 1.0)}); }),
        file.substr(0, file.rfind('/')) +
            "/./points.jsonl:1: is not equipoise.points/1; move it out of the sweep's folder");
    EXPECT_EQ(read_text(file), text);
  }
}

TEST_F(PointFiles, AreWrittenByOneSweepAtATime) {
  const PointWriter first(folder.path("."), {});
  const PointWriter other_shard(folder.path("."), {1, 2});
  EXPECT_NE(refusal_of([&] {
              const PointWriter second(folder.path("."), {});
            }).find("--out: another sweep is writing"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::point_store_test

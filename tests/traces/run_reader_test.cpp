// Tests of reading run files: complete and interrupted files, and messages that name damaged lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <sstream>
#include <string>

#include "tests/support/mutations.hpp"
#include "tests/support/random_seed.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/journal_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise::run_reader_test {
namespace {

const std::string header =
    R"({"schema":"equipoise.run/1.1","on":"sim","policy":"plb-hec",)"
    R"("spelling":"plb-hec:threshold=0.2",)"
    R"("parameters":{"threshold":"0.2"},"workloads":[{"kernel":"dgemm","items":9007199254740995,)"
    R"("grain_items":1,"iterations":2,"in_bytes_per_item":8.5,"out_bytes_per_item":0.0,)"
    R"("resident_bytes":9.0,"distribution":"replicated","iteration_bytes":4.5,)"
    R"("resident_memory_bytes":6.0,"memory_bytes_per_item":0.0,"flop_per_item":2.0,)"
    R"("parameters":{"n":64.0}}],"units":[{"id":"cpu0","kind":"cpu","node":"here","copy_engines":1,)"
    R"("slots":1},{"id":"gpu0","kind":"gpu","model":"K40","device":"card","memory_bytes":1e9,)"
    R"("is_remote":true,)"
    R"("idle_w":20.5,"busy_w":200.0,"copy_engines":2,"slots":3,"present_at_start":false}],)"
    R"("seed":7,"repetition":3,"decision_cost":"paper","workload_spellings":["dgemm:items=9"],)"
    R"("platform":"p.xml","traces":["a.jsonl","b.jsonl"],"scenario":null,"noise":false,)"
    R"("dispatch_cost_given_s":1e-06,"something_newer":[1,2]})";
const std::string summary =
    R"({"summary":true,"makespan_s":2.5,"complete":true,"verified":true,"items":3})";

/// Writes a run file with every kind of line, with the program's writer.
void write_run(const std::string& path) {
  const auto file = make_journal_file(path, header, {"cpu0", "gpu0"});
  file->event({Seconds{}, IterationBegin{}});
  file->block({UnitId{0},
               Block{0, 0, 9007199254740993, 0, 1, BlockTag::train, 0},
               Seconds{0.125},
               {Seconds{0.2}, Seconds{0.1}, Seconds{1.0 / 3.0}, Seconds{1e-9}},
               {Seconds{0.11}, Seconds{0.31}, Seconds{0.41}, Seconds{0.7}},
               Seconds{0.75},
               4});
  const Disturbance slow{Seconds{1}, Seconds{2}, DisturbanceKind::slow, "cpu0", 3.0, {}};
  file->event({Seconds{1}, slow});
  file->decision({Seconds{1},
                  Seconds{0.25},
                  Seconds{1.25},
                  {UnitId{1},
                   DecisionKind::fit,
                   {{UnitId{0}, "2 x", 0.5, {}, 10}, {UnitId{1}, "", {}, 1, 0}}}});
  file->event({Seconds{1.5}, UnitLost{UnitId{1}}});
  const Block block{1, 5, 20, 0, 0, BlockTag::gap, 9};
  file->event({Seconds{1.5}, LostBlock{UnitId{1}, block, Seconds{0.5}, 2}});
  file->event({Seconds{1.75}, Note{"poor_fit"}});
  file->measured({Seconds{2}, "package-0", "energy_j", 1.0 / 3.0});
  file->finish(summary);
}

std::string written_run() {
  const TemporaryFolder folder;
  write_run(folder.path("run.jsonl"));
  return folder.read("run.jsonl");
}

RunFile read_text_as_run(const std::string& text) {
  std::istringstream in(text);
  return read_run(in, "run.jsonl");
}

TEST(RunFile, ComesBackAsItWasWritten) {
  const RunFile file = read_text_as_run(written_run());
  const RunHeader& h = file.header;
  EXPECT_EQ(h.on, "sim");
  EXPECT_EQ(h.policy, "plb-hec");
  EXPECT_EQ(h.spelling, "plb-hec:threshold=0.2");
  EXPECT_EQ(h.seed, 7u);
  EXPECT_EQ(h.repetition, 3u);
  EXPECT_EQ(h.decision_cost, "paper");
  EXPECT_EQ(h.settings.workloads, (std::vector<std::string>{"dgemm:items=9"}));
  EXPECT_EQ(h.settings.trace_files, (std::vector<std::string>{"a.jsonl", "b.jsonl"}));
  EXPECT_EQ(h.settings.platform_file, "p.xml");
  EXPECT_EQ(h.settings.scenario_file, "");
  EXPECT_FALSE(h.settings.noise);
  EXPECT_EQ(h.settings.dispatch_cost, Seconds{1e-6});
  ASSERT_EQ(file.run.units.size(), 2u);
  const Unit& gpu = file.run.units[1];
  EXPECT_EQ(gpu.kind, UnitKind::gpu);
  EXPECT_TRUE(gpu.is_remote);
  EXPECT_EQ(gpu.device, "card");
  EXPECT_EQ(gpu.memory_bytes, 1e9);
  EXPECT_EQ(gpu.copy_engines, 2);
  EXPECT_EQ(gpu.slots, 3);
  EXPECT_EQ(gpu.busy_w, 200.0);
  EXPECT_EQ(file.run.absent_at_start, (std::vector<UnitId>{UnitId{1}}));
  ASSERT_EQ(file.run.phases.size(), 1u);
  EXPECT_EQ(file.run.phases[0].items, 9007199254740995);  // a double cannot hold this number
  EXPECT_EQ(file.run.phases[0].iterations, 2);
  EXPECT_EQ(file.run.phases[0].iteration_bytes, 4.5);
  EXPECT_EQ(file.run.phases[0].distribution, Distribution::replicated);
  EXPECT_EQ(file.run.phases[0].bytes_kept(), 6.0);
  ASSERT_TRUE(file.summary);
  EXPECT_EQ(file.summary->numbers.makespan, Seconds{2.5});
  EXPECT_TRUE(file.run.is_whole);
  EXPECT_FALSE(file.is_cut);
}

TEST(RunFile, TellsHowTheItemsOfItsPhasesDiffer) {
  EXPECT_TRUE(read_text_as_run(written_run()).header.costs.empty());
  RunHeader of = read_text_as_run(written_run()).header;
  of.costs = {std::nullopt, CostProfile{4, 0.5, 1.75, {0.5, 0.5, 1.25, 1.75}}};
  EXPECT_EQ(read_text_as_run(run_header_line(of) + "\n").header.costs, of.costs);
}

TEST(RunFile, HoldsEveryRecordToTheLastBit) {
  const RunFile file = read_text_as_run(written_run());
  ASSERT_EQ(file.run.lines.size(), 8u);
  const auto& reading = std::get<Measured>(file.run.lines[7].what);
  EXPECT_EQ(reading.at, Seconds{2});
  EXPECT_EQ(reading.domain, "package-0");
  EXPECT_EQ(reading.what, "energy_j");
  EXPECT_EQ(reading.value, 1.0 / 3.0);
  const auto& block = std::get<BlockRecord>(file.run.lines[1].what);
  EXPECT_EQ(file.run.lines[1].line, 3u);
  EXPECT_EQ(block.block.items, 9007199254740993);
  EXPECT_EQ(block.block.iteration, 1);
  EXPECT_EQ(block.block.tag, BlockTag::train);
  EXPECT_EQ(block.times.setup, Seconds{0.2});
  EXPECT_EQ(block.times.in, Seconds{0.1});
  EXPECT_EQ(block.times.compute, Seconds{1.0 / 3.0});
  EXPECT_EQ(block.times.out, Seconds{1e-9});
  EXPECT_EQ(block.begins.setup, Seconds{0.11});
  EXPECT_EQ(block.begins.in, Seconds{0.31});
  EXPECT_EQ(block.begins.compute, Seconds{0.41});
  EXPECT_EQ(block.begins.out, Seconds{0.7});
  EXPECT_EQ(block.after_events, 4u);
  const auto event = [&](std::size_t line) -> const RunEvent& {
    return std::get<EventRecord>(file.run.lines[line].what).what;
  };
  const auto& slow = std::get<Disturbance>(event(2));
  EXPECT_EQ(slow.at, Seconds{1});
  EXPECT_EQ(slow.kind, DisturbanceKind::slow);
  EXPECT_EQ(slow.amount, 3.0);
  EXPECT_EQ(slow.until, Seconds{2});
  const auto& fit = std::get<DecisionRecord>(file.run.lines[3].what);
  EXPECT_EQ(fit.end, Seconds{1.25});
  EXPECT_EQ(fit.decision.unit, UnitId{1});
  ASSERT_EQ(fit.decision.estimates.size(), 2u);
  EXPECT_EQ(fit.decision.estimates[0].cost, "2 x");
  EXPECT_EQ(fit.decision.estimates[0].r2, 0.5);
  EXPECT_FALSE(fit.decision.estimates[1].r2);
  EXPECT_EQ(std::get<UnitLost>(event(4)).unit, UnitId{1});
  const auto& lost = std::get<LostBlock>(event(5));
  EXPECT_EQ(lost.unit, UnitId{1});
  EXPECT_EQ(lost.block.id, 1u);
  EXPECT_EQ(lost.block.group, 9u);
  EXPECT_FALSE(lost.cap_items);
  EXPECT_EQ(lost.assigned, Seconds{0.5});
  EXPECT_EQ(lost.after_events, 2u);
  EXPECT_EQ(std::get<Note>(event(6)).text, "poor_fit");
}

TEST(RunFile, TellsWhatProbesFound) {
  const auto written = [](const std::vector<EventRecord>& events) {
    const TemporaryFolder folder;
    const auto file = make_journal_file(folder.path("run.jsonl"), header, {"cpu0", "gpu0"});
    for (const EventRecord& event : events) file->event(event);
    file->finish(summary);
    return folder.read("run.jsonl");
  };
  constexpr std::uint64_t all_bits = std::numeric_limits<std::uint64_t>::max();
  const EventRecord begin{Seconds{1}, ProbeBegin{UnitId{1}, {0, 7, 9007199254740991, 0}, 3}};
  const ProbeTimes times{Seconds{1.25}, Seconds{1.0 / 3.0}, Seconds{1.75}, Seconds{0.5}};
  const EventRecord end{Seconds{2.5}, Probed{UnitId{1}, {0, 7, 9007199254740991, 0}, times}};
  const EventRecord other{Seconds{1}, ProbeBegin{UnitId{0}, {1, all_bits, 5, std::nullopt}, 4}};
  const EventRecord lost{Seconds{3}, Probed{UnitId{0}, {1, all_bits, 5, std::nullopt}}};
  const RunFile file = read_text_as_run(written({begin, other, end, lost}));
  ASSERT_EQ(file.run.lines.size(), 4u);
  const auto event = [&](std::size_t line) -> const RunEvent& {
    return std::get<EventRecord>(file.run.lines[line].what).what;
  };
  EXPECT_EQ(std::get<ProbeBegin>(event(0)).unit, UnitId{1});
  EXPECT_EQ(std::get<ProbeBegin>(event(0)).probe, (Probe{0, 7, 9007199254740991, 0}));
  EXPECT_EQ(std::get<ProbeBegin>(event(1)).after_blocks, 4u);
  EXPECT_EQ(std::get<ProbeBegin>(event(1)).probe.number, all_bits)
      << "any number is a policy's own";
  EXPECT_EQ(std::get<Probed>(event(2)).probe, (Probe{0, 7, 9007199254740991, 0}));
  EXPECT_EQ(std::get<Probed>(event(2)).times, times);
  EXPECT_EQ(std::get<Probed>(event(3)).unit, UnitId{0});
  EXPECT_FALSE(std::get<Probed>(event(3)).times);
  const auto refusal = [&](const std::vector<EventRecord>& events) {
    return refusal_of([&] { static_cast<void>(read_text_as_run(written(events))); });
  };
  EXPECT_NE(refusal({end}).find("run.jsonl:2: no probe of this number"), std::string::npos);
  EXPECT_NE(refusal({begin, end, end}).find("run.jsonl:4: no probe"), std::string::npos);
  EXPECT_NE(refusal({other}).find("run.jsonl:2: probes are numbered"), std::string::npos);
}

TEST(RunFile, IsReadUpToItsLastWholeLineWhereverItIsCut) {
  const std::string text = written_run();
  const std::size_t header_end = text.find('\n');
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const std::string part = text.substr(0, cut);
    if (cut < header_end) {
      EXPECT_NE(refusal_of([&] { static_cast<void>(read_text_as_run(part)); }).find("header"),
                std::string::npos)
          << cut;
      continue;
    }
    const RunFile file = read_text_as_run(part);
    const auto ends = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    // A line that only lacks its newline is complete.
    const bool lacks_its_end = text[cut] == '\n';
    const std::size_t lines = ends - 1 + (lacks_its_end ? 1 : 0);
    if (cut + 1 < text.size()) {
      EXPECT_EQ(file.run.lines.size(), cut == header_end ? 0u : lines) << cut;
      EXPECT_FALSE(file.summary) << cut;
    }
    EXPECT_EQ(file.is_cut, part.back() != '\n' && !lacks_its_end) << cut;
  }
}

TEST(RunFile, NamesTheLineOfWhateverIsDamaged) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::string text = written_run();
  const std::string path = "run.jsonl";
  for (int i = 0; i < 20'000; ++i) {
    const std::string damaged = mutate(text, random);
    const std::string said = refusal_of([&] { static_cast<void>(read_text_as_run(damaged)); });
    if (said == "not refused" || said.find("header does") != std::string::npos) continue;
    EXPECT_TRUE(said.starts_with(path + ":")) << said;
    EXPECT_TRUE(said.size() > path.size() + 1 && said[path.size() + 1] >= '1' &&
                said[path.size() + 1] <= '9')
        << said;
  }
}

TEST(RunFile, OfTheFirstVersionHasStagesOneAfterAnother) {
  std::string text = written_run();
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace("equipoise.run/1.1", "equipoise.run/1");
  replace(R"("iteration_bytes":4.5,)", "");
  replace(R"("setup_s":0.2,)", "");
  replace(R"("setup_at_s":0.11,"in_at_s":0.31,"compute_at_s":0.41,"out_at_s":0.7,)", "");
  replace(R"("compute_s":0.3333333333333333,"out_s":1e-09)", R"("compute_s":0.25,"out_s":0.125)");
  const RunFile file = read_text_as_run(text);
  const auto& block = std::get<BlockRecord>(file.run.lines[1].what);
  EXPECT_EQ(file.run.phases[0].iteration_bytes, 0.0);
  EXPECT_EQ(block.times.setup, Seconds{});
  EXPECT_EQ(block.begins.out, Seconds{0.625});  // the end, 0.75, minus 0.125
  EXPECT_EQ(block.begins.compute, Seconds{0.375});
  EXPECT_DOUBLE_EQ(block.begins.in.value, 0.275);
  EXPECT_EQ(block.begins.setup, block.begins.in);
}

TEST(RunFile, RefusesWhatARunCannotHold) {
  const std::string text = written_run();
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    return refusal_of([&] { static_cast<void>(read_text_as_run(changed)); });
  };
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& said) {
    const std::string words = refusal(from, to);
    EXPECT_NE(words.find(said), std::string::npos) << words;
  };
  expect("equipoise.run/1.1", "equipoise.run/2", "run.jsonl:1: schema 'equipoise.run/2' is not");
  expect("equipoise.run/1.1", "equipoise.run/2.1",
         "run.jsonl:1: schema 'equipoise.run/2.1' is not");
  expect("equipoise.run/1.1", "equipoise.run/11", "run.jsonl:1: schema 'equipoise.run/11' is not");
  EXPECT_EQ(refusal("equipoise.run/1.1", "equipoise.run/1.4"), "not refused");
  EXPECT_EQ(refusal("equipoise.run/1.1", "equipoise.run/1"), "not refused");
  expect(R"("in_at_s":0.31,)", "", "run.jsonl:3: 'in_at_s' is missing");
  expect(R"("unit":"cpu0","iteration")", R"("unit":"cpu1","iteration")",
         "run.jsonl:3: unknown unit 'cpu1'");
  expect(R"("phase":0,"first_item")", R"("phase":1,"first_item")", "run.jsonl:3: 'phase' is 1");
  expect(R"("first_item":0)", R"("first_item":3)", "run.jsonl:3: 'first_item' is 3");
  expect(R"("items":20)", R"("items":0)", "run.jsonl:7: 'items' is 0");
  expect(R"("items":20)", R"("items":1.5)", "run.jsonl:7: 'items' is 1.5");
  expect(R"("block":1,)", R"("block":0,)", "run.jsonl:7: block 0 was handed out before");
  expect(R"("tag":"train")", R"("tag":"trian")", "unknown tag 'trian'; did you mean 'train'?");
  expect(R"("event":"unit_lost","at_s":1.5,"unit":"gpu0")", R"("event":"unit_lost","at_s":1.5)",
         "run.jsonl:6: 'unit_lost' must name its unit");
  expect(R"("end_s":0.75)", R"("end_s":-0.75)", "run.jsonl:3: 'end_s' is -0.75");
  expect(R"("end_s":0.75,)", "", "run.jsonl:3: 'end_s' is missing");
  for (const std::string stage : {"setup", "in", "compute", "out"}) {
    std::smatch time;
    ASSERT_TRUE(std::regex_search(text, time, std::regex('"' + stage + "_s\":[^,]*")));
    const std::string name = stage + "_s";
    expect(time.str(), '"' + name + "\":1e-300",
           "run.jsonl:3: '" + name + "' is too short to be a time: at least 1e-15 s, or 0");
    EXPECT_EQ(refusal(time.str(), '"' + name + "\":1e-15"), "not refused");
    EXPECT_EQ(refusal(time.str(), '"' + name + "\":0"), "not refused");
  }
  expect(R"({"event":"poor_fit")", R"({"evnt":"poor_fit")", "run.jsonl:8: neither a block");
  expect(R"("value":0.3333333333333333)", R"("value":1e999)", "run.jsonl:9: ");
  expect(R"("value":0.3333333333333333)", R"("value":null)", "run.jsonl:9: 'value'");
  expect(R"("what":"energy_j",)", "", "run.jsonl:9: 'what' is missing");
  expect(R"("iteration_bytes":4.5)", R"("iteration_bytes":9.5)",
         "run.jsonl:1: iteration_bytes are a part of resident_bytes");
  expect(R"("iterations":2)", R"("iterations":0)",
         "run.jsonl:1: entry 1 of 'workloads': 'iterations' is 0");
  expect(
      R"("dispatch_cost_given_s":1e-06)", R"("dispatch_cost_given_s":1000001)",
      "run.jsonl:1: 'dispatch_cost_given_s' is 1000001; it must be at least 0 and at most 1e+06");
  expect(R"("memory_bytes":1e9)", R"("memory_bytes":1e9,"memory_bytes":2e9)", "given twice");
  const std::string more = refusal_of([&] { static_cast<void>(read_text_as_run(text + "{}\n")); });
  EXPECT_NE(more.find("run.jsonl:11: a line after the summary"), std::string::npos) << more;
}

TEST(RunFile, IsRefusedWhenThereIsNone) {
  EXPECT_EQ(refusal_of([] { static_cast<void>(read_run_file("/nowhere/run.jsonl")); }),
            "/nowhere/run.jsonl: no such file; give the path of a run file");
}

}  // namespace
}  // namespace equipoise::run_reader_test

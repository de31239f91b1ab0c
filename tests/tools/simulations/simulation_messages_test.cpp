// Tests that what is sent between the program and its simulation server arrives as it was.
#include "tools/simulations/simulation_messages.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/records/archive.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise::simulation_messages_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
T back(const T& value) {
  ArchiveWriter writer;
  writer(value);
  const std::string bytes = writer.take();
  ArchiveReader reader(bytes);
  T read{};
  reader(read);
  EXPECT_TRUE(reader.is_at_end());
  return read;
}

TEST(Archive, KeepsEveryBitOfANumber) {
  for (const double value : {0.1, -0.0, 5e-324, inf, std::nan("7")}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back(value)), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Archive, KeepsTextsListsTablesAndWhatIsNotThere) {
  const std::string text("tab\tzero\0end", 12);
  EXPECT_EQ(back(text), text);
  const std::vector<std::optional<int>> some = {1, std::nullopt, 3};
  EXPECT_EQ(back(some), some);
  const std::map<std::string, std::vector<double>> table = {{"a", {1.5, 2.5}}, {"b", {}}};
  EXPECT_EQ(back(table), table);
  const std::variant<int, std::string> second = "two";
  EXPECT_EQ(back(second), second);
  EXPECT_EQ(back(std::shared_ptr<const int>()), nullptr);
  EXPECT_EQ(*back(std::make_shared<const int>(7)), 7);
}

TEST(Archive, RefusesAnEndThatComesTooEarly) {
  ArchiveWriter writer;
  writer(std::string("four"));
  const std::string bytes = writer.take();
  ArchiveReader reader(std::string_view(bytes).substr(0, bytes.size() - 1));
  std::string text;
  EXPECT_THROW(reader(text), BackendError);
}

TEST(Archive, RefusesAnUnknownAlternative) {
  ArchiveReader reader(std::string_view("\2", 1));
  std::variant<int, std::string> either;
  EXPECT_THROW(reader(either), BackendError);
}

TEST(Archive, ReadsEveryByteAsTrueOrFalse) {
  ArchiveReader reader(std::string_view("\0\7", 2));
  bool first = true;
  bool second = false;
  reader(first, second);
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
}

SimInputs every_input() {
  SimInputs inputs;
  inputs.source = {"p.xml", "<platform/>", {"0 1\n"}, {{"l", 1e9}}};
  inputs.platform.master = "ram";
  inputs.platform.links = {{"l", 1e9, Seconds{1e-6}, false}};
  PlatformUnit unit;
  unit.unit.name = "gpu0";
  unit.unit.kind = UnitKind::gpu;
  unit.unit.memory_bytes = 1.0 / 3.0;
  unit.unit.busy_w = 250.0;
  unit.trace_unit = "k40";
  unit.in.links = {0};
  inputs.platform.units = {unit};
  inputs.transfers_add_up = false;
  Trace trace;
  trace.kernel = "k";
  trace.units = {unit.unit};
  trace.unit_dispatch = {{0, Seconds{2e-6}}};
  TraceSample sample;
  sample.items = 0.7;
  sample.compute_mean_s = 0.1;
  sample.compute_sd_s = 0.01;
  sample.is_outlier = true;
  trace.samples = {sample};
  inputs.traces = {trace};
  Workload workload;
  workload.kernel = "k";
  workload.items = 9;
  workload.parameters = {{"n", 3.0}};
  inputs.phases = {workload};
  inputs.item_costs = {
      std::make_shared<ItemCosts>(std::vector<CostRange>{{0, 3, 1.7}, {3, 6, 0.1}})};
  inputs.scenario = {"s.json",
                     {{Seconds{1.0},
                       Seconds{inf},
                       DisturbanceKind::profile,
                       "gpu0",
                       1.0,
                       {{Seconds{0.5}, 0.25}}}}};
  inputs.scenario_files = {"s.json", "speed.csv"};
  inputs.dispatch_cost = Seconds{3e-6};
  inputs.controller_cost = ControllerWork{Seconds{2e-6}, Seconds{1e-6}, 1e-9};
  return inputs;
}

TEST(SimulationMessages, KeepWhatWasReadForAWorld) {
  const std::string sent =
      archived(KeepInputs{5, std::make_shared<const SimInputs>(every_input())});
  const Request received = read_request(sent);
  EXPECT_EQ(archived(received), sent);
  const auto& [number, inputs] = std::get<KeepInputs>(received);
  EXPECT_EQ(number, 5u);
  EXPECT_EQ(inputs->source.greatest_bandwidths.at("l"), 1e9);
  EXPECT_EQ(inputs->platform.units.at(0).unit.memory_bytes, 1.0 / 3.0);
  EXPECT_FALSE(inputs->platform.links.at(0).shared);
  EXPECT_EQ(inputs->traces.at(0).samples.at(0).compute_sd_s, 0.01);
  EXPECT_EQ(inputs->scenario.events.at(0).profile.at(0).factor, 0.25);
  EXPECT_EQ(inputs->scenario.events.at(0).until, Seconds::infinity());
  EXPECT_EQ(inputs->dispatch_cost, Seconds{3e-6});
  EXPECT_EQ(inputs->controller_cost, (ControllerWork{Seconds{2e-6}, Seconds{1e-6}, 1e-9}));
}

TEST(SimulationMessages, RefuseWhatIsCutOrTooLong) {
  const std::string sent =
      archived(KeepInputs{5, std::make_shared<const SimInputs>(every_input())});
  for (std::size_t size = 0; size < sent.size(); ++size) {
    EXPECT_THROW(static_cast<void>(read_request(sent.substr(0, size))), BackendError) << size;
  }
  EXPECT_THROW(static_cast<void>(read_request(sent + "x")), BackendError);
}

TEST(SimulationMessages, SurviveAnyWrongByte) {
  const std::string sent =
      archived(KeepInputs{5, std::make_shared<const SimInputs>(every_input())});
  for (std::size_t at = 0; at < sent.size(); ++at) {
    std::string wrong = sent;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x55);
    try {
      static_cast<void>(read_request(wrong));
    } catch (const BackendError&) {  // or it is another request
    }
  }
}

TEST(SimulationMessages, KeepARunWithTheRecordedOneThatItRepeats) {
  RecordedRun recorded;
  recorded.absent_at_start = {UnitId{2}};
  BlockRecord block;
  block.unit = UnitId{1};
  block.times.compute = Seconds{0.2};
  block.after_events = 6;
  DecisionRecord decision;
  decision.decision.what = DecisionKind::fit;
  decision.decision.estimates.resize(1);
  const EventRecord lost{Seconds{2.0}, LostBlock{UnitId{1}, Block{4, 0, 7, 1, 2, BlockTag::tail, 3},
                                                 Seconds{1.5}, 9, 6}};
  Disturbance disturbance;
  disturbance.at = Seconds{3.0};
  const Probe probe{0, 4, 1e6, 5e5};
  const ProbeTimes found{Seconds{6.5}, Seconds{0.25}, Seconds{6.75}, Seconds{0.25}};
  recorded.lines = {{2, block},
                    {3, decision},
                    {4, lost},
                    {5, EventRecord{disturbance.at, disturbance}},
                    {6, EventRecord{Seconds{4.0}, Note{"poor_fit"}}},
                    {7, EventRecord{Seconds{5.0}, UnitJoined{UnitId{2}}}},
                    {8, EventRecord{Seconds{6.0}, ProbeBegin{UnitId{1}, probe, 3}}},
                    {9, EventRecord{Seconds{7.0}, Probed{UnitId{1}, probe, found}}}};
  Simulate request;
  request.simulation.run.policy = parse_policy("plb-hec:threshold=0.2");
  request.simulation.run.policy.replayed =
      std::make_shared<const std::vector<RecordedRun>>(1, recorded);
  request.simulation.schedule = {{{1, 2}, {}}};
  request.simulation.run.seed = 1ull << 52;
  request.simulation.run.lower_bound_s = 0.1;
  request.simulation.run.bound_phases = {{Seconds{0.1}, {1.5, 2.5}}};
  const std::string sent = archived(request);
  const Request received = read_request(sent);
  EXPECT_EQ(archived(received), sent);
  const Simulation& simulation = std::get<Simulate>(received).simulation;
  EXPECT_EQ(simulation.run.policy.info, &find_policy("plb-hec"));
  EXPECT_EQ(simulation.run.policy.parameters.at("threshold"), "0.2");
  EXPECT_EQ(simulation.schedule, request.simulation.schedule);
  ASSERT_EQ(simulation.run.policy.replayed->front().lines.size(), 8u);
  const auto event = [&](std::size_t line) -> const RunEvent& {
    return std::get<EventRecord>(simulation.run.policy.replayed->front().lines[line].what).what;
  };
  const auto& received_loss = std::get<LostBlock>(event(2));
  EXPECT_EQ(received_loss.block.tag, BlockTag::tail);
  EXPECT_EQ(received_loss.assigned, Seconds{1.5});
  EXPECT_EQ(received_loss.after_events, 9u);
  EXPECT_EQ(received_loss.cap_items, 6);
  EXPECT_EQ(std::get<Disturbance>(event(3)).at, Seconds{3.0});
  EXPECT_EQ(std::get<Note>(event(4)).text, "poor_fit");
  EXPECT_EQ(std::get<UnitJoined>(event(5)).unit, UnitId{2});
  EXPECT_EQ(std::get<ProbeBegin>(event(6)).probe, probe);
  EXPECT_EQ(std::get<Probed>(event(7)).times, found);
}

TEST(SimulationMessages, KeepTheReportOfARun) {
  RunReport report;
  RunNumbers& numbers = report.run.numbers;
  numbers.makespan = Seconds{0.1};
  numbers.units.resize(2);
  numbers.units[1].busy.setup = Seconds{0.4};
  numbers.units[1].energy_j = 12.5;
  numbers.phases = {{{3, 2, Seconds{0.7}}, {}}};
  numbers.energy_from = EnergySource::measured;
  numbers.energy_note = "without package-1: read only once";
  numbers.losses = Losses{.computing = Seconds{0.08}, .failure = Seconds{0.02}};
  report.outcome.complete = true;
  report.problem = "said \"so\"";
  report.lower_bound_s = 0.05;
  report.notes.loads = {{"cpu0", Seconds{1.0}, 0.5, 0.49}};
  report.unit_losses = {{UnitId{1}, Seconds{0.3}, 7}};
  const std::string sent = archived(Reply{3, report});
  const Reply received = read_reply(sent);
  EXPECT_EQ(archived(received), sent);
  const RunReport& back = std::get<RunReport>(received.answer);
  EXPECT_EQ(back.run.numbers.units.at(1).busy.setup, Seconds{0.4});
  EXPECT_EQ(back.run.numbers.units.at(1).energy_j, 12.5);
  EXPECT_FALSE(back.run.numbers.units.at(0).energy_j);
  EXPECT_EQ(back.run.numbers.phases.at(0).at(0).last_end, Seconds{0.7});
  EXPECT_EQ(back.run.numbers.energy_note, numbers.energy_note);
  ASSERT_TRUE(back.run.numbers.losses);
  EXPECT_EQ(back.run.numbers.losses->failure, Seconds{0.02});
  EXPECT_TRUE(back.outcome.complete);
  EXPECT_EQ(back.problem, report.problem);
  EXPECT_EQ(back.lower_bound_s, 0.05);
  EXPECT_EQ(back.unit_losses.at(0).items, 7);
}

TEST(SimulationMessages, KeepAProbedPlatform) {
  ProbedPlatform platform;
  platform.master = "ram";
  platform.hosts = {{"a", 8, {{"kind", "cpu"}}, true, false, {{0}}, {{1, 0}}}};
  platform.links = {{"l", 1e9, Seconds{1e-6}, true}, {"m", 2e9, Seconds{}, false}};
  const std::string sent = archived(Reply{7, platform});
  const Reply received = read_reply(sent);
  EXPECT_EQ(archived(received), sent);
  EXPECT_EQ(std::get<ProbedPlatform>(received.answer).hosts.at(0).out.links.at(0), 1u);
}

}  // namespace
}  // namespace equipoise::simulation_messages_test

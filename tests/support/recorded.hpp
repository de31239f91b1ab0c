// Runs on the fake executor as RecordedRun, in the form in which a reader of run files returns
// them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/disturb.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {

/// Keeps the records in the form in which a reader of the run file returns them.
class RecordingJournal final : public Journal {
 public:
  explicit RecordingJournal(RecordedRun& run) : run_(run) {}
  void block(const BlockRecord& record) override { add(record); }
  void decision(const DecisionRecord& record) override { add(record); }
  void event(const EventRecord& record) override { add(record); }
  void measured(const Measured& record) override { add(record); }

 private:
  template <class Record>
  void add(const Record& record) {
    run_.lines.push_back({run_.lines.size() + 2, record});
  }

  RecordedRun& run_;
};

class ConstantCost final : public CostMeter {
 public:
  Seconds price(const Decision& /*decision*/) override { return Seconds{0.25}; }
};

/// Three units. u1 is lost at 30 s and comes back at 70 s, u2 joins at 20 s.
inline FakeSetup faulty_machine() {
  FakeSetup machine{{affine_unit(0.5, 0.01), affine_unit(1, 0.03), affine_unit(2, 0.02)},
                    Seconds{1e-3},
                    {{Seconds{30}, UnitId{1}, false}, {Seconds{70}, UnitId{1}, true}}};
  machine.scenario.events = {disturb(DisturbanceKind::join, "u2", 20)};
  machine.merge = Seconds{0.75};
  return machine;
}

inline RunSetup faulty_setup() {
  RunSetup setup = setup_of(3, items_of(20'000, 4, 2));
  setup.absent_at_start = {UnitId{2}};
  for (Unit& unit : setup.units) unit.slots = 2;
  return setup;
}

inline RecordedRun record(Policy& policy, RunSetup setup, FakeSetup machine) {
  RecordedRun run;
  run.units = setup.units;
  run.phases = setup.phases;
  run.absent_at_start = setup.absent_at_start;
  ConstantCost meter;
  setup.cost_meter = &meter;
  RecordingJournal journal(run);
  const RunOutcome outcome =
      run_policy(*make_fake_executor(std::move(machine)), policy, setup, journal);
  run.is_whole = !outcome.interrupted;
  return run;
}

inline std::unique_ptr<Policy> policy_called(const PolicyInfo& info,
                                             const std::vector<Unit>& units) {
  return make_policy(info, {{}, nullptr, units});
}

}  // namespace equipoise

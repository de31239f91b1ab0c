// Runs simulations in child processes. The results come back through a pipe as bytes.
#include "tests/support/simulate.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "sim/child_process.hpp"

namespace equipoise {
namespace {

template <class T>
void pack(std::string& bytes, const std::vector<T>& values) {
  const std::size_t count = values.size();
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
}

template <class T>
std::vector<T> unpack(const char*& from) {
  std::size_t count = 0;
  std::memcpy(&count, from, sizeof count);
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), from + sizeof count, count * sizeof(T));
  from += sizeof count + count * sizeof(T);
  return values;
}

/// A policy that gives each idle unit blocks of its own size.
class FixedSizePerUnit final : public Policy {
 public:
  explicit FixedSizePerUnit(std::vector<Items> items) : items_(std::move(items)) {}

  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, items_[idle->unit.index]);
    }
  }

 private:
  std::vector<Items> items_;
};

class Collected final : public Journal {
 public:
  explicit Collected(Seen& seen) : seen_(seen) {}

  void block(const BlockRecord& record) override {
    seen_.finishes.push_back(finish_of(
        record.end, {record.unit, record.block, record.assigned, record.times, record.begins}));
  }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& record) override {
    if (const auto* late = std::get_if<LateEnd>(&record.what)) {
      seen_.finishes.push_back(finish_of(
          record.at, {late->unit, late->block, late->assigned, late->times, late->begins}));
    }
    if (const auto* lost = std::get_if<LostBlock>(&record.what)) {
      seen_.numbers.insert(seen_.numbers.end(),
                           {static_cast<double>(lost->block.id), static_cast<double>(lost->by),
                            lost->goes_on ? 1.0 : 0.0, record.at.value});
    }
    if (const auto* probed = std::get_if<Probed>(&record.what)) {
      const ProbeTimes times = probed->times.value_or(ProbeTimes{});
      seen_.numbers.insert(
          seen_.numbers.end(),
          {static_cast<double>(probed->probe.number), times.there_at.value, times.there.value,
           times.back_at.value, times.back.value, record.at.value});
    }
  }

 private:
  Seen& seen_;
};

}  // namespace

Finish finish_of(Seconds at, const BlockFinished& finished) {
  return {finished.unit.index,           finished.block.id,           finished.assigned.value,
          finished.times.setup.value,    finished.times.in.value,     finished.times.compute.value,
          finished.times.out.value,      finished.begins.setup.value, finished.begins.in.value,
          finished.begins.compute.value, finished.begins.out.value,   at.value};
}

Seen in_child(const std::function<Seen()>& see) {
  ChildProcess child([&](int fd) {
    const Seen seen = see();
    std::string bytes;
    pack(bytes, seen.finishes);
    pack(bytes, seen.numbers);
    return write_all(fd, bytes) ? 0 : 1;
  });
  const ChildProcess::Outcome outcome = child.wait();
  if (!outcome.succeeded()) {
    throw std::runtime_error("a simulation ended with code " + std::to_string(outcome.exit_code) +
                             ", signal " + std::to_string(outcome.signal));
  }
  const char* from = outcome.output.data();
  Seen seen;
  seen.finishes = unpack<Finish>(from);
  seen.numbers = unpack<double>(from);
  return seen;
}

Seen simulate(const SimSetup& setup, const Script& script) {
  return in_child([&] {
    Seen seen;
    const std::unique_ptr<Executor> executor = make_sim_executor(setup);
    executor->run([&] { script(*executor, seen); });
    return seen;
  });
}

void take_finishes(Executor& executor, Seen& seen, Seconds deadline) {
  while (const std::optional<Event> event = executor.next(deadline)) {
    seen.finishes.push_back(finish_of(event->at, std::get<BlockFinished>(event->what)));
  }
}

Seen run_blocks(Executor& executor, const RunSetup& run, const std::vector<Items>& block_items) {
  Seen seen;
  FixedSizePerUnit policy(block_items);
  Collected journal(seen);
  const RunOutcome outcome = run_policy(executor, policy, run, journal);
  if (!outcome.complete || outcome.policy_stalled) throw std::runtime_error("an incomplete run");
  return seen;
}

Seen run_policy_on(Executor& executor, const RunSetup& run, Policy& policy) {
  Seen seen;
  Collected journal(seen);
  seen.numbers.push_back(run_policy(executor, policy, run, journal).complete ? 1.0 : 0.0);
  return seen;
}

RunSetup run_of(const SimSetup& setup) {
  RunSetup run;
  for (const PlatformUnit& unit : setup.platform.units) {
    const UnitId id{static_cast<std::uint32_t>(run.units.size())};
    run.units.push_back(unit.unit);
    if (!setup.scenario.presence_of(unit.unit.name).at_start) run.absent_at_start.push_back(id);
  }
  run.phases = setup.phases;
  return run;
}

Seen simulate_policy(const SimSetup& setup,
                     const std::function<std::unique_ptr<Policy>()>& make_policy) {
  return in_child([&] {
    const std::unique_ptr<Policy> policy = make_policy();
    return run_policy_on(*make_sim_executor(setup), run_of(setup), *policy);
  });
}

Seen simulate_blocks(const SimSetup& setup, const std::vector<Items>& block_items) {
  return in_child(
      [&] { return run_blocks(*make_sim_executor(setup), run_of(setup), block_items); });
}

}  // namespace equipoise

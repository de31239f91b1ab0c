// An executor with given times: the stage times of every block are known when it is handed out.
#include "shared_policies/contract/fake_executor.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "shared_policies/machine/contested_blocks.hpp"
#include "shared_policies/machine/machine_pipelines.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/run/event_queue.hpp"

namespace equipoise {
namespace {

std::string name_of(std::uint32_t unit) { return "u" + std::to_string(unit); }

std::vector<RemoteNode> nodes_of(const std::vector<FakeUnit>& units) {
  std::map<std::string, RemoteNode> by_name;
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    if (!units[unit].node.empty()) by_name[units[unit].node].units.push_back(UnitId{unit});
  }
  std::vector<RemoteNode> nodes;
  for (auto& [name, node] : by_name) nodes.push_back(std::move(node));
  return nodes;
}

class FakeExecutor final : public Executor, private PipelineStages {
 public:
  explicit FakeExecutor(FakeSetup setup)
      : setup_(std::move(setup)),
        nodes_(nodes_of(setup_.units), setup_.units.size()),
        arrivals_(setup_.units.size(), Seconds::infinity()),
        setups_(setup_.units.size()) {
    const Scenario& scenario = setup_.scenario;
    for (const FakeUnit& unit : setup_.units) {
      const UnitId id{static_cast<std::uint32_t>(pipelines_.size())};
      pipelines_.add_unit(unit.copy_engines, unit.device, *this);
      const Presence presence = scenario.presence_of(name_of(id.index));
      is_present_.push_back(presence.at_start);
      for (const PresenceChange& change : presence.changes) {
        setup_.faults.push_back({change.at, id, change.present});
      }
      const StepFunction in = scenario.bandwidth_of(unit.in.link);
      rates_.push_back(
          {in, in, scenario.speed_of(name_of(id.index)), scenario.bandwidth_of(unit.out.link)});
    }
    std::stable_sort(setup_.faults.begin(), setup_.faults.end(),
                     [](const FakeFault& a, const FakeFault& b) {
                       return std::tie(a.at, a.joins) < std::tie(b.at, b.joins);
                     });
  }

  void run(const std::function<void()>& body) override { body(); }

  Seconds now() const override { return now_; }

  Seconds begin_iteration(int /*phase*/, int iteration) override {
    contested_.clear();
    return iteration == 0 ? now_ : occupy(std::nullopt, setup_.merge);
  }

  Seconds start(const Block& block, UnitId unit) override {
    const Seconds asked = now_;
    if (!hand_out(unit)) return asked;
    if (block.copy_of) contest(block);
    const FakeUnit& fake = times_of(unit, block.phase);
    const auto items = static_cast<double>(block.items);
    const auto time = [&](const std::function<double(double)>& f) {
      return Seconds{f ? f(items) : 0.0};
    };
    PipelinedBlock work{block, asked, now_ + under_way(setup_.dispatch, setup_.controller)};
    work.room_items = fake.memory_items;
    work.alone = {{}, time(fake.in_s), computing(block, fake), time(fake.out_s)};
    work.stream = time(fake.stream_s);
    const ResidentData data = pipelines_[unit].resident_data(block);
    if (data == ResidentData::original) work.alone.setup = first_setup(fake, block.iteration);
    if (data == ResidentData::missing) work.alone.setup = Seconds{fake.resident_s};
    if (data == ResidentData::outdated) work.alone.setup = Seconds{fake.iteration_s};
    pipelines_[unit].add(work);
    if (fake.copied_bytes) now_ += Seconds{setup_.controller.byte_s * fake.copied_bytes(items)};
    return asked;
  }

  TakenBack take_back(const Block& block, UnitId unit) override {
    advance(now_);
    return {pipelines_.take_back(unit, block, now_), now_};
  }

  Seconds probe(const Probe& probe, UnitId unit) override {
    const Seconds asked = now_;
    if (!hand_out(unit)) return asked;
    const FakeUnit& fake = setup_.units[unit.index];
    if (!fake.probe_there_s && !fake.probe_back_s) {
      ready_.push(answered_at_once(unit, probe, now_));
      return asked;
    }
    const auto time = [](const std::function<double(double)>& f, std::optional<double> bytes) {
      return Seconds{f && bytes ? f(*bytes) : 0.0};
    };
    const Seconds ready = now_ + under_way(setup_.dispatch, setup_.controller);
    pipelines_[unit].add_probe(work_of(probe, asked, ready,
                                       time(fake.probe_there_s, probe.there_bytes),
                                       time(fake.probe_back_s, probe.back_bytes)));
    return asked;
  }

  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    if (unit && span > Seconds{}) {
      advance(now_);
      pipelines_[*unit].add_decision_time(now_, span);
    } else if (!unit) {
      now_ += span;
    }
    return now_;
  }

  std::optional<Event> next(Seconds deadline) override {
    for (;;) {
      const Seconds date = next_date();
      if (date > std::min(ready_.earliest(), deadline) || date == Seconds::infinity()) break;
      advance(date);
    }
    if (ready_.empty() || ready_.earliest() > deadline) {
      if (deadline < Seconds::infinity()) now_ = std::max(now_, deadline);
      return std::nullopt;
    }
    const Event event = ready_.pop();
    now_ = std::max(now_, event.at);
    if (is_report(event)) now_ += setup_.controller.report;
    return event;
  }

 private:
  /// How long `block` is computed.
  [[nodiscard]] Seconds computing(const Block& block, const FakeUnit& fake) const {
    if (!fake.compute_s) return {};
    const auto phase = static_cast<std::size_t>(block.phase);
    return Seconds{fake.compute_s(
        equipoise::work_of(setup_.items.empty() ? nullptr : setup_.items[phase], block))};
  }

  /// The controller works on handing something to `unit`. Returns whether the unit is there then.
  bool hand_out(UnitId unit) {
    advance(now_);
    if (is_present_[unit.index]) now_ += setup_.controller.block;
    advance(now_);
    return is_present_[unit.index];
  }

  void contest(const Block& copy) {
    const std::optional<UnitId> other = pipelines_.unit_with(copy.original());
    const bool is_claimed = other && pipelines_[*other].contest(copy.original());
    contested_.add(copy, is_claimed ? other : std::nullopt);
    if (ready_.has_finished(copy.original())) contested_.done(copy);
  }

  /// The setup of a unit's first block of a phase, if that is of `iteration`.
  static Seconds first_setup(const FakeUnit& fake, int iteration) {
    if (!fake.is_replicated) return Seconds{fake.resident_s};
    return Seconds{iteration == 0 ? 0.0 : fake.iteration_s};
  }

  [[nodiscard]] const FakeUnit& times_of(UnitId unit, int phase) const {
    const auto later = static_cast<std::size_t>(phase);
    if (later == 0 || later > setup_.later_phases.size()) return setup_.units[unit.index];
    return setup_.later_phases[later - 1][unit.index];
  }

  std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block, Stage stage,
                                  Seconds begin) const override {
    const Seconds alone = time_of(block.alone, stage);
    if (stage == Stage::setup && alone > Seconds{} && nodes_.shares(unit)) return std::nullopt;
    return undisturbed_by_others(unit, stage, alone, begin);
  }

  [[nodiscard]] Seconds undisturbed_by_others(UnitId unit, Stage stage, Seconds alone,
                                              Seconds begin) const {
    const StepFunction& rate = rates_[unit.index][static_cast<std::size_t>(stage)];
    if (alone == Seconds{} || rate.is_one()) return alone;
    const FakeUnit& fake = setup_.units[unit.index];
    Seconds latency;
    if (stage == Stage::setup || stage == Stage::in) latency = Seconds{fake.in.latency_s};
    if (stage == Stage::out) latency = Seconds{fake.out.latency_s};
    return rate.end_of(begin + latency, alone - latency) - begin;
  }

  /// A unit that shares resident data with its node begins to get them.
  void launch(UnitId unit, const PipelinedBlock& block, Stage /*stage*/) override {
    setups_[unit.index] = block.alone.setup;
    switch (nodes_.ask(unit, block.block.phase, block.block.iteration)) {
      case NodeResidents::Way::take:
        return take_from_node(unit);
      case NodeResidents::Way::wait:
        return;
      case NodeResidents::Way::fetch:
        return fetch(unit);
    }
  }

  void fetch(UnitId unit) {
    arrivals_[unit.index] =
        at_ + undisturbed_by_others(unit, Stage::setup, setups_[unit.index], at_);
  }

  void take_from_node(UnitId unit) {
    const Seconds copy{setup_.units[unit.index].from_node_s};
    pipelines_[unit].end_stage(Stage::setup, at_ + copy);
  }

  /// Ends the transfers to nodes that are due.
  void end_fetches() {
    for (std::uint32_t unit = 0; unit < arrivals_.size(); ++unit) {
      if (arrivals_[unit] > at_) continue;
      arrivals_[unit] = Seconds::infinity();
      pipelines_[UnitId{unit}].end_stage(Stage::setup, at_);
      for (const UnitId waiting : nodes_.arrived(UnitId{unit})) take_from_node(waiting);
    }
  }

  [[nodiscard]] bool is_open(UnitId unit, const Block& block) const override {
    return contested_.is_open(unit, block);
  }
  bool claim(UnitId unit, const Block& block) override { return contested_.claim(unit, block); }

  void finished(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) override {
    if (!is_dropped) contested_.done(block.block);
    ready_.push(end_of(unit, block, at, is_dropped));
  }

  void probed(UnitId unit, const PipelinedBlock& probe, Seconds at) override {
    ready_.push(end_of_probe(unit, probe, at));
  }

  [[nodiscard]] Seconds next_date() const {
    Seconds date = Seconds::infinity();
    if (faults_past_ < setup_.faults.size()) date = setup_.faults[faults_past_].at;
    for (const Seconds arrival : arrivals_) date = std::min(date, arrival);
    for (std::uint32_t unit = 0; unit < pipelines_.size(); ++unit) {
      date = std::min(date, pipelines_.next_date(UnitId{unit}));
    }
    return date;
  }

  /// Advances to `until`: processes all blocks and faults that are due, in order of time; at the
  /// same time blocks come first.
  void advance(Seconds until) {
    for (bool is_there = false; !is_there;) {
      at_ = std::max(at_, std::min(until, next_date()));
      end_fetches();
      for (std::uint32_t unit = 0; unit < pipelines_.size(); ++unit) {
        if (pipelines_.device_of(UnitId{unit}) == UnitId{unit}) {
          pipelines_.advance(UnitId{unit}, at_);
        }
      }
      const bool has_fault =
          faults_past_ < setup_.faults.size() && setup_.faults[faults_past_].at <= at_;
      if (has_fault) apply_fault(setup_.faults[faults_past_++]);
      is_there = at_ >= until && !has_fault;
    }
  }

  void apply_fault(const FakeFault& fault) {
    if (is_present_[fault.unit.index] == fault.joins) return;
    is_present_[fault.unit.index] = fault.joins;
    pipelines_.clear(fault.unit);
    contested_.lost(fault.unit);
    arrivals_[fault.unit.index] = Seconds::infinity();
    if (const std::optional<UnitId> next = nodes_.lost(fault.unit)) fetch(*next);
    if (fault.joins) {
      ready_.push({fault.at, UnitJoined{fault.unit}});
    } else {
      ready_.push({fault.at, UnitLost{fault.unit}});
    }
  }

  FakeSetup setup_;
  MachinePipelines pipelines_;
  std::vector<bool> is_present_;
  std::vector<std::array<StepFunction, stage_count>> rates_;  ///< (units), of each stage
  std::size_t faults_past_ = 0;  ///< how many of the faults have happened
  EventQueue ready_;
  ContestedBlocks contested_;
  Seconds now_;
  Seconds at_;  ///< to which the units are advanced
  NodeResidents nodes_;
  std::vector<Seconds> arrivals_;  ///< (units), of data that are fetched; infinity: none are
  std::vector<Seconds> setups_;    ///< (units), times of the latest transfers for a node
};

}  // namespace

std::unique_ptr<Executor> make_fake_executor(FakeSetup setup) {
  return std::make_unique<FakeExecutor>(std::move(setup));
}

std::vector<UnitId> absent_at_start(const FakeSetup& setup) {
  std::vector<UnitId> absent;
  for (std::uint32_t unit = 0; unit < setup.units.size(); ++unit) {
    if (!setup.scenario.presence_of(name_of(unit)).at_start) absent.push_back(UnitId{unit});
  }
  return absent;
}

FakeUnit affine_unit(double fixed_s, double per_item_s) {
  FakeUnit unit;
  unit.compute_s = [=](double items) { return fixed_s + per_item_s * items; };
  return unit;
}

}  // namespace equipoise

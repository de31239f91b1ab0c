// Makes a policy for the master and one for each agent, and lets the run loop run them.
#include "tools/runs/two_level_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/two_levels.hpp"
#include "shared_policies/solve/equal_finish.hpp"
#include "tools/runs/cost_meters.hpp"

namespace equipoise {
namespace {

/// The cost of a unit that another list of costs owns.
class CostOf final : public CostModel {
 public:
  explicit CostOf(const CostModel& of) : of_(of) {}
  [[nodiscard]] CostAt at(double items) const override { return of_.at(items); }
  [[nodiscard]] double computing_s(double items) const override { return of_.computing_s(items); }
  [[nodiscard]] bool non_decreasing() const override { return of_.non_decreasing(); }

 private:
  const CostModel& of_;
};

/// The time in which the units of a node do a block together.
class CostOfNode final : public CostModel {
 public:
  /// (units) `costs` outlive it.
  CostOfNode(std::vector<const CostModel*> costs, std::vector<double> cap_items)
      : costs_(std::move(costs)), cap_items_(std::move(cap_items)) {}

  [[nodiscard]] CostAt at(double items) const override {
    constexpr double step = 1e-3;
    const double here = seconds(items);
    return {here, (seconds((1.0 + step) * items) - here) / (step * items)};
  }
  [[nodiscard]] bool non_decreasing() const override { return true; }

 private:
  /// What is more than all units can hold takes as much longer.
  [[nodiscard]] double seconds(double items) const {
    const Split split = solve_equal_finish({costs_, cap_items_, items});
    double held = 0.0;
    for (const double part : split.items) held += part;
    return split.status == SplitStatus::capped ? split.finish_s * items / held : split.finish_s;
  }

  std::vector<const CostModel*> costs_;
  std::vector<double> cap_items_;
};

/// One agent: its policy, and what it runs with.
struct Agent {
  PolicyChoice choice;
  KnownCosts known;
  std::shared_ptr<const RecordedDecisions> recorded;
  std::unique_ptr<Policy> policy;
  std::unique_ptr<CostMeter> meter;
  RunSetup setup;
  std::function<bool()> stops;
  std::shared_ptr<Journal> journal;
};

/// Run files call both by their names.
void expect_no_unit_called(const std::string& node, const std::vector<Unit>& units) {
  if (std::ranges::find(units, node, &Unit::name) == units.end()) return;
  throw InputError("--per-node",
                   fmt::format("a unit and its node are both called {}; give one of them another "
                               "name (id=, node=)",
                               node));
}

/// The journal of all levels, whose agents write on threads of their own.
class SharedJournal final : public Journal {
 public:
  explicit SharedJournal(Journal& next) : next_(&next) {}

  void block(const BlockRecord& record) override {
    pass([&](Journal& next) { next.block(record); });
  }
  void decision(const DecisionRecord& record) override {
    pass([&](Journal& next) { next.decision(record); });
  }
  void event(const EventRecord& record) override {
    if (std::holds_alternative<PolicyStall>(record.what)) has_stalled_ = true;
    pass([&](Journal& next) { next.event(record); });
  }
  void measured(const Measured& record) override {
    pass([&](Journal& next) { next.measured(record); });
  }
  /// Whether some policy left work undone.
  [[nodiscard]] bool has_stalled() const { return has_stalled_; }
  /// The run is over: what an agent that was left behind may still tell is dropped.
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ = nullptr;
  }

 private:
  template <class Tell>
  void pass(Tell&& tell) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (next_ != nullptr) tell(*next_);
  }

  std::mutex mutex_;
  Journal* next_;
  std::atomic<bool> has_stalled_ = false;
};

class ClosesAtEnd {
 public:
  explicit ClosesAtEnd(SharedJournal& journal) : journal_(journal) {}
  ClosesAtEnd(const ClosesAtEnd&) = delete;
  ClosesAtEnd& operator=(const ClosesAtEnd&) = delete;
  ~ClosesAtEnd() { journal_.close(); }

 private:
  SharedJournal& journal_;
};

/// The first exception of an agent, or of who brings its records, on whatever thread. It ends the
/// run.
class FirstFailure {
 public:
  /// Calls `work`, and passes its exception on.
  template <class Work>
  auto watch(Work&& work) {
    try {
      return work();
    } catch (...) {
      add(std::current_exception());
      throw;
    }
  }
  void add(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    is_there_ = true;
  }
  [[nodiscard]] bool is_there() const { return is_there_; }
  void rethrow() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> is_there_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Calls `work`, in which the policy `choice` of an agent is made or decides. What is refused of it
/// says which option named it.
template <class Work>
auto of_agent(const PolicyChoice& choice, Work&& work) {
  try {
    return work();
  } catch (const InputError& refused) {
    if (!refused.where().empty() && refused.where() != "policy") throw;
    throw InputError(choice.loaded_from.empty() ? "--per-node" : choice.loaded_from, refused.why());
  }
}

std::unique_ptr<Policy> policy_of_agent(const PolicyChoice& choice, const KnownCosts& known,
                                        const std::vector<Unit>& units) {
  return of_agent(choice, [&] { return make_policy(choice, &known, units); });
}

/// What the agent of `node` recorded; null: that run had no such node.
const RecordedRun* level_of(const std::vector<RecordedRun>& levels, const NodeOfRun& node) {
  const std::vector<Unit>& nodes = levels.front().units;
  const auto then = std::ranges::find(nodes, node.unit.name, &Unit::name);
  return then == nodes.end() ? nullptr
                             : &levels[1 + static_cast<std::size_t>(then - nodes.begin())];
}

/// The journal of an agent, which keeps `shared`.
std::shared_ptr<Journal> journal_of_agent(const std::vector<UnitId>& ids, UnitId node,
                                          const std::shared_ptr<SharedJournal>& shared) {
  const auto both = std::make_shared<std::pair<std::shared_ptr<SharedJournal>, LevelJournal>>(
      std::piecewise_construct, std::forward_as_tuple(shared),
      std::forward_as_tuple(ids, std::optional(node), *shared));
  return {both, &both->second};
}

}  // namespace

KnownCosts costs_of(const KnownCosts& known, const std::vector<UnitId>& ids) {
  KnownCosts own;
  own.phases.clear();
  for (const KnownCosts::Phase& phase : known.phases) {
    KnownCosts::Phase& of = own.phases.emplace_back();
    for (const UnitId id : ids) {
      if (id.index >= phase.size()) continue;
      const CostModel* const cost = phase[id.index].get();
      of.push_back(cost == nullptr ? nullptr : std::make_unique<CostOf>(*cost));
    }
  }
  own.items = known.items;
  for (const auto& phase : known.experience) {
    auto& of = own.experience.emplace_back();
    for (const UnitId id : ids) of.push_back(phase[id.index]);
  }
  return own;
}

KnownCosts costs_of_nodes(const KnownCosts& known, const std::vector<Unit>& units,
                          const std::vector<Workload>& phases) {
  KnownCosts of_nodes;
  of_nodes.phases.clear();
  for (std::size_t k = 0; k < known.phases.size() && k < phases.size(); ++k) {
    const KnownCosts::Phase& phase = known.phases[k];
    KnownCosts::Phase& nodes = of_nodes.phases.emplace_back();
    for (const NodeOfRun& node : nodes_of(units)) {
      std::vector<const CostModel*> costs;
      std::vector<double> caps;
      for (const UnitId unit : node.units) {
        if (unit.index >= phase.size() || phase[unit.index] == nullptr) continue;
        costs.push_back(phase[unit.index].get());
        caps.push_back(static_cast<double>(largest_block(units[unit.index], phases[k])));
      }
      nodes.push_back(costs.empty() ? nullptr : std::make_unique<CostOfNode>(costs, caps));
    }
  }
  of_nodes.items = known.items;
  return of_nodes;
}

void check_two_levels(const PolicyChoice& choice, const KnownCosts& known,
                      const PolicyChoice& per_node, const KnownCosts& known_to_agents,
                      const std::vector<Unit>& units, const std::vector<Workload>& phases) {
  const std::vector<NodeOfRun> nodes = nodes_of(units);
  std::vector<Unit> as_units;
  for (const NodeOfRun& node : nodes) {
    as_units.push_back(node.unit);
    const KnownCosts own = costs_of(known_to_agents, node.units);
    static_cast<void>(policy_of_agent(per_node, own, node.units_of(units)));
  }
  const KnownCosts of_nodes = costs_of_nodes(known, units, phases);
  static_cast<void>(make_policy(choice, &of_nodes, as_units));
}

std::vector<UnitId> absent_at_start(const Scenario& scenario, const std::vector<Unit>& units) {
  std::vector<UnitId> absent;
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    if (!scenario.presence_of(units[unit].name).at_start) absent.push_back(UnitId{unit});
  }
  return absent;
}

std::unique_ptr<CostMeter> cost_meter_of(const PolicyChoice& choice,
                                         const std::vector<Workload>& phases,
                                         const std::string& decision_cost) {
  std::vector<PaperPrice> prices;
  for (const Workload& phase : phases) prices.push_back(paper_price(*choice.info, phase.kernel));
  return make_cost_meter(decision_cost, std::move(prices), "--decision-cost");
}

std::vector<std::shared_ptr<const RecordedDecisions>> recorded_levels(
    const std::vector<RecordedRun>& levels, const std::vector<Unit>& units,
    const std::vector<Workload>& phases, const std::string& where) {
  const std::vector<NodeOfRun> nodes = nodes_of(units);
  std::vector<std::shared_ptr<const RecordedDecisions>> recorded;
  const auto add = [&](const RecordedRun& level, const RunSetup& setup) {
    recorded.push_back(std::make_shared<const RecordedDecisions>(level, setup.units, phases, where,
                                                                 setup.first_block));
  };
  const RecordedRun& of_master = levels.front();
  add(of_master, setup_of_master(nodes, phases));
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const RecordedRun* const level = level_of(levels, nodes[k]);
    if (level == nullptr) {
      recorded.emplace_back();
    } else {
      add(*level, setup_of_agent(k, nodes[k].units_of(units), phases));
    }
  }
  return recorded;
}

DivideBlocks make_agent(AgentSetup setup, std::shared_ptr<Journal> journal) {
  auto agent = std::make_shared<Agent>();
  agent->known = std::move(setup.known);
  agent->choice = setup.policy;
  agent->recorded = std::move(setup.recorded);
  if (agent->recorded != nullptr) {
    agent->policy = agent->recorded->make_policy();
  } else {
    agent->policy = policy_of_agent(setup.policy, agent->known, setup.units);
    agent->meter = cost_meter_of(setup.policy, setup.phases, setup.decision_cost);
  }
  agent->setup = setup_of_agent(setup.node, std::move(setup.units), std::move(setup.phases));
  agent->setup.absent_at_start = absent_at_start(setup.scenario, agent->setup.units);
  agent->setup.cost_meter = agent->meter.get();
  agent->stops = std::move(setup.stops);
  agent->journal = std::move(journal);
  return [agent](Executor& units, NodeBlocks& blocks) {
    agent->setup.stop_requested = [&] {
      return blocks.is_over() || (agent->stops && agent->stops());
    };
    const std::unique_ptr<Executor> around =
        agent->recorded == nullptr ? nullptr : agent->recorded->make_executor(units);
    return of_agent(agent->choice, [&] {
      return run_node(around ? *around : units, blocks, *agent->policy, agent->setup,
                      *agent->journal);
    });
  };
}

RunOutcome run_two_levels(const RunPlan& plan, Executor& executor, CostMeter* meter,
                          const std::function<bool()>& stops, Journal& journal,
                          bool& left_recorded) {
  const std::vector<NodeOfRun> nodes = nodes_of(plan.units);
  for (const NodeOfRun& node : nodes) expect_no_unit_called(node.unit.name, plan.units);
  RunSetup setup = setup_of_master(nodes, plan.phases);
  setup.cost_meter = meter;
  const auto failure = std::make_shared<FirstFailure>();
  setup.stop_requested = [&stops, failure] { return failure->is_there() || stops(); };
  const auto shared = std::make_shared<SharedJournal>(journal);
  const PolicyChoice& choice = plan.run.policy;
  std::vector<std::shared_ptr<const RecordedDecisions>> recorded(1 + nodes.size());
  if (choice.replayed) {
    recorded = recorded_levels(*choice.replayed, plan.units, plan.phases, choice.replayed_file);
    for (const NodeOfRun& node : nodes) {
      plan.agents->recorded.push_back(
          {{choice.replayed, level_of(*choice.replayed, node)}, choice.replayed_file});
    }
  }
  std::vector<UnitId> ids;
  std::vector<std::shared_ptr<Journal>> journals;
  std::vector<DivideBlocks> agents;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    ids.push_back(id_of_node(plan.units.size(), k));
    journals.push_back(journal_of_agent(nodes[k].units, ids.back(), shared));
    agents.push_back(make_agent({*plan.per_node, costs_of(*plan.known_to_agents, nodes[k].units),
                                 nodes[k].units_of(plan.units), plan.phases, plan.scenario,
                                 plan.run.decision_cost, k, stops, recorded[1 + k]},
                                journals.back()));
  }
  const KnownCosts known = costs_of_nodes(*plan.known, plan.units, plan.phases);
  const std::unique_ptr<Policy> policy =
      choice.replayed ? recorded.front()->make_policy() : make_policy(choice, &known, setup.units);
  const std::unique_ptr<Executor> around =
      choice.replayed ? recorded.front()->make_executor(executor) : nullptr;
  plan.agents->run = [agents, failure](std::size_t node, Executor& units, NodeBlocks& blocks) {
    return failure->watch([&] { return agents[node](units, blocks); });
  };
  plan.agents->record = [journals, failure](std::size_t node, const RecordedLine& line) {
    if (!failure->is_there()) failure->watch([&] { tell(line, *journals[node]); });
  };
  plan.agents->refuse = [failure](const InputError& refusal) {
    failure->add(std::make_exception_ptr(refusal));
  };
  LevelJournal of_master(ids, std::nullopt, *shared);
  const ClosesAtEnd closes(*shared);
  RunOutcome outcome = run_policy(around ? *around : executor, *policy, setup, of_master);
  failure->rethrow();
  outcome.policy_stalled = outcome.policy_stalled || shared->has_stalled();
  left_recorded = std::ranges::any_of(
      recorded, [](const auto& level) { return level != nullptr && !level->were_kept_to(); });
  return outcome;
}

}  // namespace equipoise

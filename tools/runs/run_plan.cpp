// Runs a policy on an executor with its journals.
#include "tools/runs/run_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/experience_journal.hpp"
#include "shared_policies/run/inserting_journals.hpp"
#include "shared_policies/run/recorded_decisions.hpp"
#include "tools/runs/cost_meters.hpp"
#include "tools/runs/two_level_run.hpp"
#include "tools/runs/version.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/journal_file.hpp"

namespace equipoise {
namespace {

/// The policy of a plan, and the executor that it needs; nothing for one of two levels, which makes
/// a policy for each.
struct Deciding {
  std::unique_ptr<RecordedDecisions> recorded;  ///< of a replay; otherwise null
  std::unique_ptr<Policy> policy;
  std::unique_ptr<Executor> around;  ///< for a replay, wraps the plan's executor; otherwise null
};

Deciding deciding_of(const RunPlan& plan, Executor& executor) {
  const PolicyChoice& choice = plan.run.policy;
  if (plan.agents != nullptr) {
    if (choice.replayed == nullptr) {
      check_two_levels(choice, *plan.known, *plan.per_node, *plan.known_to_agents, plan.units,
                       plan.phases);
    }
    return {};
  }
  if (choice.replayed == nullptr) {
    return {nullptr, make_policy(choice, plan.known, plan.units), nullptr};
  }
  auto recorded = std::make_unique<RecordedDecisions>(choice.replayed->front(), plan.units,
                                                      plan.phases, choice.replayed_file);
  std::unique_ptr<Policy> policy = recorded->make_policy();
  std::unique_ptr<Executor> around = recorded->make_executor(executor);
  return {std::move(recorded), std::move(policy), std::move(around)};
}

/// Passes all records to several journals.
class Tee final : public Journal {
 public:
  explicit Tee(std::vector<Journal*> journals) : journals_(std::move(journals)) {}
  void block(const BlockRecord& record) override {
    for (Journal* const journal : journals_) journal->block(record);
  }
  void decision(const DecisionRecord& record) override {
    for (Journal* const journal : journals_) journal->decision(record);
  }
  void event(const EventRecord& record) override {
    for (Journal* const journal : journals_) journal->event(record);
  }
  void measured(const Measured& record) override {
    for (Journal* const journal : journals_) journal->measured(record);
  }

 private:
  std::vector<Journal*> journals_;
};

/// Keeps which units were lost.
class UnitLosses final : public Journal {
 public:
  void block(const BlockRecord& /*record*/) override {}
  void decision(const DecisionRecord& /*record*/) override {}
  void measured(const Measured& /*record*/) override {}

  /// Blocks that are lost while their unit is away were lost with it.
  void event(const EventRecord& record) override {
    if (const auto* const unit = std::get_if<UnitLost>(&record.what)) {
      latest_[unit->unit.index] = losses_.size();
      losses_.push_back({unit->unit, record.at});
    } else if (const auto* const joined = std::get_if<UnitJoined>(&record.what)) {
      latest_.erase(joined->unit.index);
    } else if (const auto* const lost = std::get_if<LostBlock>(&record.what)) {
      const auto away = latest_.find(lost->unit.index);
      if (away != latest_.end()) losses_[away->second].items += lost->block.items;
    }
  }

  [[nodiscard]] const std::vector<UnitLoss>& losses() const { return losses_; }

 private:
  std::vector<UnitLoss> losses_;
  std::map<std::uint32_t, std::size_t> latest_;  ///< the loss of each unit that is away
};

/// Counts the blocks of a run with `units` units, of which there may be `most`. Blocks of nodes are
/// not counted, their parts are, as soon as these are done.
class BlockLimit final : public Journal {
 public:
  BlockLimit(std::size_t units, std::optional<std::uint64_t> most) : units_(units), most_(most) {}
  void block(const BlockRecord& record) override {
    if (record.unit.index < units_) ++blocks_;
  }
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}
  void measured(const Measured& /*record*/) override {}

  [[nodiscard]] bool is_exceeded() const { return most_ && blocks_ > *most_; }

 private:
  std::size_t units_;
  std::optional<std::uint64_t> most_;
  std::atomic<std::uint64_t> blocks_ = 0;  ///< agents ask on threads of their own
};

/// Inserts how well the clocks of nodes are known, when the run begins and when it has ended.
class ClockJournal final : public InsertingJournal {
 public:
  /// `notes` may be null. It must outlive the journal.
  ClockJournal(const ExecutorNotes* notes, Journal& next) : InsertingJournal(next), notes_(notes) {}

  /// The run has ended.
  void finish(Seconds end) { tell(end); }

 private:
  void insert(Seconds /*until*/) override {
    if (!std::exchange(has_begun_, true)) tell({});
  }
  void tell(Seconds at) {
    if (notes_ == nullptr) return;
    for (const ClockNote& clock : notes_->clocks) {
      next().measured({at, clock.node, "clock_error_s", clock.error.value});
      next().measured({at, clock.node, "clock_drift", clock.drift});
    }
  }

  const ExecutorNotes* notes_;
  bool has_begun_ = false;
};

/// RunHeader::costs
std::vector<std::optional<CostProfile>> cost_profiles(const std::vector<ItemCostsPtr>& costs) {
  std::vector<std::optional<CostProfile>> profiles;
  const bool are_alike =
      std::ranges::all_of(costs, [](const ItemCostsPtr& one) { return one == nullptr; });
  if (are_alike) return profiles;
  for (const ItemCostsPtr& one : costs) {
    profiles.push_back(one == nullptr ? std::nullopt : std::optional(profile_of(*one)));
  }
  return profiles;
}

/// What is known of the run before it starts.
RunHeader header_of(const RunPlan& plan) {
  const PolicyChoice& choice = plan.run.policy;
  RunHeader header;
  header.on = plan.on;
  header.policy = choice.info->name;
  header.spelling = choice.spelling;
  header.parameters = parameter_facts(all_parameters(choice));
  header.is_informed = choice.is_informed() || (plan.per_node && plan.per_node->is_informed());
  header.is_oracle = choice.is_oracle();
  header.knows_costs =
      plan.known != nullptr &&
      std::ranges::any_of(plan.known->items, [](const auto& work) { return work != nullptr; });
  header.is_experienced = choice.is_experienced();
  header.workloads = plan.phases;
  header.costs = cost_profiles(plan.item_costs);
  for (const Unit& unit : plan.units) {
    header.units.push_back({unit, plan.scenario.presence_of(unit.name).at_start});
  }
  if (plan.agents != nullptr) {
    for (const NodeOfRun& node : nodes_of(plan.units)) header.nodes.push_back(node.unit);
  }
  header.seed = plan.run.seed;
  header.repetition = plan.run.repetition;
  header.decision_cost = plan.run.decision_cost;
  header.version = built_with_text();
  header.machine = machine_facts();
  header.loaded_from = choice.loaded_from;
  header.loaded_hash = choice.loaded_hash;
  if (choice.experience) header.experience = *choice.experience;
  if (choice.replayed != nullptr) header.decisions_of = choice.replayed_file;
  header.settings = plan.run.settings;
  return header;
}

/// The run file of the plan, with its header; null if it has none.
std::unique_ptr<JournalFile> run_file_of(const RunPlan& plan) {
  const RunFileTarget& to = plan.run.run_file;
  if (to.path.empty()) return nullptr;
  const RunHeader header = header_of(plan);
  std::vector<std::string> names = names_of(plan.units);
  for (const Unit& node : header.nodes) names.push_back(node.name);
  return make_queued_journal(
      make_journal_file(to.path, run_header_line(header), names, to.bytes_max));
}

void remove_run_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    std::filesystem::remove(target_of_links(path), error);
  }
}

Judgement judgement_of(const RunOutcome& outcome, bool has_too_many_blocks,
                       const std::function<Judgement()>& verify) {
  if (has_too_many_blocks) return {"it made more blocks than --blocks-max allows"};
  if (outcome.interrupted) return {"interrupted"};
  if (!outcome.complete) return {"no unit was left to do the remaining items"};
  return verify ? verify() : Judgement();
}

}  // namespace

RunSummary summary_of(const RunReport& report, const std::vector<Unit>& units) {
  RunSummary summary;
  summary.numbers = report.run.numbers;
  if (report.lower_bound_s) summary.lower_bound = Seconds{*report.lower_bound_s};
  summary.loss = loss_of(report);
  summary.policy_stalled = report.outcome.policy_stalled;
  summary.complete = report.outcome.complete;
  summary.verified = report.run.verified;
  summary.unchecked = report.run.unchecked;
  summary.problem = report.problem;
  summary.units = names_of(units);
  summary.pacing = report.notes.pacing;
  summary.loads = report.notes.loads;
  summary.clocks = report.notes.clocks;
  return summary;
}

std::optional<Losses> loss_of(const RunReport& report) {
  const std::optional<Losses>& losses = report.run.numbers.losses;
  if (!losses || !report.lower_bound_s) return std::nullopt;
  return over_bound(*losses, Seconds{*report.lower_bound_s});
}

namespace {

/// What the run's decisions cost; null for a replay, which repeats decisions and makes none.
std::unique_ptr<CostMeter> cost_meter_of(const RunPlan& plan) {
  if (plan.run.policy.replayed != nullptr) return nullptr;
  return cost_meter_of(plan.run.policy, plan.phases, plan.run.decision_cost);
}

/// `refusal` of a run, which names the policy if it names nothing.
InputError named_refusal(const InputError& refusal, const PolicyChoice& policy) {
  if (!refusal.where().empty()) return refusal;
  return {policy.loaded_from.empty() ? policy.spelling : policy.loaded_from, refusal.why()};
}

/// Runs one level or two. `left_recorded`: as of RunReport.
RunOutcome outcome_of(const RunPlan& plan, Executor& executor, const Deciding& deciding,
                      CostMeter* meter, const std::function<bool()>& stops, Journal& journal,
                      bool& left_recorded) {
  if (plan.agents != nullptr) {
    return run_two_levels(plan, executor, meter, stops, journal, left_recorded);
  }
  const RunSetup setup{plan.units, plan.phases, meter, stops,
                       absent_at_start(plan.scenario, plan.units)};
  const RunOutcome outcome = run_policy(deciding.around != nullptr ? *deciding.around : executor,
                                        *deciding.policy, setup, journal);
  left_recorded = deciding.recorded != nullptr && !deciding.recorded->were_kept_to();
  return outcome;
}

/// Completes the losses of a run, if they are known.
void add_without_units(const RunPlan& plan, RunNumbers& numbers) {
  if (!numbers.losses) return;
  const WithoutUnits without = time_without(numbers, plan.run.bound_phases);
  numbers.losses->without_unused = without.unused;
  numbers.losses->without_dropped = without.dropped;
}

}  // namespace

RunReport run_plan(const RunPlan& plan, Executor& executor,
                   const std::function<Judgement()>& verify) {
  const bool has_levels = plan.agents != nullptr;
  const Deciding deciding = deciding_of(plan, executor);  // refuses before there is a file
  const std::unique_ptr<CostMeter> meter = cost_meter_of(plan);
  std::unique_ptr<JournalFile> file = run_file_of(plan);
  Metrics metrics(plan.units, plan.recorded_sizes,
                  plan.readings != nullptr ? plan.readings->note() : std::string(),
                  plan.copy_times_alone, plan.run.policy.replayed != nullptr);
  ExperienceJournal experience(plan.phases.size(), plan.units.size());
  UnitLosses unit_losses;
  BlockLimit limit(plan.units.size(), plan.run.policy.blocks_max);
  std::vector<Journal*> journals = {&metrics, &unit_losses};
  if (plan.run.learns) journals.push_back(&experience);
  Tee of_units(journals);
  UnitRecords units_only(plan.units.size(), of_units,
                         [&metrics](Seconds end) { metrics.ends_not_before(end); });
  if (has_levels) journals = {&units_only};
  journals.push_back(&limit);
  if (file != nullptr) journals.push_back(file.get());
  Tee all(std::move(journals));
  ClockJournal clocks(plan.notes, all);
  ScenarioJournal disturbed(plan.scenario, clocks);
  MeteredJournal journal(plan.readings, disturbed);
  const auto stops = [&] {
    return limit.is_exceeded() || (plan.stop_requested && plan.stop_requested());
  };
  RunReport report;
  try {
    report.outcome =
        outcome_of(plan, executor, deciding, meter.get(), stops, journal, report.left_recorded);
    journal.finish();
    units_only.finish();
    clocks.finish(metrics.numbers().makespan);
  } catch (const InputError& refusal) {  // remove the run file of a refused run
    file.reset();
    remove_run_file(plan.run.run_file.path);
    throw named_refusal(refusal, plan.run.policy);
  }
  report.has_too_many_blocks = report.outcome.interrupted && limit.is_exceeded();
  const Judgement judged = judgement_of(report.outcome, report.has_too_many_blocks, verify);
  report.problem = judged.problem;
  report.lower_bound_s = plan.run.lower_bound_s;
  if (plan.notes != nullptr) report.notes = *plan.notes;
  report.run = {metrics.numbers(), report.problem.empty(), report.outcome.policy_stalled,
                plan.run.repetition};
  report.run.unchecked = judged.unchecked;
  add_without_units(plan, report.run.numbers);
  if (plan.run.learns) report.shown = experience.shown();
  report.unit_losses = unit_losses.losses();
  if (report.has_too_many_blocks) {
    file.reset();
    remove_run_file(plan.run.run_file.path);
  }
  if (file != nullptr && !report.outcome.interrupted) {
    file->finish(run_summary_line(summary_of(report, plan.units)));
  }
  return report;
}

std::vector<std::string> names_of(const std::vector<Unit>& units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return names;
}

}  // namespace equipoise

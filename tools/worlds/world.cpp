// Worlds on simulated platforms and on real units, and which of them `--on` means.
#include "tools/worlds/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "real/paced/paced_unit.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/terminal.hpp"
#include "tools/console/text_table.hpp"
#include "tools/runs/two_level_run.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/sim_machine_loading.hpp"

namespace equipoise {
namespace {

/// Removes failures and joins. Returns whether there were any.
bool erase_failures(Scenario& scenario) {
  return std::erase_if(scenario.events, [](const Disturbance& event) {
           return event.kind == DisturbanceKind::fail || event.kind == DisturbanceKind::join;
         }) > 0;
}

std::string failure_text(const PolicyChoice& choice, std::size_t repetition, const char* what,
                         const std::string& why) {
  return fmt::format("{}, repetition {}: {}: {}", choice.spelling, repetition, what, why);
}

/// Policies of which a run made more blocks than it may.
class TooSlow {
 public:
  /// Takes `choice` if the run of `report` did.
  bool take(const PolicyChoice& choice, const RunReport& report) {
    if (report.has_too_many_blocks) limits_.emplace(choice.spelling, *choice.blocks_max);
    return report.has_too_many_blocks;
  }
  [[nodiscard]] bool contains(const PolicyChoice& choice) const {
    return limits_.contains(choice.spelling);
  }
  /// Removes their runs, and warns of them.
  void leave_out(RunsByPolicy& runs) const {
    for (const auto& [spelling, most] : limits_) {
      runs.erase(spelling);
      warn_of_too_many_blocks(spelling, most);
    }
  }

 private:
  std::map<std::string, std::uint64_t> limits_;
};

/// How far a comparison is: "simulated 281 of 290 runs, 26 of 29 policies; now ss, af".
class RunsDone {
 public:
  RunsDone(const char* what, const std::vector<PolicyChoice>& choices, std::size_t reps)
      : what_(what), reps_(reps) {
    for (const PolicyChoice& choice : choices) done_.emplace_back(choice.spelling, 0);
  }
  /// A run of the policy with this number has ended.
  void count(std::size_t policy) {
    ++runs_;
    if (++done_[policy].second == reps_) ++policies_;
  }
  [[nodiscard]] double share() const {
    return static_cast<double>(runs_) / static_cast<double>(reps_ * done_.size());
  }
  [[nodiscard]] std::string text() const {
    std::string text = fmt::format("{} {} of {} runs, {} of {} policies", what_, runs_,
                                   reps_ * done_.size(), policies_, done_.size());
    constexpr std::size_t few = 3;
    if (policies_ == done_.size() || done_.size() - policies_ > few) return text;
    const char* before = "; now ";
    for (const auto& [spelling, runs] : done_) {
      if (runs < reps_) text += std::exchange(before, ", ") + spelling;
    }
    return text;
  }

 private:
  const char* what_;
  std::size_t reps_;
  std::vector<std::pair<std::string, std::size_t>> done_;  ///< (policies), runs that have ended
  std::size_t runs_ = 0;
  std::size_t policies_ = 0;  ///< of which all runs have ended
};

/// Runs on a simulated platform, each in a process of the simulation server.
class SimulatedWorld final : public World {
 public:
  SimulatedWorld(std::shared_ptr<SimMachine> machine, const RunOptions& options)
      : options_(options), machine_(std::move(machine)) {}

  std::string name() const override { return "sim"; }
  const std::vector<Unit>& units() const override { return machine_->units; }
  const std::vector<Workload>& phases() const override { return machine_->setup.phases; }
  const std::vector<ItemCostsPtr>& item_costs() const override {
    return machine_->inputs->item_costs;
  }
  const std::vector<Trace>& traces() const override { return machine_->inputs->traces; }
  WorldSettings settings() const override { return {true, settings_of(*machine_, options_)}; }
  const Scenario& scenario() const override { return machine_->setup.scenario; }
  Reference reference() const override { return Reference(machine_); }
  void check_policy(const PolicyChoice& choice) const override {
    equipoise::check_policy(*machine_, choice, options_.per_node);
  }
  void leave_out_failures() override {
    Scenario scenario = machine_->setup.scenario;
    if (erase_failures(scenario)) *machine_ = under_scenario(*machine_, std::move(scenario));
  }
  void prepare() override {}
  RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                const RunFileTarget& run_file) override {
    return run_simulation(simulation_of(*machine_, choice, options_, repetition, run_file));
  }

  RunsByPolicy run_all(const std::vector<PolicyChoice>& choices, const ComparisonOptions& options,
                       bool& failed) override {
    return run_many(
        choices, options.reps, "simulated",
        [&](const PolicyChoice& choice, int repetition) {
          return simulation_of(*machine_, choice, options_, static_cast<std::uint64_t>(repetition),
                               run_file_to_keep(options, choice, "sim", repetition));
        },
        options.quiet, failed);
  }

  RunsByPolicy run_redrawn(const std::vector<PolicyChoice>& choices,
                           const ComparisonOptions& options, const Redrawing& how,
                           bool& failed) override {
    return run_many(
        choices, options.redrawn_runs, "for intervals, simulated",
        [&](const PolicyChoice& choice, int number) {
          Simulation simulation = simulation_of(*machine_, choice, options_,
                                                static_cast<std::uint64_t>(number % options.reps));
          simulation.run.redrawing = how;
          simulation.run.redrawing.number = static_cast<std::uint64_t>(number);
          return simulation;
        },
        options.quiet, failed);
  }

 private:
  using MakeSimulation = std::function<Simulation(const PolicyChoice& choice, int number)>;

  /// Makes simulations number 0 to `count` - 1 of each policy.
  static RunsByPolicy run_many(const std::vector<PolicyChoice>& choices, int count,
                               const char* what, const MakeSimulation& make, bool quiet,
                               bool& failed) {
    const std::size_t jobs = choices.size() * static_cast<std::size_t>(count);
    const auto choice_of = [&](std::size_t job) -> const PolicyChoice& {
      return choices[job % choices.size()];
    };
    std::vector<std::optional<SimulationResult>> results(jobs);
    RunsDone done(what, choices, static_cast<std::size_t>(count));
    TooSlow too_slow;
    Progress progress(quiet);
    try {
      run_simulations(
          jobs,
          [&](std::size_t job) {
            PolicyChoice choice = choice_of(job);
            if (too_slow.contains(choice)) choice.blocks_max = 0;  // ends at its first block
            return make(choice, static_cast<int>(job / choices.size()));
          },
          [&](std::size_t job, SimulationResult result) {
            static_cast<void>(too_slow.take(choice_of(job), result.report));
            results[job] = std::move(result);
            done.count(job % choices.size());
            progress.show(done.text(), done.share());
          });
    } catch (const Interrupted&) {
      // Keep the runs that have ended.
    }
    progress.clear();
    RunsByPolicy runs;
    std::vector<std::string> failures;
    for (std::size_t job = 0; job < jobs; ++job) {
      if (!results[job]) continue;
      const PolicyChoice& choice = choice_of(job);
      if (too_slow.contains(choice)) continue;
      const auto& [report, failure] = *results[job];
      if (!failure.empty()) {
        failed = true;
        failures.push_back(failure_text(choice, job / choices.size(), "no result", failure));
        continue;
      }
      runs[choice.spelling].push_back(report.run);
      if (report.run.verified) continue;
      failures.push_back(
          failure_text(choice, job / choices.size(), "not verified", report.problem));
    }
    warn_of_failed_runs(failures);
    too_slow.leave_out(runs);
    return runs;
  }

  RunOptions options_;
  std::shared_ptr<SimMachine> machine_;
};

/// Runs in real time, one after another.
class RealWorld final : public World {
 public:
  RealWorld(std::shared_ptr<RealMachine> machine, const RunOptions& options)
      : options_(options), machine_(std::move(machine)) {}

  std::string name() const override { return machine_->on; }
  const std::vector<Unit>& units() const override { return machine_->units; }
  const std::vector<Workload>& phases() const override { return machine_->phases; }
  const std::vector<ItemCostsPtr>& item_costs() const override { return machine_->item_costs; }
  const std::vector<Trace>& traces() const override {
    static const std::vector<Trace> none;
    return machine_->on == "paced" ? machine_->traces : none;
  }
  WorldSettings settings() const override { return {false, machine_->settings}; }
  const Scenario& scenario() const override { return machine_->scenario; }
  Reference reference() const override { return Reference(machine_->platform); }
  void check_policy(const PolicyChoice& choice) const override {
    const KnownCosts known = known_to(choice, *machine_);
    if (options_.per_node.empty()) {
      static_cast<void>(make_policy(choice, &known, machine_->units));
      return;
    }
    const PolicyChoice per_node = parse_policy(options_.per_node, "--per-node");
    if (machine_->nodes && machine_->platform && per_node.is_informed()) {
      throw InputError("--per-node", fmt::format("{} knows block times, and other ranks know those "
                                                 "of traces alone; compare with --on real",
                                                 per_node.spelling));
    }
    check_two_levels(choice, known, per_node, known_to(per_node, *machine_), machine_->units,
                     machine_->phases);
  }
  void leave_out_failures() override {
    if (erase_failures(machine_->scenario) && machine_->platform) machine_->platform->bound = {};
  }
  void prepare() override {
    machine_->find_meters(options_.meters);
    machine_->allocate(options_.seed);
  }

  RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                const RunFileTarget& run_file) override {
    const RealMachine& machine = *machine_;
    KnownCosts known = known_to(choice, machine);
    if (choice.experience) known.experience = *choice.experience;
    RunPlan plan;
    plan.run = {choice,
                options_.seed,
                repetition,
                "measured",
                machine.settings,
                run_file,
                !options_.experience_file.empty(),
                {},
                {}};
    plan.units = machine.units;
    plan.phases = machine.phases;
    plan.item_costs = machine.item_costs;
    plan.known = &known;
    if (machine.platform) {
      plan.recorded_sizes = machine.platform->recorded_sizes;
      plan.run.lower_bound_s = machine.platform->bound.seconds;
      plan.run.bound_phases = bound_phases(*machine.platform);
    }
    plan.on = machine.on;
    plan.scenario = machine.scenario;
    plan.stop_requested = [] { return stop_signal() != 0; };
    KnownCosts known_to_agents;
    if (!options_.per_node.empty()) {
      plan.per_node = parse_policy(options_.per_node, "--per-node");
      known_to_agents = known_to(*plan.per_node, machine);
      plan.known_to_agents = &known_to_agents;
      plan.agents = std::make_shared<NodeAgents>();
    }
    ExecutorNotes notes;
    plan.notes = &notes;
    plan.readings = machine.meters.get();
    CoreUse core_use;
    const std::unique_ptr<Executor> executor =
        make_executor(repetition, plan.agents, notes, core_use);
    RunReport report = run_plan(plan, *executor, [&machine] { return machine.verify(); });
    report.run.core_use = core_use;
    return report;
  }

  RunsByPolicy run_all(const std::vector<PolicyChoice>& choices, const ComparisonOptions& options,
                       bool& /*failed*/) override {
    RunsByPolicy runs;
    if (choices.empty()) return runs;
    std::vector<PolicyChoice> left = choices;
    catch_stop_signals();
    Progress progress(options.quiet);
    progress.show("warming up");
    static_cast<void>(run(choices.front(), 0, {}));
    std::vector<std::string> failures;
    for (int repetition = 0; repetition < options.reps && stop_signal() == 0; ++repetition) {
      run_each(*this, left, options, repetition, runs, failures);
      progress.show(fmt::format("ran {} of {} repetitions", repetition + 1, options.reps),
                    static_cast<double>(repetition + 1) / options.reps);
    }
    progress.clear();
    warn_of_failed_runs(failures);
    return runs;
  }
  RunsByPolicy run_redrawn(const std::vector<PolicyChoice>& /*choices*/,
                           const ComparisonOptions& /*options*/, const Redrawing& /*how*/,
                           bool& /*failed*/) override {
    return {};
  }

 private:
  /// The executor, which writes its notes to `notes` and the use of the cores to `core_use`.
  [[nodiscard]] std::unique_ptr<Executor> make_executor(std::uint64_t repetition,
                                                        std::shared_ptr<const NodeAgents> agents,
                                                        ExecutorNotes& notes,
                                                        CoreUse& core_use) const {
    const RealMachine& machine = *machine_;
    RealSetup setup;
    setup.units = machine.specs;
    setup.placement = machine.placement;
    setup.nodes = machine.nodes;
    setup.agents = std::move(agents);
    for (std::size_t k = 0; k < machine.phases.size(); ++k) {
      setup.phases.push_back({machine.phases[k], machine.kernels[k].get(), machine.merges[k]});
    }
    setup.draws = {options_.seed, repetition, options_.noise};
    setup.scenario = machine.scenario;
    setup.block_timeout = machine.settings.block_timeout.value();
    setup.time_scale = options_.time_scale.value_or(1.0);
    setup.meters = machine.meters;
    setup.stop_requested = [] { return stop_signal() != 0; };
    setup.warn = warn;
    setup.report_pacing = [&notes, scale = setup.time_scale](const PacingReport& report) {
      notes.pacing = PacingNote{scale, report.late_mean, report.late_most};
    };
    setup.report_load = [&notes](const LoadReport& report) {
      notes.loads.push_back(
          {report.load->target, report.load->at, report.load->amount, report.share});
    };
    setup.report_clocks = [&notes](const auto& clocks) {
      notes.clocks.clear();
      for (std::size_t i = 0; i < clocks.size(); ++i) {
        if (!clocks[i]) continue;
        notes.clocks.push_back({node_name(static_cast<int>(i) + 1),
                                Seconds{1e-9 * clocks[i]->error_ns}, clocks[i]->drift});
      }
    };
    setup.report_core_use = [&core_use](const CoreUse& use) { core_use = use; };
    return make_real_executor(std::move(setup));
  }

  RunOptions options_;
  std::shared_ptr<RealMachine> machine_;
};

/// Makes a file name from `text`: replaces everything except letters, digits, '.', '-' and '_' by
/// '_'.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

/// Throws InputError, which names `command`, unless there are the inputs that the worlds need.
void expect_inputs(const RunOptions& options, const std::string& command) {
  const bool has_platform = !options.platform_file.empty() && !options.trace_files.empty();
  const bool has_units = equipoise::has_units(options);
  // What else `--on` may say, for commands that have a choice.
  const auto or_on = [&](const std::string& name) {
    return command == "simulate" ? std::string() : "; or say --on " + name;
  };
  if (!options.per_node.empty() && options.on == "paced" && !has_units) {
    throw InputError("--per-node", "paces no nodes of a platform; leave it out, or say --on sim");
  }
  if (options.on == "sim" && !has_platform) {
    throw InputError(command, "to simulate, give --platform and --trace" + or_on("real"));
  }
  if (options.on == "real" && !has_units) {
    throw InputError(command,
                     "to run for real, give --unit for each unit, such as --unit cpu "
                     "--unit cpu,slowdown=3 (see equipoise list units)" +
                         or_on("paced"));
  }
  if (options.on == "paced" && !has_units && !has_platform) {
    throw InputError(command, "to pace units, give --platform and --trace; or --unit paced,...");
  }
  if (options.on == "both" && !(has_units && has_platform)) {
    throw InputError(command, "to simulate and run for real, give --platform, --trace and --unit");
  }
}

}  // namespace

std::unique_ptr<World> world_of(std::shared_ptr<SimMachine> machine, const RunOptions& options) {
  return std::make_unique<SimulatedWorld>(std::move(machine), options);
}

std::unique_ptr<World> world_of(std::shared_ptr<RealMachine> machine, const RunOptions& options) {
  return std::make_unique<RealWorld>(std::move(machine), options);
}

Worlds open_worlds(const RunOptions& options, const std::string& command) {
  expect_inputs(options, command);
  const bool is_both = options.on == "both";
  Worlds worlds;
  std::shared_ptr<SimMachine> simulated;
  if (is_both || options.on == "sim") {
    simulated = std::make_shared<SimMachine>(load_sim_machine(options));
    worlds.push_back(world_of(simulated, options));
  }
  if (options.on == "sim") return worlds;
  auto real = std::make_shared<RealMachine>(load_real_machine(options));
  if (is_both) pair_with(*real, std::move(simulated), options);
  worlds.push_back(world_of(std::move(real), options));
  return worlds;
}

std::unique_ptr<World> open_world(const RunOptions& options, const std::string& command) {
  if (options.on == "both") {
    throw InputError(command, "makes one run; say --on sim, real or paced, not both");
  }
  return std::move(open_worlds(options, command).front());
}

void run_each(World& world, std::vector<PolicyChoice>& choices, const ComparisonOptions& options,
              int repetition, RunsByPolicy& runs, std::vector<std::string>& failures) {
  TooSlow too_slow;
  for (const PolicyChoice& choice : choices) {
    const RunReport report = world.run(choice, static_cast<std::uint64_t>(repetition),
                                       run_file_to_keep(options, choice, world.name(), repetition));
    if (stop_signal() != 0) return;
    if (too_slow.take(choice, report)) continue;
    runs[choice.spelling].push_back(report.run);
    if (report.run.verified) continue;
    failures.push_back(
        failure_text(choice, static_cast<std::size_t>(repetition), "not verified", report.problem));
  }
  too_slow.leave_out(runs);
  std::erase_if(choices, [&](const PolicyChoice& choice) { return too_slow.contains(choice); });
}

void warn_of_late_events(const Scenario& scenario, Seconds end, const std::string& where) {
  std::vector<const Disturbance*> late;
  for (const Disturbance& event : scenario.events) {
    if (event.at >= end) late.push_back(&event);
  }
  if (late.empty()) return;
  const Disturbance& first = **std::ranges::min_element(
      late, {}, [](const Disturbance* event) { return event->at.value; });
  warn(fmt::format(
      "{}: {} of {} took no effect{}: {}'{}' of {} comes at {}, and the last run ended at {}; set "
      "at_s earlier",
      scenario.name, late.size(), counted(scenario.events.size(), "event"), where,
      late.size() == 1 ? "" : "the first, ", to_string(first.kind), first.target,
      quantity_text(first.at.value, "s", 4), quantity_text(end.value, "s", 4)));
}

void warn_of_failed_runs(const std::vector<std::string>& failures) {
  if (failures.empty()) return;
  warn(fmt::format("{} failed: {}", counted(failures.size(), "run"), in_one_line(failures)));
}

std::string run_file_of(const std::string& folder, const std::string& spelling,
                        const std::string& on) {
  return fmt::format("{}/runs/{}-{}.jsonl", folder, as_file_name(spelling), on);
}

RunFileTarget run_file_to_keep(const ComparisonOptions& options, const PolicyChoice& choice,
                               const std::string& on, int repetition) {
  constexpr std::uint64_t most_kept_bytes = std::uint64_t{16} << 20;  // about 60,000 blocks
  if (options.out.empty() || options.kept_runs == KeptRuns::none || repetition > 0) return {};
  RunFileTarget target{run_file_of(options.out, choice.spelling, on)};
  if (options.kept_runs == KeptRuns::small) target.bytes_max = most_kept_bytes;
  return target;
}

}  // namespace equipoise

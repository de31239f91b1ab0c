// `equipoise validate`: records a workload, simulates it and runs it for real.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "platforms/platform_file.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/comparison_files.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/guard/expectations.hpp"
#include "tools/report/trace_report.hpp"
#include "tools/report/validation.hpp"
#include "tools/runs/unkept_journal.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/predictions.hpp"
#include "tools/worlds/real_machine.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"
#include "traces/validations_file.hpp"

namespace equipoise {
namespace {

/// The files of a recording: one trace for each kernel, and the platform.
struct RecordedFiles {
  std::vector<std::string> traces;
  std::string platform;
};

/// Records all units together with the kernel of a phase, in `passes` passes; `after_pass` is
/// called after each pass.
Recording record_together(const RealMachine& machine, std::size_t phase,
                          const ValidateRequest& request, int passes,
                          const std::function<void()>& after_pass) {
  Kernel& kernel = *machine.kernels[phase];
  Progress progress(request.options.quiet);
  RecordSetup setup;
  setup.passes = passes;
  setup.after_pass = after_pass;
  setup.meters = machine.meters;
  for (UnitSpec spec : machine.specs) {
    if (auto only = spec.factory->for_phase(phase)) spec.factory = std::move(only);
    setup.units.push_back(std::move(spec));
  }
  setup.nodes = machine.nodes;
  setup.placement = machine.placement;
  setup.journal = make_unkept_journal(setup.units);
  setup.kernel = &kernel;
  setup.budget = Seconds{request.seconds_max};
  setup.stop_requested = [] { return stop_signal() != 0; };
  setup.progress = [&](const RecordProgress& p) {
    progress.show(fmt::format("recording {}: {}, {} items, sample {}", kernel.workload().kernel,
                              p.unit, p.items, p.samples),
                  p.done);
  };
  Recording recording = record(setup);
  progress.clear();
  recording.unmetered.clear();  // predictions of time need no watts
  warn_of(recording);
  return recording;
}

/// Multiplies the times and waits of a sample by the unit's slowdown. Copy times are included only
/// if the unit has no copy engines.
void slow_down(TraceSample& sample, const UnitSpec& spec) {
  multiply_times(sample, spec.slowdown);
  if (spec.unit.copy_engines > 0) return;
  for (std::optional<double>* const time_s : {&sample.in_s, &sample.out_s}) {
    if (*time_s) **time_s *= spec.slowdown;
  }
}

/// Gives a paced unit of the recording the times from its trace.
void time_paced(Recording& recording, std::uint32_t unit, const UnitSpec& spec,
                const Workload& workload, const std::vector<Trace>& traces) {
  Trace& trace = recording.trace;
  const TimingPlace place = *find_timing(traces, trace.kernel, spec.factory->trace_unit());
  for (TraceSample sample : place.trace->samples) {
    if (sample.unit != place.unit) continue;
    sample.unit = unit;
    slow_down(sample, spec);
    trace.samples.push_back(sample);
  }
  recording.units[unit].copies = copy_speeds_of(trace, unit, workload);
  recording.units[unit].copies_are_on_node = spec.unit.is_remote;
}

std::string trace_file_of(const Workload& workload, const std::string& folder) {
  return fmt::format("{}/trace-{}.jsonl", folder, workload.kernel);
}

/// All files that are written to the folder of `options`.
std::vector<std::string> files_of_validation(const Comparison& comparison,
                                             const RealMachine& machine,
                                             const ComparisonOptions& options) {
  std::vector<std::string> files =
      files_of_comparison(comparison.policies, {"sim", machine.on}, options);
  for (const char* name : {"/validation.json", "/platform.xml"})
    files.push_back(options.out + name);
  for (const Workload& phase : machine.phases) files.push_back(trace_file_of(phase, options.out));
  return files;
}

/// Records all kernels. Because a machine drifts, the recording has as many passes as there are
/// repetitions, and `run_repetition` is called after each pass. After a stop request, writes the
/// files for the samples so far, if there are any, and returns.
RecordedFiles record_all(const RealMachine& machine, const ValidateRequest& request,
                         const std::function<void()>& run_repetition) {
  RecordedFiles files;
  const std::string& folder = request.options.out;
  const auto kernels = static_cast<int>(machine.kernels.size());
  const int passes = (request.options.reps + kernels - 1) / kernels;
  bool interrupted = false;
  files.platform = folder + "/platform.xml";
  for (std::size_t phase = 0; phase < machine.kernels.size(); ++phase) {
    const Workload& workload = machine.phases[phase];
    const std::string file = trace_file_of(workload, folder);
    if (std::ranges::find(files.traces, file) != files.traces.end()) continue;
    Recording recording = record_together(machine, phase, request, passes, run_repetition);
    interrupted = recording.interrupted;
    if (interrupted && recording.trace.samples.empty()) break;
    for (std::uint32_t unit = 0; unit < machine.specs.size(); ++unit) {
      const UnitSpec& spec = machine.specs[unit];
      if (!spec.computes()) time_paced(recording, unit, spec, workload, machine.traces);
    }
    write_whole_file(file, trace_text(recording.trace));
    if (files.traces.empty()) {
      write_whole_file(files.platform, platform_xml(measured_platform(machine, recording, file)));
    }
    files.traces.push_back(file);
    if (interrupted) break;
  }
  if (interrupted && !files.traces.empty()) {
    warn(fmt::format("{} keeps what was recorded so far: {} and {}", folder,
                     fmt::join(files.traces, ", "), files.platform));
  }
  return files;
}

/// Throws InputError if the file of --validations cannot be added to.
void check_file_of_validations(const ComparisonOptions& options) {
  if (options.validations_file.empty()) return;
  check_writable(options.validations_file, "--validations");
  static_cast<void>(read_validations(options.validations_file));
}

/// Adds what was found to that file, if there is one.
void keep_validation(const Comparison& comparison, const ComparisonOptions& options,
                     const SimMachine& machine) {
  const ValidatedCase validated = validated_case(comparison, options, machine);
  if (options.validations_file.empty() || validated.policies.empty()) return;
  add_validation(options.validations_file, validated);
}

void expect_no_stop() {
  if (stop_signal() != 0) throw Interrupted(stop_signal());
}

/// Simulates all policies on the recorded platform, and then really runs those that need its times.
/// `machine` gets that platform, and `runs` the runs in the world `real`, which is that of the
/// machine. Returns false if a simulation failed.
bool simulate_and_run(Comparison& comparison, RealMachine& machine, World& real, RunsByPolicy& runs,
                      const RecordedFiles& files, const ComparisonOptions& options) {
  ComparisonOptions recorded = options;
  recorded.platform_file = files.platform;
  recorded.trace_files = files.traces;
  recorded.decision_cost = "measured";
  const auto platform = std::make_shared<SimMachine>(load_sim_machine(recorded));
  const std::unique_ptr<World> sim = world_of(platform, recorded);
  machine.traces = platform->inputs->traces;
  RunSettings with_pacing = recorded;  // a replay of a real run needs the traces that pace units
  with_pacing.trace_files.insert(with_pacing.trace_files.end(), options.trace_files.begin(),
                                 options.trace_files.end());
  pair_with(machine, platform, with_pacing);
  for (const PolicyChoice& choice : comparison.policies) sim->check_policy(choice);
  Reference reference = sim->reference();
  comparison.lower_bound_s = reference.lower_bound_s();
  describe_experiment(comparison, recorded, real.phases(), sim->item_costs(),
                      {sim->settings(), real.settings()});
  if (std::ranges::any_of(comparison.policies, &PolicyChoice::is_oracle)) {
    reference.find_schedule(recorded);
  }
  bool failed = false;
  add_results(comparison, sim->run_all(comparison.policies, recorded, failed), sim->name(),
              timings_of(sim->traces(), sim->phases()));
  expect_no_stop();
  add_predictions(comparison, *sim, recorded, true, failed);
  expect_no_stop();
  std::vector<PolicyChoice> informed = comparison.policies;
  std::erase_if(informed, [](const PolicyChoice& choice) { return !choice.is_informed(); });
  runs.merge(real.run_all(informed, recorded, failed));
  expect_no_stop();
  return !failed;
}

/// Prints and writes the validation and the results. Returns the exit code; `failed`: whether some
/// runs have.
int report(const Comparison& comparison, const std::optional<Expectations>& expectations,
           const ValidateRequest& request, bool failed) {
  const ComparisonOptions& options = request.options;
  const Validation validation = judge(comparison);
  const std::string json = line_of(validation_json(validation, comparison)) + "\n";
  print_out("{}", request.json ? json : validation_text(validation, comparison.units));
  write_whole_file(options.out + "/validation.json", json);
  write_results(comparison, options, !request.json);
  for (const PolicyResult& result : comparison.results) failed = failed || !result.verified;
  if (failed) say_error("some runs failed; see the warnings above");
  const std::string complaint =
      request.error_max ? error_complaint(validation, *request.error_max) : "";
  if (!complaint.empty()) say_error(complaint);
  const bool is_met =
      !expectations || meets(*expectations, {named_results(comparison, options.out)},
                             request.bounds.junit_file, !request.json && !options.quiet);
  return failed || !complaint.empty() || !is_met ? 1 : 0;
}

}  // namespace

int validate_command(const ValidateRequest& request) {
  const ComparisonOptions& options = request.options;
  expect_simgrid();  // before units are opened and anything is recorded
  Comparison comparison;
  comparison.policies = choose_policies(options, "--policy");
  const auto machine = std::make_shared<RealMachine>(load_real_machine(options));
  if (!machine->computes()) {
    throw InputError("--unit", "give a unit that computes: paced ones need no validation");
  }
  machine->expect_alike_items();
  const std::unique_ptr<World> real = world_of(machine, options);
  leave_out_slow(comparison.policies, real->phases());
  std::vector<PolicyChoice> uninformed = comparison.policies;
  std::erase_if(uninformed, &PolicyChoice::is_informed);
  for (const PolicyChoice& choice : uninformed) real->check_policy(choice);
  comparison.units = names_of(real->units());
  const std::optional<Expectations> expectations =
      expectations_of(request.bounds.file, request.bounds.junit_file,
                      {spellings_of(comparison.policies), comparison.units, real->phases().size()});
  check_file_of_validations(options);
  expect_no_inputs(files_of_validation(comparison, *machine, options), "--out");
  expect_no_sweep(options.out);
  make_folder(options.out + "/runs", "--out");
  const OutputLock out = OutputLock::of_folder(options.out, "--out");
  catch_stop_signals();
  machine->find_meters(options.meters, idle_span_of_recording);
  machine->allocate(options.seed);
  comparison.environment = environment_now();
  describe_experiment(comparison, options, real->phases(), real->item_costs(), {real->settings()});
  const std::string many = many_blocks_text(comparison.policies, real->phases());
  if (!many.empty()) warn(many);
  RunsByPolicy runs;
  bool failed = false;
  int repetition = 0;
  std::vector<std::string> failures;
  const auto run_repetition = [&] {
    if (repetition < options.reps) {
      run_each(*real, uninformed, options, repetition++, runs, failures);
    }
  };
  try {
    const RecordedFiles files = record_all(*machine, request, run_repetition);
    while (repetition < options.reps && stop_signal() == 0) run_repetition();
    warn_of_failed_runs(failures);
    expect_no_stop();
    failed = !simulate_and_run(comparison, *machine, *real, runs, files, options);
  } catch (const Interrupted&) {
    add_results(comparison, runs, real->name(), std::nullopt);
    end_if_interrupted(comparison, options, !request.json);  // writes them and throws again
  }
  add_results(comparison, runs, real->name(), std::nullopt);
  relate_results(comparison, options.baseline);
  const std::string stale =
      staleness_text(comparison, machine->platform->inputs->traces, machine->phases);
  if (!stale.empty()) warn(stale);
  const int code = report(comparison, expectations, request, failed);
  keep_validation(comparison, options, *machine->platform);
  return code;
}

}  // namespace equipoise

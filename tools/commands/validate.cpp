// `equipoise validate`: records a workload, simulates it and runs it for real.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
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
#include "tools/runs/block_count.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/comparison_runs.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "tools/worlds/sim_world_loading.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// The files of a recording: one trace for each kernel, and the platform.
struct RecordedFiles {
  std::vector<std::string> traces;
  std::string platform;
};

/// Records all units together with the kernel of a phase, in `passes` passes; `after_pass` is
/// called after each pass.
Recording record_together(const RealWorld& world, std::size_t phase, const Options& options,
                          int passes, const std::function<void()>& after_pass) {
  Kernel& kernel = *world.kernels[phase];
  Progress progress(options.quiet);
  RecordSetup setup;
  setup.passes = passes;
  setup.after_pass = after_pass;
  setup.meters = world.meters;
  for (UnitSpec spec : world.specs) {
    if (auto only = spec.factory->for_phase(phase)) spec.factory = std::move(only);
    setup.units.push_back(std::move(spec));
  }
  setup.kernel = &kernel;
  setup.budget = Seconds{options.seconds_max};
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

/// Multiplies the times of a sample by the unit's slowdown. Copy times are included only if the
/// unit has no copy engines.
void slow_down(TraceSample& sample, const UnitSpec& spec) {
  std::vector<std::optional<double>*> times = {&sample.compute_sd_s, &sample.compute_min_s,
                                               &sample.compute_median_s, &sample.compute_max_s};
  if (spec.unit.copy_engines == 0) times.insert(times.end(), {&sample.in_s, &sample.out_s});
  sample.compute_mean_s *= spec.slowdown;
  for (std::optional<double>* const time_s : times) {
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
}

std::string trace_file_of(const Workload& workload, const Options& options) {
  return fmt::format("{}/trace-{}.jsonl", options.out, workload.kernel);
}

/// All files that are written to `options.out`.
std::vector<std::string> files_of_validation(const Comparison& comparison, const RealWorld& real,
                                             const Options& options) {
  std::vector<std::string> files =
      files_of_comparison(comparison.policies, {"sim", real.on}, options);
  for (const char* name : {"/validation.json", "/platform.xml"})
    files.push_back(options.out + name);
  for (const Workload& phase : real.phases) files.push_back(trace_file_of(phase, options));
  return files;
}

/// Records all kernels. Because a machine drifts, the recording has as many passes as there are
/// repetitions, and `run_repetition` is called after each pass. After a stop request, writes the
/// files for the samples so far, if there are any, and returns.
RecordedFiles record_all(const RealWorld& world, const Options& options,
                         const std::function<void()>& run_repetition) {
  RecordedFiles files;
  const auto kernels = static_cast<int>(world.kernels.size());
  const int passes = (options.reps + kernels - 1) / kernels;
  files.platform = options.out + "/platform.xml";
  for (std::size_t phase = 0; phase < world.kernels.size(); ++phase) {
    const Workload& workload = world.phases[phase];
    const std::string file = trace_file_of(workload, options);
    if (std::ranges::find(files.traces, file) != files.traces.end()) continue;
    Recording recording = record_together(world, phase, options, passes, run_repetition);
    if (recording.interrupted && recording.trace.samples.empty()) break;
    for (std::uint32_t unit = 0; unit < world.specs.size(); ++unit) {
      const UnitSpec& spec = world.specs[unit];
      if (!spec.computes()) time_paced(recording, unit, spec, workload, world.traces);
    }
    write_whole_file(file, trace_text(recording.trace));
    if (files.traces.empty()) {
      write_whole_file(files.platform,
                       platform_xml(recorded_platform(recording.units, measure_links(world.specs),
                                                      workload.kernel, file)));
    }
    files.traces.push_back(file);
    if (recording.interrupted) {
      warn(options.out + " keeps what was recorded so far: " + file + " and " + files.platform);
      break;
    }
  }
  return files;
}

/// Whether `choice` needs no profile, so that it can run before the recording has ended.
bool is_uninformed(const PolicyChoice& choice) { return choice.info->foresight == Foresight::none; }

/// Adds the traces that pace units, which a replay of a real run needs.
Options with_traces(Options options, const std::vector<std::string>& more) {
  options.trace_files.insert(options.trace_files.end(), more.begin(), more.end());
  return options;
}

bool is_oracle(const PolicyChoice& choice) { return choice.info->foresight == Foresight::oracle; }

void expect_no_stop() {
  if (stop_signal() != 0) throw Interrupted(stop_signal());
}

/// Simulates all policies on the recorded platform, and then really runs those that need its times.
/// `real` gets that platform, and `runs` the runs. Returns false if a simulation failed.
bool simulate_and_run(Comparison& comparison, RealWorld& real, RunsByPolicy& runs,
                      const RecordedFiles& files, const Options& options) {
  Options recorded = options;
  recorded.platform_file = files.platform;
  recorded.trace_files = files.traces;
  recorded.decision_cost = "measured";
  const auto sim = std::make_shared<SimWorld>(load_sim_world(recorded));
  real.traces = sim->inputs->traces;
  pair_with(real, sim, with_traces(recorded, options.trace_files));
  for (const PolicyChoice& choice : comparison.policies) check_policy(*sim, choice);
  comparison.lower_bound_s = sim->bound.seconds;
  describe_experiment(comparison, recorded, real.phases,
                      {{true, settings_of(*sim, recorded)}, {false, real.settings}});
  if (std::ranges::any_of(comparison.policies, is_oracle)) find_best_schedule(*sim, recorded);
  bool failed = false;
  add_results(comparison, simulate_all(*sim, comparison.policies, recorded, failed), "sim");
  expect_no_stop();
  std::vector<PolicyChoice> informed = comparison.policies;
  std::erase_if(informed, is_uninformed);
  runs.merge(run_all(real, informed, recorded));
  expect_no_stop();
  return !failed;
}

/// Prints and writes the validation and the results. Returns the exit code; `failed`: whether some
/// runs have.
int report(const Comparison& comparison, const std::optional<Expectations>& expectations,
           std::optional<double> error_max, const Options& options, bool failed) {
  const Validation validation = judge(comparison);
  const std::string json = line_of(validation_json(validation, comparison)) + "\n";
  std::printf("%s",
              options.json ? json.c_str() : validation_text(validation, comparison.units).c_str());
  write_whole_file(options.out + "/validation.json", json);
  write_results(comparison, options);
  for (const PolicyResult& result : comparison.results) failed = failed || !result.verified;
  if (failed) say_error("some runs failed; see the warnings above");
  const std::string complaint = error_max ? error_complaint(validation, *error_max) : "";
  if (!complaint.empty()) say_error(complaint);
  const bool is_met =
      !expectations || meets(*expectations, {named_results(comparison, options.out)}, options);
  return failed || !complaint.empty() || !is_met ? 1 : 0;
}

}  // namespace

int validate_command(const Options& options, std::optional<double> error_max) {
  expect_simgrid();  // before units are opened and anything is recorded
  Comparison comparison;
  comparison.policies = choose_policies(options);
  RealWorld real = load_real_world(options);
  if (!real.computes()) {
    throw InputError("--unit", "give a unit that computes: paced ones need no validation");
  }
  std::vector<PolicyChoice> uninformed = comparison.policies;
  std::erase_if(uninformed, [](const PolicyChoice& choice) { return !is_uninformed(choice); });
  for (const PolicyChoice& choice : uninformed) check_policy(real, choice);
  comparison.units = names_of(real.units);
  const std::optional<Expectations> expectations = expectations_of(
      options, {spellings_of(comparison.policies), comparison.units, real.phases.size()});
  expect_no_inputs(files_of_validation(comparison, real, options), "--out");
  expect_no_sweep(options.out);
  make_folder(options.out + "/runs", "--out");
  const OutputLock out = OutputLock::of_folder(options.out, "--out");
  catch_stop_signals();
  real.find_meters(options, idle_span_of_recording);
  real.allocate(options.seed);
  comparison.environment = environment_of(options.command_line);
  describe_experiment(comparison, options, real.phases, {{false, real.settings}});
  const std::string many = many_blocks_text(comparison.policies, real.phases);
  if (!many.empty()) warn(many);
  RunsByPolicy runs;
  bool failed = false;
  int repetition = 0;
  std::vector<std::string> failures;
  const auto run_repetition = [&] {
    if (repetition < options.reps) {
      run_each(real, uninformed, options, repetition++, runs, failures);
    }
  };
  try {
    const RecordedFiles files = record_all(real, options, run_repetition);
    while (repetition < options.reps && stop_signal() == 0) run_repetition();
    warn_of_failed_runs(failures);
    expect_no_stop();
    failed = !simulate_and_run(comparison, real, runs, files, options);
  } catch (const Interrupted&) {
    add_results(comparison, runs, real.on);
    end_if_interrupted(comparison, options);  // writes them and throws again
  }
  add_results(comparison, runs, real.on);
  relate_results(comparison, options.baseline);

  return report(comparison, expectations, error_max, options, failed);
}

}  // namespace equipoise

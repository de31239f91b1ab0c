// `equipoise validate`: records, simulates and really runs the same thing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "platforms/platform_file.hpp"
#include "real/recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands.hpp"
#include "tools/comparison.hpp"
#include "tools/comparison_runs.hpp"
#include "tools/console.hpp"
#include "tools/inputs.hpp"
#include "tools/json_text.hpp"
#include "tools/parallel_runs.hpp"
#include "tools/real_world.hpp"
#include "tools/recorded_platform.hpp"
#include "tools/sim_world.hpp"
#include "tools/validation.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// What a recording made: one trace for each kernel, and the platform.
struct RecordedFiles {
  std::vector<std::string> traces;
  std::string platform;
};

std::vector<UnitSpec> computing_units(const RealWorld& world) {
  std::vector<UnitSpec> computing;
  for (const UnitSpec& spec : world.specs) {
    if (spec.computes()) computing.push_back(spec);
  }
  return computing;
}

/// Records the units that compute, together, with `kernel`.
Recording record_together(const RealWorld& world, Kernel& kernel, const Options& options) {
  Progress progress(options.quiet);
  RecordSetup setup;
  setup.units = computing_units(world);
  setup.kernel = &kernel;
  setup.concurrent = true;
  setup.budget = Seconds{options.seconds_max};
  setup.stop_requested = [] { return stop_signal() != 0; };
  setup.progress = [&](const RecordProgress& p) {
    progress.show(fmt::format("recording {}: {}, {} items, sample {}", kernel.workload().kernel,
                              p.unit, p.items, p.samples));
  };
  Recording recording = record(setup);
  progress.clear();
  for (const std::string& line : recording.imprecise) warn(line);
  for (const std::string& line : recording.doubts) warn(line);
  if (recording.interrupted) throw Interrupted(stop_signal());
  return recording;
}

/// Appends a paced unit with the times that pace it, under its own name.
void add_paced(Recording& recording, const UnitSpec& spec, const std::vector<Trace>& traces) {
  Trace& trace = recording.trace;
  const auto unit = static_cast<std::uint32_t>(trace.units.size());
  const TimingPlace place = *find_timing(traces, trace.kernel, spec.trace_unit);
  trace.units.push_back(spec.unit);
  for (TraceSample sample : place.trace->samples) {
    if (sample.unit != place.unit) continue;
    sample.unit = unit;
    trace.samples.push_back(sample);
  }
  recording.units.push_back(
      {spec.unit, copy_speed_of(trace, unit, &TraceSample::in_bytes, &TraceSample::in_s),
       copy_speed_of(trace, unit, &TraceSample::out_bytes, &TraceSample::out_s)});
}

RecordedFiles record_all(const RealWorld& world, const Options& options) {
  RecordedFiles files;
  files.platform = options.out + "/platform.xml";
  for (const std::unique_ptr<Kernel>& kernel : world.kernels) {
    const std::string& name = kernel->workload().kernel;
    const std::string file = fmt::format("{}/trace-{}.jsonl", options.out, name);
    if (std::ranges::find(files.traces, file) != files.traces.end()) continue;
    Recording recording = record_together(world, *kernel, options);
    for (const UnitSpec& spec : world.specs) {
      if (!spec.computes()) add_paced(recording, spec, world.traces);
    }
    write_whole_file(file, trace_text(recording.trace));
    if (files.traces.empty()) {
      std::vector<RecordedUnit> ordered;
      for (const UnitSpec& spec : world.specs) {
        ordered.push_back(*std::ranges::find_if(recording.units, [&](const RecordedUnit& unit) {
          return unit.unit.name == spec.unit.name;
        }));
      }
      write_whole_file(files.platform, platform_xml(recorded_platform(ordered, name, file)));
    }
    files.traces.push_back(file);
  }
  return files;
}

}  // namespace

int validate_command(const Options& options, std::optional<double> error_max) {
  Comparison comparison;
  comparison.policies = choose_policies(options);
  RealWorld real = load_real_world(options);
  if (real.kernels.empty()) {
    throw InputError("--unit", "give a unit that computes: paced ones need no validation");
  }
  check_policies(comparison.policies, nullptr, &real);
  make_folder(options.out + "/runs", "--out");
  catch_stop_signals();
  real.allocate(options.seed);
  const RecordedFiles files = record_all(real, options);

  Options recorded = options;
  recorded.platform_file = files.platform;
  recorded.trace_files = files.traces;
  recorded.decision_cost = "measured";
  SimWorld sim = load_sim_world(recorded);
  check_same_units(sim, real);
  check_policies(comparison.policies, &sim, nullptr);
  real.traces = sim.traces;
  comparison.units = names_of(sim.units);
  comparison.lower_bound_s = sim.bound.seconds;
  comparison.experiment = experiment_text(recorded, sim.settings, real.settings);
  bool failed = false;
  add_results(comparison, simulate_all(sim, comparison.policies, recorded, failed), "sim");
  add_results(comparison, run_all(real, comparison.policies, recorded), real.on);
  relate_results(comparison, options.baseline);

  const Validation validation = judge(comparison);
  const std::string json = validation_json(validation, comparison.units, comparison.experiment);
  std::printf("%s",
              options.json ? json.c_str() : validation_text(validation, comparison.units).c_str());
  write_whole_file(options.out + "/validation.json", json);
  write_results(comparison, options);
  for (const PolicyResult& result : comparison.results) failed = failed || !result.verified;
  if (failed) say_error("some runs failed; see the warnings above");
  const bool is_broken = error_max && !(validation.worst_error <= *error_max);
  if (is_broken) {
    say_error(fmt::format("the worst error, {:.4f}, is above --max-error {}",
                          validation.worst_error, *error_max));
  }
  return failed || is_broken ? 1 : 0;
}

}  // namespace equipoise

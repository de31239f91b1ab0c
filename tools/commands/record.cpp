// `equipoise record`: measures a kernel on this machine's units, and writes a trace and its
// platform.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <span>

#include "platforms/platform_file.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/report/trace_report.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// The suffix of the file that holds the samples during the recording.
const char* const partial = ".partial";

void check_options(const Options& options) {
  check_writable(options.out, "--out");
  check_writable(options.out + partial, "--out");
  if (!options.platform_out.empty()) {
    if (is_same_path(options.platform_out, options.out)) {
      throw InputError("--platform-out", "is also the file of the trace; give another name");
    }
    check_writable(options.platform_out, "--platform-out");
  }
  if (options.workloads.size() != 1) {
    throw InputError("--workload",
                     "a trace times one kernel; record others into files of their own");
  }
}

RecordSetup setup_of(const RealWorld& world, const Options& options) {
  RecordSetup setup;
  setup.units = world.specs;
  setup.kernel = world.kernels.front().get();
  setup.alone = options.alone;
  for (const std::string& size : options.sizes) setup.sizes.push_back(parse_items(size, "--sizes"));
  setup.budget = Seconds{options.seconds_max};
  setup.passes = 3;
  setup.meters = world.meters;
  setup.stop_requested = [] { return stop_signal() != 0; };
  return setup;
}

/// Records and writes the trace. Until then, a second file holds the samples so far; it is kept if
/// the trace cannot be written.
Recording record_to_file(RecordSetup setup, const Options& options) {
  Progress progress(options.quiet);
  setup.progress = [&](const RecordProgress& p) {
    progress.show(
        fmt::format("{} ({} of {}): {} items (size {} of {}), sample {}", p.unit, p.unit_index + 1,
                    p.units, p.items, p.size_index + 1, p.sizes, p.samples),
        p.done);
  };
  StreamedTrace kept(options.out + partial, header_of_recording(setup));
  setup.keep = [&](std::span<const TraceSample> samples) { kept.append(samples); };
  try {
    Recording recording = record(setup);
    if (!kept.is_empty()) write_whole_file(options.out, trace_text(recording.trace));
    kept.discard();
    return recording;
  } catch (const std::exception&) {
    progress.clear();
    if (!kept.is_empty()) warn(kept.path() + " holds what was recorded so far");
    throw;
  }
}

}  // namespace

int record_command(const Options& options) {
  check_options(options);
  RealWorld world = load_real_world(options);
  for (const UnitSpec& spec : world.specs) {
    if (spec.computes()) continue;
    throw InputError("--unit", spec.unit.name + " is paced by a trace already; leave it out");
  }
  const OutputLock samples = OutputLock::of_file(options.out + partial, "--out");
  catch_stop_signals();
  world.find_meters(options, idle_span_of_recording);
  world.allocate(options.seed);
  const Recording recording = record_to_file(setup_of(world, options), options);
  warn_of(recording);

  const bool is_any_recorded = !recording.trace.samples.empty();
  if (is_any_recorded && !options.platform_out.empty()) {
    write_whole_file(options.platform_out,
                     platform_xml(recorded_platform(recording.units, measure_links(world.specs),
                                                    recording.trace.kernel, options.out)));
  }
  if (recording.interrupted) {
    say_error(is_any_recorded
                  ? fmt::format("interrupted; {} holds what was recorded so far", options.out)
                  : "interrupted before anything was recorded; no trace was written");
    return 128 + stop_signal();
  }
  if (options.json) {
    std::printf("%s\n",
                line_of(trace_json(recording.trace, options.out, options.platform_out)).c_str());
    return 0;
  }
  if (!options.quiet) std::printf("%s", describe_trace(recording.trace).c_str());
  std::printf("trace: %s%s%s\n", options.out.c_str(),
              options.platform_out.empty() ? "" : "   platform: ", options.platform_out.c_str());
  return 0;
}

}  // namespace equipoise

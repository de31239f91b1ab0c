// `equipoise record`: measures a kernel on this machine's units, and writes a trace and its
// platform.
#include <fmt/format.h>

#include <exception>
#include <optional>
#include <span>

#include "platforms/platform_file.hpp"
#include "real/recording/recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/once.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/report/trace_report.hpp"
#include "tools/runs/unkept_journal.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/real_machine.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// The suffix of the file that holds the samples during the recording.
const char* const partial = ".partial";

void check_request(const RecordRequest& request) {
  expect_different({{request.out_option, request.out}, {"--platform-out", request.platform_out}});
  check_writable(request.out, request.out_option);
  check_writable(request.out + partial, request.out_option);
  if (!request.platform_out.empty()) check_writable(request.platform_out, "--platform-out");
  if (request.options.workloads.size() != 1) {
    throw InputError("--workload",
                     "a trace times one kernel; record others into files of their own");
  }
}

RecordSetup setup_of(const RealMachine& machine, const RecordRequest& request) {
  RecordSetup setup;
  setup.units = machine.specs;
  setup.nodes = machine.nodes;
  setup.placement = machine.placement;
  setup.kernel = machine.kernels.front().get();
  setup.alone = request.alone;
  setup.sizes = request.sizes;
  setup.budget = Seconds{request.seconds_max};
  setup.passes = 3;
  setup.meters = machine.meters;
  setup.journal = make_unkept_journal(setup.units);
  setup.stop_requested = [] { return stop_signal() != 0; };
  return setup;
}

/// Records and writes the trace. Until then, a second file holds the samples so far; it is kept if
/// the trace cannot be written.
Recording record_to_file(RecordSetup setup, const RecordRequest& request) {
  Progress progress(request.options.quiet);
  setup.progress = [&](const RecordProgress& p) {
    progress.show(
        fmt::format("{} ({} of {}): {} items (size {} of {}), sample {}", p.unit, p.unit_index + 1,
                    p.units, p.items, p.size_index + 1, p.sizes, p.samples),
        p.done);
  };
  StreamedTrace kept(request.out + partial, header_of_recording(setup));
  setup.keep_costs = [&](const CostsRecord& costs) { kept.set_costs(costs); };
  setup.keep = [&](std::span<const TraceSample> samples) { kept.append(samples); };
  try {
    Recording recording = record(setup);
    if (!kept.is_empty()) write_whole_file(request.out, trace_text(recording.trace));
    kept.discard();
    return recording;
  } catch (const std::exception&) {
    progress.clear();
    if (!kept.is_empty()) warn(kept.path() + " holds what was recorded so far");
    throw;
  }
}

}  // namespace

Recording record_once(const RecordRequest& request) {
  check_request(request);
  const std::string& spelling = request.options.workloads.front();
  std::optional<CommandMode> mode;
  if (!request.options.loop) mode = command_mode_of(spelling);
  RealMachine machine = load_real_machine(request.options);
  for (const UnitSpec& spec : machine.specs) {
    if (spec.computes()) continue;
    throw InputError("--unit", spec.unit.name + " is paced by a trace already; leave it out");
  }
  machine.expect_alike_items();
  const OutputLock samples = OutputLock::of_file(request.out + partial, request.out_option);
  catch_stop_signals();
  machine.find_meters(request.options.meters, idle_span_of_recording);
  machine.allocate(request.options.seed);
  Recording recording = record_to_file(setup_of(machine, request), request);
  warn_of(recording);
  if (mode == CommandMode::exec) {
    if (const std::string text = starting_text(recording.trace); !text.empty()) note(text);
  }

  if (!recording.trace.samples.empty() && !request.platform_out.empty()) {
    write_whole_file(request.platform_out,
                     platform_xml(measured_platform(machine, recording, request.out)));
  }
  return recording;
}

int record_command(const RecordRequest& request) {
  const Recording recording = record_once(request);
  const bool is_any_recorded = !recording.trace.samples.empty();
  if (recording.interrupted) {
    say_error(is_any_recorded
                  ? fmt::format("interrupted; {} holds what was recorded so far", request.out)
                  : "interrupted before anything was recorded; no trace was written");
    return 128 + stop_signal();
  }
  if (request.json) {
    return print_json(trace_json(recording.trace, request.out, request.platform_out));
  }
  if (!request.options.quiet) print_out("{}", describe_trace(recording.trace));
  return print_out("trace: {}{}{}\n", request.out,
                   request.platform_out.empty() ? "" : "   platform: ", request.platform_out);
}

}  // namespace equipoise

// `equipoise record`: times a kernel on this machine's units; writes a trace and its platform.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "platforms/platform_file.hpp"
#include "real/recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"
#include "tools/commands.hpp"
#include "tools/console.hpp"
#include "tools/real_world.hpp"
#include "tools/recorded_platform.hpp"
#include "traces/trace_file.hpp"
#include "traces/trace_report.hpp"

namespace equipoise {

int record_command(const Options& options) {
  check_writable(options.out, "--out");
  if (options.platform_out == options.out) {
    throw InputError("--platform-out", "is the file of the trace, too; give another name");
  }
  if (!options.platform_out.empty()) check_writable(options.platform_out, "--platform-out");
  if (options.workloads.size() != 1) {
    throw InputError("--workload",
                     "a trace times one kernel; record others into files of their own");
  }
  RealWorld world = load_real_world(options);
  for (const UnitSpec& spec : world.specs) {
    if (spec.trace_unit.empty()) continue;
    throw InputError("--unit", spec.unit.name + " is paced by a trace already; leave it out");
  }
  catch_stop_signals();
  world.allocate(options.seed);

  Progress progress(options.quiet);
  RecordSetup setup;
  setup.units = world.specs;
  setup.kernel = world.kernels.front().get();
  setup.concurrent = options.concurrent;
  for (const std::string& size : options.sizes) setup.sizes.push_back(parse_items(size, "--sizes"));
  setup.budget = Seconds{options.seconds_max};
  setup.progress = [&](const RecordProgress& p) {
    progress.show(fmt::format("{} ({} of {}): {} items (size {} of {}), sample {}", p.unit,
                              p.unit_index + 1, p.units, p.items, p.size_index + 1, p.sizes,
                              p.samples));
  };
  setup.stop_requested = [] { return stop_signal() != 0; };
  const Recording recording = record(setup);
  progress.clear();
  for (const std::string& line : recording.imprecise) warn(line);
  for (const std::string& line : recording.doubts) warn(line);

  if (!recording.trace.samples.empty()) {
    write_trace(recording.trace, options.out);
    if (!options.platform_out.empty()) {
      write_platform(recorded_platform(recording.units, recording.trace.kernel, options.out),
                     options.platform_out);
    }
  }
  if (recording.interrupted) {
    std::fprintf(stderr, "equipoise: error: interrupted; %s holds what was recorded so far\n",
                 options.out.c_str());
    return 128 + stop_signal();
  }
  if (!options.quiet) std::printf("%s", describe_trace(recording.trace).c_str());
  std::printf("trace: %s%s%s\n", options.out.c_str(),
              options.platform_out.empty() ? "" : "   platform: ", options.platform_out.c_str());
  return 0;
}

}  // namespace equipoise

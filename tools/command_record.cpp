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
#include "traces/trace_file.hpp"
#include "traces/trace_report.hpp"

namespace equipoise {
namespace {

/// One link for each direction in which the unit copies; a link that costs nothing where it copies
/// nothing. Nobody else uses them.
void add_unit(PlatformDescription& platform, const RecordedUnit& recorded) {
  const std::string& name = recorded.unit.name;
  platform.hosts.push_back(describe_unit(recorded.unit, name));
  constexpr double costless_bytes_per_s = 1e15;
  const auto link = [&](const std::string& from, const std::string& to,
                        const std::optional<CopySpeed>& speed) {
    const CopySpeed copies = speed.value_or(CopySpeed{Seconds{}, costless_bytes_per_s});
    const std::string id = from + "-" + to;
    platform.links.push_back({id, copies.bandwidth_bytes_per_s, copies.latency, true});
    platform.routes.push_back({from, to, {id}});
  };
  link("RAM", name, recorded.in);
  link(name, "RAM", recorded.out);
}

PlatformDescription platform_of(const Recording& recording, const Options& options) {
  PlatformDescription platform;
  platform.comment = fmt::format(
      "Matches {}, recorded with it: latency and bandwidth of the links are those of the copies of "
      "{}.",
      options.out, recording.trace.kernel);
  platform.hosts.push_back({"RAM", {{"master", "true"}}});
  for (const RecordedUnit& unit : recording.units) add_unit(platform, unit);
  return platform;
}

}  // namespace

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
      write_platform(platform_of(recording, options), options.platform_out);
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

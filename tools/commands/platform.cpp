// `equipoise platform check|show|detect|generate`.
#include <fmt/format.h>

#include <cstdio>

#include "platforms/detect.hpp"
#include "platforms/platform_file.hpp"
#include "sim/platform_probe.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/console.hpp"
#include "tools/commands/machine_spec_file.hpp"
#include "tools/report/text_table.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// The platform with routes to all hosts that could be units.
ProbedPlatform probe_all(const std::string& file) {
  const PlatformFileFacts facts = check_platform_file(file);
  for (const std::string& notice : facts.notices) warn(notice);
  return probe_platform(facts.source, [](const ProbedHost&) { return true; });
}

std::string bandwidth_text(const ProbedPlatform& platform, const Route& route) {
  if (route.links.empty()) return "-";
  return significant(bandwidth_of(platform.links, route) / 1e9, 4);
}

std::string latency_text(const ProbedPlatform& platform, const Route& route) {
  if (route.links.empty()) return "-";
  return significant(latency_of(platform.links, route).value * 1e6, 4);
}

std::string links_text(const ProbedPlatform& platform, const Route& route) {
  std::vector<std::string> names;
  for (const std::uint32_t link : route.links) names.push_back(platform.links[link].name);
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

int platform_check_command(const std::string& file) {
  const ProbedPlatform platform = probe_all(file);
  std::size_t units = 0;
  for (const ProbedHost& host : platform.hosts) {
    static_cast<void>(unit_from_properties(host.name, host.properties));
    units += host.name == platform.master ? 0 : 1;
  }
  std::printf("%s: a legal platform: %zu units, all with routes to the master %s and back\n",
              file.c_str(), units, platform.master.c_str());
  return 0;
}

int platform_show_command(const std::string& file) {
  const ProbedPlatform platform = probe_all(file);
  TextTable table({"unit", "kind", "model", "node", "timed as", "memory GiB", "in GB/s", "in us",
                   "out GB/s", "out us", "links in"});
  for (const ProbedHost& host : platform.hosts) {
    if (host.name == platform.master) continue;
    const PlatformUnit unit = unit_from_properties(host.name, host.properties);
    table.add(
        {host.name, to_string(unit.unit.kind), unit.unit.model, unit.unit.node, unit.trace_unit,
         unit.unit.memory_bytes ? fmt::format("{:.1f}", *unit.unit.memory_bytes / 0x1p30) : "-",
         bandwidth_text(platform, host.in), latency_text(platform, host.in),
         bandwidth_text(platform, host.out), latency_text(platform, host.out),
         links_text(platform, host.in)});
  }
  std::printf("master: %s\n\n%s", platform.master.c_str(), table.text().c_str());
  return 0;
}

int platform_generate_command(const std::string& spec_file, const std::string& out) {
  const MachineSpec spec = read_machine_spec(spec_file);
  // All of them before the first is written, so that a refusal leaves nothing behind.
  std::vector<Trace> traces;
  for (const TraceChoice& choice : spec.traces) traces.push_back(modelled_trace(spec, choice));
  make_folder(out, "--out");
  for (const PlatformChoice& choice : spec.platforms) {
    const PlatformDescription platform = machines_platform(spec, choice);
    const std::string file = out + "/" + choice.name + ".xml";
    write_whole_file(file, platform_xml(platform));
    std::printf("%s: %zu units of %zu machines\n", file.c_str(), platform.hosts.size() - 1,
                choice.machines.size());
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string file = out + "/" + spec.traces[i].name + ".jsonl";
    write_whole_file(file, trace_text(traces[i]));
    std::printf("%s: modelled times of %s on %zu units\n", file.c_str(), traces[i].kernel.c_str(),
                traces[i].units.size());
  }
  return 0;
}

int platform_detect_command(const std::string& out) {
  if (!out.empty()) check_writable(out, "--out");
  const PlatformDescription platform = detect_platform();
  if (out.empty()) {
    std::printf("%s", platform_xml(platform).c_str());
    return 0;
  }
  write_whole_file(out, platform_xml(platform));
  std::printf("%s: %zu units of this machine\n", out.c_str(), platform.hosts.size() - 1);
  return 0;
}

}  // namespace equipoise

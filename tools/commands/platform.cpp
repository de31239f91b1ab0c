// `equipoise platform check|show|detect|generate`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/platform_file.hpp"
#include "real/machine.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/json_values.hpp"
#include "tools/worlds/machine_spec_file.hpp"
#include "tools/worlds/platform_loading.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// Loads a platform with the routes of all hosts, because a trace may time any of them.
LoadedPlatform load_all(const std::string& file) {
  catch_stop_signals();
  return load_platform_file(check_platform_file(file), RoutesOf{}, MissingRoutes::note, false);
}

std::string bandwidth_text(const ProbedPlatform& platform, const Route& route) {
  if (route.links.empty()) return "-";
  return quantity_text(copy_speed_of(platform.links, route).bandwidth_bytes_per_s, "B/s");
}

std::string latency_text(const ProbedPlatform& platform, const Route& route) {
  if (route.links.empty()) return "-";
  return quantity_text(copy_speed_of(platform.links, route).latency.value, "s");
}

/// The model, and what it consists of if the platform says that. The model of a part of a GPU says
/// its SMs.
std::string model_text(const ProbedHost& host, const Unit& unit) {
  std::vector<std::string> parts;
  if (!unit.model.empty()) parts.push_back(unit.model);
  const auto sms = host.properties.find("sms");
  if (sms != host.properties.end() && unit.model.find(" SMs") == std::string::npos) {
    parts.push_back(sms->second + " SMs");
  }
  const auto clock = host.properties.find("clock_hz");
  const double hz = clock == host.properties.end() ? 0.0 : std::atof(clock->second.c_str());
  if (hz > 0.0) parts.push_back(quantity_text(hz, "Hz", 4));
  return printable(fmt::format("{}", fmt::join(parts, ", ")));
}

std::string watts_text(std::optional<double> watts) { return watts ? significant(*watts, 4) : "-"; }

std::string links_text(const ProbedPlatform& platform, const Route& route) {
  std::vector<std::string> names;
  for (const std::uint32_t link : route.links) names.push_back(platform.links[link].name);
  return fmt::format("{}", fmt::join(names, " "));
}

Json route_json(const ProbedPlatform& platform, const Route& route) {
  std::vector<std::string> names;
  for (const std::uint32_t link : route.links) names.push_back(platform.links[link].name);
  if (names.empty()) return nullptr;
  const CopySpeed speed = copy_speed_of(platform.links, route);
  return {{"bandwidth_bytes_per_s", speed.bandwidth_bytes_per_s},
          {"latency_s", speed.latency.value},
          {"links", names}};
}

/// The platform as a JSON object, `equipoise.platform-summary/1`.
Json platform_json(const ProbedPlatform& platform, const std::string& file) {
  Json hosts = Json::array();
  for (const ProbedHost& host : platform.hosts) {
    const PlatformUnit unit = unit_from_properties(host.name, host.properties);
    hosts.push_back({{"host", host.name},
                     {"timed_as", unit.trace_unit},
                     {"has_routes", !host.lacks_routes},
                     {"unit", json_of(unit.unit, in_runs)},
                     {"in", route_json(platform, host.in)},
                     {"out", route_json(platform, host.out)}});
  }
  return {{"schema", "equipoise.platform-summary/1"},
          {"file", file},
          {"master", platform.master},
          {"hosts", std::move(hosts)}};
}

/// The hosts whose routes cross a link, by whether their routes have a latency.
struct LinkUsers {
  std::string with_latency;     ///< the first of them; empty: none
  std::string without_latency;  ///< the first of them; empty: none
};

/// Warns of links on which transfers with and without latency meet. SimGrid gives a transfer a
/// share in proportion to 1/latency, and one without latency that of one with 1 s, on FATPIPE
/// links, too.
void warn_of_unequal_sharing(const ProbedPlatform& platform, const std::string& file) {
  std::vector<LinkUsers> users(platform.links.size());
  for (const ProbedHost& host : platform.hosts) {
    for (const Route* const route : {&host.in, &host.out}) {
      const bool has_latency = copy_speed_of(platform.links, *route).latency.value > 0.0;
      for (const std::uint32_t link : route->links) {
        std::string& first = has_latency ? users[link].with_latency : users[link].without_latency;
        if (first.empty()) first = host.name;
      }
    }
  }
  std::optional<std::size_t> worst;
  std::size_t unequal = 0;
  for (std::size_t link = 0; link < users.size(); ++link) {
    if (users[link].with_latency.empty() || users[link].without_latency.empty()) continue;
    ++unequal;
    if (!worst) worst = link;
  }
  if (!worst) return;
  const std::string more =
      unequal == 1 ? "" : fmt::format("; so it is on {}", counted(unequal - 1, "more link"));
  warn(fmt::format(
      "{}: link {} is shared by the routes of {}, which have a latency, and of {}, which have "
      "none; SimGrid treats these like routes of 1 s, so that they get almost nothing beside the "
      "others{}; give all of them a latency, or none",
      file, printable(platform.links[*worst].name, 40), printable(users[*worst].with_latency, 40),
      printable(users[*worst].without_latency, 40), more));
}

/// A file that was written, for `files_json`.
Json written_json(const std::string& file, const char* what, std::size_t units) {
  return {{"file", file}, {"what", what}, {"units", units}};
}

}  // namespace

int platform_check_command(const FileRequest& request) {
  const std::string& file = request.file;
  const ProbedPlatform platform = load_all(file).probed;
  warn_of_unequal_sharing(platform, file);
  if (request.json) return print_json(platform_json(platform, file));
  std::vector<std::string> lacking;
  for (const ProbedHost& host : platform.hosts) {
    static_cast<void>(unit_from_properties(host.name, host.properties));
    if (host.lacks_routes) lacking.push_back(printable(host.name, 40));
  }
  const std::size_t routed = platform.hosts.size() - lacking.size();
  print_out("{}: valid platform: {} that a trace may time, including the master {}\n", file,
            counted(routed, "host"), printable(platform.master));
  if (lacking.empty()) return 0;
  constexpr std::size_t most = 20;
  const std::size_t more = lacking.size() - std::min(lacking.size(), most);
  lacking.resize(lacking.size() - more);
  return print_out(
      "no route to the master and back: {}{}; runs whose trace has times of {} are refused\n",
      fmt::join(lacking, ", "), more == 0 ? "" : fmt::format(" and {} more", more),
      lacking.size() == 1 ? "it" : "one of them");
}

int platform_show_command(const FileRequest& request) {
  const std::string& file = request.file;
  const ProbedPlatform platform = load_all(file).probed;
  if (request.json) return print_json(platform_json(platform, file));
  std::vector<PlatformUnit> units;
  for (const ProbedHost& host : platform.hosts) {
    units.push_back(unit_from_properties(host.name, host.properties));
  }
  const bool has_watts = std::ranges::any_of(
      units, [](const PlatformUnit& unit) { return unit.unit.busy_w.has_value(); });
  std::vector<std::string> columns = {"host",       "kind", "model", "node", "device", "timed as",
                                      "memory GiB", "in",   "delay", "out",  "delay"};
  if (has_watts) columns.insert(columns.end(), {"idle W", "busy W"});
  columns.push_back("links in");
  TextTable table(columns);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const ProbedHost& host = platform.hosts[i];
    const PlatformUnit& unit = units[i];
    std::vector<std::string> row = {
        printable(host.name),
        to_string(unit.unit.kind),
        model_text(host, unit.unit),
        printable(unit.unit.node),
        printable(unit.unit.device),
        unit.trace_unit == host.name ? "" : printable(unit.trace_unit),
        unit.unit.memory_bytes ? fmt::format("{:.3g}", *unit.unit.memory_bytes / 0x1p30) : "-",
        bandwidth_text(platform, host.in),
        latency_text(platform, host.in),
        bandwidth_text(platform, host.out),
        latency_text(platform, host.out)};
    if (has_watts) {
      row.push_back(watts_text(unit.unit.idle_w));
      row.push_back(watts_text(unit.unit.busy_w));
    }
    row.push_back(host.lacks_routes ? "no route" : printable(links_text(platform, host.in), 400));
    table.add(row);
  }
  table.fold();
  return print_out("master: {}\n\n{}", printable(platform.master), table.text());
}

namespace {

/// Whether the times of a trace are modelled, or measured ones that the spec names, or some of
/// both.
std::string source_of_times(const MachineSpec& spec, const TraceChoice& choice) {
  bool any_measured = false;
  bool any_modelled = false;
  for (const MachineFigures& machine : spec.machines) {
    for (const UnitFigures& unit : machine.units) {
      if (!is_timed_here(machine, unit)) continue;
      const bool is_measured = unit.timings.contains(choice.kernel);
      any_measured = any_measured || is_measured;
      any_modelled = any_modelled || !is_measured;
    }
  }
  if (!any_measured) return "modelled";
  return any_modelled ? "measured and modelled" : "measured";
}

}  // namespace

int platform_generate_command(const GenerateRequest& request) {
  const std::string& out = request.out;
  const MachineSpec spec = read_machine_spec(request.file);
  std::vector<WholeFile> files;
  std::string said;
  Json written = Json::array();
  for (const PlatformChoice& choice : spec.platforms) {
    const PlatformDescription platform = machines_platform(spec, choice);
    files.push_back(
        {out + "/" + choice.name + ".xml", readable_platform_xml(platform, choice.where)});
    said +=
        fmt::format("{}: {} of {}\n", files.back().path, counted(platform.hosts.size() - 1, "unit"),
                    counted(choice.machines.size(), "machine"));
    written.push_back(written_json(files.back().path, "platform", platform.hosts.size() - 1));
  }
  for (const TraceChoice& choice : spec.traces) {
    const Trace trace = modelled_trace(spec, choice);
    files.push_back({out + "/" + choice.name + ".jsonl", readable_trace_text(trace, choice.where)});
    said +=
        fmt::format("{}: {} times of {} on {}\n", files.back().path, source_of_times(spec, choice),
                    trace.kernel, counted(trace.units.size(), "unit"));
    written.push_back(written_json(files.back().path, "trace", trace.units.size()));
  }
  expect_no_inputs(paths_of(files), "--out");
  make_folder(out, "--out");
  write_whole_files(files);
  return request.json ? print_json(files_json(std::move(written))) : print_out("{}", said);
}

namespace {

/// One unit for each physical core, `cpu0`, `cpu1`, ..., each with the machine's memory.
PlatformDescription platform_of_this_machine() {
  const Machine& machine = this_machine();
  if (machine.cores == 0)
    throw BackendError("hwloc cannot read this machine; does lstopo run here?");
  std::vector<Unit> units;
  for (int i = 0; i < machine.cores; ++i) {
    Unit& unit = units.emplace_back();
    unit.name = "cpu" + std::to_string(i);
    unit.node = machine.name;
    unit.model = machine.cpu_model;
    unit.memory_bytes = machine.memory_bytes;
  }
  std::string caches;
  for (const std::string& cache : machine.caches) caches += ", " + cache;
  return local_platform(
      units, memory_copy_bytes_per_s(),
      fmt::format(
          "Made by `equipoise platform detect`: {}, {} package(s), {} cores, {} hardware threads, "
          "{} of memory{}.\nThe bandwidth of link `memory` was measured when this file was made: "
          "one thread copying 64 MiB,\nthe best of five. Every core copies by itself (FATPIPE).",
          machine.cpu_model.empty() ? "CPU of unknown model" : machine.cpu_model, machine.packages,
          machine.cores, machine.hardware_threads, binary_size_text(machine.memory_bytes), caches));
}

}  // namespace

int platform_detect_command(const DetectRequest& request) {
  const std::string& out = request.out;
  if (!out.empty()) check_writable(out, "--out");
  PlatformDescription platform = platform_of_this_machine();
  add_gpus(platform, measure_gpus());
  const std::string xml = platform_xml(platform);
  if (!out.empty()) write_whole_file(out, xml);
  const std::size_t units = platform.hosts.size() - 1;
  if (request.json) {
    Json file = written_json(out, "platform", units);
    if (out.empty()) {
      file["file"] = nullptr;
      file["xml"] = xml;
    }
    return print_json(files_json(Json::array({std::move(file)})));
  }
  return out.empty() ? print_out("{}", xml)
                     : print_out("{}: {} units of this machine\n", out, units);
}

}  // namespace equipoise

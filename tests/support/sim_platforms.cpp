// Writes the XML of test platforms and makes simulator setups of them.
#include "tests/support/sim_platforms.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "sim/platform_probe.hpp"

namespace equipoise {
namespace {

/// Files that this process wrote. They are removed when it ends.
struct Written {
  ~Written() {
    for (const std::string& path : paths) std::remove(path.c_str());
  }
  std::vector<std::string> paths;
};

/// Writes a number with 17 digits, so that SimGrid reads exactly the same number.
std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string numbered(const char* word, std::size_t number) {
  std::string name(word);
  name += std::to_string(number);
  return name;
}

std::string link_xml(const std::string& id, double bandwidth, double latency_s,
                     const std::string& sharing, const std::string& more = "") {
  return "<link id=\"" + id + "\" bandwidth=\"" + digits(bandwidth) + "Bps\" latency=\"" +
         digits(latency_s) + "s\" sharing_policy=\"" + sharing + '"' + more + "/>\n";
}

std::string link_ctn(const std::string& id, const std::string& sharing,
                     const std::string& direction) {
  const bool is_duplex = sharing == "SPLITDUPLEX";
  return "<link_ctn id=\"" + id + "\"" + (is_duplex ? " direction=\"" + direction + "\"" : "") +
         "/>";
}

/// The unit whose link that of `unit` is: units of one device have the link of the first.
std::size_t owner_of_link(const TestPlatform& platform, std::size_t unit) {
  const std::string& device = platform.units[unit].device;
  if (device.empty()) return unit;
  return static_cast<std::size_t>(std::ranges::find(platform.units, device, &TestUnit::device) -
                                  platform.units.begin());
}

/// The links that a route crosses. `direction` has an effect on split-duplex links only.
std::string crossed(const TestPlatform& platform, std::size_t unit, const std::string& direction) {
  std::string links;
  if (platform.shared_bandwidth > 0.0) links += link_ctn("shared", platform.sharing, direction);
  const std::size_t owner = owner_of_link(platform, unit);
  const TestUnit& own = platform.units[owner];
  if (own.bandwidth > 0.0) links += link_ctn(numbered("link", owner), own.sharing, direction);
  return links;
}

std::string route_xml(const TestPlatform& platform, std::size_t unit) {
  const std::string host = numbered("u", unit);
  return "<route src=\"master\" dst=\"" + host + "\" symmetrical=\"NO\">" +
         crossed(platform, unit, "DOWN") + "</route>\n<route src=\"" + host +
         "\" dst=\"master\" symmetrical=\"NO\">" + crossed(platform, unit, "UP") + "</route>\n";
}

}  // namespace

std::string platform_xml(const TestPlatform& platform) {
  std::string xml =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n";
  if (!platform.config.empty()) xml += "<config>" + platform.config + "</config>\n";
  xml += "<zone id=\"z\" routing=\"Full\">\n";
  xml += "<host id=\"master\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n";
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    xml += "<host id=\"" + numbered("u", i) + "\" speed=\"1Gf\" core=\"" +
           std::to_string(platform.cores) + "\">";
    if (!platform.watts.empty()) {
      xml += "<prop id=\"wattage_per_state\" value=\"" + platform.watts[i] + "\"/>";
    }
    xml += "</host>\n";
  }
  if (platform.shared_bandwidth > 0.0) {
    xml +=
        link_xml("shared", platform.shared_bandwidth, platform.shared_latency_s, platform.sharing,
                 platform.profile.empty() ? "" : " bandwidth_file=\"" + profile_name(0) + '"');
  }
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    const TestUnit& unit = platform.units[i];
    if (unit.bandwidth > 0.0 && owner_of_link(platform, i) == i) {
      xml += link_xml(numbered("link", i), unit.bandwidth, unit.latency_s, unit.sharing);
    }
  }
  for (std::size_t i = 0; i < platform.units.size(); ++i) {
    if (!crossed(platform, i, "UP").empty()) xml += route_xml(platform, i);
  }
  return xml + "</zone>\n</platform>\n";
}

std::string write_temporary(const std::string& text, const std::string& suffix) {
  std::string path =
      (std::filesystem::temp_directory_path() / "equipoise-XXXXXX").string() + suffix;
  const int fd = ::mkstemps(path.data(), static_cast<int>(suffix.size()));
  EQ_CHECK(fd >= 0, "the temporary directory can be written");
  std::FILE* file = ::fdopen(fd, "w");
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  static Written written;
  return written.paths.emplace_back(std::move(path));
}

Trace affine_trace(const TestUnit& unit) {
  Trace trace;
  trace.source = "modelled";
  trace.units.emplace_back().name = "u";
  for (const double items : {1.0, 1e6}) {
    TraceSample sample;
    sample.items = items;
    sample.compute_mean_s = unit.fixed_s + unit.per_item_s * items;
    if (unit.sd_share > 0.0) {
      sample.is_summary = true;
      sample.count = 100;
      sample.compute_sd_s = unit.sd_share * sample.compute_mean_s;
    }
    trace.samples.push_back(sample);
  }
  return trace;
}

SimSetup sim_setup(const TestPlatform& platform, const std::vector<Workload>& phases) {
  SimSetup setup;
  const std::string xml = platform_xml(platform);
  setup.source = {write_temporary(xml, ".xml"), xml};
  if (!platform.profile.empty()) {
    setup.source.profiles = {platform.profile};
    setup.source.greatest_bandwidths["shared"] = platform.greatest_of_profile;
  }
  setup.platform.master = "master";
  setup.phases = phases;
  setup.noise = false;
  setup.costs.assign(phases.size(), {{}, {}});
  const ProbedPlatform probed = probe_platform(setup.source, [&](const ProbedHost& host) {
    return host.name != "master" && !crossed(platform, std::stoul(host.name.substr(1)), "").empty();
  });
  setup.platform.links = probed.links;
  for (std::size_t i = 1; i < probed.hosts.size(); ++i) {
    const TestUnit& wanted = platform.units[i - 1];
    PlatformUnit unit;
    unit.unit.name = probed.hosts[i].name;
    unit.unit.device = wanted.device;
    unit.unit.node = wanted.node;
    unit.unit.is_remote = !wanted.node.empty();
    unit.unit.copy_engines = wanted.copy_engines;
    unit.unit.memory_bytes = wanted.memory_bytes;
    unit.unit.slots = wanted.slots;
    unit.in = probed.hosts[i].in;
    unit.out = probed.hosts[i].out;
    setup.platform.units.push_back(unit);
  }
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    std::vector<BlockTiming>& timing = setup.timing.emplace_back();
    for (const TestUnit& unit : platform.units) timing.emplace_back(affine_trace(unit), 0);
  }
  return setup;
}

}  // namespace equipoise

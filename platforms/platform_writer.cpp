// Writes platform files.
#include <fmt/format.h>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/markup.hpp"

namespace equipoise {
namespace {

/// Separates double hyphens, which are not allowed in an XML comment.
std::string comment(std::string text) {
  for (std::size_t i = text.find("--"); i != std::string::npos; i = text.find("--", i)) {
    text.replace(i, 2, "- -");
  }
  return text;
}

/// Formats bytes and bytes/s without an exponent.
std::string whole(double value) { return fmt::format("{:.0f}", value); }

void append_host(std::string& xml, const HostDescription& host) {
  xml += fmt::format("    <host id=\"{}\" speed=\"1Gf\"", markup_escaped(host.name));
  if (host.properties.empty()) {
    xml += "/>\n";
    return;
  }
  xml += ">\n";
  for (const auto& [name, value] : host.properties) {
    xml += fmt::format("      <prop id=\"{}\" value=\"{}\"/>\n", markup_escaped(name),
                       markup_escaped(value));
  }
  xml += "    </host>\n";
}

}  // namespace

HostDescription describe_unit(const Unit& unit, const std::string& trace_unit) {
  HostDescription host{.name = unit.name, .properties = {}};
  const auto add = [&host](const char* name, std::string value) {
    host.properties.emplace_back(name, std::move(value));
  };
  add("kind", to_string(unit.kind));
  if (!unit.node.empty()) add("node", unit.node);
  if (!unit.model.empty()) add("model", unit.model);
  if (!unit.device.empty()) add("device", unit.device);
  if (unit.memory_bytes) add("memory_bytes", whole(*unit.memory_bytes));
  if (unit.copy_engines != 1) add("copy_engines", std::to_string(unit.copy_engines));
  if (unit.slots != 1) add("slots", std::to_string(unit.slots));
  if (unit.idle_w && unit.busy_w) {
    add("wattage_per_state", fmt::format("{}:{}", *unit.idle_w, *unit.busy_w));
  }
  if (!trace_unit.empty() && trace_unit != unit.name) add("trace_unit", trace_unit);
  return host;
}

std::string platform_xml(const PlatformDescription& platform) {
  std::string xml =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  if (!platform.comment.empty()) xml += "<!--\n" + comment(platform.comment) + "\n-->\n";
  xml += fmt::format("<platform version=\"4.1\">\n  <zone id=\"{}\" routing=\"Full\">\n",
                     markup_escaped(platform.zone));
  for (const HostDescription& host : platform.hosts) append_host(xml, host);
  for (const Link& link : platform.links) {
    xml += fmt::format("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\"{}/>\n",
                       markup_escaped(link.name), whole(link.bandwidth_bytes_per_s),
                       link.latency.value, link.shared ? "" : " sharing_policy=\"FATPIPE\"");
  }
  for (const RouteDescription& route : platform.routes) {
    xml += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
                       markup_escaped(route.from), markup_escaped(route.to));
    for (const std::string& link : route.links) {
      xml += fmt::format("<link_ctn id=\"{}\"/>", markup_escaped(link));
    }
    xml += "</route>\n";
  }
  return xml + "  </zone>\n</platform>\n";
}

}  // namespace equipoise

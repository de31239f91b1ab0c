// Parses and applies maps from units of traces to hosts.
#include "shared_policies/specs/unit_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {

std::vector<MappedHosts> parse_maps(const std::vector<std::string>& texts,
                                    const std::string& where) {
  std::vector<MappedHosts> maps;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    MappedHosts& map = maps.emplace_back();
    map.trace_unit = text.substr(0, equals);
    for (std::size_t at = equals; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      map.hosts.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    if (!map.trace_unit.empty() && !map.hosts.empty() && std::ranges::count(map.hosts, "") == 0) {
      continue;
    }
    throw InputError(where, "'" + text +
                                "' is no map; write TRACE_UNIT=HOST or "
                                "TRACE_UNIT=HOST,HOST,... (a HOST may have *)");
  }
  return maps;
}

std::optional<std::string> mapped_unit(const std::vector<MappedHosts>& maps,
                                       const std::string& host) {
  const auto find = [&](const auto& means_host) -> std::optional<std::string> {
    for (const MappedHosts& map : maps) {
      if (std::ranges::any_of(map.hosts, means_host)) return map.trace_unit;
    }
    return std::nullopt;
  };
  auto exactly = find([&](const std::string& name) { return name == host; });
  if (exactly) return exactly;
  return find([&](const std::string& pattern) { return !names_like(pattern, {host}).empty(); });
}

void check_maps(const std::vector<MappedHosts>& maps, const std::vector<std::string>& hosts,
                const std::vector<std::string>& trace_units, const std::string& where) {
  std::map<std::pair<std::string, bool>, std::string> unit_of;  // by host, and whether by name
  for (const MappedHosts& map : maps) {
    if (std::ranges::find(trace_units, map.trace_unit) == trace_units.end()) {
      throw InputError(where, unknown_name("unit of the trace", map.trace_unit, trace_units));
    }
    for (const std::string& pattern : map.hosts) {
      const std::vector<std::string> found = names_like(pattern, hosts);
      if (found.empty()) throw InputError(where, unknown_name("host", pattern, hosts));
      const bool is_name = found.front() == pattern;
      for (const std::string& host : found) {
        const auto [known, is_new] = unit_of.emplace(std::pair(host, is_name), map.trace_unit);
        if (is_new || known->second == map.trace_unit) continue;
        throw InputError(where, fmt::format("{} would have the times of {} and of {}; give it one",
                                            host, known->second, map.trace_unit));
      }
    }
  }
}

}  // namespace equipoise

// Which hosts take the times of which unit of a trace, as the user says it: `--map
// cuda0=gpu0,gpu1`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace equipoise {

/// Hosts that take the times of one unit of a trace, instead of the unit that the platform names.
struct MappedHosts {
  std::string trace_unit;
  std::vector<std::string> hosts;  ///< names or patterns of names (`node-*`), at least one
};

/// Parses texts TRACE_UNIT=HOST,HOST,... Throws InputError (at `where`) for any other text.
[[nodiscard]] std::vector<MappedHosts> parse_maps(const std::vector<std::string>& texts,
                                                  const std::string& where);

/// The unit of the trace that times `host`, if `maps` say so: an entry with exactly its name comes
/// before patterns.
[[nodiscard]] std::optional<std::string> mapped_unit(const std::vector<MappedHosts>& maps,
                                                     const std::string& host);

/// Throws InputError (at `where`) if an entry of `maps` means no host of `hosts` or names no unit
/// of `trace_units`, with the nearest name, or if a host would get the times of two units.
void check_maps(const std::vector<MappedHosts>& maps, const std::vector<std::string>& hosts,
                const std::vector<std::string>& trace_units, const std::string& where);

}  // namespace equipoise

// Interprets the host properties of platform files.
#include "platforms/host_properties.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "shared_policies/text/words.hpp"

namespace equipoise {
std::optional<double> number_from(const std::string& text) {
  const auto value = number_of_all<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

namespace {

double not_negative(const std::string& text, const char* property) {
  const std::optional<double> value = number_from(text);
  if (!value || *value < 0.0 || *value > 9.2e18) {
    throw InputError("", fmt::format("property {} must be a number from 0 on, not `{}`; correct it",
                                     property, printable(text)));
  }
  return *value;
}

int whole(const std::string& text, const char* property, int least, int most) {
  const std::optional<double> value = number_from(text);
  if (!value || *value != std::floor(*value) || *value < least || *value > most) {
    throw InputError(
        "", fmt::format("property {} must be a whole number from {} to {}, not `{}`; correct it",
                        property, least, most, printable(text)));
  }
  return static_cast<int>(*value);
}

/// Reads idle and busy watts from SimGrid's "idle:all", "idle:epsilon:all" or "all", for the first
/// state.
void read_watts(const std::string& text, Unit& unit) {
  std::vector<double> watts;
  std::istringstream split(text.substr(0, text.find(',')));
  for (std::string part; std::getline(split, part, ':');) {
    const std::size_t first = part.find_first_not_of(" \t");
    const std::size_t last = part.find_last_not_of(" \t");
    const std::optional<double> value = first == std::string::npos
                                            ? std::nullopt
                                            : number_from(part.substr(first, last - first + 1));
    if (!value || *value < 0.0) watts.clear();
    if (!value || *value < 0.0) break;
    watts.push_back(*value);
  }
  if (watts.empty() || watts.size() > 3) {
    throw InputError("", "property wattage_per_state must be watts as `idle:busy`, not `" +
                             printable(text) + "`; correct it");
  }
  if (watts.back() < watts.front()) {
    throw InputError("", "property wattage_per_state has fewer watts busy than idle, `" +
                             printable(text) + "`; write idle:busy");
  }
  unit.idle_w = watts.front();
  unit.busy_w = watts.back();
}

}  // namespace

void apply_property(const std::string& name, const std::string& value, PlatformUnit& result) {
  Unit& unit = result.unit;
  if (name == "kind") {
    unit.kind = read_unit_kind(printable(value), "");
  } else if (name == "memory_bytes") {
    unit.memory_bytes = not_negative(value, "memory_bytes");
  } else if (name == "copy_engines") {
    unit.copy_engines = whole(value, "copy_engines", 0, 2);
  } else if (name == "slots") {
    unit.slots = whole(value, "slots", 1, 1000000);
  } else if (name == "wattage_per_state") {
    read_watts(value, unit);
  } else if (name == "master") {
    if (value != "true" && value != "false") {
      throw InputError(
          "", "property master must be true or false, not `" + printable(value) + "`; correct it");
    }
  } else if (name == "node") {
    unit.node = value;
  } else if (name == "model") {
    unit.model = value;
  } else if (name == "device") {
    unit.device = value;
  } else if (name == "trace_unit") {
    if (value.empty()) throw InputError("", "property trace_unit is empty; name a unit of a trace");
    result.trace_unit = value;
  }
}

PlatformUnit unit_from_properties(const std::string& host,
                                  const std::map<std::string, std::string>& properties) {
  PlatformUnit result;
  result.unit.name = host;
  result.unit.node = host;
  result.trace_unit = host;
  for (const auto& [name, value] : properties) {
    try {
      apply_property(name, value, result);
    } catch (const InputError& error) {
      throw InputError("host " + printable(host), error.why());
    }
  }
  if (!result.unit.device.empty() && !properties.contains("node")) {
    throw InputError("host " + printable(host),
                     "has the property device but no node; add the property node, because only "
                     "units of one node share a device");
  }
  return result;
}

}  // namespace equipoise

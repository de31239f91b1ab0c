// Parses unit texts with the catalog of unit kinds.
#include "real/unit_spec.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "real/cpu_unit.hpp"
#include "real/cuda/cuda_unit.hpp"
#include "real/emulated/emulated_unit.hpp"
#include "real/machine.hpp"
#include "real/paced_worker.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

/// What can be run here, and what can be done with units that are elsewhere. Says why kinds are
/// absent, except for the kind `said`.
std::string what_there_is(const std::string& said) {
  std::vector<std::string> present;
  std::vector<std::string> absent;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.is_absent() && info.name == said) continue;
    if (info.is_absent()) {
      absent.push_back(fmt::format("; {}: {}", info.name, info.why_absent()));
    } else {
      present.push_back(info.name);
    }
  }
  return fmt::format(
      "kinds that run here: {}{}; a unit that is not here can be simulated (simulate, with a "
      "platform and a trace), take its trace's times (--unit paced,trace_unit=NAME) or be imitated "
      "(--unit emulated,in_bytes_per_s=...)",
      fmt::join(present, ", "), fmt::join(absent, ""));
}

const UnitKindInfo& find_kind(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  // Kinds of units in platforms and traces, which are no kinds of workers.
  const bool is_kind_of_platforms = name == "gpu" || name == "mic";
  throw InputError(where,
                   (is_kind_of_platforms ? fmt::format("'{}' is not a kind of real units", name)
                                         : unknown_name("kind of unit", name, names)) +
                       "; " + what_there_is({}));
}

/// Checks a name. It becomes a host name in platform files and a word in tables, so it may contain
/// letters, digits, `_`, `-` and `.`.
std::string checked_name(const std::string& name, const std::string& where) {
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (std::all_of(name.begin(), name.end(), is_legal)) return name;
  throw InputError(where, fmt::format("'{}' is no name; use letters, digits, '_', '-', '.'", name));
}

UnitSpec make_spec(const Spec& text, const std::string& name, const std::string& where) {
  const UnitKindInfo& kind = find_kind(text.name, where);
  if (kind.is_absent()) {
    throw InputError(where, fmt::format("{}; {}", kind.why_absent(), what_there_is(kind.name)));
  }
  const Parameters read(text.parameters, kind.parameters, text.name, where);
  UnitSpec spec;
  spec.unit.name = checked_name(read.is_given("id") ? read.text("id") : name, where);
  spec.unit.node =
      read.is_given("node") ? checked_name(read.text("node"), where) : this_machine().name;
  spec.unit.slots = static_cast<int>(read.items("slots", 1, 1024));
  if (read.is_given("memory_bytes")) {
    spec.unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  }
  spec.slowdown = read.number("slowdown", 1.0, 1e6);
  spec.factory = kind.make(read, spec.unit, where);
  return spec;
}

}  // namespace

std::vector<ParameterInfo> with_common_parameters(std::vector<ParameterInfo> own,
                                                  const std::string& slots,
                                                  const std::string& memory_bytes) {
  const std::array<ParameterInfo, 5> common = {{
      {"slowdown", "1", "", "work of t seconds keeps the unit busy for slowdown * t seconds"},
      {"slots", slots, "blocks", "how many blocks a policy should keep queued there"},
      {"memory_bytes", memory_bytes, "bytes", "what the unit holds at a time; limits its blocks"},
      {"id", "kind and order", "", "the unit's name in traces, platforms and journals"},
      {"node", "this machine", "", "the name of the node that the unit belongs to"},
  }};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::span<const UnitKindInfo> unit_catalog() {
  static const std::array<UnitKindInfo, 4> rows = {cpu_kind(), cuda_kind(), emulated_kind(),
                                                   paced_kind()};
  return rows;
}

std::vector<UnitSpec> parse_units(const std::vector<std::string>& texts) {
  std::vector<UnitSpec> specs;
  std::map<std::string, int> count_by_kind;
  for (const std::string& text : texts) {
    const std::string where = "--unit " + text;
    const Spec parts = parse_spec(text, ',', where);
    const std::string name = fmt::format("{}{}", parts.name, count_by_kind[parts.name]++);
    UnitSpec spec = make_spec(parts, name, where);
    for (const UnitSpec& other : specs) {
      if (other.unit.name != spec.unit.name) continue;
      throw InputError(
          where, fmt::format("there is a unit '{}' already; give another id=", spec.unit.name));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace equipoise

// Parses unit texts with the catalog of unit kinds.
#include "real/unit_spec.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "real/machine.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/model/parameters.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

const std::string paced_kind = "paced";

const UnitKindInfo& find_kind(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError(where, unknown_name("kind of unit", name, names));
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
  const Parameters read(text.parameters, kind.parameters, text.name, where);
  UnitSpec spec;
  spec.unit.name = checked_name(read.is_given("id") ? read.text("id") : name, where);
  spec.unit.kind = UnitKind::cpu;
  spec.unit.node =
      read.is_given("node") ? checked_name(read.text("node"), where) : this_machine().name;
  spec.unit.slots = static_cast<int>(read.items("slots", 1, 1024));
  if (read.is_given("memory_bytes")) {
    spec.unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  }
  spec.slowdown = read.number("slowdown", 1.0, 1e6);
  if (text.name == paced_kind) {
    if (!read.is_given("trace_unit")) {
      throw InputError(where, "a paced unit needs a unit of a trace; give trace_unit=");
    }
    spec.threads = 0;
    spec.trace_unit = read.text("trace_unit");
    spec.unit.copy_engines = static_cast<int>(read.items("copy_engines", 0, 2));
  } else {
    spec.threads = static_cast<int>(read.items("threads", 1, 1024));
    spec.unit.model = this_machine().cpu_model;
    spec.unit.copy_engines = 0;
  }
  return spec;
}

}  // namespace

std::span<const UnitKindInfo> unit_catalog() {
  const ParameterInfo slowdown{"slowdown", "1", "",
                               "work of t seconds keeps the unit busy for slowdown * t seconds"};
  const ParameterInfo slots{"slots", "1", "blocks",
                            "how many blocks a policy should keep queued there"};
  const ParameterInfo memory{"memory_bytes", "no limit", "bytes",
                             "what the unit holds at a time; limits its blocks"};
  const ParameterInfo id{"id", "kind and order", "",
                         "the unit's name in traces, platforms and journals"};
  const ParameterInfo node{"node", "this machine", "",
                           "the name of the node that the unit belongs to"};
  static const std::array<UnitKindInfo, 2> rows = {{
      {"cpu",
       "CPU cores of this machine, one thread on each",
       {{"threads", "1", "", "how many cores; a block is computed by all of them together"},
        slowdown,
        slots,
        memory,
        id,
        node}},
      {paced_kind,
       "computes nothing and takes as long as a trace says, in real time",
       {{"trace_unit", "", "", "which unit of the traces times it; required"},
        slowdown,
        {"copy_engines", "1", "", "0: no stages overlap; 1 or 2: how many copies go on at a time"},
        slots,
        memory,
        id,
        node}},
  }};
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

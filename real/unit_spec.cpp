// Reads unit texts against the catalog of unit kinds.
#include "real/unit_spec.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "real/machine.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/parameters.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

const UnitKindInfo& find_kind(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError(where, unknown_name("kind of unit", name, names));
}

/// A name becomes a host's in platform files and a word in tables: letters, digits, `_`, `-`, `.`.
std::string checked_name(const std::string& name, const std::string& where) {
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (std::all_of(name.begin(), name.end(), is_legal)) return name;
  throw InputError(where, fmt::format("'{}' is no name; use letters, digits, '_', '-', '.'", name));
}

UnitSpec make_spec(const Spec& text, const std::string& name, const std::string& where) {
  const Parameters read(text.parameters, find_kind(text.name, where).parameters, text.name, where);
  UnitSpec spec;
  spec.unit.name = checked_name(read.is_given("id") ? read.text("id") : name, where);
  spec.unit.kind = UnitKind::cpu;
  spec.unit.node =
      read.is_given("node") ? checked_name(read.text("node"), where) : this_machine().name;
  spec.unit.model = this_machine().cpu_model;
  spec.unit.slots = static_cast<int>(read.items("slots", 1, 1024));
  if (read.is_given("memory_bytes")) {
    spec.unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  }
  spec.threads = static_cast<int>(read.items("threads", 1, 1024));
  spec.slowdown = read.number("slowdown", 1.0, 1e6);
  return spec;
}

}  // namespace

std::span<const UnitKindInfo> unit_catalog() {
  static const std::array<UnitKindInfo, 1> rows = {{
      {"cpu",
       "CPU cores of this machine, one thread on each",
       {{"threads", "1", "", "how many cores; a block is computed by all of them together"},
        {"slowdown", "1", "", "a unit that is really busy t seconds stays taken this many times t"},
        {"slots", "1", "blocks", "how many blocks a policy should keep queued there"},
        {"memory_bytes", "no limit", "bytes", "what the unit holds at a time; limits its blocks"},
        {"id", "kind and order", "", "the unit's name in traces, platforms and journals"},
        {"node", "this machine", "", "the name of the node that the unit belongs to"}}},
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

// Parses unit texts with the catalog of unit kinds, and asks the units' factories what they can
// compute and how much memory they need.
#include "real/unit_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "real/machine.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"

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
      "kinds that run here: {}{}; a GPU that is not here can be simulated (equipoise simulate, "
      "with "
      "a platform and a trace), paced by the times of its trace (--unit paced,trace_unit=NAME) or "
      "imitated by CPU cores (--unit emulated,in_bytes_per_s=...)",
      fmt::join(present, ", "), fmt::join(absent, ""));
}

const UnitKindInfo& find_kind(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  // Kinds of units in platforms and traces, which are no kinds of workers.
  std::string why = unknown_name("kind of unit", name, names);
  if (name == "gpu") why = "a GPU of this machine is --unit cuda";
  if (name == "mic") why = "there are no real units of the kind mic";
  throw InputError(where, why + "; " + what_there_is({}));
}

/// The unit that `text` requests; `name` is its name unless the user gave one.
UnitRequest make_request(const UnitKindInfo& kind, const Spec& text, const std::string& name,
                         const std::string& where) {
  const Parameters read(text.parameters, kind.parameters, text.name, where);
  Unit unit;
  unit.name = checked_name(read.is_given("id") ? read.text("id") : name, where);
  unit.node = read.is_given("node") ? checked_name(read.text("node"), where) : this_machine().name;
  unit.slots = static_cast<int>(read.items("slots", 1, 1024));
  if (read.is_given("memory_bytes")) unit.memory_bytes = read.number("memory_bytes", 1.0, 1e18);
  UnitRequest request{read, where, unit, read.number("slowdown", 1.0, 1e6)};
  if (kind.check != nullptr) kind.check(request);
  if (kind.is_absent()) {
    throw InputError(where, fmt::format("{}; {}", kind.why_absent(), what_there_is(kind.name)));
  }
  return request;
}

/// All units of one kind on a command line.
struct UnitsOfKind {
  const UnitKindInfo* kind;
  std::vector<UnitRequest> requests;
  std::vector<std::size_t> places;  ///< which units they are on the command line
};

}  // namespace

std::string checked_name(const std::string& name, const std::string& where) {
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (std::all_of(name.begin(), name.end(), is_legal)) return name;
  throw InputError(where, fmt::format("'{}' is no name; use letters, digits, '_', '-', '.'", name));
}

std::vector<ParameterInfo> with_common_parameters(std::vector<ParameterInfo> own,
                                                  const std::string& slots,
                                                  const std::string& memory_bytes) {
  const std::array<ParameterInfo, 5> common = {{
      {"slowdown", "1", "", "work of t seconds keeps the unit busy for slowdown * t seconds"},
      {"slots", slots, "blocks", "how many blocks a policy should keep queued there"},
      {"memory_bytes", memory_bytes, "bytes", "what the unit holds at a time; limits its blocks"},
      {"id", "kind and order", "", "the unit's name in traces, platforms and run files"},
      {"node", "this machine", "", "the name of the node that the unit belongs to"},
  }};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::span<const UnitKindInfo> unit_catalog() {
  static const std::array<UnitKindInfo, 5> rows = {cpu_kind(), cuda_kind(), emulated_kind(),
                                                   external_kind(), paced_kind()};
  return rows;
}

std::vector<Gpu> usable_gpus() {
  std::vector<Gpu> all;
  for (const UnitKindInfo& info : unit_catalog()) {
    if (info.gpus == nullptr || info.is_absent()) continue;
    const std::vector<Gpu> gpus = info.gpus();
    all.insert(all.end(), gpus.begin(), gpus.end());
  }
  return all;
}

std::vector<Gpu> gpus_of(std::span<const UnitSpec> units) {
  std::vector<Gpu> gpus;
  for (const UnitSpec& spec : units) {
    const std::optional<Gpu> gpu = spec.factory->gpu();
    if (gpu && std::ranges::find(gpus, gpu->name, &Gpu::name) == gpus.end()) gpus.push_back(*gpu);
  }
  return gpus;
}

std::vector<UnitSpec> parse_units(const std::vector<std::string>& texts) {
  std::vector<UnitsOfKind> kinds;
  std::set<std::string> names;
  for (std::size_t place = 0; place < texts.size(); ++place) {
    const std::string where = "--unit " + texts[place];
    const Spec parts = parse_spec(texts[place], ',', where);
    const UnitKindInfo& kind = find_kind(parts.name, where);
    auto same = std::ranges::find(kinds, &kind, &UnitsOfKind::kind);
    if (same == kinds.end()) same = kinds.insert(same, {&kind, {}, {}});
    const std::string name = fmt::format("{}{}", kind.name, same->requests.size());
    same->requests.push_back(make_request(kind, parts, name, where));
    same->places.push_back(place);
    const std::string& given = same->requests.back().unit.name;
    if (!names.insert(given).second) {
      throw InputError(where, fmt::format("there is a unit '{}' already; give another id=", given));
    }
  }
  std::vector<UnitSpec> specs(texts.size());
  for (UnitsOfKind& of : kinds) {
    const UnitFactories factories = of.kind->make(of.requests);
    for (std::size_t i = 0; i < factories.size(); ++i) {
      const UnitRequest& request = of.requests[i];
      specs[of.places[i]] = {request.unit, request.slowdown, factories[i]};
    }
  }
  return specs;
}

void check_programs(std::span<const std::unique_ptr<Kernel>> phases,
                    std::span<const UnitSpec> units) {
  for (const auto& kernel : phases) {
    if (!kernel) continue;
    for (const UnitSpec& spec : units) {
      if (!spec.computes()) continue;
      if (!spec.factory->has_program(*kernel)) {
        throw InputError("--unit",
                         fmt::format("{} has no program for {}; leave the unit out, or choose "
                                     "another kernel",
                                     spec.unit.name, kernel->workload().kernel));
      }
      const std::string why = kernel->why_not_on(spec.unit.name);
      if (!why.empty()) throw InputError("--unit", why);
    }
  }
}

void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where) {
  double needed_bytes = 0.0;
  for (const auto& kernel : phases) needed_bytes += kernel ? kernel->host_bytes() : 0.0;
  for (const UnitSpec& spec : units) {
    // One phase after another has its data on the unit, or beside it.
    double unit_bytes = 0.0;
    double streamed_bytes = 0.0;
    for (const auto& kernel : phases) {
      if (!kernel) continue;
      const Workload& workload = kernel->workload();
      const double bytes = spec.factory->host_bytes(spec.unit, workload);
      const bool streams = streamed_data(spec.unit, workload).has_value();
      const double streamed = streams ? std::min(bytes, workload.bytes_kept()) : 0.0;
      unit_bytes = std::max(unit_bytes, bytes - streamed);
      streamed_bytes = std::max(streamed_bytes, streamed);
    }
    needed_bytes += unit_bytes + streamed_bytes;
  }
  if (needed_bytes <= available_bytes) return;
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  throw InputError(where, fmt::format("needs {:.3g} GiB of memory with its units' own buffers, "
                                      "{:.3g} GiB are there; give a smaller size, or units with "
                                      "memory_bytes=",
                                      needed_bytes / gibibyte, available_bytes / gibibyte));
}

}  // namespace equipoise

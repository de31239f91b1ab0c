// `equipoise list policies|kernels|units|devices [NAME]`: policies in a line each; kernels, kinds
// of units, or the one called NAME with every parameter, default and source (of NAME:k=v,... also
// the given values); the GPUs, their libraries and the meters of this machine; and the devices
// whose figures are known, for machine specs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/data_sheets.hpp"
#include "real/kernels/catalog.hpp"
#include "real/meters/meter.hpp"
#include "real/mpi/mpi_module.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/json_values.hpp"
#include "tools/runs/loaded_policy.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/worlds/recorded_platform.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// An entry of any catalog.
struct Entry {
  std::string name;
  std::string line;
  std::vector<std::string> knows;  ///< what it knows beforehand: names of fields of results
  std::string source;              ///< may be empty
  std::span<const ParameterInfo> parameters;
  std::string why_absent{};  ///< on this build or machine; empty if it is there
  std::span<const Preset> presets{};
  bool uses_experience = false;
  TypedParameters
      given{};  ///< values that were typed with its name, and those of the preset among them
};

/// The origin of a policy, and what its paper says of the time that decisions take.
std::string source_of(const PolicyInfo& policy) {
  std::string text = policy.source;
  if (policy.paper_decision_s == 0.0) return text;
  const bool is_of_run = policy.is_paper_time_of_run;
  text += fmt::format("; --decision-cost paper: {} a {}",
                      quantity_text(policy.paper_decision_s, "s"), is_of_run ? "run" : "decision");
  for (const auto& [kernel, seconds] : policy.paper_decisions_s) {
    text += fmt::format(", {} for {}", quantity_text(seconds, "s"), kernel);
  }
  if (is_of_run) text += "; all of it with the first decision, because the paper prints totals";
  return text;
}

constexpr const char* knows_costs_field = "knows_costs";

/// "knows mean times, knows costs"
std::string mark_of(const Entry& entry) {
  std::vector<std::string> words;
  for (const std::string& field : entry.knows) words.push_back(term(field).word);
  return fmt::format("{}", fmt::join(words, ", "));
}

Entry entry_of(const PolicyInfo& p) {
  std::vector<std::string> knows;
  if (p.foresight == Foresight::oracle) knows.emplace_back("oracle");
  if (p.foresight == Foresight::informed) knows.emplace_back("informed");
  if (p.knows_costs) knows.emplace_back(knows_costs_field);
  return {p.name, p.line, knows, source_of(p), p.parameters, {}, p.presets, p.uses_experience};
}

std::vector<Entry> entries(const std::string& what) {
  std::vector<Entry> all;
  if (what == "policies") {
    for (const PolicyInfo& p : policy_catalog()) all.push_back(entry_of(p));
  } else if (what == "kernels") {
    for (const KernelInfo& k : kernel_catalog()) {
      all.push_back({k.name, k.line, {}, "", k.parameters});
    }
  } else if (what == "units") {
    for (const UnitKindInfo& u : unit_catalog()) {
      all.push_back({u.name, u.line, {}, "", u.parameters, u.why_absent()});
    }
  } else {
    throw InputError("list",
                     what.empty()
                         ? "say what: policies, kernels, units or devices"
                         : unknown_name("list", what, {"policies", "kernels", "units", "devices"}));
  }
  return all;
}

/// The entry of a policy that is spelled as for --policy.
Entry spelled_entry(const std::string& spelling) {
  const PolicyChoice choice = parse_policy(spelling, "list");
  const PolicyInfo& info = *choice.info;
  Entry entry = entry_of(info);
  entry.given = with_preset(info, choice.parameters);
  if (choice.knows_costs() && !info.knows_costs) entry.knows.emplace_back(knows_costs_field);
  static_cast<void>(Parameters(entry.given, info.parameters, info.name, "list"));
  return entry;
}

/// Leaves only the entry called `name`. Throws InputError, which suggests the nearest name, if
/// there is none.
void keep_only(const std::string& name, const std::string& what, std::vector<Entry>& all) {
  std::vector<std::string> known;
  for (const Entry& entry : all) known.push_back(entry.name);
  std::erase_if(all, [&](const Entry& entry) { return entry.name != name; });
  if (!all.empty()) return;
  const std::string one = what == "policies" ? "policy" : what.substr(0, what.size() - 1);
  throw InputError("list", unknown_name(one, name, known));
}

std::string values_text(const Preset& preset) {
  std::string text;
  for (const auto& [name, value] : preset.values) {
    text += (text.empty() ? "" : ",") + name + "=" + value;
  }
  return text;
}

Json preset_json(const Preset& preset) {
  Json values = Json::object();
  for (const auto& [name, value] : preset.values) values[name] = json_of(parameter_fact(value));
  return {{"name", preset.name}, {"line", preset.line}, {"parameters", std::move(values)}};
}

const std::string experience_mark = "uses --experience";

/// A line for each policy; `list policies NAME` has everything else.
void print_overview(const std::vector<Entry>& policies) {
  TextTable table({"policy", "what it does", "remarks"});
  std::vector<std::string> takes_costs;
  for (const Entry& policy : policies) {
    if (std::ranges::count(policy.parameters, "costs", &ParameterInfo::name) > 0) {
      takes_costs.push_back(policy.name);
    }
    std::string remarks = mark_of(policy);
    if (policy.uses_experience) remarks += (remarks.empty() ? "" : ", ") + experience_mark;
    table.add({policy.name, policy.line, remarks});
  }
  print_out(
      "{}\n{}\n"
      "backup=on, with any policy: idle units do overdue blocks again when nothing else is left\n"
      "costs=known, with {}: divides what the items cost, not their number\n"
      "parameters, defaults, presets and sources of a policy: equipoise list policies NAME\n",
      table.text(), legend({"informed", "oracle", knows_costs_field}),
      fmt::join(takes_costs, " and "));
}

/// A parameter: its default and unit, its meaning, and where the default comes from; before the
/// default the given value, if any.
std::string parameter_text(const ParameterInfo& p, const TypedParameters& given) {
  const std::string usual = p.default_text.empty() ? "none" : p.default_text;
  const auto typed = given.find(p.name);
  const std::string value = typed == given.end() ? usual : typed->second;
  const std::string head =
      fmt::format("{}={}", styled(p.name, Style::heading, OutputStream::out), value);
  std::string text = fmt::format("  {}{}{}\n", head, p.unit.empty() ? "" : " (" + p.unit + ")",
                                 typed == given.end() ? "" : "; default: " + usual);
  constexpr std::size_t indent = 6;
  const std::string blank(indent, ' ');
  text += blank + wrapped(p.meaning, indent);
  if (!p.source.empty()) text += blank + wrapped("default from: " + p.source, indent);
  return text;
}

void print_text(const Entry& entry) {
  std::string text = styled(entry.name, Style::heading, OutputStream::out);
  if (!entry.knows.empty()) text += fmt::format("  [{}]", mark_of(entry));
  if (!entry.why_absent.empty()) text += ": " + entry.why_absent;
  text += "\n  " + wrapped(entry.line, 2);
  if (!entry.source.empty()) text += "  " + wrapped("source: " + entry.source, 2);
  if (!entry.parameters.empty()) text += "\n";
  for (const ParameterInfo& one : entry.parameters) text += parameter_text(one, entry.given);
  for (const Preset& preset : entry.presets) {
    text += fmt::format("\n  preset={}\n      {}      {}\n", preset.name, wrapped(preset.line, 6),
                        values_text(preset));
  }
  print_out("{}\n", text);
}

Json entry_json(const Entry& entry) {
  Json parameters = Json::array();
  for (const ParameterInfo& p : entry.parameters) {
    Json one = {
        {"name", p.name},
        {"default", p.default_text.empty() ? Json() : json_of(parameter_fact(p.default_text))},
        {"unit", p.unit},
        {"meaning", p.meaning},
        {"source", p.source}};
    const auto given = entry.given.find(p.name);
    if (given != entry.given.end()) one["given"] = json_of(parameter_fact(given->second));
    parameters.push_back(std::move(one));
  }
  const auto knows = [&](const char* field) { return std::ranges::count(entry.knows, field) > 0; };
  Json presets = Json::array();
  for (const Preset& preset : entry.presets) presets.push_back(preset_json(preset));
  return {{"name", entry.name},
          {"line", entry.line},
          {"informed", knows("informed") || knows("oracle")},
          {"oracle", knows("oracle")},
          {"knows_costs", knows(knows_costs_field)},
          {"uses_experience", entry.uses_experience},
          {"source", entry.source},
          {"why_absent", text_or_null(entry.why_absent)},
          {"parameters", std::move(parameters)},
          {"presets", std::move(presets)}};
}

/// What units of other machines are reached by.
std::string mpi_line() {
  const std::optional<std::string> mpi = mpi_version();
  return mpi ? *mpi + ": units of several machines, by mpirun -n RANKS equipoise run ..."
             : "no MPI: units of this machine only; install Open MPI (libopenmpi-dev, openmpi-bin) "
               "and build again for those of several";
}

/// The libraries that units use on this machine.
std::vector<std::string> library_lines() {
  std::vector<std::string> lines = {mpi_line()};
  for (const UnitKindInfo& kind : unit_catalog()) {
    if (kind.libraries == nullptr || kind.is_absent()) continue;
    for (std::string& line : kind.libraries()) lines.push_back(std::move(line));
  }
  return lines;
}

/// The entries as a JSON object, `equipoise.list/1`; of all kinds of units also what this machine
/// has.
Json list_json(const std::string& what, const std::string& name, const std::vector<Entry>& all) {
  Json list = Json::array();
  for (const Entry& entry : all) list.push_back(entry_json(entry));
  Json json = {{"schema", "equipoise.list/1"}, {what, std::move(list)}};
  if (what == "units" && name.empty()) {
    json["gpus"] = gpu_lines();
    json["libraries"] = library_lines();
    json["meters"] = meters_text(machine_meters(usable_gpus()));
  }
  return json;
}

// Devices.

std::string number_text(std::optional<double> value, double unit) {
  return value && *value > 0.0 ? fmt::format("{:.4g}", *value / unit) : "-";
}

void print_table(const std::vector<DataSheet>& sheets) {
  TextTable table({"device", "kind", "cores", "single TFLOP/s", "double TFLOP/s", "memory GiB",
                   "memory GB/s", "bus GB/s", "TDP W"});
  for (const DataSheet& sheet : sheets) {
    table.add({sheet.name, to_string(sheet.kind), fmt::format("{}", sheet.cores),
               number_text(sheet.single_flop_per_s, 1e12),
               number_text(sheet.double_flop_per_s, 1e12), number_text(sheet.memory_bytes, 0x1p30),
               number_text(sheet.memory_bytes_per_s, 1e9),
               number_text(sheet.bus_bytes_per_s(), 1e9), number_text(sheet.tdp_w, 1.0)});
  }
  print_out(
      "{}\n"
      "single, double: peak without tensor cores; of a CPU, at its base clock. bus: PCI Express,\n"
      "each direction. In a machine spec (platforms/README.md): \"data_sheet\": \"NAME\"\n"
      "sources and more of one device: equipoise list devices NAME\n",
      table.text());
}

void print_one(const DataSheet& sheet) {
  print_out(
      "{}  {}\n"
      "  kind              {}, {} cores\n"
      "  peak              {} TFLOP/s single, {} TFLOP/s double precision\n"
      "  memory            {} GiB, {} GB/s\n",
      sheet.name, sheet.model, to_string(sheet.kind), sheet.cores,
      number_text(sheet.single_flop_per_s, 1e12), number_text(sheet.double_flop_per_s, 1e12),
      number_text(sheet.memory_bytes, 0x1p30), number_text(sheet.memory_bytes_per_s, 1e9));
  if (sheet.pci_generation > 0) {
    print_out("  PCI Express       generation {}, 16 lanes: {} GB/s in each direction\n",
              sheet.pci_generation, number_text(sheet.bus_bytes_per_s(), 1e9));
  }
  if (sheet.nvlink_bytes_per_s) {
    print_out("  NVLink            {} GB/s, both directions together (not used)\n",
              number_text(sheet.nvlink_bytes_per_s, 1e9));
  }
  print_out("  TDP               {} W\n  source            {}\n", number_text(sheet.tdp_w, 1.0),
            sheet.source);
}

Json device_json(const DataSheet& sheet) {
  const double bus = sheet.bus_bytes_per_s();
  return {{"name", sheet.name},
          {"kind", to_string(sheet.kind)},
          {"model", sheet.model},
          {"cores", static_cast<double>(sheet.cores)},  // written as 16.0, like the other figures
          {"single_flop_per_s", sheet.single_flop_per_s},
          {"double_flop_per_s", json_of(sheet.double_flop_per_s)},
          {"memory_bytes", json_of(sheet.memory_bytes)},
          {"memory_bytes_per_s", sheet.memory_bytes_per_s},
          {"bus_bytes_per_s", bus > 0.0 ? Json(bus) : Json()},
          {"nvlink_bytes_per_s", json_of(sheet.nvlink_bytes_per_s)},
          {"tdp_w", sheet.tdp_w},
          {"source", sheet.source}};
}

int list_devices(const ListRequest& request) {
  const std::string& name = request.name;
  const std::vector<DataSheet> sheets =
      name.empty() ? data_sheets() : std::vector{find_data_sheet(name, "list")};
  if (request.json) {
    Json list = Json::array();
    for (const DataSheet& sheet : sheets) list.push_back(device_json(sheet));
    print_json({{"schema", "equipoise.list/1"}, {"devices", std::move(list)}});
  } else if (name.empty()) {
    print_table(sheets);
  } else {
    print_one(sheets.front());
  }
  return 0;
}

}  // namespace

int list_command(const ListRequest& request) {
  const std::string& what = request.what;
  const std::string& name = request.name;
  if (what == "devices") return list_devices(request);
  std::vector<Entry> all = entries(what);
  if (what == "policies" && (is_policy_library(name) || name.find(':') != std::string::npos)) {
    all = {spelled_entry(name)};
  } else if (!name.empty()) {
    keep_only(name, what, all);
  }
  if (request.json) return print_json(list_json(what, name, all));
  if (what == "policies" && name.empty()) {
    print_overview(all);
    return 0;
  }
  for (const Entry& entry : all) print_text(entry);
  if (what == "units" && name.empty()) {
    for (const std::string& line : gpu_lines()) print_out("GPU {}\n", line);
    for (const std::string& line : library_lines()) print_out("{}\n", line);
    print_out("meters: {}\n", meters_text(machine_meters(usable_gpus())));
  }
  return 0;
}

}  // namespace equipoise

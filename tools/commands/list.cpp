// `equipoise list policies|kernels|units [NAME]`: lists policies in a line each, kernels and units,
// or one of them, with every parameter, default and source (of NAME:k=v,... also the given values),
// and the GPUs, their libraries and the meters of this machine.
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/meters/meter.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/commands/commands.hpp"
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
  std::string mark;    ///< what it knows beforehand, or empty
  std::string source;  ///< may be empty
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

Entry entry_of(const PolicyInfo& p) {
  const std::string mark = p.foresight == Foresight::oracle     ? term("oracle").word
                           : p.foresight == Foresight::informed ? term("informed").word
                                                                : "";
  return {p.name, p.line, mark, source_of(p), p.parameters, {}, p.presets, p.uses_experience};
}

std::vector<Entry> entries(const std::string& what) {
  std::vector<Entry> all;
  if (what == "policies") {
    for (const PolicyInfo& p : policy_catalog()) all.push_back(entry_of(p));
  } else if (what == "kernels") {
    for (const KernelInfo& k : kernel_catalog()) {
      all.push_back({k.name, k.line, "", "", k.parameters});
    }
  } else if (what == "units") {
    for (const UnitKindInfo& u : unit_catalog()) {
      all.push_back({u.name, u.line, "", "", u.parameters, u.why_absent()});
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
  if (is_policy_library(spelling)) return entry_of(load_policy(spelling).info);
  const PolicyChoice choice = parse_policy(spelling, "list");
  const PolicyInfo& info = *choice.info;
  Entry entry = entry_of(info);
  entry.given = with_preset(info, choice.parameters);
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
  for (const Entry& policy : policies) {
    std::string remarks = policy.mark;
    if (policy.uses_experience) remarks += (remarks.empty() ? "" : ", ") + experience_mark;
    table.add({policy.name, policy.line, remarks});
  }
  std::printf("%s\n", table.text().c_str());
  std::printf("%s", legend({"informed", "oracle"}).c_str());
  std::printf(
      "\nbackup=on, with any policy: idle units do overdue blocks again when nothing else is left\n"
      "parameters, defaults, presets and sources of a policy: equipoise list policies NAME\n");
}

/// A parameter: its default and unit, its meaning, and where the default comes from; before the
/// default the given value, if any.
std::string parameter_text(const ParameterInfo& p, const TypedParameters& given) {
  const std::string usual = p.default_text.empty() ? "none" : p.default_text;
  const auto typed = given.find(p.name);
  const std::string value = typed == given.end() ? usual : typed->second;
  const std::string head = fmt::format("{}={}", styled(p.name, Style::heading, Stream::out), value);
  std::string text = fmt::format("  {}{}{}\n", head, p.unit.empty() ? "" : " (" + p.unit + ")",
                                 typed == given.end() ? "" : "; default: " + usual);
  constexpr std::size_t indent = 6;
  const std::string blank(indent, ' ');
  text += blank + wrapped(p.meaning, indent);
  if (!p.source.empty()) text += blank + wrapped("default from: " + p.source, indent);
  return text;
}

void print_text(const Entry& entry) {
  std::string text = styled(entry.name, Style::heading, Stream::out);
  if (!entry.mark.empty()) text += fmt::format("  [{}]", entry.mark);
  if (!entry.why_absent.empty()) text += ": " + entry.why_absent;
  text += "\n  " + wrapped(entry.line, 2);
  if (!entry.source.empty()) text += "  " + wrapped("source: " + entry.source, 2);
  if (!entry.parameters.empty()) text += "\n";
  for (const ParameterInfo& one : entry.parameters) text += parameter_text(one, entry.given);
  for (const Preset& preset : entry.presets) {
    text += fmt::format("\n  preset={}\n      {}      {}\n", preset.name, wrapped(preset.line, 6),
                        values_text(preset));
  }
  std::printf("%s\n", text.c_str());
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
  Json presets = Json::array();
  for (const Preset& preset : entry.presets) presets.push_back(preset_json(preset));
  return {{"name", entry.name},
          {"line", entry.line},
          {"informed", !entry.mark.empty()},
          {"oracle", entry.mark == "oracle"},
          {"uses_experience", entry.uses_experience},
          {"source", entry.source},
          {"why_absent", text_or_null(entry.why_absent)},
          {"parameters", std::move(parameters)},
          {"presets", std::move(presets)}};
}

/// The libraries that kinds of units use on this machine.
std::vector<std::string> library_lines() {
  std::vector<std::string> lines;
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

}  // namespace

int list_command(const ListRequest& request) {
  const std::string& what = request.what;
  const std::string& name = request.name;
  if (what == "devices") return list_devices_command(request);
  std::vector<Entry> all = entries(what);
  if (what == "policies" && (is_policy_library(name) || name.find(':') != std::string::npos)) {
    all = {spelled_entry(name)};
  } else if (!name.empty()) {
    keep_only(name, what, all);
  }
  if (request.json) {
    std::printf("%s\n", line_of(list_json(what, name, all)).c_str());
    return 0;
  }
  if (what == "policies" && name.empty()) {
    print_overview(all);
    return 0;
  }
  for (const Entry& entry : all) print_text(entry);
  if (what == "units" && name.empty()) {
    for (const std::string& line : gpu_lines()) std::printf("GPU %s\n", line.c_str());
    for (const std::string& line : library_lines()) std::printf("%s\n", line.c_str());
    std::printf("meters: %s\n", meters_text(machine_meters(usable_gpus())).c_str());
  }
  return 0;
}

}  // namespace equipoise

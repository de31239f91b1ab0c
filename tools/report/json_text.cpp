// Writes run files and results in JSON.
#include "tools/report/json_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "real/machine.hpp"
#include "shared_policies/run/losses.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/version.hpp"
#include "traces/experience_file.hpp"

namespace equipoise {
namespace {

using Json = nlohmann::ordered_json;

Json workload_json(const Workload& w) {
  return {{"kernel", w.kernel},
          {"items", w.items},
          {"grain_items", w.grain_items},
          {"iterations", w.iterations},
          {"in_bytes_per_item", w.in_bytes_per_item},
          {"out_bytes_per_item", w.out_bytes_per_item},
          {"resident_bytes", w.resident_bytes},
          {"distribution", to_string(w.distribution)},
          {"iteration_bytes", w.iteration_bytes},
          {"resident_memory_bytes", w.bytes_kept()},
          {"memory_bytes_per_item", w.memory_bytes_per_item},
          {"flop_per_item", w.flop_per_item},
          {"parameters", w.parameters}};
}

Json machine_json() {
  const Machine& machine = this_machine();
  return {{"name", machine.name},
          {"cpu", machine.cpu_model},
          {"hardware_threads", machine.threads.size()},
          {"memory_bytes", machine.memory_bytes}};
}

/// Null if the energy is unknown.
Json source_json(EnergySource source) {
  return source == EnergySource::unknown ? Json() : Json(to_string(source));
}

/// The loss over the bound and what of it each cause took; null if it is not known.
Json loss_json(const std::optional<Losses>& loss) {
  if (!loss) return {};
  Json json = {{"total", total(*loss).value}};
  for (const LossCause& cause : loss_causes) json[cause.name] = (*loss.*cause.member).value;
  return json;
}

Json by_unit(const std::vector<std::string>& units, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) json[units[i]] = values[i];
  return json;
}

Json by_unit(const std::vector<std::string>& units,
             const std::vector<std::optional<double>>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) json[units[i]] = optional_json(values[i]);
  return json;
}

/// The items and shares of each unit in each phase of one run; null for a run of one phase.
Json phases_json(const RunNumbers& n, const std::vector<std::string>& units) {
  if (n.phases.size() < 2) return {};
  Json phases = Json::array();
  for (const std::vector<UnitInPhase>& phase : n.phases) {
    Json by = Json::object();
    for (std::size_t i = 0; i < units.size(); ++i) {
      by[units[i]] = {{"items", phase[i].items},
                      {"share", share_of(phase, i)},
                      {"blocks", phase[i].blocks},
                      {"last_end_s", phase[i].last_end.value}};
    }
    phases.push_back({{"end_s", end_of(phase).value}, {"by_unit", std::move(by)}});
  }
  return phases;
}

/// The shares of each unit in each phase, as means over many runs; null for runs of one phase.
Json phases_json(const std::vector<PhaseResult>& results, const std::vector<std::string>& units) {
  if (results.size() < 2) return {};
  Json phases = Json::array();
  double begin_s = 0.0;
  for (const PhaseResult& phase : results) {
    phases.push_back({{"end_s", phase.end_s},
                      {"duration_s", phase.end_s - begin_s},
                      {"share_by_unit", by_unit(units, phase.share_by_unit)}});
    begin_s = phase.end_s;
  }
  return phases;
}

Json parameters_json(const std::map<std::string, std::string>& parameters) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters) json[name] = parameter_json(value);
  return json;
}

Json repetition_json(const Repetition& r) {
  return {{"repetition", r.repetition},
          {"makespan_s", r.makespan_s},
          {"idle_fraction", r.idle_fraction},
          {"blocks", r.blocks},
          {"rebalances", r.rebalances},
          {"decisions", {{"count", r.decisions}, {"total_s", r.decisions_total_s}}},
          {"finish_spread_s", r.finish_spread_s},
          {"energy_j", optional_json(r.energy_j)},
          {"items_redone", r.items_redone},
          {"extrapolated_share", r.extrapolated_share},
          {"verified", r.verified}};
}

/// A field's value as JSON.
struct ValueWriter {
  const std::vector<std::string>& units;

  Json operator()(std::monostate /*none*/) const { return {}; }
  Json operator()(const Statistics& value) const { return statistics_json(value); }
  Json operator()(const std::vector<std::optional<double>>& value) const {
    return by_unit(units, value);
  }
  Json operator()(const std::vector<PhaseResult>& value) const { return phases_json(value, units); }
  Json operator()(const std::map<std::string, std::string>& value) const {
    return parameters_json(value);
  }
  Json operator()(const std::vector<Repetition>& value) const {
    Json repetitions = Json::array();
    for (const Repetition& one : value) repetitions.push_back(repetition_json(one));
    return repetitions;
  }
  template <class Other>
  Json operator()(const Other& value) const {
    return value;
  }
};

/// Puts `value` into `object` under `name`, which may be a path: "a.b".
void put(Json& object, const std::string& name, Json value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) {
    object[name] = std::move(value);
  } else {
    put(object[name.substr(0, dot)], name.substr(dot + 1), std::move(value));
  }
}

Json result_json(const OfResult& of, Output output) {
  Json json = Json::object();
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & output) == 0) continue;
    put(json, field.name, std::visit(ValueWriter{of.comparison.units}, field.value(of)));
  }
  return json;
}

Json pacing_json(const ExecutorNotes& notes) {
  if (!notes.pacing) return nullptr;
  return {{"time_scale", notes.pacing->time_scale},
          {"late_mean_s", notes.pacing->late_mean.value},
          {"late_max_s", notes.pacing->late_most.value}};
}

Json loads_json(const ExecutorNotes& notes) {
  Json loads = Json::array();
  for (const LoadNote& load : notes.loads) {
    loads.push_back({{"unit", load.unit},
                     {"at_s", load.at.value},
                     {"share", load.share},
                     {"measured_share", load.measured_share}});
  }
  return loads;
}

/// [phase][unit]; null where nothing was known.
Json experience_json(const Experience& experience) {
  Json phases = Json::array();
  for (const auto& phase : experience) {
    Json& units = phases.emplace_back(Json::array());
    for (const auto& cost : phase) {
      units.push_back(cost ? Json::parse(learned_cost_text(*cost)) : Json());
    }
  }
  return phases;
}

}  // namespace

std::string run_header_text(const RunPlan& plan) {
  Json units = Json::array();
  for (const Unit& unit : plan.units) {
    units.push_back(unit_json(unit));
    if (!plan.scenario.presence_of(unit.name).at_start) units.back()["present_at_start"] = false;
  }
  Json workloads = Json::array();
  for (const Workload& workload : plan.phases) workloads.push_back(workload_json(workload));
  const Foresight foresight = plan.policy.info->foresight;
  Json header = {{"schema", "equipoise.run/1.1"},
                 {"on", plan.on},
                 {"policy", plan.policy.info->name},
                 {"spelling", plan.policy.spelling},
                 {"parameters", parameters_json(all_parameters(plan.policy))},
                 {"informed", foresight != Foresight::none},
                 {"oracle", foresight == Foresight::oracle},
                 {"experienced", plan.policy.is_experienced()},
                 {"workloads", std::move(workloads)},
                 {"units", std::move(units)},
                 {"seed", plan.seed},
                 {"repetition", plan.repetition},
                 {"decision_cost", plan.decision_cost},
                 {"version", built_with_text()},
                 {"machine", machine_json()}};
  if (!plan.policy.loaded_from.empty()) {
    header["library"] = plan.policy.loaded_from;
    header["library_hash"] = plan.policy.loaded_hash;
  }
  if (plan.policy.experience) header["experience"] = experience_json(*plan.policy.experience);
  if (plan.policy.recorded != nullptr) header["decisions_of"] = plan.policy.recorded_file;
  if (!plan.settings.empty()) header.update(Json::parse(plan.settings));
  return header.dump();
}

std::string run_summary_text(const RunReport& report, const std::vector<std::string>& units) {
  const RunNumbers& n = report.run.numbers;
  const std::optional<Losses> loss = loss_of(report);
  Json by = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitNumbers& unit = n.units[i];
    by[units[i]] = {{"items", unit.items},
                    {"share", share(n, i)},
                    {"blocks", unit.blocks},
                    {"setup_s", unit.busy.setup.value},
                    {"in_s", unit.busy.in.value},
                    {"compute_s", unit.busy.compute.value},
                    {"out_s", unit.busy.out.value},
                    {"idle_fraction", idle_fraction(n, i)},
                    {"last_end_s", unit.last_end.value},
                    {"energy_j", optional_json(unit.energy_j)}};
  }
  return Json{{"summary", true},
              {"makespan_s", n.makespan.value},
              {"lower_bound_s", optional_json(report.lower_bound_s)},
              {"loss_s", loss_json(loss)},
              {"longest_setup_s", loss ? Json(loss->longest_setup.value) : Json()},
              {"items", n.items},
              {"blocks", n.blocks},
              {"rebalances", n.rebalances},
              {"decisions",
               {{"count", n.decisions},
                {"total_s", n.decisions_total.value},
                {"max_s", n.decisions_max.value}}},
              {"finish_spread_s", finish_spread(n).value},
              {"energy_j", optional_json(n.energy_j)},
              {"energy_from", source_json(n.energy_from)},
              {"energy_note", text_or_null(n.energy_note)},
              {"items_redone", n.items_redone},
              {"extrapolated_share", n.extrapolated_share},
              {"policy_stalled", report.outcome.policy_stalled},
              {"complete", report.outcome.complete},
              {"verified", report.run.verified},
              {"problem", report.problem},
              {"by_unit", std::move(by)},
              {"phases", phases_json(n, units)},
              {"pacing", pacing_json(report.notes)},
              {"loads", loads_json(report.notes)}}
      .dump();
}

std::string environment_text(const std::string& command_line) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return Json{{"version", built_with_text()},
              {"source_id", source_id()},
              {"machine", machine_json()},
              {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(now))},
              {"command", command_line}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string results_text(const Comparison& comparison) {
  Json results = Json::array();
  for (const PolicyResult& r : comparison.results) {
    results.push_back(result_json({comparison, r}, in_json));
  }
  const std::optional<BestReached>& best = comparison.best_known;
  const std::string& environment = comparison.environment;
  return Json{{"schema", "equipoise.results/1"},
              {"environment", environment.empty() ? Json() : Json::parse(environment)},
              {"experiment", Json::parse(comparison.experiment)},
              {"lower_bound_s", optional_json(comparison.lower_bound_s)},
              {"best_known_s", best ? Json(best->seconds) : Json()},
              {"best_known_by", best ? Json(best->policy) : Json()},
              {"assumptions", text_or_null(comparison.assumptions)},
              {"reference", comparison.reference.empty() ? Json() : Json(comparison.reference)},
              {"interrupted", comparison.interrupted},
              {"results", std::move(results)}}
             .dump(1) +
         "\n";
}

std::string result_text(const OfResult& of, Output output) {
  return result_json(of, output).dump();
}

std::string json_object(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string text = "{";
  for (const auto& [name, value] : facts) {
    text += (text.size() > 1 ? "," : "") + json_string(name) + ":" + value;
  }
  return text + "}";
}

std::string json_list(const std::vector<std::string>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::string json_number(double value) { return Json(value).dump(); }

std::string json_statistics(const Statistics& s) { return statistics_json(s).dump(); }

std::string json_strings(const std::vector<std::string>& texts) {
  return Json(texts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace equipoise

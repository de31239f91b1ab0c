// Writes points and summaries of sweeps with the JSON library.
#include "tools/sweep/sweep_text.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/version.hpp"

namespace equipoise {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> known_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json ratio_json(const RatioSummary& ratio) {
  if (ratio.experiments == 0) return {};
  return {{"experiments", ratio.experiments},
          {"geometric_mean", ratio.geometric_mean},
          {"worst", ratio.worst},
          {"worst_experiment", ratio.worst_experiment}};
}

/// The numbers of one experiment that tables need.
Json experiment_json(const std::string& name, const Comparison& comparison) {
  Json policies = Json::object();
  for (const PolicyResult& r : comparison.results) {
    policies[r.policy] = Json::parse(result_text({comparison, r}, in_sweep));
  }
  const std::optional<BestReached>& best = comparison.best_known;
  return {{"name", name},
          {"lower_bound_s", number_or_null(comparison.lower_bound_s)},
          {"bound_by", comparison.bound_by},
          {"best_known_s", best ? Json(best->seconds) : Json()},
          {"best_known_by", best ? Json(best->policy) : Json()},
          {"policies", std::move(policies)}};
}

/// A row of a published figure. "relation": of the paper's number, "=", ">" or "<".
Json published_json(const PublishedComparison& one) {
  Json policies = Json::object();
  for (std::size_t p = 0; p < one.ours.size(); ++p) {
    const auto& [policy, printed] = one.figure.policies[p];
    Json& cell = policies[policy] = {{"here", number_or_null(one.ours[p])}};
    if (!printed) continue;
    cell["relation"] = relation_sign(*printed);
    cell["published"] = printed->value;
  }
  return {{"figure", one.figure.figure},
          {"experiment", one.figure.experiment},
          {"field", one.number.path},
          {"over", one.figure.over.empty() ? Json() : Json(one.figure.over)},
          {"policies", std::move(policies)},
          {"source", one.figure.source}};
}

Json unit_json(const UnitNumbers& unit) {
  const auto& [items, blocks, busy, occupied, last_end, energy_j] = unit;
  return {
      items,          blocks,         busy.setup.value, busy.in.value,           busy.compute.value,
      busy.out.value, occupied.value, last_end.value,   number_or_null(energy_j)};
}

UnitNumbers unit_from(const Json& json) {
  const auto seconds = [&json](std::size_t at) { return Seconds{json.at(at).get<double>()}; };
  return {json.at(0).get<Items>(),
          json.at(1).get<std::uint64_t>(),
          {seconds(2), seconds(3), seconds(4), seconds(5)},
          seconds(6),
          seconds(7),
          known_number(json.at(8))};
}

/// The seconds of each cause, then the longest setup and the merges; null if they are not known.
Json losses_json(const std::optional<Losses>& losses) {
  if (!losses) return {};
  Json json = Json::array();
  for (const LossCause& cause : loss_causes) json.push_back((*losses.*cause.member).value);
  json.push_back(losses->longest_setup.value);
  json.push_back(losses->merging.value);
  return json;
}

std::optional<Losses> losses_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto seconds = [&json](std::size_t at) { return Seconds{json.at(at).get<double>()}; };
  Losses losses;
  for (std::size_t i = 0; i < loss_causes.size(); ++i) losses.*loss_causes[i].member = seconds(i);
  losses.longest_setup = seconds(loss_causes.size());
  losses.merging = seconds(loss_causes.size() + 1);
  return losses;
}

/// A report that is verified. Every number is named, so that a new one that is not stored does not
/// compile.
Json report_json(const RunReport& report) {
  const auto& [makespan, units, phases, items, blocks, rebalances, decisions, decisions_total,
               decisions_max, items_redone, extrapolated_share, energy_j, energy_from, energy_note,
               losses] = report.run.numbers;
  Json by_unit = Json::array();
  for (const UnitNumbers& unit : units) by_unit.push_back(unit_json(unit));
  Json by_phase = Json::array();
  for (const std::vector<UnitInPhase>& phase : phases) {
    Json& in_phase = by_phase.emplace_back(Json::array());
    for (const auto& [items_in_phase, blocks_in_phase, last_end] : phase) {
      in_phase.push_back({items_in_phase, blocks_in_phase, last_end.value});
    }
  }
  return {{"makespan_s", makespan.value},
          {"units", std::move(by_unit)},
          {"phases", std::move(by_phase)},
          {"items", items},
          {"blocks", blocks},
          {"rebalances", rebalances},
          {"decisions", decisions},
          {"decisions_total_s", decisions_total.value},
          {"decisions_max_s", decisions_max.value},
          {"items_redone", items_redone},
          {"extrapolated_share", extrapolated_share},
          {"energy_j", number_or_null(energy_j)},
          {"energy_from", static_cast<int>(energy_from)},
          {"energy_note", energy_note},
          {"losses_s", losses_json(losses)},
          {"policy_stalled", report.run.policy_stalled},
          {"repetition", report.run.repetition}};
}

RunReport report_from(const Json& json) {
  RunReport report;
  RunNumbers& n = report.run.numbers;
  n.makespan = Seconds{json.at("makespan_s").get<double>()};
  for (const Json& unit : json.at("units")) n.units.push_back(unit_from(unit));
  for (const Json& phase : json.at("phases")) {
    std::vector<UnitInPhase>& in_phase = n.phases.emplace_back();
    for (const Json& unit : phase) {
      in_phase.push_back({unit.at(0).get<Items>(), unit.at(1).get<std::uint64_t>(),
                          Seconds{unit.at(2).get<double>()}});
    }
  }
  n.items = json.at("items").get<Items>();
  n.blocks = json.at("blocks").get<std::uint64_t>();
  n.rebalances = json.at("rebalances").get<std::uint64_t>();
  n.decisions = json.at("decisions").get<std::uint64_t>();
  n.decisions_total = Seconds{json.at("decisions_total_s").get<double>()};
  n.decisions_max = Seconds{json.at("decisions_max_s").get<double>()};
  n.items_redone = json.at("items_redone").get<Items>();
  n.extrapolated_share = json.at("extrapolated_share").get<double>();
  n.energy_j = known_number(json.at("energy_j"));
  n.energy_from = static_cast<EnergySource>(json.at("energy_from").get<int>());
  n.energy_note = json.at("energy_note").get<std::string>();
  n.losses = losses_from(json.at("losses_s"));
  report.run.verified = true;
  report.run.policy_stalled = json.at("policy_stalled").get<bool>();
  report.run.repetition = json.at("repetition").get<std::uint64_t>();
  return report;
}

PointRecord point_from(const Json& json) {
  PointRecord record;
  record.key = json.at("key").get<std::string>();
  record.experiment = json.at("experiment").get<std::string>();
  record.policy = json.at("policy").get<std::string>();
  record.seed = json.at("seed").get<std::uint64_t>();
  record.repetition = json.at("repetition").get<std::uint64_t>();
  record.failure = json.value("failure", std::string());
  if (record.failure.empty()) record.report = report_from(json.at("report"));
  return record;
}

/// A search for a schedule has the member "schedule", one with noise "with_noise".
SearchRecord search_from(const Json& json) {
  SearchRecord record;
  record.key = json.at("key").get<std::string>();
  record.experiment = json.at("experiment").get<std::string>();
  record.failure = json.value("failure", std::string());
  if (json.contains("schedule")) record.schedule.emplace();
  if (!record.failure.empty()) return record;
  record.best = {json.at("best_known_s").get<double>(),
                 json.at("best_known_by").get<std::string>()};
  if (record.schedule) record.schedule = json.at("schedule").get<BlockLists>();
  return record;
}

}  // namespace

std::string point_text(const PointRecord& record) {
  Json json = {{"key", record.key},
               {"experiment", record.experiment},
               {"policy", record.policy},
               {"seed", record.seed},
               {"repetition", record.repetition}};
  if (record.failure.empty()) {
    json["report"] = report_json(record.report);
  } else {
    json["failure"] = record.failure;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string search_text(const SearchRecord& record) {
  Json json = {{"key", record.key}, {"experiment", record.experiment}};
  if (!record.schedule) json["with_noise"] = true;
  if (record.failure.empty()) {
    json["best_known_s"] = record.best.seconds;
    json["best_known_by"] = record.best.policy;
    if (record.schedule) json["schedule"] = *record.schedule;
  } else {
    if (record.schedule) json["schedule"] = nullptr;
    json["failure"] = record.failure;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StoredLine stored_line_from(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("schedule") || json.contains("with_noise")) return search_from(json);
    return point_from(json);
  } catch (const Json::exception&) {
    throw InputError("", "is no record of a point");
  }
}

std::string sweep_text(const SweepResults& results) {
  Json standings = Json::array();
  for (const PolicyStanding& s : results.standings) {
    Json& standing = standings.emplace_back(Json{{"policy", s.policy},
                                                 {"experiments", s.experiments},
                                                 {"informed", s.foresight != Foresight::none},
                                                 {"oracle", s.foresight == Foresight::oracle}});
    for (const StandingRatio& of : standing_ratios()) standing[of.name] = ratio_json(s.*of.summary);
    standing["over_reference"] = ratio_json(s.over_reference);
    Json& shares = standing["loss_over_lower_bound"];
    const std::vector<std::string> names = loss_names();
    for (std::size_t i = 0; i < s.loss_shares.size(); ++i) shares[names[i]] = s.loss_shares[i];
  }
  Json groups = Json::array();
  for (const GroupStanding& group : results.groups) {
    Json policies = Json::object();
    for (std::size_t p = 0; p < group.over_best_known.size(); ++p) {
      policies[results.standings[p].policy] = ratio_json(group.over_best_known[p]);
    }
    groups.push_back({{"group", group.group},
                      {"experiments", group.experiments},
                      {"over_best_known", std::move(policies)}});
  }
  Json against = Json::array();
  for (const Behind& one : results.against) {
    against.push_back({{"experiment", one.experiment},
                       {"group", one.group.empty() ? Json() : Json(one.group)},
                       {"best_other", one.best_other},
                       {"paired_ratio", Json::parse(json_statistics(one.ratio))}});
  }
  Json published = Json::array();
  for (const PublishedComparison& one : results.published) published.push_back(published_json(one));
  Json experiments = Json::array();
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    experiments.push_back(
        experiment_json(results.campaign.experiments[i].name, results.comparisons[i]));
  }
  return Json{{"schema", "equipoise.sweep/1"},
              {"title", results.campaign.title},
              {"campaign", results.campaign.file},
              {"version", built_with_text()},
              {"reference", results.reference.empty() ? Json() : Json(results.reference)},
              {"policies", std::move(standings)},
              {"groups", std::move(groups)},
              {"against_best_other", std::move(against)},
              {"published", std::move(published)},
              {"experiments", std::move(experiments)}}
             .dump(1) +
         "\n";
}

}  // namespace equipoise

// Writes points and summaries of sweeps with the JSON library.
#include "tools/sweep/sweep_text.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_text.hpp"
#include "tools/report/version.hpp"

namespace equipoise {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

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
  return {{"name", name},
          {"lower_bound_s", number_or_null(comparison.lower_bound_s)},
          {"bound_by", comparison.bound_by},
          {"best_known_s", number_or_null(comparison.best_known_s)},
          {"policies", std::move(policies)}};
}

PointRecord point_from(const Json& json) {
  PointRecord record;
  record.key = json.at("key").get<std::string>();
  record.experiment = json.at("experiment").get<std::string>();
  record.policy = json.at("policy").get<std::string>();
  record.seed = json.at("seed").get<std::uint64_t>();
  record.repetition = json.at("repetition").get<std::uint64_t>();
  record.failure = json.value("failure", std::string());
  if (record.failure.empty()) record.report = unpacked(json.at("report").dump());
  return record;
}

ScheduleRecord schedule_from(const Json& json) {
  ScheduleRecord record;
  record.key = json.at("key").get<std::string>();
  record.experiment = json.at("experiment").get<std::string>();
  record.failure = json.value("failure", std::string());
  if (!record.failure.empty()) return record;
  record.best_known_s = json.at("best_known_s").get<double>();
  record.schedule = json.at("schedule").get<BlockLists>();
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
    json["report"] = Json::parse(packed(record.report));
  } else {
    json["failure"] = record.failure;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string schedule_text(const ScheduleRecord& record) {
  Json json = {{"key", record.key}, {"experiment", record.experiment}};
  if (record.failure.empty()) {
    json["best_known_s"] = record.best_known_s;
    json["schedule"] = record.schedule;
  } else {
    json["schedule"] = nullptr;
    json["failure"] = record.failure;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StoredLine stored_line_from(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("schedule")) return schedule_from(json);
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
  }
  Json groups = Json::array();
  for (const GroupStanding& group : results.groups) {
    Json policies = Json::object();
    for (std::size_t p = 0; p < group.over_yardstick.size(); ++p) {
      policies[results.standings[p].policy] = ratio_json(group.over_yardstick[p]);
    }
    groups.push_back({{"group", group.group},
                      {"experiments", group.experiments},
                      {"over_yardstick", std::move(policies)}});
  }
  Json against = Json::array();
  for (const Behind& one : results.against) {
    against.push_back({{"experiment", one.experiment},
                       {"group", one.group.empty() ? Json() : Json(one.group)},
                       {"best_other", one.best_other},
                       {"paired_ratio", Json::parse(json_statistics(one.ratio))}});
  }
  Json published = Json::array();
  for (const PublishedComparison& one : results.published) {
    published.push_back({{"experiment", one.figure.experiment},
                         {"policy", one.figure.policy},
                         {"over", one.figure.over},
                         {"published_speedup", one.figure.speedup},
                         {"speedup", one.speedup},
                         {"source", one.figure.source}});
  }
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

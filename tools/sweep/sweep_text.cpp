// Writes points and summaries of sweeps with the JSON library.
#include "tools/sweep/sweep_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/results_text.hpp"
#include "tools/runs/version.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

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
    policies[r.policy] = result_json({comparison, r}, in_sweep);
  }
  const std::optional<BestReached>& best = comparison.best_known;
  return {{"name", name},
          {"lower_bound_s", json_of(comparison.lower_bound_s)},
          {"bound_by", comparison.bound_by},
          {"best_known_s", best ? Json(best->seconds) : Json()},
          {"best_known_by", best ? Json(best->policy) : Json()},
          {"policies", std::move(policies)}};
}

/// A row of a published figure. "relation": of the paper's number, "=", ">" or "<", or ".." for
/// numbers from "published" to "published_most".
Json published_json(const PublishedComparison& one) {
  Json policies = Json::object();
  for (std::size_t p = 0; p < one.ours.size(); ++p) {
    const auto& [policy, printed] = one.figure.policies[p];
    Json& cell = policies[policy] = {{"here", json_of(one.ours[p])}};
    if (!printed) continue;
    cell["relation"] = relation_sign(*printed);
    cell["published"] = printed->value;
    if (printed->relation == PrintedValue::Relation::within) {
      cell["published_most"] = printed->most;
    }
  }
  return {{"figure", one.figure.figure},
          {"experiment", one.figure.experiment},
          {"field", one.number.path},
          {"over", one.figure.over.empty() ? Json() : Json(one.figure.over)},
          {"policies", std::move(policies)},
          {"source", one.figure.source}};
}

}  // namespace

std::optional<StoredReport> stored_report(const PointRecord& record) {
  if (!record.failure.empty()) return std::nullopt;
  const PolicyRun& run = record.report.run;
  return StoredReport{run.numbers, run.policy_stalled, run.repetition};
}

void set_stored_report(PointRecord& record, std::optional<StoredReport> report) {
  PolicyRun& run = record.report.run;
  run.verified = report.has_value();
  if (!report) return;
  run.numbers = std::move(report->numbers);
  run.policy_stalled = report->policy_stalled;
  run.repetition = report->repetition;
}

StoredSchedule stored_schedule(const SearchRecord& record) {
  if (!record.schedule) return std::nullopt;
  using Found = std::optional<BlockLists>;
  return record.failure.empty() ? Found(*record.schedule) : Found();
}

std::string point_text(const PointRecord& record) { return line_of(json_of(record, in_points)); }

std::string search_text(const SearchRecord& record) { return line_of(json_of(record, in_points)); }

StoredLine stored_line_from(const std::string& line) {
  try {
    const JsonValue value = parse_json(line, "points");
    const JsonObject object(value, "points", "a record");
    const bool is_search = std::ranges::any_of(value.object, [](const JsonMember& one) {
      return one.name == "schedule" || one.name == "with_noise";
    });
    const Reading how{.place = in_points};
    if (!is_search) {
      auto point = record_of<PointRecord>(value, "points", "a point", how);
      if (point.failure.empty() && !point.report.run.verified)
        static_cast<void>(object.at("report"));
      return point;
    }
    SearchRecord search;
    search.schedule.emplace();
    read_members(object, search, how);
    if (search.failure.empty()) {
      static_cast<void>(object.at("best_known_s"));
      static_cast<void>(object.at("best_known_by"));
      if (object.find("with_noise") == nullptr) static_cast<void>(object.at("schedule"));
    }
    return search;
  } catch (const InputError&) {
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
                       {"paired_ratio", json_of(one.ratio)}});
  }
  Json published = Json::array();
  for (const PublishedComparison& one : results.published) published.push_back(published_json(one));
  Json experiments = Json::array();
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    experiments.push_back(
        experiment_json(results.campaign.experiments[i].name, results.comparisons[i]));
  }
  return document_of({{"schema", "equipoise.sweep/1"},
                      {"title", results.campaign.title},
                      {"campaign", results.campaign.file},
                      {"version", built_with_text()},
                      {"reference", results.reference.empty() ? Json() : Json(results.reference)},
                      {"policies", std::move(standings)},
                      {"groups", std::move(groups)},
                      {"against_best_other", std::move(against)},
                      {"published", std::move(published)},
                      {"experiments", std::move(experiments)}});
}

}  // namespace equipoise

// Writes results in JSON.
#include "tools/report/json_text.hpp"

#include <utility>
#include <variant>

#include "shared_policies/run/losses.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

Json by_unit(const std::vector<std::string>& units, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) json[units[i]] = values[i];
  return json;
}

Json by_unit(const std::vector<std::string>& units,
             const std::vector<std::optional<double>>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < units.size(); ++i) json[units[i]] = json_of(values[i]);
  return json;
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

Json repetition_json(const Repetition& r) {
  Json json = {{"repetition", r.repetition}};
  r.figures.for_each([&](const MemberFacts& facts, std::optional<double> value, bool is_count) {
    put(json, facts.name,
        value && is_count ? Json(static_cast<std::int64_t>(*value)) : json_of(value));
  });
  json["verified"] = r.verified;
  return json;
}

/// A field's value as JSON.
struct ValueWriter {
  const std::vector<std::string>& units;

  Json operator()(std::monostate /*none*/) const { return {}; }
  Json operator()(const Statistics& value) const { return json_of(value); }
  Json operator()(const std::vector<std::optional<double>>& value) const {
    return by_unit(units, value);
  }
  Json operator()(const std::vector<PhaseResult>& value) const { return phases_json(value, units); }
  Json operator()(const std::map<std::string, std::string>& value) const {
    return json_of(parameter_facts(value));
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

}  // namespace

Json result_json(const OfResult& of, Output output) {
  Json json = Json::object();
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & output) == 0) continue;
    put(json, field.name, std::visit(ValueWriter{of.comparison.units}, field.value(of)));
  }
  return json;
}

std::string results_text(const Comparison& comparison) {
  Json results = Json::array();
  for (const PolicyResult& r : comparison.results) {
    results.push_back(result_json({comparison, r}, in_json));
  }
  const std::optional<BestReached>& best = comparison.best_known;
  return document_of({{"schema", "equipoise.results/1"},
                      {"environment", json_of(comparison.environment)},
                      {"experiment", json_of(comparison.experiment)},
                      {"lower_bound_s", json_of(comparison.lower_bound_s)},
                      {"best_known_s", best ? Json(best->seconds) : Json()},
                      {"best_known_by", best ? Json(best->spelling) : Json()},
                      {"assumptions", text_or_null(comparison.assumptions)},
                      {"reference", text_or_null(comparison.reference)},
                      {"interrupted", comparison.interrupted},
                      {"results", std::move(results)}});
}

}  // namespace equipoise

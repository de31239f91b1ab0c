// Writes run files and results in JSON.
#include "tools/report/json_text.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "shared_policies/run/losses.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/runs/parameter_facts.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// Null if there is nothing to say.
Json note_json(const std::string& note) { return note.empty() ? Json() : Json(note); }

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

Json result_json(const OfResult& of, Output output) {
  Json json = Json::object();
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & output) == 0) continue;
    put(json, field.name, std::visit(ValueWriter{of.comparison.units}, field.value(of)));
  }
  return json;
}

}  // namespace

std::string results_text(const Comparison& comparison) {
  Json results = Json::array();
  for (const PolicyResult& r : comparison.results) {
    results.push_back(result_json({comparison, r}, in_json));
  }
  const std::optional<BestReached>& best = comparison.best_known;
  return Json{{"schema", "equipoise.results/1"},
              {"environment", json_of(comparison.environment)},
              {"experiment", json_of(comparison.experiment)},
              {"lower_bound_s", optional_json(comparison.lower_bound_s)},
              {"best_known_s", best ? Json(best->seconds) : Json()},
              {"best_known_by", best ? Json(best->policy) : Json()},
              {"assumptions", note_json(comparison.assumptions)},
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

std::string json_number(const std::optional<double>& value) { return optional_json(value).dump(); }

std::string json_text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_string(text);
}

std::string json_parameter(const std::string& text) {
  return text.empty() ? "null" : json_of(parameter_fact(text)).dump();
}

std::string json_unit(const Unit& unit) { return line_of(json_of(unit, in_runs)); }

std::string json_files(const std::vector<std::string>& files) {
  return json_object({{"schema", json_string("equipoise.files/1")}, {"files", json_list(files)}});
}

std::string json_statistics(const Statistics& s) { return line_of(json_of(s)); }

std::string json_strings(const std::vector<std::string>& texts) {
  return Json(texts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace equipoise

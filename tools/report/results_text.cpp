// Writes each result as the values, or cells, of its fields.
#include "tools/report/results_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

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

/// The cells of a value, and what distinguishes their headings.
struct Cells {
  std::vector<std::string> headings;  ///< added to the field's name
  std::vector<std::string> texts;
};

struct CellMaker {
  const std::vector<std::string>& units;

  Cells operator()(std::monostate /*none*/) const { return {}; }
  Cells operator()(bool value) const { return {{""}, {value ? "true" : "false"}}; }
  Cells operator()(std::uint64_t value) const { return {{""}, {fmt::format("{}", value)}}; }
  Cells operator()(double value) const { return {{""}, {csv_number(value)}}; }
  Cells operator()(const std::string& value) const { return {{""}, {csv_quoted(value)}}; }
  Cells operator()(const Statistics& s) const {
    return {{".mean", ".sd", ".ci95_low", ".ci95_high", ".min", ".max"},
            {csv_number(s.mean), csv_number(s.sd), csv_number(s.ci95_low), csv_number(s.ci95_high),
             csv_number(s.min), csv_number(s.max)}};
  }
  Cells operator()(const std::vector<std::optional<double>>& by_unit) const {
    Cells cells;
    for (std::size_t i = 0; i < units.size(); ++i) {
      cells.headings.push_back("." + units[i]);
      cells.texts.push_back(by_unit[i] ? csv_number(*by_unit[i]) : "");
    }
    return cells;
  }
  template <class Other>
  Cells operator()(const Other& /*value*/) const {
    EQ_CHECK(false, "a column has a single value");
    return {};
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

std::string results_csv(const Comparison& comparison) {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> lines(comparison.results.size());
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_csv) == 0) continue;
    std::vector<Cells> cells;
    for (const PolicyResult& result : comparison.results) {
      cells.push_back(std::visit(CellMaker{comparison.units}, field.value({comparison, result})));
    }
    // Where one result has no value, the others say how many columns there are.
    const auto widest =
        std::ranges::max_element(cells, {}, [](const Cells& one) { return one.headings.size(); });
    const bool is_known = widest != cells.end() && !widest->headings.empty();
    const std::vector<std::string> parts =
        is_known ? widest->headings : std::vector<std::string>{""};
    for (const std::string& part : parts) headings.push_back(csv_quoted(field.name + part));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      cells[i].texts.resize(parts.size());
      lines[i].insert(lines[i].end(), cells[i].texts.begin(), cells[i].texts.end());
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(headings, ","));
  for (const auto& line : lines) text += fmt::format("{}\n", fmt::join(line, ","));
  return text;
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace equipoise

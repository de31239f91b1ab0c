// Reads results.json back into the comparison that it was written from.
#include "tools/report/stored_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/experience.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/losses.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/report/json_values.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The row of the catalog, or one with what results know of a policy that is not in it.
const PolicyInfo& info_of(const JsonValue& result) {
  const std::string name = text_at(result, "policy");
  const auto known = std::ranges::find(policy_catalog(), name, &PolicyInfo::name);
  if (known != policy_catalog().end()) return *known;
  static std::deque<PolicyInfo> others;
  PolicyInfo& info = others.emplace_back();
  info.name = name;
  if (is_true_at(result, "informed")) info.foresight = Foresight::informed;
  if (is_true_at(result, "oracle")) info.foresight = Foresight::oracle;
  info.knows_costs = is_true_at(result, "knows_costs");
  return info;
}

void add_policy(Comparison& comparison, const JsonValue& result) {
  const std::string spelling = text_at(result, "spelling");
  const auto same = std::ranges::find(comparison.policies, spelling, &PolicyChoice::spelling);
  if (same != comparison.policies.end()) return;
  PolicyChoice& choice = comparison.policies.emplace_back();
  choice.info = &info_of(result);
  choice.spelling = choice.typed = spelling;
  choice.parameters = parse_spec(spelling, ':', "policy").parameters;
  if (is_true_at(result, "experienced")) choice.experience = std::make_shared<const Experience>();
}

Repetition repetition_from(const JsonValue& value) {
  Repetition repetition;
  repetition.repetition = static_cast<std::uint64_t>(number_at(value, "repetition", 0.0));
  repetition.verified = is_usable(value);
  repetition.unchecked = is_unchecked(value);
  RunFigures().for_each([&](const MemberFacts& facts, auto /*value*/, bool /*is_count*/) {
    repetition.figures.set(facts.name, number_at(value, facts.name));
  });
  return repetition;
}

/// The numbers at `path` of all units; 0 where one is not known.
std::vector<double> of_units(const JsonValue& result, const std::string& path,
                             const std::vector<std::string>& units) {
  std::vector<double> numbers;
  for (const std::string& unit : units) numbers.push_back(number_at(result, path + unit, 0.0));
  return numbers;
}

/// What results keep of it.
Prediction prediction_from(const JsonValue& result) {
  Prediction prediction;
  prediction.note = text_at(result, "interval_note");
  const JsonValue* const ends = member(result, "makespan_s.interval95");
  if (ends != nullptr && ends->list.size() == 2) {
    prediction.interval95_s = {ends->list[0].number, ends->list[1].number};
  }
  if (const JsonValue* const others = member(result, "p_faster")) {
    for (const JsonMember& other : others->object) {
      prediction.p_faster.emplace_back(other.name, other.value.number);
    }
  }
  return prediction;
}

PolicyResult result_from(const JsonValue& value, const std::vector<std::string>& units) {
  PolicyResult result;
  result.spelling = text_at(value, "spelling");
  result.on = text_at(value, "on");
  std::vector<double> makespans_s;
  if (const JsonValue* const repetitions = member(value, "repetitions")) {
    for (const JsonValue& one : repetitions->list) {
      result.repetitions.push_back(repetition_from(one));
      makespans_s.push_back(number_at(one, "makespan_s", 0.0));
    }
  }
  result.reps = result.repetitions.size();
  if (result.reps > 0) {
    result.makespan_s = summarise(makespans_s);
    result.means = RunFigures::mean_of(result.repetitions);
  }
  if (const std::optional<double> share = number_at(value, "other_load_share")) {
    result.core_use = {1.0, *share};
  }
  result.speedup_vs_baseline = number_at(value, "speedup_vs_baseline");
  result.over_lower_bound = number_at(value, "over_lower_bound");
  result.loss = stored_loss(value);
  result.idle_fraction = number_at(value, "idle_fraction.mean", 0.0);
  result.idle_by_unit = of_units(value, "idle_fraction.by_unit.", units);
  result.share_by_unit = of_units(value, "share_by_unit.", units);
  for (const std::string& unit : units) {
    result.energy_by_unit_j.push_back(number_at(value, "energy_by_unit_j." + unit));
  }
  result.decisions_max_s = number_at(value, "decisions.max_s", 0.0);
  result.energy_from =
      called<EnergySource>(text_at(value, "energy_from")).value_or(EnergySource::unknown);
  result.energy_note = text_at(value, "energy_note");
  if (!number_at(value, "energy_j")) result.means.of<&RunNumbers::energy_j>().reset();
  if (const std::string source = text_at(value, "timings"); !source.empty()) {
    result.timings = TimingsFacts{source, number_at(value, "recorded_busy")};
  }
  result.prediction = prediction_from(value);
  result.verified = is_usable(value);
  result.unchecked = is_unchecked(value);
  result.policy_stalled = is_true_at(value, "policy_stalled");
  return result;
}

}  // namespace

std::optional<Losses> stored_loss(const JsonValue& result) {
  if (!number_at(result, "loss_s.total")) return std::nullopt;
  Losses loss;
  for (const LossCause& cause : loss_causes) {
    loss.*cause.member = Seconds{number_at(result, fmt::format("loss_s.{}", cause.name), 0.0)};
  }
  loss.longest_setup = Seconds{number_at(result, "longest_setup_s", 0.0)};
  return loss;
}

Comparison read_comparison(const std::string& file) {
  const JsonValue document =
      parse_json(read_input(file, "give a results.json of 'equipoise compare --out'"), file);
  const JsonObject top(document, file, "a results.json");
  expect_schema(top.text("schema"), "equipoise.results/1", top.where(top.at("schema")));
  Comparison comparison;
  comparison.experiment.baseline = text_at(document, "experiment.baseline");
  comparison.experiment.decision_cost = text_at(document, "experiment.decision_cost");
  if (member(document, "experiment.sim") != nullptr) {
    comparison.experiment.sim.emplace().noise = is_true_at(document, "experiment.sim.noise");
  }
  if (const JsonValue* const costs = member(document, "experiment.costs")) {
    for (const JsonValue& phase : costs->list) {
      comparison.experiment.costs.emplace_back();
      if (phase.object.empty()) continue;  // null
      comparison.experiment.costs.back() = record_of<CostsFacts>(phase, file, "costs", {});
    }
  }
  comparison.lower_bound_s = number_at(document, "lower_bound_s");
  if (const std::optional<double> best_s = number_at(document, "best_known_s")) {
    comparison.best_known = BestReached{*best_s, text_at(document, "best_known_by")};
  }
  comparison.model_errors_from = text_at(document, "model_errors_from");
  if (const JsonValue* const asked = member(document, "what_if")) {
    comparison.what_if = record_of<WhatIf>(*asked, file, "what_if", {});
  }
  comparison.assumptions = text_at(document, "assumptions");
  comparison.reference = text_at(document, "reference");
  comparison.interrupted = is_true_at(document, "interrupted");
  const std::vector<JsonValue>& results = top.list("results");
  if (!results.empty()) {
    if (const JsonValue* const shares = member(results.front(), "share_by_unit")) {
      for (const auto& [unit, share] : shares->object) comparison.units.push_back(unit);
    }
  }
  for (const JsonValue& result : results) {
    add_policy(comparison, result);
    comparison.results.push_back(result_from(result, comparison.units));
  }
  compare_order(comparison.results);  // of results of an earlier version
  return comparison;
}

}  // namespace equipoise
